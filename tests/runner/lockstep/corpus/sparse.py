# ruff: noqa: SIM108 - kernels are written as learners write them
"""Kernels whose loops and branches depend on data."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

KERNELS = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@triton.jit
def csr_kernel(starts_ptr, columns_ptr, values_ptr, x_ptr, out_ptr):
    row = tl.program_id(0)
    acc = 0.0
    for entry in range(tl.load(starts_ptr + row), tl.load(starts_ptr + row + 1)):
        acc += tl.load(values_ptr + entry) * tl.load(x_ptr + tl.load(columns_ptr + entry))
    tl.store(out_ptr + row, acc)


@triton.jit
def csr_block_kernel(starts_ptr, columns_ptr, values_ptr, x_ptr, out_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(starts_ptr + row)
    last = tl.load(starts_ptr + row + 1)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(first, last, BLOCK):
        entries = start + tl.arange(0, BLOCK)
        mask = entries < last
        column = tl.load(columns_ptr + entries, mask=mask, other=0)
        acc += tl.load(values_ptr + entries, mask=mask, other=0.0) * tl.load(x_ptr + column, mask=mask, other=0.0)
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


def _csr():
    starts = torch.tensor([0, *randint(0, 9, 32).cumsum(0).tolist()], dtype=torch.int32)
    entries = int(starts[-1])
    return starts, randint(0, 50, entries, seed=1), randn(entries), randn(50, seed=1)


@KERNELS.add(**CLOSE)
def csr_times_vector():
    out = torch.empty(32)
    csr_kernel[(32,)](*_csr(), out)
    return [out]


@KERNELS.add(**CLOSE)
def csr_times_vector_in_blocks():
    out = torch.empty(32)
    csr_block_kernel[(32,)](*_csr(), out, BLOCK=8)
    return [out]


@triton.jit
def collatz_kernel(out_ptr):
    pid = tl.program_id(0)
    n = pid + 1
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out_ptr + pid, steps)


@KERNELS.add()
def collatz_steps():
    out = torch.empty(64, dtype=torch.int32)
    collatz_kernel[(64,)](out)
    return [out]


@triton.jit
def search_kernel(sorted_ptr, wanted_ptr, out_ptr, n):
    """Binary search, one key a program."""
    pid = tl.program_id(0)
    wanted = tl.load(wanted_ptr + pid)
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(sorted_ptr + middle) < wanted:
            low = middle + 1
        else:
            high = middle
    tl.store(out_ptr + pid, low)


@KERNELS.add()
def binary_search():
    keys, wanted = randn(100).sort().values, randn(20, seed=1)
    out = torch.empty(20, dtype=torch.int32)
    search_kernel[(20,)](keys, wanted, out, 100)
    return [out]


@triton.jit
def ragged_copy_kernel(starts_ptr, x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    """Ragged rows into a padded rectangle."""
    row = tl.program_id(0)
    first = tl.load(starts_ptr + row)
    length = tl.load(starts_ptr + row + 1) - first
    for start in range(0, width, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + first + lanes, mask=lanes < length, other=0.0)
        tl.store(out_ptr + row * width + lanes, x, mask=lanes < width)


@KERNELS.add()
def ragged_to_padded():
    starts = torch.tensor([0, 5, 5, 30, 42], dtype=torch.int32)
    out = torch.empty(4, 30)
    ragged_copy_kernel[(4,)](starts, randn(42), out, 30, BLOCK=16)
    return [out]


@triton.jit
def compaction_kernel(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    """Keep the positive elements of a block, in order."""
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + lanes, mask=mask, other=-1.0)
    keep = x > 0
    place = tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(out_ptr + place, x, mask=keep)
    tl.store(count_ptr, tl.sum(keep.to(tl.int32), axis=0))


@KERNELS.add()
def stream_compaction():
    out, count = torch.zeros(100), torch.empty(1, dtype=torch.int32)
    compaction_kernel[(1,)](randn(100), out, count, 100, BLOCK=128)
    return [out, count]


@triton.jit
def mandelbrot_kernel(out_ptr, width, height, limit, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < width * height
    re = (lanes % width) * (3.0 / width) - 2.0
    im = (lanes // width) * (2.0 / height) - 1.0
    x = tl.zeros((BLOCK,), tl.float32)
    y = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.int32)
    step = 0
    inside = 1
    while (step < limit) & (inside > 0):
        bounded = x * x + y * y <= 4.0
        next_x = tl.where(bounded, x * x - y * y + re, x)
        y = tl.where(bounded, 2 * x * y + im, y)
        x = next_x
        count += bounded.to(tl.int32)
        inside = tl.max(bounded.to(tl.int32), axis=0)
        step += 1
    tl.store(out_ptr + lanes, count, mask=mask)


@KERNELS.add()
def mandelbrot():
    out = torch.empty(12, 20, dtype=torch.int32)
    mandelbrot_kernel[(8,)](out, 20, 12, 30, BLOCK=32)
    return [out]
