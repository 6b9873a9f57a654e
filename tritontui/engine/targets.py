"""Architectures that a learner can have a kernel compiled for, whatever GPU is there, if any."""

from __future__ import annotations

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "gfx942")
