"""Arithmetic, comparisons and casts of all dtypes."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@triton.jit
def float_arithmetic(x, y, o, N: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + 0 * N + i, a + b * 2.0 - 1)
    tl.store(o + 1 * N + i, a / (b + 10.0))
    tl.store(o + 2 * N + i, -a * b)
    tl.store(o + 3 * N + i, tl.maximum(a, b) - tl.minimum(a, 0.5))
    tl.store(o + 4 * N + i, tl.where((a > b) | (a < -1.0), a, b))
    tl.store(o + 5 * N + i, tl.abs(a) % 0.75)
    tl.store(o + 6 * N + i, tl.clamp(a, -0.5, 0.5))
    tl.store(o + 7 * N + i, tl.fma(a, b, a))


@FEATURES.add(oracle_since="3.7")
def float32_arithmetic():
    out = torch.zeros(8, 64)
    float_arithmetic[(4,)](randn(64), randn(64, seed=1), out, N=64, B=16)
    return [out]


@FEATURES.add()
def float64_arithmetic():
    out = torch.zeros(8, 64, dtype=torch.float64)
    float_arithmetic[(4,)](randn(64, dtype=torch.float64), randn(64, dtype=torch.float64, seed=1), out, N=64, B=16)
    return [out]


@FEATURES.add(rtol=2e-3, atol=2e-3)
def float16_arithmetic():
    out = torch.zeros(8, 64, dtype=torch.float16)
    float_arithmetic[(4,)](randn(64, dtype=torch.float16), randn(64, dtype=torch.float16, seed=1), out, N=64, B=16)
    return [out]


@triton.jit
def integer_arithmetic(x, y, o, N: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + 0 * N + i, a + b * 3 - 1)
    tl.store(o + 1 * N + i, a // b)
    tl.store(o + 2 * N + i, a % b)
    tl.store(o + 3 * N + i, (a & b) | (a ^ 5))
    tl.store(o + 4 * N + i, ~a)
    tl.store(o + 5 * N + i, a >> 1)
    tl.store(o + 6 * N + i, a << 2)
    tl.store(o + 7 * N + i, tl.maximum(a, b) - tl.minimum(a, b))
    tl.store(o + 8 * N + i, tl.where(a >= b, a, -b))
    tl.store(o + 9 * N + i, (a == b).to(tl.int32) + (a != 3).to(tl.int32))


def _integers(dtype: torch.dtype, low: int):
    out = torch.zeros(10, 64, dtype=dtype)
    y = randint(1, 9, 64, dtype=dtype, seed=1)
    integer_arithmetic[(4,)](randint(low, 60, 64, dtype=dtype), y, out, N=64, B=16)
    return [out]


@FEATURES.add()
def int8_arithmetic():
    return _integers(torch.int8, -60)


@FEATURES.add()
def int16_arithmetic():
    return _integers(torch.int16, -60)


@FEATURES.add()
def int32_arithmetic():
    return _integers(torch.int32, -60)


@FEATURES.add()
def int64_arithmetic():
    return _integers(torch.int64, -60)


@triton.jit
def unsigned_arithmetic(x, y, o, N: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + 0 * N + i, a - b)
    tl.store(o + 1 * N + i, a // b)
    tl.store(o + 2 * N + i, a % b)
    tl.store(o + 3 * N + i, a >> 1)
    tl.store(o + 4 * N + i, (a < b).to(a.dtype))
    tl.store(o + 5 * N + i, a * 7)


@FEATURES.add()
def uint8_arithmetic():
    out = torch.zeros(6, 32, dtype=torch.uint8)
    y = randint(1, 99, 32, dtype=torch.uint8, seed=1)
    unsigned_arithmetic[(2,)](randint(0, 200, 32, dtype=torch.uint8), y, out, N=32, B=16)
    return [out]


@triton.jit
def mathematics(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    p = tl.abs(a) + 0.1
    tl.store(o + 0 * N + i, tl.exp(a))
    tl.store(o + 1 * N + i, tl.log(p))
    tl.store(o + 2 * N + i, tl.sqrt(p))
    tl.store(o + 3 * N + i, tl.sin(a) + tl.cos(a))
    tl.store(o + 4 * N + i, tl.exp2(a) + tl.log2(p))
    tl.store(o + 5 * N + i, tl.sigmoid(a))
    tl.store(o + 6 * N + i, tl.floor(a) + tl.ceil(a))
    tl.store(o + 7 * N + i, tl.rsqrt(p))
    tl.store(o + 8 * N + i, tl.erf(a))
    tl.store(o + 9 * N + i, tl.math.fdiv(a, p))
    tl.store(o + 10 * N + i, tl.softmax(a))


@FEATURES.add(**CLOSE)
def math_functions():
    out = torch.zeros(11, 64)
    mathematics[(1,)](randn(64), out, N=64)
    return [out]


@triton.jit
def promotion(h, f, i8, i32, o, N: tl.constexpr):
    i = tl.arange(0, N)
    half = tl.load(h + i)
    single = tl.load(f + i)
    small = tl.load(i8 + i)
    wide = tl.load(i32 + i)
    c = 2.5
    tl.store(o + 0 * N + i, half * single)
    tl.store(o + 1 * N + i, small + wide)
    tl.store(o + 2 * N + i, half * wide)
    tl.store(o + 3 * N + i, small / wide)
    tl.store(o + 4 * N + i, half.to(tl.float32) * c)
    tl.store(o + 5 * N + i, (single > 0) & (wide > 0))


@FEATURES.add()
def type_promotion():
    out = torch.zeros(6, 16)
    wide = randint(1, 50, 16, seed=1)
    promotion[(1,)](randn(16, dtype=torch.float16), randn(16), randint(-9, 9, 16, dtype=torch.int8), wide, out, N=16)
    return [out]


@triton.jit
def casts(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(o + 0 * N + i, a.to(tl.int32).to(tl.float32))
    tl.store(o + 1 * N + i, a.to(tl.int8).to(tl.float32))
    tl.store(o + 2 * N + i, a.to(tl.float16).to(tl.float32))
    tl.store(o + 3 * N + i, a.to(tl.float64).to(tl.float32))
    tl.store(o + 4 * N + i, a.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True))
    tl.store(o + 5 * N + i, (a > 0).to(tl.int8).to(tl.float32))
    tl.store(o + 6 * N + i, a.to(tl.int1).to(tl.float32))
    tl.store(o + 7 * N + i, a.to(tl.int64).to(tl.uint16).to(tl.float32))


@triton.jit
def wide_casts(x, o8, o16, o32, o64, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(o8 + i, a.to(tl.int8))
    tl.store(o8 + N + i, a.to(tl.uint8).to(tl.int8, bitcast=True))
    tl.store(o16 + i, a.to(tl.int16))
    tl.store(o32 + i, a.to(tl.int32))
    tl.store(o32 + N + i, a.to(tl.uint32).to(tl.int32, bitcast=True))
    tl.store(o64 + i, a.to(tl.int64))


UNFIT = [math.nan, math.inf, -math.inf, -1.5, 300.0, -300.0, 40000.0, 5e9]


def cut(low, high, nan):
    """What ``cvt`` makes of UNFIT: cut, saturated, and NaN as ``nan``."""
    return [nan if math.isnan(one) else int(min(max(one, low), high)) for one in UNFIT]


def cut_to_integers():
    bytes_ = torch.tensor([cut(-(2**15), 2**15 - 1, 0), cut(0, 2**16 - 1, 0)], dtype=torch.int32).to(torch.int8)
    words = torch.tensor([cut(-(2**31), 2**31 - 1, 0), cut(0, 2**32 - 1, 0)]).to(torch.int32)
    halves = torch.tensor(cut(-(2**15), 2**15 - 1, 0), dtype=torch.int16)
    return [bytes_, halves, words, torch.tensor(cut(-(2**63), 2**63 - 1, -(2**63)))]


@FEATURES.add(
    wrong_oracle="leaves to numpy what becomes of floats that don't fit",
    expected=cut_to_integers,  # the compiler's cvt.rzi, to 16 bits where 8 are asked for; PTX ISA, cvt
)
def floats_that_fit_no_integer():
    shapes = {torch.int8: (2, 8), torch.int16: (8,), torch.int32: (2, 8), torch.int64: (8,)}
    outs = [torch.zeros(shape, dtype=dtype) for dtype, shape in shapes.items()]
    wide_casts[(1,)](torch.tensor(UNFIT), *outs, N=8)
    return outs


@FEATURES.add()
def casts_between_dtypes():
    out = torch.zeros(8, 32)
    casts[(1,)](randn(32) * 20, out, N=32)
    return [out]


@triton.jit
def low_precision(x, y, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + i, a + b)
    tl.store(o + N + i, a * b)
    tl.store(o + 2 * N + i, a / b)
    tl.store(o + 3 * N + i, (a.to(tl.float32) * 1.7).to(o.dtype.element_ty))


def _low_precision(dtype: torch.dtype):
    out = torch.zeros(4, 64, dtype=dtype)
    low_precision[(1,)](randn(64, dtype=dtype), randn(64, dtype=dtype, seed=1), out, N=64)
    return [out]


def _expected_low_precision(dtype: torch.dtype):
    a, b = randn(64, dtype=dtype).float(), randn(64, dtype=dtype, seed=1).float()
    return [torch.stack([(a + b).to(dtype), (a * b).to(dtype), (a / b).to(dtype), (a * 1.7).to(dtype)])]


@FEATURES.add(
    wrong_oracle="computes on bf16 bit patterns as integers: 2.5 + 2.0 = -2.9e-39",
    expected=lambda: _expected_low_precision(torch.bfloat16),
)
def bfloat16_arithmetic():
    return _low_precision(torch.bfloat16)


@triton.jit
def through_float8(x, e4, e5, back, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(e4 + i, a.to(tl.float8e4nv))
    tl.store(e5 + i, a.to(tl.float8e5))
    tl.store(back + i, tl.load(e4 + i).to(tl.float32))
    tl.store(back + N + i, tl.load(e5 + i).to(tl.float16).to(tl.float32))


@FEATURES.add(
    wrong_oracle="rounds to fp8 half up from a truncated mantissa, and wraps what should saturate",
    expected=lambda: _expected_float8(),
)
def float8_casts():
    x = torch.cat([randn(60) * 4, torch.tensor([0.0, 448.0, 3e4, 1e-3])])
    e4, e5 = torch.zeros(64, dtype=torch.float8_e4m3fn), torch.zeros(64, dtype=torch.float8_e5m2)
    back = torch.zeros(2, 64)
    through_float8[(1,)](x, e4, e5, back, N=64)
    return [e4.float(), e5.float(), back]


def _expected_float8():
    x = torch.cat([randn(60) * 4, torch.tensor([0.0, 448.0, 3e4, 1e-3])])
    e4, e5 = x.clamp(-448, 448).to(torch.float8_e4m3fn).float(), x.to(torch.float8_e5m2).float()
    return [e4, e5, torch.stack([e4, e5])]


@triton.jit
def wide_multiplication(x, y, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + i, tl.umulhi(a, b))


@FEATURES.add()
def high_half_of_products():
    outs = []
    for dtype in (torch.int32, torch.int64):
        top = 1 << (31 if dtype == torch.int32 else 62)
        out = torch.zeros(16, dtype=dtype)
        x, y = randint(0, top, 16, dtype=dtype), randint(0, top, 16, dtype=dtype, seed=1)
        wide_multiplication[(1,)](x, y, out, N=16)
        outs.append(out)
    return outs


@triton.jit
def wide_unsigned(o, small, short, word, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(small + i)
    b = tl.load(short + i)
    c = tl.load(word + i)
    d = tl.load(wide + i)
    tl.store(o + i, (a + b).to(tl.int64))
    tl.store(o + N + i, (c // 7 + c % 5).to(tl.int64))
    tl.store(o + 2 * N + i, (d >> 3).to(tl.int64))
    tl.store(o + 3 * N + i, (a.to(tl.float32) * 1.5).to(tl.int64))
    tl.store(o + 4 * N + i, (c > d).to(tl.int64))
    tl.store(o + 5 * N + i, (d * 3 - c).to(tl.int64))
    tl.store(o + 6 * N + i, c.to(tl.float32).to(tl.int64))
    tl.store(o + 7 * N + i, tl.umulhi(c, c * 5 + 7).to(tl.int64))


@FEATURES.add()
def unsigned_of_all_widths():
    out = torch.zeros(8, 16, dtype=torch.int64)
    small, short = randint(0, 255, 16, dtype=torch.uint8), randint(0, 60000, 16).to(torch.uint16)
    word = randint(0, 1 << 31, 16, dtype=torch.int64).to(torch.uint32)
    wide = randint(0, 1 << 40, 16, dtype=torch.int64).to(torch.uint64)
    wide_unsigned[(1,)](out, small, short, word, wide, N=16)
    return [out]


@triton.jit
def signed_division(x, y, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(o + i, a // b)
    tl.store(o + N + i, a % b)
    tl.store(o + 2 * N + i, tl.cdiv(a, b))


@FEATURES.add()
def division_truncates():
    out = torch.zeros(3, 16, dtype=torch.int32)
    divisors = randint(1, 9, 16, seed=1)
    divisors[::2] *= -1
    signed_division[(1,)](randint(-50, 50, 16), divisors, out, N=16)
    return [out]


@triton.jit
def brain_floats(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, tl.maximum(v, 0.5))
    tl.store(o + N + i, tl.exp(v.to(tl.float32)).to(tl.bfloat16))
    tl.store(o + 2 * N + i, tl.where(v > 0, v, -v))
    tl.store(o + 3 * N + i, tl.max(v, 0))
    tl.store(o + 4 * N + i, tl.sort(v))
    tl.store(o + 5 * N + i, tl.argmax(v, 0))
    tl.store(o + 6 * N + i, v * 2 + 1)
    tl.store(o + 7 * N + i, tl.cumsum(v, 0))


def _expected_brain_floats():
    v = randn(16).bfloat16()
    running = [v[0]]
    for one in v[1:]:
        running.append(running[-1] + one)
    row = torch.ones(16, dtype=torch.bfloat16)
    rows = [
        v.clamp(min=0.5),
        v.float().exp().bfloat16(),
        v.abs(),
        row * v.max(),
        v.sort().values,
        row * int(v.argmax()),
    ]
    return [torch.stack([*rows, v * 2 + 1, torch.stack(running)])]


@FEATURES.add(wrong_oracle="computes on bf16 bit patterns as integers", expected=_expected_brain_floats, atol=0.04)
def bfloat16_everywhere():
    out = torch.zeros(8, 16, dtype=torch.bfloat16)
    brain_floats[(1,)](randn(16).bfloat16(), out, N=16)
    return [out]


@triton.jit
def eight_bits(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, v.to(tl.float32) * 2)
    tl.store(o + N + i, (v.to(tl.float16) + v.to(tl.float16)).to(tl.float32))


@FEATURES.add()
def float8_loads():
    outs = []
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        out = torch.zeros(2, 16)
        eight_bits[(1,)](randn(16).to(dtype), out, N=16)
        outs.append(out)
    return outs


@triton.jit
def not_finite(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    v = tl.where(i < 3, float("-inf"), v)
    v = tl.where(i > 12, float("inf"), v)
    v = tl.where(i == 5, float("nan"), v)
    tl.store(o + i, v)
    tl.store(o + N + i, tl.exp(v))
    tl.store(o + 2 * N + i, tl.maximum(v, 0.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(o + 3 * N + i, tl.minimum(v, 0.0))
    tl.store(o + 4 * N + i, v != v)
    tl.store(o + 5 * N + i, tl.clamp(tl.where(v != v, 0.5, v), -1.0, 1.0))  # of NaN it is undefined


@FEATURES.add(rtol=1e-6, oracle_since="3.7")
def infinities_and_nan():
    out = torch.zeros(6, 16)
    not_finite[(1,)](randn(16), out, N=16)
    return [out]
