"""Transposes, sorts, scans, histograms, gathers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

KERNELS = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@triton.jit
def transpose_kernel(x_ptr, out_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tile = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=mask)
    tl.store(out_ptr + columns[:, None] * m + rows[None, :], tl.trans(tile), mask=tl.trans(mask))


@KERNELS.add()
def transpose():
    x, out = randn(40, 50), torch.empty(50, 40)
    transpose_kernel[(3, 4)](x, out, 40, 50, BM=16, BN=16)
    return [out]


@triton.jit
def permute_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.program_id(0)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    tile = tl.load(x_ptr + a * B * C + b[:, None] * C + c[None, :])
    tl.store(out_ptr + c[None, :] * B * A + b[:, None] * A + a, tile)


@KERNELS.add()
def permute_three_axes():
    x, out = randn(5, 8, 16), torch.empty(16, 8, 5)
    permute_kernel[(5,)](x, out, A=5, B=8, C=16)
    return [out]


@triton.jit
def top_k_kernel(x_ptr, values_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + lanes, mask=lanes < n, other=-float("inf"))
    tl.store(values_ptr + row * K + tl.arange(0, K), tl.topk(x, K))


@KERNELS.add()
def top_k():
    x, values = randn(6, 50), torch.empty(6, 8)
    top_k_kernel[(6,)](x, values, 50, K=8, BLOCK=64)
    return [values]


@triton.jit
def top_two_kernel(x_ptr, values_ptr, indices_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """The K largest by K rounds of argmax: a router's gate."""
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + lanes, mask=lanes < n, other=-float("inf"))
    for rank in tl.static_range(K):
        best = tl.argmax(x, axis=0)
        tl.store(values_ptr + row * K + rank, tl.max(x, axis=0))
        tl.store(indices_ptr + row * K + rank, best)
        x = tl.where(lanes == best, -float("inf"), x)


@KERNELS.add()
def router_gate():
    x, values, indices = randn(9, 20), torch.empty(9, 2), torch.empty(9, 2, dtype=torch.int32)
    top_two_kernel[(9,)](x, values, indices, 20, K=2, BLOCK=32)
    return [values, indices]


@triton.jit
def sort_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + lanes, mask=lanes < n, other=float("inf"))
    tl.store(out_ptr + row * n + lanes, tl.sort(x), mask=lanes < n)


@KERNELS.add()
def row_sort():
    x = randn(5, 50)
    out = torch.empty_like(x)
    sort_kernel[(5,)](x, out, 50, BLOCK=64)
    return [out]


@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + lanes, mask=mask, other=0)
    tl.atomic_add(counts_ptr + x, 1, mask=mask)


@KERNELS.add()
def histogram_with_atomics():
    x, counts = randint(0, 16, 500), torch.zeros(16, dtype=torch.int32)
    histogram_kernel[(8,)](x, counts, 500, BINS=16, BLOCK=64)
    return [counts]


@triton.jit
def private_histogram_kernel(x_ptr, counts_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + lanes, mask=mask, other=0)
    counts = tl.histogram(x, BINS, mask=mask)
    tl.atomic_add(counts_ptr + tl.arange(0, BINS), counts)


@KERNELS.add()
def histogram_of_blocks():
    x, counts = randint(0, 16, 500), torch.zeros(16, dtype=torch.int32)
    private_histogram_kernel[(8,)](x, counts, 500, BINS=16, BLOCK=64)
    return [counts]


@triton.jit
def add_pair(a, b):
    return a + b


@triton.jit
def prefix_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """A row longer than a block: the running total is carried from block to block."""
    row = tl.program_id(0)
    carry = tl.zeros((1,), tl.float32)
    for start in range(0, n, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        mask = lanes < n
        x = tl.load(x_ptr + row * n + lanes, mask=mask, other=0.0)
        tl.store(out_ptr + row * n + lanes, tl.associative_scan(x, 0, add_pair) + carry, mask=mask)
        carry += tl.sum(x, axis=0)


@KERNELS.add(**CLOSE)
def prefix_sums():
    x = randn(4, 100)
    out = torch.empty_like(x)
    prefix_kernel[(4,)](x, out, 100, BLOCK=32)
    return [out]


@triton.jit
def recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def linear_recurrence_kernel(a_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    a = tl.load(a_ptr + row * n + lanes, mask=mask, other=1.0)
    x = tl.load(x_ptr + row * n + lanes, mask=mask, other=0.0)
    _, h = tl.associative_scan((a, x), 0, recurrence)
    tl.store(out_ptr + row * n + lanes, h, mask=mask)


@KERNELS.add(**CLOSE)
def linear_recurrence():
    a, x = torch.sigmoid(randn(4, 50)), randn(4, 50, seed=1)
    out = torch.empty_like(x)
    linear_recurrence_kernel[(4,)](a, x, out, 50, BLOCK=64)
    return [out]


@triton.jit
def embedding_kernel(index_ptr, table_ptr, out_ptr, width, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(index_ptr + token)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < width
    tl.store(out_ptr + token * width + lanes, tl.load(table_ptr + row * width + lanes, mask=mask), mask=mask)


@KERNELS.add()
def embedding_lookup():
    index, table, out = randint(0, 30, 20, dtype=torch.int64), randn(30, 50), torch.empty(20, 50)
    embedding_kernel[(20,)](index, table, out, 50, BLOCK=64)
    return [out]


@triton.jit
def product_kernel(x_ptr, out_ptr):
    """An atomic product, which hardware lacks: who was overtaken tries again with the new value."""
    x = tl.load(x_ptr + tl.program_id(0))
    guess = tl.load(out_ptr)
    found = tl.atomic_cas(out_ptr, guess, guess * x)
    while found != guess:
        guess = found
        found = tl.atomic_cas(out_ptr, guess, guess * x)


@KERNELS.add()
def product_by_compare_and_swap():
    out = torch.ones(1, dtype=torch.int32)
    product_kernel[(8,)](randint(2, 9, 8), out)
    return [out]


@triton.jit
def last_arriver_kernel(x_ptr, partial_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """Each program leaves a partial sum; whoever comes last adds them up."""
    pid = tl.program_id(0)
    lanes = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial_ptr + pid, tl.sum(tl.load(x_ptr + lanes, mask=lanes < n, other=0.0), axis=0))
    ticket = tl.atomic_add(count_ptr, 1)
    if ticket == PROGRAMS - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, PROGRAMS)), axis=0))


@KERNELS.add(**CLOSE)
def sum_by_the_last_arriver():
    x, partial = randn(500), torch.empty(16)
    count, out = torch.zeros(1, dtype=torch.int32), torch.empty(1)
    last_arriver_kernel[(16,)](x, partial, count, out, 500, BLOCK=32, PROGRAMS=16)
    return [out, partial]


@triton.jit
def row_reduce_kernel(x_ptr, out_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    top = tl.full((BM,), -float("inf"), tl.float32)
    for start in range(0, n, BN):
        columns = start + tl.arange(0, BN)
        mask = (rows[:, None] < m) & (columns[None, :] < n)
        x = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=mask, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=1))
    tl.store(out_ptr + rows, top, mask=rows < m)


@KERNELS.add()
def row_maxima():
    x, out = randn(50, 70), torch.empty(50)
    row_reduce_kernel[(4,)](x, out, 50, 70, BM=16, BN=32)
    return [out]


@triton.jit
def convolution_kernel(x_ptr, w_ptr, out_ptr, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(TAPS):
        source = lanes + tap - TAPS // 2
        x = tl.load(x_ptr + source, mask=(source >= 0) & (source < n), other=0.0)
        acc += x * tl.load(w_ptr + tap)
    tl.store(out_ptr + lanes, acc, mask=lanes < n)


@KERNELS.add(**CLOSE)
def convolution():
    x, w = randn(200), randn(5, seed=1)
    out = torch.empty_like(x)
    convolution_kernel[(4,)](x, w, out, 200, TAPS=5, BLOCK=64)
    return [out]
