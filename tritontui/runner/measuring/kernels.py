"""Our own kernels, by which a card's ceilings are measured: copy, read, fill, nothing at all."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def"
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, n, block: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    mask = offsets < n
    tl.store(target_ptr + offsets, tl.load(source_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def add_kernel(left_ptr, right_ptr, target_ptr, n, block: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    mask = offsets < n
    left = tl.load(left_ptr + offsets, mask=mask)
    tl.store(target_ptr + offsets, left + tl.load(right_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def read_kernel(source_ptr, target_ptr, n, block: tl.constexpr):
    """Reads all, writes one number per program."""
    pid = tl.program_id(0).to(tl.int64)
    offsets = pid * block + tl.arange(0, block)
    values = tl.load(source_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(target_ptr + pid, tl.sum(values, axis=0))


@triton.jit
def fill_kernel(target_ptr, n, block: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    tl.store(target_ptr + offsets, tl.zeros((block,), tl.float32) + 1.0, mask=offsets < n)


@triton.jit
def empty_kernel(n):
    pass
