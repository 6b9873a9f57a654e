"""Freed memory stays with the process: arrays of megabytes come and go with every operation of a kernel."""

from __future__ import annotations

import ctypes
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's malloc.h."""
KEPT_BYTES = 1 << 30
LARGEST_KEPT = 32 << 20
"""The most that glibc accepts for a block that it doesn't map by itself."""


@cache
def keep_freed_memory() -> bool:
    """Tell glibc not to give freed blocks back to the system at once; False where there is no glibc.

    By default each block over 128 kB is mapped and unmapped by itself, and its pages are faulted in anew: adding 2²⁰
    elements took 14 ms with that and takes 6 without.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST_KEPT)) and bool(mallopt(_TRIM_THRESHOLD, KEPT_BYTES))
