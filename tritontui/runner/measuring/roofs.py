"""What a GPU's arithmetic units can do at most: units a multiprocessor × multiprocessors × highest clock.

FP32: "Throughput of native arithmetic instructions", CUDA C++ Programming Guide (multiply-adds a clock). Tensor cores:
fp16 operands, dense, as in NVIDIA's architecture papers of A100 (312 TFLOP/s = 108 × 2048 × 1.41 GHz), GA102, Ada,
Hopper (4096 a clock) and Blackwell (8192; 1024 in sm_120). A data sheet's figure is at a boost clock below the highest,
so no kernel reaches these: they are roofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    """FLOP a clock a multiprocessor; a multiply-add counts as two."""

    fp32: int
    tensor: int


UNITS: Mapping[str, Units] = {
    "sm_80": Units(128, 2048),
    "sm_86": Units(256, 1024),
    "sm_89": Units(256, 1024),
    "sm_90": Units(256, 4096),
    "sm_100": Units(256, 8192),
    "sm_103": Units(256, 8192),
    "sm_120": Units(256, 1024),
    "sm_121": Units(256, 1024),
}
"""By compute capability; others aren't known."""


@dataclass(frozen=True)
class Roofs:
    """TFLOP/s (1e12)."""

    fp32: float
    tensor: float


def roofs(capability: str, multiprocessors: int, megahertz: float) -> Roofs | None:
    """The roofs of a card whose multiprocessors run at ``megahertz`` at most; None for an architecture unknown here."""
    units = UNITS.get(capability)
    if units is None:
        return None
    clocks = multiprocessors * megahertz * 1e6 / 1e12
    return Roofs(units.fp32 * clocks, units.tensor * clocks)
