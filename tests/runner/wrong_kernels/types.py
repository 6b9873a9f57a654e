"""What pointers, loops, branches and operations take as types."""
# They are wrong on purpose:
# ruff: noqa

import torch
import triton
import triton.language as tl

from tests.runner.wrong_kernels.registry import floats, halves, ints, launch


@launch(lambda: (floats(),))
@triton.jit
def subscripted_pointer(x_ptr):
    offs = tl.arange(0, 64)
    v = x_ptr[offs]  #! pointer-indexing
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(),))
@triton.jit
def assigned_pointer(x_ptr):
    offs = tl.arange(0, 64)
    x_ptr[offs] = 0.0  #! pointer-indexing


@launch(lambda: (floats(), 64))
@triton.jit
def float_offset(x_ptr, n):
    offs = tl.arange(0, 64) + n / 2
    tl.store(x_ptr + offs, 0.0)  #! pointer-arithmetic-type


@launch(lambda: (floats(), floats()))
@triton.jit
def sum_of_pointers(x_ptr, y_ptr):
    v = tl.load(x_ptr + y_ptr)  #! pointer-arithmetic-type
    tl.store(x_ptr, v)


@launch(lambda: (floats(), floats()))
@triton.jit
def stores_addresses(x_ptr, y_ptr):
    offs = tl.arange(0, 64)
    tl.store(y_ptr + offs, x_ptr + offs)  #! pointer-arithmetic-type


@launch(lambda: (floats(), 64))
@triton.jit
def product_of_pointer(x_ptr, n):
    v = tl.load(x_ptr * n)  #! pointer-arithmetic-type
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 64))
@triton.jit
def loaded_number(x_ptr, n):
    v = tl.load(n)  #! pointer-arithmetic-type
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 64))
@triton.jit
def loaded_offsets(x_ptr, n):
    v = tl.load(tl.arange(0, 64))  #! pointer-arithmetic-type
    tl.store(x_ptr + tl.arange(0, 64), v)


@launch(lambda: (floats(), 64))
@triton.jit
def stored_into_number(x_ptr, n):
    tl.store(n, 1.0)  #! pointer-arithmetic-type


@launch(lambda: (floats(), 64))
@triton.jit
def scalar_argument_as_pointer(n, x_ptr):
    tl.store(x_ptr + tl.arange(0, 64), 0.0)  #! pointer-arithmetic-type


@launch(lambda: (floats(),))
@triton.jit
def other_without_mask(x_ptr):
    offs = tl.arange(0, 64)
    v = tl.load(x_ptr + offs, other=0.0)  #! other-without-mask
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(), 4))
@triton.jit
def carried_from_int_to_float(x_ptr, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x_ptr + i)  #! loop-carried-type
    tl.store(x_ptr, acc)


@launch(lambda: (halves(), 4))
@triton.jit
def carried_from_half_to_float(x_ptr, n):
    offs = tl.arange(0, 64)
    acc = tl.zeros((64,), tl.float16)
    for i in range(n):
        acc += tl.load(x_ptr + offs).to(tl.float32)  #! loop-carried-type
    tl.store(x_ptr + offs, acc)


@launch(lambda: (floats(), 4))
@triton.jit
def carried_changes_shape(x_ptr, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(x_ptr + tl.arange(0, 64))  #! loop-carried-type
    tl.store(x_ptr + tl.arange(0, 64), acc)


@launch(lambda: (floats(), 4))
@triton.jit
def carried_in_while(x_ptr, n):
    acc = 0
    i = 0
    while i < n:
        acc += tl.load(x_ptr + i)  #! loop-carried-type
        i += 1
    tl.store(x_ptr, acc)


@launch(lambda: (floats(), 4))
@triton.jit
def carried_constexpr(x_ptr, n):
    k: tl.constexpr = 1
    for i in range(n):
        k = k + i  #! loop-carried-type
    tl.store(x_ptr, k)


@launch(lambda: (floats(), 4))
@triton.jit
def branches_differ(x_ptr, n):
    if n > 2:  #! branch-type
        v = 1
    else:
        v = 2.0
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def branch_changes_type(x_ptr, n):
    v = tl.program_id(0)
    if n > 2:  #! branch-type
        v = tl.load(x_ptr)
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def ternary_types_differ(x_ptr, n):
    v = 1 if n > 2 else 2.0  #! branch-type
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def only_in_one_branch(x_ptr, n):
    if n > 2:
        v = 1.0
    tl.store(x_ptr, v)  #! branch-only-variable


@launch(lambda: (floats(), 4))
@triton.jit
def only_in_the_loop(x_ptr, n):
    for i in range(n):
        v = tl.load(x_ptr + i)
    tl.store(x_ptr, v)  #! branch-only-variable


@launch(lambda: (floats(1024),))
@triton.jit
def dot_dtypes_differ(x_ptr):
    a = tl.zeros((32, 32), tl.float32)
    b = tl.zeros((32, 32), tl.float16)
    c = tl.dot(a, b)  #! dot-dtype
    tl.store(x_ptr + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@launch(lambda: (floats(1024),))
@triton.jit
def dot_of_ints(x_ptr):
    a = tl.zeros((32, 32), tl.int32)
    c = tl.dot(a, a)  #! dot-dtype
    tl.store(x_ptr + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@launch(lambda: (floats(1024),))
@triton.jit
def dot_accumulator_dtype(x_ptr):
    a = tl.zeros((32, 32), tl.float16)
    acc = tl.zeros((32, 32), tl.float16)
    c = tl.dot(a, a, acc)  #! dot-dtype
    tl.store(x_ptr + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@launch(lambda: (ints(),))
@triton.jit
def exp_of_int(x_ptr):
    offs = tl.arange(0, 64)
    v = tl.exp(tl.load(x_ptr + offs))  #! dtype-unsupported
    tl.store(x_ptr + offs, v)


@launch(lambda: (halves(),))
@triton.jit
def exp_of_half(x_ptr):
    offs = tl.arange(0, 64)
    v = tl.exp(tl.load(x_ptr + offs))  #! dtype-unsupported
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(), 60))
@triton.jit
def float_mask(x_ptr, n):
    offs = tl.arange(0, 64)
    v = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs, 0.0, mask=v)  #! mask-not-boolean


@launch(lambda: (floats(), 60))
@triton.jit
def and_of_floats(x_ptr, n):
    offs = tl.arange(0, 64)
    v = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs, v & v)  #! dtype-unsupported


@launch(lambda: (floats(), 60))
@triton.jit
def cast_to_torch_dtype(x_ptr, n):
    v = tl.load(x_ptr).to(torch.float16)  #! torch-dtype
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 60))
@triton.jit
def string_value(x_ptr, n):
    v = tl.load(x_ptr) + "a"  #! not-a-value
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 60))
@triton.jit
def none_value(x_ptr, n):
    v = None
    tl.store(x_ptr, v)  #! not-a-value


@launch(lambda: (halves(), 64))
@triton.jit
def atomic_max_of_half(x_ptr, n):
    tl.atomic_max(x_ptr + tl.arange(0, 64), 1.0)  #! dtype-unsupported


@launch(lambda: (floats(), 64))
@triton.jit
def range_of_float(x_ptr, n):
    for i in range(0, n / 2):  #! loop-bound-type
        tl.store(x_ptr + i, 0.0)
