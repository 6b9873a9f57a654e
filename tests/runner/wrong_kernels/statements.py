"""Statements and expressions of Python that no kernel may hold."""
# They are wrong on purpose:
# ruff: noqa

import triton
import triton.language as tl

from tests.runner.wrong_kernels.registry import floats, launch


@launch(lambda: (floats(), 60))
@triton.jit
def chained_comparison(x_ptr, n):
    offs = tl.arange(0, 64)
    mask = 3 < offs < n  #! unsupported-statement
    tl.store(x_ptr + offs, 0.0, mask=mask)


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
