"""Pure functions on traces: what a launch did, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tritontui.analysis.checks import (
    bounds,
    conflicts,
    duplicates,
    events,
    layout,
    masks,
    partial,
    precision,
    sectors,
    work,
)
from tritontui.analysis.checks.coverage import never_written
from tritontui.analysis.compact import compact
from tritontui.analysis.map.inspect import inspect
from tritontui.analysis.map.tile import tile
from tritontui.analysis.stepping.steps import steps
from tritontui.analysis.summary import summarise
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding

__all__ = ["compact", "findings", "inspect", "launch_findings", "never_written", "steps", "summarise", "tile"]

_QUESTIONS: Sequence[Callable[[Trace], list[Finding]]] = (
    bounds.findings,
    events.findings,
    masks.findings,
    layout.findings,
    work.program_id_unused,
    conflicts.findings,
    duplicates.findings,
    precision.findings,
    sectors.findings,
    work.no_work,
    partial.findings,
)


def launch_findings(trace: Trace) -> list[Finding]:
    """What one launch shows by itself, in no particular order."""
    return [finding for question in _QUESTIONS for finding in question(trace)]


def findings(trace: Trace) -> list[Finding]:
    """What a run of this single launch shows; for several launches see ``launch_findings`` and ``never_written``."""
    return launch_findings(trace) + never_written([trace])
