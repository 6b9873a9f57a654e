"""Axes of the grid that a kernel asks for and doesn't get."""

from __future__ import annotations

from tritontui.analysis.source import axes_asked_for, parse
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding


def absent_axis(trace: Trace) -> Finding | None:
    """``grid-axis-missing``: the kernel asks for an axis that its grid hasn't. Not wrong by itself: the answer is 0."""
    absent = {axis: line for axis, line in axes_asked_for(parse(trace.source)).items() if axis >= len(trace.grid)}
    if not absent:
        return None
    axis = min(absent)
    return Finding(
        id="grid-axis-missing",
        severity="error",
        line=absent[axis],
        params={"axis": axis, "axes": len(trace.grid), "grid": str(trace.grid)},
    )
