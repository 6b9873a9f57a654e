# ruff: noqa: SIM108 - kernels are written as learners write them
"""Elementwise kernels."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randn
from triton.language.extra import libdevice

KERNELS = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@triton.jit
def vector_add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@KERNELS.add()
def vector_add():
    x, y = randn(1000), randn(1000, seed=1)
    out = torch.empty_like(x)
    vector_add_kernel[(triton.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256)
    return [out]


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@KERNELS.add(**CLOSE)
def seeded_dropout():
    x = randn(700)
    out = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(700, 256),)](x, out, 700, 0.5, 123, BLOCK=256)
    return [out]


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + offsets)
    else:
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    cdf = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(out_ptr + offsets, x * cdf, mask=offsets < n)


gelu_heuristic = triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})(gelu_kernel)


@KERNELS.add(**CLOSE)
def gelu():
    outs = []
    for n in (500, 512):
        x = randn(n)
        out = torch.empty_like(x)
        gelu_heuristic[lambda meta, n=n: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, BLOCK=128)
        outs.append(out)
    return outs


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = lanes < columns
    gate = tl.load(gate_ptr + row * columns + lanes, mask=mask, other=0.0)
    up = tl.load(up_ptr + row * columns + lanes, mask=mask, other=0.0)
    tl.store(out_ptr + row * columns + lanes, gate * tl.sigmoid(gate) * up, mask=mask)


@KERNELS.add(**CLOSE)
def swiglu():
    gate, up = randn(9, 100), randn(9, 100, seed=1)
    out = torch.empty_like(gate)
    swiglu_kernel[(9,)](gate, up, out, 100, BLOCK=128)
    return [out]


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, heads, D: tl.constexpr):
    position = tl.program_id(0)
    head = tl.program_id(1)
    half = tl.arange(0, D // 2)
    base = (position * heads + head) * D
    cos = tl.load(cos_ptr + position * (D // 2) + half)
    sin = tl.load(sin_ptr + position * (D // 2) + half)
    left = tl.load(x_ptr + base + half)
    right = tl.load(x_ptr + base + D // 2 + half)
    tl.store(out_ptr + base + half, left * cos - right * sin)
    tl.store(out_ptr + base + D // 2 + half, right * cos + left * sin)


@KERNELS.add()
def rotary_embedding():
    x = randn(10, 4, 32)
    angles = torch.arange(10)[:, None] * torch.linspace(0.1, 1.0, 16)[None, :]
    out = torch.empty_like(x)
    rotary_kernel[(10, 4)](x, angles.cos().contiguous(), angles.sin().contiguous(), out, 4, D=32)
    return [out]


@triton.jit
def adam_kernel(w_ptr, g_ptr, m_ptr, v_ptr, n, rate, beta1, beta2, eps, step, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    w = tl.load(w_ptr + offsets, mask=mask)
    g = tl.load(g_ptr + offsets, mask=mask)
    m = beta1 * tl.load(m_ptr + offsets, mask=mask) + (1 - beta1) * g
    v = beta2 * tl.load(v_ptr + offsets, mask=mask) + (1 - beta2) * g * g
    correction1 = 1 - tl.exp(step * tl.log(beta1))
    correction2 = 1 - tl.exp(step * tl.log(beta2))
    w -= rate * (m / correction1) / (tl.sqrt(v / correction2) + eps)
    tl.store(w_ptr + offsets, w, mask=mask)
    tl.store(m_ptr + offsets, m, mask=mask)
    tl.store(v_ptr + offsets, v, mask=mask)


@KERNELS.add(**CLOSE)
def adam_step():
    w, g = randn(300), randn(300, seed=1)
    m, v = randn(300, seed=2) * 0.1, randn(300, seed=3).abs() * 0.1
    adam_kernel[(3,)](w, g, m, v, 300, 1e-2, 0.9, 0.99, 1e-8, 3.0, BLOCK=128)
    return [w, m, v]


@triton.jit
def persistent_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tiles = tl.cdiv(n, BLOCK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


@KERNELS.add()
def persistent_loop():
    x = randn(1000)
    out = torch.empty_like(x)
    persistent_kernel[(6,)](x, out, 1000, BLOCK=32)
    return [out]


@triton.jit
def strided_copy_kernel(x_ptr, out_ptr, rows, columns, sr, sc, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    tile = tl.load(x_ptr + r[:, None] * sr + c[None, :] * sc, mask=mask)
    tl.store(out_ptr + r[:, None] * columns + c[None, :], tile, mask=mask)


@KERNELS.add()
def copy_of_a_strided_view():
    x = randn(40, 30).t()[1:25, ::2]
    out = torch.empty(*x.shape)
    strided_copy_kernel[(2, 2)](x, out, *x.shape, *x.stride(), BR=16, BC=16)
    return [out]


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, libdevice.tanh(x) + libdevice.pow(libdevice.abs(x), 0.5), mask=mask)


@KERNELS.add(
    rtol=1e-6,
    atol=1e-6,
    wrong_oracle="has no libdevice",
    expected=lambda: [randn(100).tanh() + randn(100).abs().sqrt()],
)
def libdevice_functions():
    x = randn(100)
    out = torch.empty_like(x)
    tanh_kernel[(4,)](x, out, 100, BLOCK=32)
    return [out]


@triton.jit
def normal_kernel(out_ptr, n, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.randn(seed, offsets), mask=offsets < n)


@KERNELS.add(**CLOSE)
def random_normals():
    out = torch.empty(500)
    normal_kernel[(4,)](out, 500, 7, BLOCK=128)
    return [out]
