"""Architectures that a learner can have a kernel compiled for, whatever GPU is there, if any."""

from __future__ import annotations

DEFAULT_TARGET = "sm_90"
"""Where there is no GPU and none was chosen."""

CARDS = {
    "sm_80": "A100",
    "sm_86": "A10, RTX 3090",
    "sm_89": "L40S, RTX 4090",
    "sm_90": "H100, H200",
    "sm_100": "B200",
    "gfx942": "MI300X",
}
"""By target some of the cards that have it."""

TARGETS = tuple(CARDS)

TARGET_KNOB = "target"
"""A knob of this name chooses, by its value, what an exploration is compiled for."""
