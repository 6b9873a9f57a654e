"""Moving elements about: reshape, join, split, gather."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


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
    tl.store(o + 9 * N * M + tl.arange(0, 2 * N), tl.sort(tl.cat(r, r + N, can_reorder=True)))
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


@triton.jit
def as_methods(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, v.exp().abs().to(tl.float32))
    tl.store(o + N + i, v.reshape(4, N // 4).trans().reshape(N))
    tl.store(o + 2 * N + i, v.reshape([4, N // 4]).permute(1, 0).reshape([N]))
    tl.store(o + 3 * N + i, v.broadcast_to(N) + v.sum() + v.max() + v.min(0) + v.argmax(0) + v.argmin(0))
    tl.store(o + 4 * N + i, v.cumsum(0) + v.cumprod(0))
    tl.store(o + 5 * N + i, v.sigmoid() + v.sin() + v.cos() + v.floor() + v.ceil() + v.sqrt_rn().to(tl.float32) * 0)
    tl.store(o + 6 * N + i, v.reshape(4, N // 4).expand_dims(0).ravel() + v.softmax() + v.flip(0))
    tl.store(o + 7 * N + i, (v > 0).logical_or(v < -1).logical_and(v < 2).to(tl.float32))
    tl.store(o + 8 * N + i, v[None, :].reshape(N) + v[:, None].reshape(N) + v.numel + len(v.shape) + v.shape[0])
    left, right = tl.join(v, v * 2).split()
    tl.store(o + 9 * N + i, left - right + v.gather(N - 1 - i, 0))
    tl.store(o + 10 * N + i, v.cast(tl.float16).cast(tl.float32))


@FEATURES.add(rtol=1e-5, atol=1e-5, oracle_since="3.7")
def methods_of_tensors():
    out = torch.zeros(11, 16)
    as_methods[(1,)](randn(16).abs(), out, N=16)
    return [out]


@triton.jit
def constructed(o, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.full((N,), 3, tl.int32) + tl.zeros_like(i) + tl.full((), 7, tl.int64).to(tl.int32)
    b = tl.full([N], 1.5, dtype=tl.float16).to(tl.int32) + tl.zeros([N], dtype=tl.int1).to(tl.int32)
    left, right = tl.broadcast(i[:, None], i[None, :])
    tl.store(o + i, a + b + tl.cast(i, tl.float32).to(tl.int32) + tl.sum(left - right, 0))
    first, second = tl.swizzle2d(i // 4, i % 4, N // 4, 4, 2)
    tl.store(o + N + i, first * 100 + second)


@FEATURES.add()
def constructors():
    out = torch.zeros(2, 16, dtype=torch.int32)
    constructed[(1,)](out, N=16)
    return [out]
