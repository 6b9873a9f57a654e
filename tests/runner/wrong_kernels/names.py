"""Names, functions, keywords and arguments."""
# They are wrong on purpose:
# ruff: noqa

import torch
import triton
import triton.language as tl

from tests.runner.wrong_kernels.registry import floats, launch

SCALE = 3.0
SIZES = [16, 32]


def helper(x):
    return x * 2


@triton.jit
def double(x):
    return x.nothing  #! name-error (error_in_device_function)


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


@launch(lambda: (floats(), 64))
@triton.jit
def python_math(x_ptr, n):
    v = max(tl.load(x_ptr), 0.0)
    w = abs(v)  #! unsupported-function
    tl.store(x_ptr, w)
