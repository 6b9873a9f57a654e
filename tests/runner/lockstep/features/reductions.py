# ruff: noqa: RET505 - kernels are written as learners write them
"""Reductions, scans, sorting, counting, and functions of scalars mapped over blocks."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


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


@FEATURES.add(oracle_since="3.7")
def histogram():
    out = torch.zeros(4, 16, dtype=torch.int32)
    counting[(4,)](randint(0, 20, 100), out, 100, N=32, BINS=16)
    return [out]


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
def first_of_equals(x, o, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(o, tl.argmax(v, 0, tie_break_left=True))
    tl.store(o + 1, tl.argmin(v, 0, tie_break_left=True))
    low, where = tl.min(v, 0, return_indices=True)
    tl.store(o + 2, where)
    tl.store(o + 3, low)
    _, where = tl.max(v, 0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(o + 4, where)
    tl.store(o + 5, tl.sum(v > 0, 0))


@FEATURES.add(oracle_since="3.7")
def argmax_with_ties_and_nan():
    outs = []
    for third in (3.0, float("nan")):
        out = torch.zeros(6)
        first_of_equals[(1,)](torch.tensor([1.0, 3, third, 0, 0, 2, 3, 1]), out, N=8)
        outs.append(out)
    return outs


@triton.jit
def earlier_maximum(a, a_where, b, b_where):
    first = (a > b) | ((a == b) & (a_where < b_where))
    return tl.where(first, a, b), tl.where(first, a_where, b_where)


@triton.jit
def maxima_with_places(x, o, N: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    v = tl.load(x + i)
    places = tl.broadcast_to(tl.arange(0, M)[None, :], (N, M))
    top, where = tl.reduce((v, places), 1, earlier_maximum)
    tl.store(o + tl.arange(0, N), top + where)
    top, where = tl.associative_scan((v, places), 1, earlier_maximum)
    tl.store(o + N + i, top + where)
    tl.store(o + N + N * M + i, tl.sort(v, dim=1, descending=True))
    tl.store(o + N + 2 * N * M + i, tl.flip(v, 1))


@FEATURES.add()
def combine_functions_of_pairs():
    out = torch.zeros(8 + 3 * 128)
    maxima_with_places[(1,)](randn(8, 16), out, N=8, M=16)
    return [out]


@triton.jit
def widened(x, o, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(o, tl.sum(v.to(tl.float32), 0))
    tl.store(o + 1, tl.sum(v, 0, dtype=tl.float32))
    tl.store(o + 2, tl.sum(tl.arange(0, N).to(tl.int8), 0))
    tl.store(o + 3, tl.reduce_or((v > 0).to(tl.int32), 0))


@FEATURES.add(**CLOSE)
def dtypes_of_sums():
    out = torch.zeros(4)
    widened[(1,)](randn(64, dtype=torch.float16), out, N=64)
    return [out]
