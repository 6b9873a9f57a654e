"""Kernels that the compiler refuses. The line to blame ends in ``#! id``; ``launch`` gives the arguments of one launch.

``LAUNCHES`` holds them as ``(kernel, arguments, options)``. ``EXCUSED`` names those that some versions of Triton accept, or
refuse without a word to tell the fault by.
"""
# They are wrong on purpose:
# ruff: noqa

import torch
import triton
import triton.language as tl

SCALE = 3.0
SIZES = [16, 32]


def helper(x):
    return x * 2


@triton.jit
def double(x):
    return x.nothing  #! name-error (error_in_device_function)


def floats(n=64):
    return torch.empty(n)


def halves(n=4096):
    return torch.empty(n, dtype=torch.float16)


def ints(n=64):
    return torch.empty(n, dtype=torch.int32)


LAUNCHES = []

EXCUSED = {
    "dot_accumulator_shape": lambda version: version < (3, 6),
    "dot_too_small": lambda version: version >= (3, 9),
    "dot_accumulator_dtype": lambda version: version >= (3, 9),
    "block_pointer": lambda version: version < (3, 9),
    "advance_of_pointer": lambda version: version < (3, 9),
    "too_many_indices": lambda version: version < (3, 9),
    "chained_comparison": lambda version: version >= (3, 9),
    "while_on_block": lambda version: version < (3, 6),  # 3.4 ends the whole process
    "ternary_on_block": lambda version: version < (3, 6),  # likewise
}


def launch(make_arguments, **options):
    """Register a kernel with what makes its arguments, in the order of its parameters, and with its constants."""

    def register(kernel):
        LAUNCHES.append((kernel, make_arguments, options))
        return kernel

    return register


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
def subscripted_pointer(x_ptr):
    offs = tl.arange(0, 64)
    v = x_ptr[offs]  #! pointer-indexing
    tl.store(x_ptr + offs, v)


@launch(lambda: (floats(),))
@triton.jit
def assigned_pointer(x_ptr):
    offs = tl.arange(0, 64)
    x_ptr[offs] = 0.0  #! pointer-indexing


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


@launch(lambda: (floats(), 60))
@triton.jit
def chained_comparison(x_ptr, n):
    offs = tl.arange(0, 64)
    mask = 3 < offs < n  #! unsupported-statement
    tl.store(x_ptr + offs, 0.0, mask=mask)


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


@launch(lambda: (floats(), 4))
@triton.jit
def misspelt_variable(x_ptr, n):
    offs = tl.arange(0, 64)
    tl.store(x_ptr + ofs, 0.0)  #! name-error


@launch(lambda: (floats(), 4))
@triton.jit
def misspelt_function(x_ptr, n):
    offs = tl.arrange(0, 64)  #! name-error
    tl.store(x_ptr + offs, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def break_in_loop(x_ptr, n):
    for i in range(n):
        if i > 2:
            break  #! unsupported-statement
        tl.store(x_ptr + i, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def continue_in_loop(x_ptr, n):
    for i in range(n):
        if i > 2:
            continue  #! unsupported-statement
        tl.store(x_ptr + i, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def return_in_loop(x_ptr, n):
    for i in range(n):
        if i > 2:
            return  #! unsupported-statement
        tl.store(x_ptr + i, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def try_statement(x_ptr, n):
    try:  #! unsupported-statement
        tl.store(x_ptr, 0.0)
    except ValueError:
        pass


@launch(lambda: (floats(), 4))
@triton.jit
def lambda_expression(x_ptr, n):
    f = lambda a: a + 1  #! unsupported-statement
    tl.store(x_ptr, f(1.0))


@launch(lambda: (floats(), 4))
@triton.jit
def import_statement(x_ptr, n):
    import math  #! unsupported-statement

    tl.store(x_ptr, math.pi)


@launch(lambda: (floats(), 4))
@triton.jit
def list_comprehension(x_ptr, n):
    v = [i for i in range(4)]  #! unsupported-statement
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def dictionary(x_ptr, n):
    v = {"a": 1}  #! unsupported-statement
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def raise_statement(x_ptr, n):
    if n > 3:
        raise ValueError("too many")  #! unsupported-statement
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def deletion(x_ptr, n):
    v = 1.0
    del v  #! unsupported-statement
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def enumerate_loop(x_ptr, n):
    for i, v in enumerate(range(n)):  #! unsupported-statement
        tl.store(x_ptr + i, v)


@launch(lambda: (floats(), 4))
@triton.jit
def loop_over_block(x_ptr, n):
    for v in tl.arange(0, 64):  #! unsupported-statement
        tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def starred(x_ptr, n):
    a, *b = 1, 2, 3  #! unsupported-statement
    tl.store(x_ptr, a)


@launch(lambda: (floats(), 4))
@triton.jit
def nested_function(x_ptr, n):
    def inner(v):  #! unsupported-statement
        return v

    tl.store(x_ptr, inner(1.0))


@launch(lambda: (floats(), 4))
@triton.jit
def f_string(x_ptr, n):
    print(f"n is {n}")  #! unsupported-statement
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def matmul_operator_power(x_ptr, n):
    v = tl.load(x_ptr) ** 2  #! unsupported-statement
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def returned_value(x_ptr, n):
    v = tl.load(x_ptr)
    return v  #! unsupported-statement


@launch(lambda: (floats(), 4))
@triton.jit
def with_statement(x_ptr, n):
    with open("x"):  #! unsupported-function
        tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def global_number(x_ptr, n):
    tl.store(x_ptr, SCALE)  #! global-not-constexpr


@launch(lambda: (floats(), 4))
@triton.jit
def global_list(x_ptr, n):
    tl.store(x_ptr, SIZES[0])  #! global-not-constexpr


@launch(lambda: (floats(), 4))
@triton.jit
def plain_helper(x_ptr, n):
    v = helper(tl.load(x_ptr))  #! unsupported-function
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 60))
@triton.jit
def rounded_up_in_the_kernel(x_ptr, n):
    BLOCK: tl.constexpr = triton.next_power_of_2(n)  #! unsupported-function
    tl.store(x_ptr + tl.arange(0, BLOCK), 0.0)


@launch(lambda: (floats(), 4))
@triton.jit
def torch_function(x_ptr, n):
    v = torch.exp(tl.load(x_ptr))  #! unsupported-function
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def host_cdiv(x_ptr, n):
    v = len(x_ptr)  #! unsupported-function
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def shape_of_pointer(x_ptr, n):
    v = x_ptr.shape[0]  #! pointer-attribute
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def numel_of_pointer(x_ptr, n):
    v = x_ptr.numel()  #! pointer-attribute
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def method_of_block(x_ptr, n):
    v = tl.load(x_ptr + tl.arange(0, 64)).mean()  #! name-error
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 4))
@triton.jit
def error_in_device_function(x_ptr, n):
    v = double(tl.load(x_ptr))
    tl.store(x_ptr, v)


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


@launch(lambda: (floats(1024),))
@triton.jit
def dot_accumulator_shape(x_ptr):
    a = tl.zeros((32, 32), tl.float16)
    acc = tl.zeros((32, 16), tl.float32)
    c = tl.dot(a, a, acc)  #! dot-shape
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
def axis_out_of_range(x_ptr, n):
    v = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(x_ptr, tl.sum(v, axis=1))  #! shape-mismatch


@launch(lambda: (floats(), 60))
@triton.jit
def program_axis_3(x_ptr, n):
    pid = tl.program_id(3)  #! grid-axis-missing
    tl.store(x_ptr + pid, 0.0)


@launch(lambda: (floats(), 60))
@triton.jit
def block_pointer(x_ptr, n):
    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (64,), (0,))  #! removed-api
    tl.store(p, tl.zeros((64,), tl.float32))


@launch(lambda: (floats(), 60))
@triton.jit
def advance_of_pointer(x_ptr, n):
    p = tl.advance(x_ptr, (64,))  #! removed-api
    tl.store(p, 0.0)


@launch(lambda: (floats(), 60))
@triton.jit
def old_libdevice(x_ptr, n):
    v = tl.libdevice.exp(tl.load(x_ptr))  #! removed-api
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 60))
@triton.jit
def static_assertion(x_ptr, n, BLOCK: tl.constexpr = 8):
    tl.static_assert(BLOCK >= 16, "BLOCK is too small")  #! static-assert
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 60))
@triton.jit
def wrong_keyword_of_load(x_ptr, n):
    v = tl.load(x_ptr, masks=None)  #! unknown-keyword
    tl.store(x_ptr, v)


@launch(lambda: (floats(), 60))
@triton.jit
def missing_argument_of_store(x_ptr, n):
    tl.store(x_ptr)  #! kernel-arguments


@launch(lambda: (floats(), 60))
@triton.jit
def cast_by_name(x_ptr, n):
    v = tl.load(x_ptr).to(float16)  #! name-error
    tl.store(x_ptr, v)


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


@launch(lambda: (floats(), 60), BLOK=64)
@triton.jit
def misspelt_keyword(x_ptr, n, BLOCK: tl.constexpr = 64):  #! unknown-keyword
    tl.store(x_ptr, 0.0)


@launch(lambda: ([1, 2], 1))
@triton.jit
def list_argument(x_ptr, n):  #! kernel-arguments
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), "a"))
@triton.jit
def string_argument(x_ptr, n):  #! kernel-arguments
    tl.store(x_ptr, 0.0)


@launch(lambda: (floats(), 64), BLOCK=64, num_warps=3)
@triton.jit
def three_warps(x_ptr, n, BLOCK: tl.constexpr):  #! launch-option
    tl.store(x_ptr + tl.arange(0, BLOCK), 0.0)


@launch(lambda: (floats(), 64), BLOCK=64.0)
@triton.jit
def float_block(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 0.0)  #! not-constexpr


@launch(lambda: (halves(), 64))
@triton.jit
def atomic_max_of_half(x_ptr, n):
    tl.atomic_max(x_ptr + tl.arange(0, 64), 1.0)  #! dtype-unsupported


@launch(lambda: (floats(), 64))
@triton.jit
def range_of_float(x_ptr, n):
    for i in range(0, n / 2):  #! loop-bound-type
        tl.store(x_ptr + i, 0.0)


@launch(lambda: (floats(), 64))
@triton.jit
def python_math(x_ptr, n):
    v = max(tl.load(x_ptr), 0.0)
    w = abs(v)  #! unsupported-function
    tl.store(x_ptr, w)


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
