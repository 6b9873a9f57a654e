# ruff: noqa: SIM108 - kernels are written as learners write them
"""What kernels are written with besides: arguments, compile-time values, tuples, aggregates, random numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn
from spans import Span, constexpr_function
from triton.language.extra.cuda import gdc_launch_dependents

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@triton.jit
def random_numbers(o, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.rand(seed, i))
    tl.store(o + 64 + i, tl.randn(seed, i))
    tl.store(o + 128 + i, tl.randint(seed, i).to(tl.float32))


@FEATURES.add(**CLOSE)
def random():
    out = torch.zeros(192)
    random_numbers[(4,)](out, 1234, B=16)
    return [out]


@triton.jit
def arguments(o, i, f, b, big, NAME: tl.constexpr, SCALE: tl.constexpr):
    v = f * i
    if b:
        v += 1
    if NAME == "left":
        v = v * SCALE
    tl.store(o, v)
    tl.store(o + 1, (big >> 20).to(tl.float32))


@FEATURES.add(oracle_since="3.7")
def scalar_arguments():
    out = torch.zeros(2)
    arguments[(1,)](out, 3, 2.5, True, 1 << 40, NAME="left", SCALE=2)
    return [out]


@triton.jit
def gelu(x, o, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        v = tl.load(x + i)
    else:
        v = tl.load(x + i, mask=i < n, other=0.0)
    v = 0.5 * v * (1 + tl.erf(v * 0.7071067811865476))
    tl.store(o + i, v, mask=i < n)


@FEATURES.add(**CLOSE)
def heuristics():
    out = torch.zeros(50)
    wrapped = triton.heuristics({"EVEN": lambda a: a["n"] % a["BLOCK"] == 0})(gelu)
    wrapped[lambda meta: (triton.cdiv(50, meta["BLOCK"]),)](randn(50), out, 50, BLOCK=16)
    return [out]


@triton.jit
def spans(o):
    p = tl.program_id(0)
    span = Span(p, p * 2)
    if p % 2 == 1:
        span = Span(span.end(), p)
    for i in range(p):
        span = Span(span.start + i, span.length)
    tl.store(o + p, span.end())


def _expected_spans():
    ends = []
    for p in range(6):
        start, length = (p, 2 * p) if p % 2 == 0 else (3 * p, p)
        ends.append(start + sum(range(p)) + length)
    return [torch.tensor(ends, dtype=torch.int32)]


@FEATURES.add(wrong_oracle="loses the methods of aggregates", expected=_expected_spans)
def aggregates():
    out = torch.zeros(6, dtype=torch.int32)
    spans[(6,)](out)
    return [out]


@constexpr_function
def doubled(n):
    return 2 * n


SCALE = tl.constexpr(3)


@triton.jit
def compile_time(o, N: tl.constexpr):
    WIDTH: tl.constexpr = doubled(N)
    tl.static_assert(WIDTH == 2 * N)
    i = tl.arange(0, WIDTH)
    v = i * SCALE + SCALE * i + (SCALE - i)
    if SCALE == 3:
        v += 1
    dtype: tl.constexpr = tl.float32 if N > 4 else tl.int32
    shape: tl.constexpr = (WIDTH, 1)
    z = tl.zeros(shape, dtype)
    tl.store(o + i, v + tl.sum(z, axis=1))


@FEATURES.add()
def compile_time_values():
    out = torch.zeros(16)
    compile_time[(1,)](out, N=8)
    return [out]


from triton.language import load, store  # noqa: E402


@triton.jit
def by_name(x, o, n):
    i = tl.arange(0, 8)
    v = load(x + i)
    assert n > 0
    store(o + i, min(max(v, 0.0), 1.0) + min(n, 3) + max(2, 1))


@FEATURES.add(
    wrong_oracle="patches the module only: names imported from it are left as they are",
    expected=lambda: [randn(8).clamp(0, 1) + 3 + 2],
)
def functions_imported_by_name():
    out = torch.zeros(8)
    by_name[(1,)](randn(8), out, 5)
    return [out]


@triton.jit
def tuples(pointers, o, shape, N: tl.constexpr):
    i = tl.arange(0, N)
    first, second = pointers
    total = tl.load(first + i)
    for j in tl.static_range(2):
        total += tl.load(pointers[j] + i) * shape[j]
    both = (total, i)
    if tl.program_id(0) > 0:
        both = (total * 2, i + 1)
    tl.store(o + tl.program_id(0) * N + i, both[0] + both[1] + tl.load(second + i))


@FEATURES.add()
def tuples_of_tensors():
    out = torch.zeros(3, 16)
    tuples[(3,)]((randn(16), randn(16, seed=1)), out, (2, 3), N=16)
    return [out]


@triton.jit
def hinted(x, o, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.multiple_of(i, N), N)
    inside = i < tl.multiple_of(n, 4)
    v = tl.load(x + i, mask=inside, other=0.0, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    tl.debug_barrier()
    tl.static_assert(N == 16, "the test launches with 16")
    tl.store(o + i, v, mask=inside, cache_modifier=".wb", eviction_policy="evict_first")


@FEATURES.add()
def hints_for_the_compiler():
    out = torch.zeros(32)
    hinted[(2,)](randn(32), out, 28, N=16)
    return [out]


@triton.jit
def square(x):
    return x * x


@triton.jit
def next_to(x):
    return x + 1


@triton.jit
def calls_back(x, o, ONE: tl.constexpr, MANY: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if ONE is not None:
        v = ONE(v)
    for j in tl.static_range(len(MANY)):
        v = MANY[j](v)
    tl.store(o + i, v)


@FEATURES.add()
def functions_as_arguments():
    out = torch.zeros(2, 16)
    calls_back[(1,)](randn(16), out, ONE=square, MANY=(next_to, square), N=16)
    calls_back[(1,)](randn(16), out[1], ONE=None, MANY=(square,), N=16)
    return [out]


class Operands(NamedTuple):
    x: Any
    y: Any


@triton.jit
def added(*parts):
    total = parts[0]
    for j in tl.static_range(1, len(parts)):
        total += parts[j]
    return total


@triton.jit
def named(operands, nested, o, N: tl.constexpr):
    i = tl.arange(0, N)
    both = [tl.load(pointer + i) for pointer in operands]
    v = tl.load(operands.x + i) * nested[1][0] + tl.load(nested[0][0] + i) * nested[0][1]
    tl.store(o + i, v + added(both[0], both[1], v) + added(*both))


@FEATURES.add(needs="condition")
def named_tuples_comprehensions_and_starred_arguments():
    out = torch.zeros(16)
    named[(1,)](Operands(randn(16), randn(16, seed=1)), ((randn(16, seed=2), 2), (3.5,)), out, N=16)
    return [out]


@triton.jit
def optional(x, o, bias, scale, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i * scale) + scale
    if bias is not None:
        v += tl.load(bias + i)
    if scale == 1:
        v += 100.0
    tl.store(o + i, v)


@FEATURES.add()
def arguments_that_may_be_none_or_one():
    out = torch.zeros(3, 16)
    optional[(1,)](randn(32), out, None, 1, N=16)
    optional[(1,)](randn(32), out[1], randn(16, seed=1), 2, N=16)
    optional[(1,)](randn(32), out[2], None, 2, N=16)
    return [out]


@triton.jit
def typed(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if x.dtype.element_ty == tl.float16:
        v = v.to(tl.float32) * 2
    if v.dtype.is_floating():
        v = v + float(N)
    T: tl.constexpr = o.dtype.element_ty
    tl.store(o + i, v.to(T))
    tl.store(o + N + i, v.dtype.primitive_bitwidth + x.dtype.element_ty.primitive_bitwidth + T.primitive_bitwidth)


@FEATURES.add()
def branches_on_dtypes():
    out = torch.zeros(2, 2, 16)
    typed[(1,)](randn(16, dtype=torch.float16), out, N=16)
    typed[(1,)](randint(0, 9, 16), out[1], N=16)
    return [out]


def _scaling(factor):
    @triton.jit
    def scaled(x, o, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(o + i, tl.load(x + i) * factor)

    return scaled


@FEATURES.add(wrong_oracle="loses the variables of an enclosing function", expected=lambda: [randn(16) * 3])
def variables_of_an_enclosing_function():
    out = torch.zeros(16)
    _scaling(tl.constexpr(3))[(1,)](randn(16), out, N=16)
    return [out]


@triton.jit
def cudas_own(x, o, N: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    i = tl.arange(0, N)
    v = tl.load(x + i)
    gdc_launch_dependents()
    tl.store(o + i, v * tl.extra.cuda.num_warps() + tl.extra.cuda.num_threads())


@FEATURES.add(
    wrong_oracle="it has no builder for functions of CUDA alone",
    expected=lambda: [randn(16) * 2 + 64],
    needs="dependent launches",
    **CLOSE,
)
def functions_of_cuda_alone():
    out = torch.zeros(16)
    cudas_own[(1,)](randn(16), out, N=16, num_warps=2)
    return [out]
