"""Two traces of the same launch under different circumstances: what did they write differently?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import blocks
from tritontui.analysis.trace import Access, Trace


@dataclass(frozen=True)
class Difference:
    """The first store that wrote something else, somewhere else, or not at all."""

    site: int
    """In the first of the two traces."""


def first_difference(left: Trace, right: Trace) -> Difference | None:
    """Compare the active lanes of stores and atomics, in order; None when they are the same bit by bit."""
    ours, theirs = _writes(left), _writes(right)
    for one, other in zip(ours, theirs, strict=False):
        if not _same(left, one, right, other):
            return Difference(one.site)
    if len(ours) != len(theirs):
        last = min(len(ours), len(theirs)) - 1
        return Difference(ours[max(0, last)].site if ours else 0)
    return None


def _writes(trace: Trace) -> list[Access]:
    return [access for access in trace.accesses if trace.sites[access.site].op != "load"]


def _same(left: Trace, one: Access, right: Trace, other: Access) -> bool:
    here, there = left.sites[one.site], right.sites[other.site]
    if (here.line, here.column, here.op) != (there.line, there.column, there.op):
        return False
    if not np.array_equal(one.programs, other.programs):
        return False
    for a, b in zip(blocks(one), blocks(other), strict=False):
        a, b = a.every_program(), b.every_program()
        if a.touched.shape != b.touched.shape or not np.array_equal(a.touched, b.touched):
            return False
        active = a.touched
        if not np.array_equal(a.offsets[active], b.offsets[active]):
            return False
        if not _equal(a.values(), b.values(), active):
            return False
    return True


def _equal(left: NDArray[np.generic] | None, right: NDArray[np.generic] | None, active: NDArray[np.bool_]) -> bool:
    if left is None or right is None:
        return left is right
    one, other = np.broadcast_to(left, active.shape)[active], np.broadcast_to(right, active.shape)[active]
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))
