"""Products of all precisions."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

FEATURES = Registry()


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
