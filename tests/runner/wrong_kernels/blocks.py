"""Sizes, shapes and indices of blocks."""
# They are wrong on purpose:
# ruff: noqa

import triton
import triton.language as tl

from tests.runner.wrong_kernels.registry import floats, launch


@launch(lambda: (floats(), 64))
@triton.jit
def arange_of_runtime_value(x_ptr, n):
    offs = tl.arange(0, n)  #! not-constexpr
    tl.store(x_ptr + offs, offs)


@launch(lambda: (floats(), 64))
@triton.jit
def zeros_of_runtime_value(x_ptr, n):
    acc = tl.zeros((n,), dtype=tl.float32)  #! not-constexpr
    tl.store(x_ptr + tl.arange(0, 64), acc)


@launch(lambda: (floats(), 64))
@triton.jit
def full_of_runtime_value(x_ptr, n):
    acc = tl.full([n], 0.0, tl.float32)  #! not-constexpr
    tl.store(x_ptr + tl.arange(0, 64), acc)


@launch(lambda: (floats(), 64))
@triton.jit
def local_block(x_ptr, n):
    BLOCK = 64
    offs = tl.arange(0, BLOCK)  #! not-constexpr
    tl.store(x_ptr + offs, offs)


@launch(lambda: (floats(), 64))
@triton.jit
def static_range_of_runtime_value(x_ptr, n):
    for i in tl.static_range(n):  #! not-constexpr
        tl.store(x_ptr + i, 0.0)


@launch(lambda: (floats(), 64), BLOCK=100)
@triton.jit
def arange_of_100(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)  #! not-power-of-two
    tl.store(x_ptr + offs, offs)


@launch(lambda: (floats(), 64), BLOCK=100)
@triton.jit
def zeros_of_100(x_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)  #! not-power-of-two
    tl.store(x_ptr + tl.arange(0, 128), acc)


@launch(lambda: (floats(), 64), BLOCK=2**21)
@triton.jit
def tile_of_2_to_21(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)  #! block-too-large
    tl.store(x_ptr + offs, offs)


@launch(lambda: (floats(), 64), BM=2048, BN=1024)
@triton.jit
def tile_of_2_to_21_by_broadcast(x_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    tl.store(x_ptr + rows[:, None] * n + columns[None, :], 0.0)  #! block-too-large


@launch(lambda: (floats(), 64))
@triton.jit
def empty_range(x_ptr, n):
    offs = tl.arange(64, 64)  #! empty-range
    tl.store(x_ptr + offs, 0.0)


@launch(lambda: (floats(),))
@triton.jit
def first_of_block(x_ptr):
    v = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(x_ptr, v[0])  #! block-indexing


@launch(lambda: (floats(),))
@triton.jit
def sliced_block(x_ptr):
    v = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(x_ptr + tl.arange(0, 32), v[0:32])  #! block-indexing


@launch(lambda: (floats(),))
@triton.jit
def assigned_block(x_ptr):
    v = tl.load(x_ptr + tl.arange(0, 64))
    v[0] = 1.0  #! block-indexing
    tl.store(x_ptr + tl.arange(0, 64), v)


@launch(lambda: (floats(), 60))
@triton.jit
def if_on_block(x_ptr, n):
    offs = tl.arange(0, 64)
    if offs < n:  #! block-truth-value
        tl.store(x_ptr + offs, 0.0)


@launch(lambda: (floats(), 60))
@triton.jit
def while_on_block(x_ptr, n):
    offs = tl.arange(0, 64)
    while offs < n:  #! block-truth-value
        offs += 1
    tl.store(x_ptr + offs, 0.0)


@launch(lambda: (floats(), 60))
@triton.jit
def ternary_on_block(x_ptr, n):
    offs = tl.arange(0, 64)
    v = 1.0 if offs < n else 0.0  #! block-truth-value
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(),))
@triton.jit
def widths_differ(x_ptr):
    a = tl.load(x_ptr + tl.arange(0, 64))
    b = tl.load(x_ptr + tl.arange(0, 32))
    tl.store(x_ptr + tl.arange(0, 64), a + b)  #! shape-mismatch


@launch(lambda: (floats(4096),))
@triton.jit
def forgotten_axis(x_ptr):
    rows = tl.arange(0, 64)
    columns = tl.arange(0, 32)
    tl.store(x_ptr + rows * 64 + columns, 0.0)  #! shape-mismatch


@launch(lambda: (floats(4096),))
@triton.jit
def mask_of_other_width(x_ptr):
    offs = tl.arange(0, 64)
    tl.store(x_ptr + offs, 0.0, mask=tl.arange(0, 32) < 4)  #! shape-mismatch


@launch(lambda: (floats(4096),))
@triton.jit
def value_of_other_rank(x_ptr):
    offs = tl.arange(0, 64)
    v = tl.zeros((64, 64), tl.float32)
    tl.store(x_ptr + offs, v)  #! shape-mismatch


@launch(lambda: (floats(4096),))
@triton.jit
def reshape_to_other_size(x_ptr):
    v = tl.zeros((64,), tl.float32)
    v = tl.reshape(v, (64, 64))  #! shape-mismatch
    tl.store(x_ptr + tl.arange(0, 64), v)


@launch(lambda: (floats(4096),))
@triton.jit
def broadcast_to_other_size(x_ptr):
    v = tl.zeros((32,), tl.float32)
    v = tl.broadcast_to(v, (64,))  #! shape-mismatch
    tl.store(x_ptr + tl.arange(0, 64), v)


@launch(lambda: (floats(), 60))
@triton.jit
def block_mask_scalar_pointer(x_ptr, n):
    offs = tl.arange(0, 64)
    v = tl.load(x_ptr, mask=offs < n)  #! shape-mismatch
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(), 60))
@triton.jit
def block_value_scalar_pointer(x_ptr, n):
    v = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(x_ptr, v)  #! shape-mismatch


@launch(lambda: (floats(1024),))
@triton.jit
def dot_too_small(x_ptr):
    a = tl.zeros((8, 8), tl.float32)
    c = tl.dot(a, a)  #! dot-shape
    tl.store(x_ptr + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], c)


@launch(lambda: (floats(1024),))
@triton.jit
def dot_inner_sizes_differ(x_ptr):
    a = tl.zeros((32, 32), tl.float32)
    b = tl.zeros((16, 32), tl.float32)
    c = tl.dot(a, b)  #! dot-shape
    tl.store(x_ptr + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@launch(lambda: (floats(1024),))
@triton.jit
def dot_of_vectors(x_ptr):
    a = tl.zeros((32,), tl.float32)
    c = tl.dot(a, a)  #! dot-shape
    tl.store(x_ptr, c)


@launch(lambda: (floats(1024),))
@triton.jit
def dot_accumulator_shape(x_ptr):
    a = tl.zeros((32, 32), tl.float16)
    acc = tl.zeros((32, 16), tl.float32)
    c = tl.dot(a, a, acc)  #! dot-shape
    tl.store(x_ptr + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@launch(lambda: (floats(), 60))
@triton.jit
def axis_out_of_range(x_ptr, n):
    v = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(x_ptr, tl.sum(v, axis=1))  #! shape-mismatch


@launch(lambda: (floats(), 60))
@triton.jit
def program_axis_3(x_ptr, n):
    pid = tl.program_id(3)  #! grid-axis-missing
    tl.store(x_ptr + pid, 0.0)


@launch(lambda: (floats(), 64), BLOCK=64.0)
@triton.jit
def float_block(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 0.0)  #! not-constexpr


@launch(lambda: (floats(), 64))
@triton.jit
def numpy_like(x_ptr, n):
    v = tl.load(x_ptr + tl.arange(0, 64))
    v = v.T  #! shape-mismatch
    tl.store(x_ptr + tl.arange(0, 64), v)


@launch(lambda: (floats(), 64))
@triton.jit
def too_many_indices(x_ptr, n):
    v = tl.arange(0, 64)[:, :]  #! shape-mismatch
    tl.store(x_ptr + v, 0.0)
