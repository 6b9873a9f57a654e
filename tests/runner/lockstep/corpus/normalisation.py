"""Softmax, layer norm and the losses built on them."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

KERNELS = Registry()
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


@triton.jit
def softmax_kernel(out_ptr, x_ptr, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(start, rows, step, num_stages=2):
        lanes = tl.arange(0, BLOCK)
        mask = lanes < columns
        values = tl.load(x_ptr + row * x_stride + lanes, mask=mask, other=-float("inf"))
        numerator = tl.exp(values - tl.max(values, axis=0))
        tl.store(out_ptr + row * out_stride + lanes, numerator / tl.sum(numerator, axis=0), mask=mask)


@KERNELS.add(**CLOSE)
def fused_softmax():
    x = randn(20, 100)
    out = torch.empty_like(x)
    softmax_kernel[(8,)](out, x, 100, 100, 20, 100, BLOCK=128)
    return [out]


@triton.jit
def online_softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        values = tl.load(x_ptr + row * columns + lanes, mask=lanes < columns, other=-float("inf"))
        highest = tl.maximum(top, tl.max(values, axis=0))
        total = total * tl.exp(top - highest) + tl.sum(tl.exp(values - highest), axis=0)
        top = highest
    for start in range(0, columns, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        mask = lanes < columns
        values = tl.load(x_ptr + row * columns + lanes, mask=mask, other=-float("inf"))
        tl.store(out_ptr + row * columns + lanes, tl.exp(values - top) / total, mask=mask)


@KERNELS.add(**CLOSE)
def online_softmax():
    x = randn(7, 75)
    out = torch.empty_like(x)
    online_softmax_kernel[(7,)](x, out, 75, BLOCK=32)
    return [out]


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + lanes, mask=lanes < n, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + lanes, mask=lanes < n, other=0.0).to(tl.float32)
        x = tl.where(lanes < n, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, n, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        mask = lanes < n
        w = tl.load(w_ptr + lanes, mask=mask, other=0.0)
        b = tl.load(b_ptr + lanes, mask=mask, other=0.0)
        x = tl.load(x_ptr + lanes, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + lanes, (x - mean) * rstd * w + b, mask=mask)


@KERNELS.add(**CLOSE)
def layer_norm_forward():
    x, w, b = randn(8, 100), randn(100, seed=1), randn(100, seed=2)
    y, mean, rstd = torch.empty_like(x), torch.empty(8), torch.empty(8)
    layer_norm_kernel[(8,)](x, y, w, b, mean, rstd, 100, 100, 1e-5, BLOCK=64)
    return [y, mean, rstd]


@triton.jit
def layer_norm_backward_kernel(
    dx_ptr,
    dy_ptr,
    dw_ptr,
    db_ptr,
    x_ptr,
    w_ptr,
    mean_ptr,
    rstd_ptr,
    lock_ptr,
    n,
    GROUP: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    x_ptr += row * n
    dy_ptr += row * n
    dx_ptr += row * n
    group = row % GROUP
    lock_ptr += group
    count_ptr = lock_ptr + GROUP
    x = tl.load(x_ptr + lanes, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + lanes, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + lanes, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)
    x_hat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(x_hat * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx_ptr + lanes, (wdy - (x_hat * c1 + c2)) * rstd, mask=mask)
    partial_dw = dy * x_hat
    partial_db = dy
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        partial_dw += tl.load(dw_ptr + group * n + lanes, mask=mask, other=0.0)
        partial_db += tl.load(db_ptr + group * n + lanes, mask=mask, other=0.0)
    tl.store(dw_ptr + group * n + lanes, partial_dw, mask=mask)
    tl.store(db_ptr + group * n + lanes, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def layer_norm_sum_kernel(dw_ptr, db_ptr, final_dw_ptr, final_db_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    dw = tl.zeros((BM, BN), dtype=tl.float32)
    db = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, m, BM):
        rows = start + tl.arange(0, BM)
        mask = (rows[:, None] < m) & (columns[None, :] < n)
        offsets = rows[:, None] * n + columns[None, :]
        dw += tl.load(dw_ptr + offsets, mask=mask, other=0.0)
        db += tl.load(db_ptr + offsets, mask=mask, other=0.0)
    tl.store(final_dw_ptr + columns, tl.sum(dw, axis=0), mask=columns < n)
    tl.store(final_db_ptr + columns, tl.sum(db, axis=0), mask=columns < n)


@KERNELS.add(**CLOSE)
def layer_norm_backward_with_a_lock():
    rows, n, group = 12, 50, 4
    x, w, dy = randn(rows, n), randn(n, seed=1), randn(rows, n, seed=2)
    mean, rstd = x.mean(1), (x.var(1, unbiased=False) + 1e-5).rsqrt()
    dx, lock = torch.empty_like(x), torch.zeros(2 * group, dtype=torch.int32)
    dw, db = torch.zeros(group, n), torch.zeros(group, n)
    layer_norm_backward_kernel[(rows,)](dx, dy, dw, db, x, w, mean, rstd, lock, n, GROUP=group, BLOCK=64)
    final_dw, final_db = torch.empty(n), torch.empty(n)
    layer_norm_sum_kernel[(2,)](dw, db, final_dw, final_db, group, n, BM=4, BN=32)
    return [dx, final_dw, final_db]


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, out_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + row * n + lanes, mask=mask, other=0.0)
    w = tl.load(w_ptr + lanes, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(out_ptr + row * n + lanes, x * scale * w, mask=mask)


@KERNELS.add(**CLOSE)
def rms_norm():
    x, w = randn(6, 100), randn(100, seed=1)
    out = torch.empty_like(x)
    rms_norm_kernel[(6,)](x, w, out, 100, 1e-6, BLOCK=128)
    return [out]


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, loss_ptr, grad_ptr, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < classes
    target = tl.load(target_ptr + row)
    logits = tl.load(logits_ptr + row * classes + lanes, mask=mask, other=-float("inf"))
    top = tl.max(logits, axis=0)
    weights = tl.exp(logits - top)
    total = tl.sum(weights, axis=0)
    if target < 0:
        tl.store(loss_ptr + row, 0.0)
        tl.store(grad_ptr + row * classes + lanes, tl.zeros((BLOCK,), tl.float32), mask=mask)
        return
    chosen = tl.load(logits_ptr + row * classes + target)
    tl.store(loss_ptr + row, tl.log(total) + top - chosen)
    grad = weights / total - tl.where(lanes == target, 1.0, 0.0)
    tl.store(grad_ptr + row * classes + lanes, grad, mask=mask)


@KERNELS.add(**CLOSE)
def cross_entropy():
    logits, target = randn(10, 50), randint(-1, 50, 10, dtype=torch.int64)
    loss, grad = torch.empty(10), torch.empty_like(logits)
    cross_entropy_kernel[(10,)](logits, target, loss, grad, 50, BLOCK=64)
    return [loss, grad]


@triton.jit
def welford(mean1, m1, w1, mean2, m2, w2):
    delta = mean2 - mean1
    weight = w1 + w2
    ratio = tl.where(weight == 0.0, 0.0, w2 / weight)
    return mean1 + delta * ratio, m1 + m2 + delta * delta * w1 * ratio, weight


@triton.jit
def variance_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + row * n + lanes, mask=mask, other=0.0)
    weight = tl.where(mask, 1.0, 0.0)
    mean, m2, count = tl.reduce((x, tl.zeros_like(x), weight), 0, welford)
    tl.store(out_ptr + row * 2, mean)
    tl.store(out_ptr + row * 2 + 1, m2 / count)


@KERNELS.add(**CLOSE)
def welford_variance():
    x, out = randn(5, 50), torch.empty(5, 2)
    variance_kernel[(5,)](x, out, 50, BLOCK=64)
    return [out]
