"""Reference kernels in the judge's own form, each a folder with exercise.py and solution.py: what is good speed?"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("copy", "add", "softmax", "transpose", "gemm_bias")
"""All but the last are limited by memory."""


def folder(name: str) -> Path:
    return FOLDER / name


def source(name: str) -> str:
    """The text of its solution."""
    return (folder(name) / "solution.py").read_text(encoding="utf-8")
