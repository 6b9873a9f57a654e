"""Matrix products."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

KERNELS = Registry()
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    in_group = GROUP * tiles_n
    group = pid // in_group
    first = group * GROUP
    size = min(tiles_m - first, GROUP)
    tile_m = first + ((pid % in_group) % size)
    tile_n = (pid % in_group) // size
    rows = (tile_m * BM + tl.arange(0, BM)) % m
    columns = (tile_n * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    a_ptrs = a_ptr + (rows[:, None] * sam + inner[None, :] * sak)
    b_ptrs = b_ptr + (inner[:, None] * sbk + columns[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(k, BK)):
        a = tl.load(a_ptrs, mask=inner[None, :] < k - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < k - step * BK, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    out_rows = tile_m * BM + tl.arange(0, BM)
    out_columns = tile_n * BN + tl.arange(0, BN)
    mask = (out_rows[:, None] < m) & (out_columns[None, :] < n)
    tl.store(c_ptr + scm * out_rows[:, None] + scn * out_columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


def matmul(a, b, activation=""):
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)  # noqa: E731
    matmul_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BM=16, BN=32, BK=16, GROUP=2, ACTIVATION=activation
    )
    return c


@KERNELS.add(**CLOSE)
def grouped_order_matmul():
    return [matmul(randn(50, 40), randn(40, 70, seed=1), "leaky_relu")]


@KERNELS.add(rtol=1e-2, atol=1e-2)
def matmul_in_float16():
    a, b = randn(32, 48, dtype=torch.float16), randn(48, 64, dtype=torch.float16, seed=1)
    return [matmul(a, b), matmul(a, b.t().contiguous().t())]


@triton.jit
def split_k_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(tl.program_id(2) * BK, k, BK * SPLIT):
        inner = start + tl.arange(0, BK)
        a_mask = (rows[:, None] < m) & (inner[None, :] < k)
        b_mask = (inner[:, None] < k) & (columns[None, :] < n)
        a = tl.load(a_ptr + rows[:, None] * k + inner[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * n + columns[None, :], mask=b_mask, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.atomic_add(c_ptr + rows[:, None] * n + columns[None, :], acc, mask=mask)


@KERNELS.add(**CLOSE)
def split_k_with_atomics():
    a, b, c = randn(30, 100), randn(100, 20, seed=1), torch.zeros(30, 20)
    split_k_kernel[(2, 2, 3)](a, b, c, 30, 20, 100, BM=16, BN=16, BK=16, SPLIT=3)
    return [c]


@triton.jit
def stream_k_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, tiles, per_tile, work, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Every program does the same number of steps; a tile that several share is summed with atomics."""
    begin = tl.program_id(0) * work
    end = tl.minimum(begin + work, tiles * per_tile)
    tiles_n = tl.cdiv(n, BN)
    while begin < end:
        tile = begin // per_tile
        stop = tl.minimum((tile + 1) * per_tile, end)
        rows = (tile // tiles_n) * BM + tl.arange(0, BM)
        columns = (tile % tiles_n) * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(begin - tile * per_tile, stop - tile * per_tile):
            inner = step * BK + tl.arange(0, BK)
            a_mask = (rows[:, None] < m) & (inner[None, :] < k)
            b_mask = (inner[:, None] < k) & (columns[None, :] < n)
            a = tl.load(a_ptr + rows[:, None] * k + inner[None, :], mask=a_mask, other=0.0)
            b = tl.load(b_ptr + inner[:, None] * n + columns[None, :], mask=b_mask, other=0.0)
            acc = tl.dot(a, b, acc, input_precision="ieee")
        mask = (rows[:, None] < m) & (columns[None, :] < n)
        offsets = rows[:, None] * n + columns[None, :]
        if stop - begin == per_tile:
            tl.store(c_ptr + offsets, acc, mask=mask)
        else:
            tl.atomic_add(c_ptr + offsets, acc, mask=mask)
        begin = stop


@KERNELS.add(**CLOSE)
def stream_k():
    m, n, k = 30, 50, 70
    a, b, c = randn(m, k), randn(k, n, seed=1), torch.zeros(m, n)
    tiles, per_tile = 2 * 4, triton.cdiv(k, 16)
    work = triton.cdiv(tiles * per_tile, 6)
    stream_k_kernel[(6,)](a, b, c, m, n, k, tiles, per_tile, work, BM=16, BN=16, BK=16)
    return [c]


@triton.jit
def grouped_gemm_kernel(
    a_ptr, b_ptr, c_ptr, starts_ptr, groups, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Rows of ``a`` belong to groups; each group has its own matrix in ``b``. A fixed number of programs."""
    tile = tl.program_id(0)
    seen = 0
    for group in range(groups):
        first = tl.load(starts_ptr + group)
        last = tl.load(starts_ptr + group + 1)
        tiles_n = tl.cdiv(n, BN)
        tiles = tl.cdiv(last - first, BM) * tiles_n
        while tile >= seen and tile < seen + tiles:
            local = tile - seen
            rows = first + (local // tiles_n) * BM + tl.arange(0, BM)
            columns = (local % tiles_n) * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(0, k, BK):
                inner = start + tl.arange(0, BK)
                a_mask = (rows[:, None] < last) & (inner[None, :] < k)
                b_mask = (inner[:, None] < k) & (columns[None, :] < n)
                a = tl.load(a_ptr + rows[:, None] * k + inner[None, :], mask=a_mask, other=0.0)
                b = tl.load(b_ptr + group * k * n + inner[:, None] * n + columns[None, :], mask=b_mask, other=0.0)
                acc = tl.dot(a, b, acc, input_precision="ieee")
            mask = (rows[:, None] < last) & (columns[None, :] < n)
            tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc, mask=mask)
            tile += tl.num_programs(0)
        seen += tiles


@KERNELS.add(**CLOSE)
def grouped_gemm():
    starts = torch.tensor([0, 20, 27, 60], dtype=torch.int32)
    a, b, c = randn(60, 32), randn(3, 32, 40, seed=1), torch.empty(60, 40)
    grouped_gemm_kernel[(4,)](a, b, c, starts, 3, 40, 32, BM=16, BN=16, BK=16)
    return [c]


@triton.jit
def pointer_table_kernel(a_table, b_table, c_table, sizes_ptr, K: tl.constexpr, N: tl.constexpr, BM: tl.constexpr):
    """One program per group; tables hold the addresses of the groups' matrices."""
    group = tl.program_id(0)
    a_ptr = tl.load(a_table + group).to(tl.pointer_type(tl.float32))
    b_ptr = tl.load(b_table + group).to(tl.pointer_type(tl.float32))
    c_ptr = tl.load(c_table + group).to(tl.pointer_type(tl.float32))
    m = tl.load(sizes_ptr + group)
    inner = tl.arange(0, K)
    columns = tl.arange(0, N)
    b = tl.load(b_ptr + inner[:, None] * N + columns[None, :])
    for start in range(0, m, BM):
        rows = start + tl.arange(0, BM)
        mask = rows[:, None] < m
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=mask, other=0.0)
        c = tl.dot(a, b, input_precision="ieee")
        tl.store(c_ptr + rows[:, None] * N + columns[None, :], c, mask=mask)


@KERNELS.add(**CLOSE)
def grouped_gemm_through_tables_of_pointers():
    sizes = [20, 7, 33]
    left = [randn(m, 16, seed=m) for m in sizes]
    right = [randn(16, 32, seed=m + 1) for m in sizes]
    out = [torch.zeros(m, 32) for m in sizes]
    tables = [torch.tensor([one.data_ptr() for one in group]) for group in (left, right, out)]
    pointer_table_kernel[(3,)](*tables, torch.tensor(sizes, dtype=torch.int32), K=16, N=32, BM=16)
    return out


@triton.jit
def descriptor_matmul_kernel(a_desc, b_desc, c_desc, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a_desc.load([row, start]), b_desc.load([start, column]), acc, input_precision="ieee")
    c_desc.store([row, column], acc.to(tl.float16))


@KERNELS.add(rtol=1e-2, atol=1e-2)
def matmul_through_descriptors():
    from triton.tools.tensor_descriptor import TensorDescriptor

    a, b = randn(40, 32, dtype=torch.float16), randn(32, 48, dtype=torch.float16, seed=1)
    c = torch.empty(40, 48, dtype=torch.float16)
    described = [TensorDescriptor.from_tensor(t, s) for t, s in ((a, [16, 16]), (b, [16, 16]), (c, [16, 16]))]
    descriptor_matmul_kernel[(3, 3)](*described, 32, BM=16, BN=16, BK=16)
    return [c]


@triton.jit
def quantised_kernel(x_ptr, w_ptr, scale_ptr, out_ptr, m, n, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, K)
    x = tl.load(x_ptr + rows[:, None] * K + inner[None, :], mask=rows[:, None] < m, other=0)
    w = tl.load(w_ptr + inner[:, None] * n + columns[None, :], mask=columns[None, :] < n, other=0)
    scale = tl.load(scale_ptr + columns, mask=columns < n, other=0.0)
    acc = tl.dot(x, w, out_dtype=tl.int32)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], acc.to(tl.float32) * scale[None, :], mask=mask)


@KERNELS.add()
def int8_matmul():
    x, w = randint(-99, 99, 20, 32, dtype=torch.int8), randint(-99, 99, 32, 40, dtype=torch.int8, seed=1)
    out = torch.empty(20, 40)
    quantised_kernel[(2, 3)](x, w, randn(40).abs(), out, 20, 40, K=32, BM=16, BN=16)
    return [out]


@triton.jit
def batched_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.program_id(0)
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + batch * M * K + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + batch * K * N + k[:, None] * N + n[None, :])
    tl.store(c_ptr + batch * M * N + m[:, None] * N + n[None, :], tl.dot(a, b, input_precision="ieee"))


@KERNELS.add(**CLOSE)
def batched_matmul():
    a, b, c = randn(5, 16, 32), randn(5, 32, 16, seed=1), torch.empty(5, 16, 16)
    batched_kernel[(5,)](a, b, c, M=16, N=16, K=32)
    return [c]


@triton.jit
def matvec_kernel(a_ptr, x_ptr, out_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for start in range(0, n, BN):
        columns = start + tl.arange(0, BN)
        mask = (rows[:, None] < m) & (columns[None, :] < n)
        a = tl.load(a_ptr + rows[:, None] * n + columns[None, :], mask=mask, other=0.0)
        x = tl.load(x_ptr + columns, mask=columns < n, other=0.0)
        acc += tl.sum(a * x[None, :], axis=1)
    tl.store(out_ptr + rows, acc, mask=rows < m)


@KERNELS.add(**CLOSE)
def matrix_times_vector():
    a, x, out = randn(50, 70), randn(70, seed=1), torch.empty(50)
    matvec_kernel[(4,)](a, x, out, 50, 70, BM=16, BN=32)
    return [out]
