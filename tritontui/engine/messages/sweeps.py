"""One text tried at every point of a grid of values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages.runs import StageName

SweepKind = Literal["launch", "size"]
"""Vary what the learner's own launch passes (constexprs, num_warps…), or the size of the measured case."""


class SweepRequest(Struct, tag=True, kw_only=True):
    """Try one text at every point of a grid of values: is it legal there, what does it take, is it right, how fast?"""

    run: int
    exercise: str
    """Folder of the exercise (holds exercise.py)."""
    source: str
    filename: str
    kind: SweepKind
    axes: dict[str, list[int]] = {}
    """Values by axis; empty: those that the exercise declares."""
    points: list[int] | None = None
    """Indices of the points to try; None: all. The engine asks the GPU for those that the CPU found safe and right."""
    own: dict[str, int] = {}
    """``SweepStarted.own`` of the first device, for the next one, which doesn't find it out again."""
    target: str | None = None
    soft_seconds: dict[StageName, float] = {}


class SweepStarted(Struct, tag=True, kw_only=True):
    """What will be tried; the points are the product of the axes, the last axis varying fastest."""

    run: int
    device: str
    kind: SweepKind
    axes: dict[str, list[int]]
    """Empty: there is nothing to sweep in this exercise."""
    own: dict[str, int]
    """What the learner's own launch passes, or the measured case has, as far as it is known."""
    total: int
    fixed: dict[str, int] = {}
    """Constants that aren't varied, for the host works them out from the size; what they are in the measured case."""


class SweepPoint(Struct, tag=True, kw_only=True):
    """One point: from the CPU first, without times; from the GPU again, with them. ``engine/sweep.py`` joins both."""

    run: int
    device: str
    index: int
    values: dict[str, int]
    problem: Finding | None = None
    """Why it has no figure: ``shared-memory-exceeded``, ``not-power-of-two``, ``value-mismatch``, ``grid-fixed``…"""
    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None
    occupancy: float | None = None
    occupancy_limit: str | None = None
    median_us: float | None = None
    low_us: float | None = None
    high_us: float | None = None
    host_us: float | None = None
    """As in ``Measurement``: what one call takes of the host."""
    gbps: float | None = None
    tflops: float | None = None
    torch_us: float | None = None
    """PyTorch's own operator at this size; only for ``kind="size"``."""
    remarks: list[Finding] = []
