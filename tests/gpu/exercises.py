"""Exercises of the tests' own, written to a folder: whole-tensor operations whose traffic is known."""

from __future__ import annotations

from pathlib import Path

COPY = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="copy",
    kernel=None,
    inputs=inputs,
    reference=lambda x: x.clone(),
    cases=[Case("n = 1000", {"n": 1000}), Case("n = 4096", {"n": 4096})],
    trace_case=Case("n = 1000", {"n": 1000}),
    measure_case=Case("large", {"n": 1 << 27}),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    reads_per_write=1.0,
)
"""

COPY_KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    copy_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return out
"""

SOFTMAX = """
import torch
from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case, generator):
    return [torch.randn(case["rows"], case["columns"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="softmax",
    kernel=None,
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[Case("ragged", {"rows": 37, "columns": 781})],
    trace_case=Case("small", {"rows": 4, "columns": 50}),
    measure_case=Case("large", {"rows": 8192, "columns": 8192}),
    tolerances={torch.float32: Tolerance(1e-5, 1e-7, "a sum of thousands of exponentials")},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    reads_per_write=1.0,
)
"""

SOFTMAX_KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    mask = offs < columns
    x = tl.load(x_ptr + row * columns + offs, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offs, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    softmax_kernel[(rows,)](x, out, columns, BLOCK=block, num_warps=8)
    return out
"""

TRANSPOSE = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["rows"], case["columns"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="transpose",
    kernel=None,
    inputs=inputs,
    reference=lambda x: x.t().contiguous(),
    cases=[Case("ragged", {"rows": 37, "columns": 781})],
    trace_case=Case("small", {"rows": 20, "columns": 50}),
    measure_case=Case("large", {"rows": 16384, "columns": 16384}),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    reads_per_write=1.0,
)
"""

TRANSPOSE_KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (r < rows) & (c < columns)
    tl.store(out_ptr + c * rows + r, tl.load(x_ptr + r * columns + c, mask=mask), mask=mask)


def transpose(x):
    rows, columns = x.shape
    out = torch.empty(columns, rows, device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 64))
    transpose_kernel[grid](x, out, rows, columns, ROWS=16, COLUMNS=64)
    return out
"""

SILENT = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs))


def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    copy_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return out
"""

FAULTY = """
import os

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, far, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs + far, tl.load(x_ptr + offs, mask=mask), mask=mask)


def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    far = 0 if os.environ.get("CUDA_VISIBLE_DEVICES") == "" else 1 << 40  # the CPU's process sees no GPU
    copy_kernel[(triton.cdiv(n, 1024),)](x, out, n, far, BLOCK=1024)
    return out
"""


def write_exercise(folder: Path, specification: str) -> Path:
    """A folder that holds ``specification`` as its ``exercise.py``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exercise.py").write_text(specification)
    return folder
