# ruff: noqa: RET505, SIM300, SIM108, B007 - kernels are written as learners write them
"""One small kernel for each thing the language can do."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn
from spans import Span, constexpr_function

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


# ---------------------------------------------------------------- arithmetic


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


@FEATURES.add()
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


# ---------------------------------------------------------------- shapes


@triton.jit
def moving(x, o, N: tl.constexpr, M: tl.constexpr):
    r = tl.arange(0, N)
    c = tl.arange(0, M)
    a = tl.load(x + r[:, None] * M + c[None, :])
    tl.store(o + c[:, None] * N + r[None, :], tl.trans(a))
    flat = tl.reshape(a, (N * M,))
    k = tl.arange(0, N * M)
    tl.store(o + N * M + k, flat)
    left, right = tl.split(tl.reshape(a, (N, M // 2, 2)))
    h = tl.arange(0, M // 2)
    tl.store(o + 2 * N * M + r[:, None] * (M // 2) + h[None, :], left - right)
    both = tl.join(left, right)
    tl.store(o + 3 * N * M + k, tl.reshape(both, (N * M,)))
    tl.store(o + 4 * N * M + k, tl.reshape(a.T, (N * M,)))
    tl.store(o + 5 * N * M + k, tl.ravel(tl.broadcast_to(r[:, None], (N, M))))
    tl.store(o + 6 * N * M + k, tl.flip(flat, 0))
    cube = tl.permute(tl.reshape(a, (N, M // 2, 2)), (2, 0, 1))
    tl.store(o + 7 * N * M + k, tl.reshape(cube, (N * M,)))
    tl.store(o + 8 * N * M + k, tl.interleave(tl.reshape(left, (N * M // 2,)), tl.reshape(right, (N * M // 2,))))
    tl.store(o + 9 * N * M + tl.arange(0, 2 * N), tl.cat(r, r + N, can_reorder=True))
    tl.store(o + 10 * N * M + k, tl.expand_dims(flat, 0).reshape(N * M))


@FEATURES.add()
def shape_operations():
    out = torch.zeros(11, 8 * 16)
    moving[(1,)](randn(8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def gathering(x, index, o, N: tl.constexpr, M: tl.constexpr):
    r = tl.arange(0, N)
    c = tl.arange(0, M)
    a = tl.load(x + r[:, None] * M + c[None, :])
    i = tl.load(index + r[:, None] * M + c[None, :])
    tl.store(o + r[:, None] * M + c[None, :], tl.gather(a, i, 1))
    tl.store(o + N * M + r[:, None] * M + c[None, :], tl.gather(a, i % N, 0))


@FEATURES.add()
def gather_along_axes():
    out = torch.zeros(2, 8, 16)
    gathering[(1,)](randn(8, 16), randint(0, 16, 8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def three_dimensional(x, o, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.program_id(0) * A + tl.arange(0, A)
    i = a[:, None, None] * B * C + tl.arange(0, B)[None, :, None] * C + tl.arange(0, C)[None, None, :]
    v = tl.load(x + i, mask=a[:, None, None] < 5, other=1.0)
    tl.store(o + i, v * 2, mask=a[:, None, None] < 5)
    tl.store(o + 128 * 2 + a[:, None] * B + tl.arange(0, B)[None, :], tl.sum(v, axis=2))
    tl.store(o + 512 + a[:, None] * C + tl.arange(0, C)[None, :], tl.max(v, axis=1))


@FEATURES.add(**CLOSE)
def three_dimensions():
    out = torch.zeros(1024)
    three_dimensional[(4,)](randn(5, 4, 8), out, A=2, B=4, C=8)
    return [out]


# ---------------------------------------------------------------- reductions and scans


@triton.jit
def reductions(x, o, N: tl.constexpr, M: tl.constexpr):
    p = tl.program_id(0)
    r = tl.arange(0, N)
    c = tl.arange(0, M)
    a = tl.load(x + p * N * M + r[:, None] * M + c[None, :])
    base = o + p * 512
    tl.store(base + r, tl.sum(a, axis=1))
    tl.store(base + 32 + c, tl.sum(a, axis=0))
    tl.store(base + 64 + r, tl.max(a, axis=1))
    tl.store(base + 96 + c, tl.min(a, axis=0))
    tl.store(base + 128 + r, tl.argmax(a, axis=1))
    tl.store(base + 160 + c, tl.argmin(a, axis=0))
    tl.store(base + 192, tl.sum(a))
    tl.store(base + 193, tl.max(a))
    tl.store(base + 224 + r[:, None], tl.sum(a, axis=1, keep_dims=True))
    v, i = tl.max(a, axis=1, return_indices=True)
    tl.store(base + 256 + r, v + i)
    tl.store(base + 288 + r, tl.xor_sum(a.to(tl.int32), axis=1))
    tl.store(base + 320 + r, a.sum(axis=1) + a.max(1))


@FEATURES.add(**CLOSE)
def reductions_float32():
    out = torch.zeros(3, 512)
    reductions[(3,)](randn(3, 8, 16) * 9, out, N=8, M=16)
    return [out]


@FEATURES.add()
def reductions_int32():
    out = torch.zeros(3, 512, dtype=torch.int32)
    reductions[(3,)](randint(-99, 99, 3, 8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def larger_magnitude(a, b):
    return tl.where(tl.abs(a) > tl.abs(b), a, b)


@triton.jit
def keep_larger(a, b):
    if a > b:
        return a
    else:
        return b


@triton.jit
def mean_and_weight(m1, w1, m2, w2):
    w = w1 + w2
    return (m1 * w1 + m2 * w2) / w, w


@triton.jit
def custom_reductions(x, o, N: tl.constexpr, M: tl.constexpr):
    r = tl.arange(0, N)
    c = tl.arange(0, M)
    a = tl.load(x + tl.program_id(0) * N * M + r[:, None] * M + c[None, :])
    base = o + tl.program_id(0) * 256
    tl.store(base + r, tl.reduce(a, 1, larger_magnitude))
    tl.store(base + 16 + c, tl.reduce(a, 0, keep_larger))
    mean, weight = tl.reduce((a, tl.full((N, M), 1.0, tl.float32)), 1, mean_and_weight)
    tl.store(base + 32 + r, mean)
    tl.store(base + 48 + r, weight)


@FEATURES.add(**CLOSE)
def reductions_with_custom_combine():
    out = torch.zeros(3, 256)
    custom_reductions[(3,)](randn(3, 8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def decay(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scans(x, o, N: tl.constexpr, M: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    a = tl.load(x + p * N * M + i)
    base = o + p * 6 * N * M
    tl.store(base + i, tl.cumsum(a, axis=1))
    tl.store(base + N * M + i, tl.cumsum(a, axis=0, reverse=True))
    tl.store(base + 2 * N * M + i, tl.cumprod(a, axis=1))
    tl.store(base + 3 * N * M + i, tl.associative_scan(a, 1, keep_larger))
    _, h = tl.associative_scan((tl.full((N, M), 0.5, tl.float32), a), 1, decay)
    tl.store(base + 4 * N * M + i, h)
    _, h = tl.associative_scan((tl.full((N, M), 0.5, tl.float32), a), 0, decay, reverse=True)
    tl.store(base + 5 * N * M + i, h)


@FEATURES.add(**CLOSE)
def scans_of_all_kinds():
    out = torch.zeros(2, 6, 8, 16)
    scans[(2,)](randn(2, 8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def sorting(x, o, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    a = tl.load(x + p * N + i)
    tl.store(o + p * 3 * N + i, tl.sort(a))
    tl.store(o + p * 3 * N + N + i, tl.sort(a, descending=True))
    tl.store(o + p * 3 * N + 2 * N + tl.arange(0, 4), tl.topk(a, 4))


@FEATURES.add()
def sort_and_topk():
    out = torch.zeros(3, 3, 32)
    sorting[(3,)](randn(3, 32), out, N=32)
    return [out]


@triton.jit
def counting(x, o, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i, mask=i < n, other=-1)
    tl.store(o + tl.program_id(0) * BINS + tl.arange(0, BINS), tl.histogram(a, BINS, mask=i < n))


@FEATURES.add()
def histogram():
    out = torch.zeros(4, 16, dtype=torch.int32)
    counting[(4,)](randint(0, 20, 100), out, 100, N=32, BINS=16)
    return [out]


# ---------------------------------------------------------------- products


@triton.jit
def products(x, y, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    p = tl.program_id(0)
    a = tl.load(x + p * M * K + m[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * N + n[None, :])
    c = tl.dot(a, b, input_precision=PRECISION)
    tl.store(
        o + p * M * N + m[:, None] * N + n[None, :],
        c + tl.dot(a, b, acc=c, input_precision=PRECISION, out_dtype=c.dtype),
    )


@FEATURES.add(rtol=1e-5, atol=1e-4)
def dot_float32_exact():
    out = torch.zeros(2, 16, 32)
    products[(2,)](randn(2, 16, 64), randn(64, 32, seed=1), out, M=16, N=32, K=64, PRECISION="ieee")
    return [out]


@FEATURES.add(rtol=1e-5, atol=1e-4)
def dot_float32_three_tf32():
    out = torch.zeros(2, 16, 32)
    products[(2,)](randn(2, 16, 64), randn(64, 32, seed=1), out, M=16, N=32, K=64, PRECISION="tf32x3")
    return [out]


@FEATURES.add(rtol=1e-3, atol=1e-2)
def dot_float16():
    out = torch.zeros(2, 16, 32)
    y = randn(64, 32, seed=1, dtype=torch.float16)
    products[(2,)](randn(2, 16, 64, dtype=torch.float16), y, out, M=16, N=32, K=64, PRECISION="ieee")
    return [out]


@FEATURES.add()
def dot_int8():
    out = torch.zeros(2, 16, 32, dtype=torch.int32)
    x, y = (randint(-99, 99, *s, dtype=torch.int8, seed=s[0]) for s in ((2, 16, 64), (64, 32)))
    products[(2,)](x, y, out, M=16, N=32, K=64, PRECISION="ieee")
    return [out]


@FEATURES.add(
    rtol=1e-5,
    atol=1e-4,
    wrong_oracle="multiplies in full precision what tensor cores cut to 10 bits of mantissa",
    expected=lambda: _expected_tf32(),
)
def dot_tf32_by_default():
    out = torch.zeros(2, 16, 32)
    products[(2,)](randn(2, 16, 64), randn(64, 32, seed=1), out, M=16, N=32, K=64, PRECISION=None)
    return [out]


def _cut(x: torch.Tensor) -> torch.Tensor:
    return (x.view(torch.int32) & ~0x1FFF).view(torch.float32)


def _expected_tf32():
    return [3 * torch.matmul(_cut(randn(2, 16, 64)), _cut(randn(64, 32, seed=1)))]


@FEATURES.add(
    rtol=1e-3,
    atol=1e-3,
    wrong_oracle="multiplies bf16 bit patterns",
    expected=lambda: [3 * (randn(2, 16, 64).bfloat16().float() @ randn(64, 32, seed=1).bfloat16().float())],
)
def dot_bfloat16():
    out = torch.zeros(2, 16, 32)
    y = randn(64, 32, seed=1, dtype=torch.bfloat16)
    products[(2,)](randn(2, 16, 64, dtype=torch.bfloat16), y, out, M=16, N=32, K=64, PRECISION=None)
    return [out]


# ---------------------------------------------------------------- memory


@triton.jit
def masks(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n, other=-7.0) + tl.load(x + n - 1), mask=i < n + 3)
    s = tl.program_id(0)
    tl.store(o + 96 + s, tl.load(x + s, mask=s > 1, other=5.0), mask=s != 2)


@FEATURES.add()
def masked_accesses():
    out = torch.zeros(100)
    masks[(4,)](randn(50), out, 50, B=16)
    return [out]


@triton.jit
def booleans(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.load(x + i)
    tl.store(o + i, ~m)
    tl.store(o + B + i, m & (i < 5))


@FEATURES.add()
def bool_tensors():
    out = torch.zeros(2, 16, dtype=torch.bool)
    booleans[(1,)](randint(0, 2, 16, dtype=torch.bool), out, B=16)
    return [out]


@triton.jit
def atomics(x, index, count, total, low, high, last, old, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    k = tl.load(index + i)
    tl.store(old + i, tl.atomic_add(count + k, 1))
    tl.atomic_add(total + k, v, mask=v > 0)
    tl.atomic_min(low + k, k * 3 - i)
    tl.atomic_max(high + i * 0, i)
    tl.atomic_xchg(last, tl.program_id(0))


@FEATURES.add(rtol=1e-5, atol=1e-5)
def atomics_of_all_kinds():
    zeros = [torch.zeros(8, dtype=torch.int32) for _ in range(4)]
    old, total = torch.zeros(64, dtype=torch.int32), torch.zeros(8)
    count, low, high, last = zeros
    atomics[(4,)](randn(64), randint(0, 8, 64), count, total, low, high, last, old, B=16)
    return [count, total, low, high, last, old]


@triton.jit
def float_extremes(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_max(o + i % 4, tl.load(x + i))
    tl.atomic_min(o + 4 + i % 4, tl.load(x + i))


@FEATURES.add()
def atomic_float_max():
    out = torch.zeros(8)
    float_extremes[(4,)](randn(64), out, B=16)
    return [out]


@triton.jit
def compare_and_swap(o, old):
    p = tl.program_id(0)
    tl.store(old + p, tl.atomic_cas(o, p, p + 1))


@FEATURES.add()
def atomic_cas():
    out, old = torch.zeros(1, dtype=torch.int32), torch.zeros(8, dtype=torch.int32)
    compare_and_swap[(8,)](out, old)
    return [out, old]


@triton.jit
def either_pointer(x, y, o, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    source = x if p % 2 == 0 else y
    chosen = tl.where(i < B // 2, x + i, y + i)
    tl.store(o + p * B + i, tl.load(source + i) + tl.load(chosen))


@FEATURES.add()
def pointers_that_mix_tensors():
    out = torch.zeros(4, 16)
    either_pointer[(4,)](randn(16), randn(16, seed=1), out, B=16)
    return [out]


@triton.jit
def bytes_of(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    as_bytes = x.to(tl.pointer_type(tl.uint8))
    tl.store(o + i, tl.load(as_bytes + i))


@FEATURES.add()
def pointer_casts():
    out = torch.zeros(64, dtype=torch.uint8)
    bytes_of[(1,)](randn(16), out, N=64)
    return [out]


@triton.jit
def described(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    r = tl.program_id(0) * BM
    c = tl.program_id(1) * BN
    target.store([r, c], source.load([r, c]) * 2)


@FEATURES.add()
def device_made_descriptors():
    out = torch.zeros(20, 24)
    described[(3, 2)](randn(20, 24), out, 20, 24, BM=8, BN=16)
    return [out]


@triton.jit
def host_described(source, target, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM
    target.store([r, 0], source.load([r, 0]) + 1)


@FEATURES.add()
def host_made_descriptors():
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = randn(20, 16), torch.zeros(20, 16)
    source, target = (TensorDescriptor.from_tensor(t, [8, 16]) for t in (x, out))
    host_described[(3,)](source, target, BM=8, BN=16)
    return [out]


# ---------------------------------------------------------------- control flow


@triton.jit
def nested(x, o, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.load(x + i)
    if p % 3 == 0:
        v = v * 2
        if p % 2 == 0:
            v += 100.0
        w = v
    elif p % 3 == 1:
        w = -v
        for j in range(p):
            w += j
            if j > 2:
                w = w * 0.5
    else:
        k = p
        while k > 0:
            v = v + 1
            k -= 2
        w = v * v
    if p > n:
        return
    tl.store(o + i, w)


@FEATURES.add(**CLOSE)
def nested_divergence():
    out = torch.zeros(12, 8)
    nested[(12,)](randn(12, 8), out, 9, B=8)
    return [out]


@triton.jit
def classify(v):
    if v < 3:
        return v * 2
    elif v < 6:
        return v + 100
    return v * v


@triton.jit
def pair(a, b=3):
    return a + b, a - b


@triton.jit
def calls(o):
    p = tl.program_id(0)
    s, d = pair(p)
    t = pair(p, b=p)
    tl.store(o + p, classify(p) + classify(s) * 1000 + d + t[0])


@FEATURES.add()
def device_functions():
    out = torch.zeros(10, dtype=torch.int32)
    calls[(10,)](out)
    return [out]


@triton.jit
def logic(o, n, FLAG: tl.constexpr):
    p = tl.program_id(0)
    a = 1 if p > 2 and p < 6 else 0
    b = 10 if p == 0 or not p > 1 else 20
    c = 100 if FLAG and p > 3 else 200
    d = p if n > 3 else -p
    e = 1000 * ((2 < p) & (p <= 5))
    tl.store(o + p, a + b + c + d + e)


@FEATURES.add()
def logic_and_ternaries():
    out = torch.zeros(8, dtype=torch.int32)
    logic[(8,)](out, 7, FLAG=True)
    return [out]


@triton.jit
def loops(x, o, n, B: tl.constexpr, STEPS: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for j in tl.static_range(STEPS):
        acc += j * tl.load(x + i)
    for j in tl.range(0, n, 2, num_stages=2):
        acc += j
    for j in range(n, 0, -3):
        acc -= j * p
    for j in range(p, 5):
        acc = acc * 1.5
    tl.store(o + p * B + i, acc)


@FEATURES.add(**CLOSE)
def loops_of_all_kinds():
    out = torch.zeros(8, 16)
    loops[(8,)](randn(16), out, 7, B=16, STEPS=3)
    return [out]


@triton.jit
def three_axes(o):
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    i = (x * tl.num_programs(1) + y) * tl.num_programs(2) + z
    tl.store(o + i, x * 100 + y * 10 + z)


@FEATURES.add()
def three_grid_axes():
    out = torch.zeros(24, dtype=torch.int32)
    three_axes[(2, 3, 4)](out)
    return [out]


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


@FEATURES.add()
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


# ---------------------------------------------------------------- less common things


@triton.jit
def selu_scalar(x, alpha):
    if x > 0:
        return x
    else:
        return alpha * (tl.exp(x) - 1)


@triton.jit
def mapped(x, o, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(o + i, tl.map_elementwise(selu_scalar, tl.load(x + i), 1.5))


@FEATURES.add(
    **CLOSE,
    needs="map_elementwise",
    wrong_oracle="has no map_elementwise",
    expected=lambda: [torch.where(randn(32) > 0, randn(32), 1.5 * (randn(32).exp() - 1))],
)
def map_elementwise():
    out = torch.zeros(32)
    mapped[(2,)](randn(32), out, N=16)
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


@triton.jit
def gathered(x, o, rows_ptr, m, n, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, BN])
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [1, BN])
    rows = tl.load(rows_ptr + tl.arange(0, 8))
    tile = source.gather(rows, 0)
    target.scatter(tile * 2, rows, 16)


@FEATURES.add()
def descriptor_gather_and_scatter():
    x, out = randn(20, 32), torch.zeros(20, 32)
    rows = torch.tensor([3, 1, 4, 15, 9, 2, 6, 19], dtype=torch.int32)
    gathered[(1,)](x, out, rows, 20, 32, BN=16)
    return [out]


@triton.jit
def accumulated(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    i = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    target.atomic_add([tl.program_id(0) * 4, 0], tl.load(x + i))


@FEATURES.add(
    wrong_oracle="has no descriptor_reduce",
    expected=lambda: [sum(torch.cat([torch.zeros(4 * p, 8), randn(8, 8), torch.zeros(20, 8)])[:20] for p in range(4))],
    **CLOSE,
)
def descriptor_atomic_add():
    out = torch.zeros(20, 8)
    accumulated[(4,)](randn(8, 8), out, 20, 8, BM=8, BN=8)
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
def chained(o, n):
    p = tl.program_id(0)
    inside = (p > 0) & (p < n)
    count = 0
    while (count < p) and (count < 5):
        count += 1
    tl.store(o + p, count + inside)


@FEATURES.add()
def while_with_and():
    out = torch.zeros(9, dtype=torch.int32)
    chained[(9,)](out, 4)
    return [out]


@triton.jit
def carried(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    pointer = x + tl.program_id(0) * N
    best = -1.0e9
    where = 0
    for j in range(N):
        v = tl.load(pointer)
        if v > best:
            best = v
            where = j
        pointer += 1
    tl.store(o + tl.program_id(0) * 2, best)
    tl.store(o + tl.program_id(0) * 2 + 1, where + tl.sum(i * 0))


@FEATURES.add()
def pointers_carried_through_loops():
    out = torch.zeros(5, 2)
    carried[(5,)](randn(5, 8), out, N=8)
    return [out]


@triton.jit
def nested_loops_with_return(o, n):
    p = tl.program_id(0)
    for i in range(n):
        for j in range(n):
            if i * n + j == p:
                tl.store(o + p, i * 10 + j)
                return
    tl.store(o + p, -1)


@FEATURES.add()
def return_out_of_nested_loops():
    out = torch.zeros(12, dtype=torch.int32)
    nested_loops_with_return[(12,)](out, 3)
    return [out]


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
def batched_products(x, y, o, B: tl.constexpr, N: tl.constexpr):
    b = tl.arange(0, B)[:, None, None]
    r = tl.arange(0, N)[None, :, None]
    c = tl.arange(0, N)[None, None, :]
    i = b * N * N + r * N + c
    tl.store(o + i, tl.dot(tl.load(x + i), tl.load(y + i), input_precision="ieee"))


@FEATURES.add(rtol=1e-5, atol=1e-5)
def three_dimensional_dot():
    out = torch.zeros(4, 16, 16)
    batched_products[(1,)](randn(4, 16, 16), randn(4, 16, 16, seed=1), out, B=4, N=16)
    return [out]


@triton.jit
def scaled_products(x, xs, y, ys, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    s = tl.arange(0, K // 32)
    a = tl.load(x + m[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * N + n[None, :])
    a_scale = tl.load(xs + m[:, None] * (K // 32) + s[None, :])
    b_scale = tl.load(ys + n[:, None] * (K // 32) + s[None, :])
    c = tl.dot_scaled(a, a_scale, "e4m3", b, b_scale, "e5m2")
    tl.store(o + m[:, None] * N + n[None, :], c)


def _scaled_inputs():
    x, y = randn(16, 64).to(torch.float8_e4m3fn), randn(64, 32, seed=1).to(torch.float8_e5m2)
    return x, randint(120, 130, 16, 2, dtype=torch.uint8), y, randint(120, 130, 32, 2, dtype=torch.uint8, seed=1)


def _expected_scaled():
    x, xs, y, ys = _scaled_inputs()
    left = x.float() * torch.pow(2.0, xs.float() - 127).repeat_interleave(32, 1)
    right = y.float() * torch.pow(2.0, ys.float() - 127).repeat_interleave(32, 1).t()
    return [left @ right]


@FEATURES.add(
    rtol=1e-4,
    atol=1e-4,
    wrong_oracle="decodes e5m2 subnormals through float16 with rounding of its own",
    expected=_expected_scaled,
)
def dot_scaled():
    out = torch.zeros(16, 32)
    x, xs, y, ys = _scaled_inputs()
    scaled_products[(1,)](x, xs, y, ys, out, M=16, N=32, K=64)
    return [out]


@triton.jit
def through_block_pointers(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    source = tl.make_block_ptr(x, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    target = tl.make_block_ptr(o, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    for _ in range(0, n, BN):
        tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        if tl.program_id(0) == 1:
            tile = tile * 3
        tl.store(target, tile + 1, boundary_check=(0, 1))
        source = tl.advance(source, (0, BN))
        target = tl.advance(target, (0, BN))


def _expected_block_pointers():
    x = randn(20, 24)
    x[8:16] *= 3
    return [x + 1]


@FEATURES.add(
    needs="block pointers", wrong_oracle="is of a Triton that has no block pointers", expected=_expected_block_pointers
)
def block_pointers():
    out = torch.zeros(20, 24)
    through_block_pointers[(3,)](randn(20, 24), out, 20, 24, BM=8, BN=16)
    return [out]
