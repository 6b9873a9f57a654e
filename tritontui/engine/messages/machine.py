"""What a child knows of its machine: versions, the GPU, what works."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class GpuInfo(Struct, kw_only=True):
    index: int
    name: str
    capability: str
    """``sm_90`` or ``gfx942``."""
    memory_bytes: int
    l2_bytes: int
    sm_count: int
    peak_gbps: float | None
    """Datasheet bandwidth from the memory clock and the bus width, GB/s (1e9)."""
    peak_fp32_tflops: float | None = None
    """What the multiprocessors can do at their highest clock (``runner/measuring/roofs.py``); None: not known."""
    peak_tensor_tflops: float | None = None
    """The same of the tensor cores, fp16 operands."""


class Ready(Struct, tag=True, kw_only=True):
    """First reply of a child: imports are done."""

    device: str
    """``cpu`` or ``cuda:N``."""
    python: str
    torch: str
    triton: str
    numpy: str
    target: str
    """What is compiled for, unless a request says otherwise."""
    gpu: GpuInfo | None = None


class Probe(Struct, tag=True):
    """Ask what works in this child: versions, GPU, compiler."""


class Check(Struct, kw_only=True):
    """One line of the doctor's report. ``params`` fill the texts of ``id``."""

    id: str
    ok: bool
    detail: str
    params: dict[str, Any] = {}


class Probed(Struct, tag=True):
    checks: list[Check]
