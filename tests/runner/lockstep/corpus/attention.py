"""Attention."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randn

KERNELS = Registry()
CLOSE = {"rtol": 1e-3, "atol": 1e-4}


@triton.jit
def attention_inner(
    acc, total, top, q, k_ptr, v_ptr, rows, low, high, n, BN: tl.constexpr, D: tl.constexpr, DIAGONAL: tl.constexpr
):
    lanes = tl.arange(0, D)
    for start in range(low, high, BN):
        columns = start + tl.arange(0, BN)
        inside = columns[:, None] < n
        k = tl.load(k_ptr + columns[:, None] * D + lanes[None, :], mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        if DIAGONAL:
            allowed = (rows[:, None] >= columns[None, :]) & (columns[None, :] < n)
            scores = tl.where(allowed, scores, -1.0e6)
        highest = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp2(scores - highest[:, None])
        scale = tl.exp2(top - highest)
        total = total * scale + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + columns[:, None] * D + lanes[None, :], mask=inside, other=0.0)
        acc = tl.dot(weights, v, acc * scale[:, None], input_precision="ieee")
        top = highest
    return acc, total, top


@triton.jit
def flash_attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1)
    rows = block * BM + tl.arange(0, BM)
    lanes = tl.arange(0, D)
    base = head * n * D
    inside = rows[:, None] < n
    q = tl.load(q_ptr + base + rows[:, None] * D + lanes[None, :], mask=inside, other=0.0) * (scale * 1.44269504)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    top = tl.full([BM], -float("inf"), tl.float32)
    acc, total, top = attention_inner(
        acc, total, top, q, k_ptr + base, v_ptr + base, rows, 0, block * BM, n, BN, D, DIAGONAL=False
    )
    acc, total, top = attention_inner(
        acc, total, top, q, k_ptr + base, v_ptr + base, rows, block * BM, (block + 1) * BM, n, BN, D, DIAGONAL=True
    )
    tl.store(out_ptr + base + rows[:, None] * D + lanes[None, :], acc / total[:, None], mask=inside)


@KERNELS.add(**CLOSE)
def causal_flash_attention():
    q, k, v = (randn(2, 50, 16, seed=s) for s in range(3))
    out = torch.empty_like(q)
    flash_attention_kernel[(4, 2)](q, k, v, out, 50, 0.25, BM=16, BN=16, D=16)
    return [out]


@triton.jit
def decode_kernel(q_ptr, k_ptr, v_ptr, lengths_ptr, out_ptr, capacity, BN: tl.constexpr, D: tl.constexpr):
    sequence = tl.program_id(0)
    lanes = tl.arange(0, D)
    q = tl.load(q_ptr + sequence * D + lanes)
    length = tl.load(lengths_ptr + sequence)
    acc = tl.zeros((D,), tl.float32)
    total = 0.0
    top = -float("inf")
    for start in range(0, length, BN):
        rows = start + tl.arange(0, BN)
        mask = rows < length
        offsets = (sequence * capacity + rows[:, None]) * D + lanes[None, :]
        k = tl.load(k_ptr + offsets, mask=mask[:, None], other=0.0)
        scores = tl.where(mask, tl.sum(q[None, :] * k, axis=1), -float("inf"))
        highest = tl.maximum(top, tl.max(scores, axis=0))
        weights = tl.exp(scores - highest)
        scale = tl.exp(top - highest)
        v = tl.load(v_ptr + offsets, mask=mask[:, None], other=0.0)
        acc = acc * scale + tl.sum(weights[:, None] * v, axis=0)
        total = total * scale + tl.sum(weights, axis=0)
        top = highest
    tl.store(out_ptr + sequence * D + lanes, acc / total)


@KERNELS.add(**CLOSE)
def decoding_with_ragged_lengths():
    q, k, v = randn(5, 16), randn(5, 40, 16, seed=1), randn(5, 40, 16, seed=2)
    lengths, out = torch.tensor([3, 40, 17, 8, 25], dtype=torch.int32), torch.empty(5, 16)
    decode_kernel[(5,)](q, k, v, lengths, out, 40, BN=16, D=16)
    return [out]
