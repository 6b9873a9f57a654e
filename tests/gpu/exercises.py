"""Kernels for the copy exercise (``benchmarks/references``), each with a fault that only a GPU shows, and a helper."""

from __future__ import annotations

from pathlib import Path

from benchmarks import references

COPY = (references.folder("copy") / "exercise.py").read_text()
COPY_KERNEL = references.source("copy")

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

TICKETS = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, next_ptr, n, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(next_ptr, 1)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    offs = ticket * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, x, mask=offs < n)


def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    first = torch.zeros(1, dtype=torch.int32, device=x.device)
    copy_kernel[(triton.cdiv(n, 4),)](x, out, first, n, BLOCK=4)
    return out
"""
"""Programs write where their turn falls: another order in every launch."""

ON_GPU = 'os.environ.get("CUDA_VISIBLE_DEVICES") != ""'
"""In the CPU's process no GPU is to be seen."""

_HEAD = """
import os

import torch
import triton
import triton.language as tl

"""
_LAUNCH = """

def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    far = FAR if ON_GPU else 0
    copy_kernel[(triton.cdiv(n, 1024),)](x, out, n, far, BLOCK=1024)
    return out
"""


def _faulty(kernel: str, far: str, **options: object) -> str:
    """A copy whose kernel gets ``far`` on a GPU, and 0 elsewhere."""
    launch = _LAUNCH.replace("FAR", far).replace("ON_GPU", ON_GPU)
    given = "".join(f", {name}={value}" for name, value in options.items())
    return _HEAD + kernel + launch.replace("BLOCK=1024)", f"BLOCK=1024{given})")


WILD = _faulty(
    """
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, far, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs + far, tl.load(x_ptr + offs, mask=mask), mask=mask)
""",
    "1 << 40",
)
"""An illegal address."""

ASSERTS = _faulty(
    """
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, far, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.device_assert(offs >= far, "too far")
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)
""",
    "1",
    debug=True,
)
"""A device assert that fails."""

SLOW = _faulty(
    """
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, far, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    for _ in range(far):
        x = x * 1.0001 + 0.5
        x = x * 0.9999 - 0.5
        x = x * 1.0001 + 0.5
        x = x * 0.9999 - 0.5
    tl.store(out_ptr + offs, x, mask=mask)
""",
    "(1 << 31) - 1",
)
"""2^31 rounds of four multiply-adds, each of which waits for the one before: half a minute, and then it ends."""


def _spare(count: int) -> str:
    """A right copy that takes so many floats beside, on a GPU."""
    head = "import torch\nimport triton\nimport triton.language as tl\n"
    return _HEAD + COPY_KERNEL.replace(head, "").replace(
        "    out = torch.empty_like(x)\n",
        f"    spare = torch.empty({count}, device=x.device) if {ON_GPU} else None\n    out = torch.empty_like(x)\n",
    )


HUNGRY = _spare(1 << 44)
"""64 TiB."""

ROOMY = _spare(1 << 28)
"""1 GiB: there, unless another process has taken it."""

TUNED = """
import torch
import triton
import triton.language as tl


def small_enough(configs, named_args, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK"] < 8192]


@triton.autotune(
    [
        triton.Config({"BLOCK": 32}, num_warps=1),
        triton.Config({"BLOCK": 1024}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=64),
        triton.Config({"BLOCK": 8192}, num_warps=4),
    ],
    key=["n"],
    prune_configs_by={"early_config_prune": small_enough},
)
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    copy_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out
"""


def write_exercise(folder: Path, specification: str) -> Path:
    """A folder that holds ``specification`` as its ``exercise.py``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exercise.py").write_text(specification)
    return folder
