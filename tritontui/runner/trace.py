"""Running host code under the lockstep interpreter: traces, findings, and what the access map asks about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Inspection, InspectRequest, LaunchSummary, Reply, Tile, TileRequest, TraceScript
from tritontui.runner.session import Session


@dataclass(frozen=True)
class CallOptions:
    """How much is tried beyond the first run."""

    experiments: bool = True
    """Rerun with masked lanes at two extremes, with neutral padding, and in shuffled program order."""
    budget_seconds: float = 2.0
    """No experiment is begun that would, at the first run's pace, end later than this after the call began."""


@dataclass
class TracedRun:
    """What a host function did under the interpreter."""

    traces: list[Trace] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """Of all launches, ranked; a launch that failed still contributes what it did before."""
    launches: list[Any] = field(default_factory=list)
    """``lockstep.LaunchRecord`` of each launch, for the compiler."""
    summaries: list[LaunchSummary] = field(default_factory=list)
    result: Any = None
    """What the function returned."""
    failure: BaseException | None = None
    """What it raised instead; ``submission.failure_of`` makes data of it."""


def trace_call(
    fn: Callable[..., Any],
    args: Sequence[Any],
    *,
    file: str,
    source: str,
    outputs: Sequence[str] = (),
    expected: Any = None,
    options: CallOptions = CallOptions(),  # noqa: B008  (frozen)
) -> TracedRun:
    """Call ``fn(*args)`` (CPU tensors) with every launch in lockstep; ``args`` are left as the first run left them.

    ``file`` is the path under which this process imported the learner's text ``source``; ``outputs`` are kernel
    parameters that must be written whole; ``expected`` is the reference's result (or a sequence of results), which lets
    findings that depend on the right answer (``nan-born``, ``transpose-as-reshape``, ``stride-ignored``) be exact.
    Learner's exceptions land in ``TracedRun.failure``; KeyboardInterrupt and ``session.RunCancelled`` pass.
    """
    raise NotImplementedError


def tile(request: TileRequest, session: Session) -> Tile:
    """Cells of the access map from the traces kept in ``session``. Raises LookupError when they are gone."""
    raise NotImplementedError


def inspect(request: InspectRequest, session: Session) -> Inspection:
    """The arithmetic of one lane. Raises LookupError when the traces are gone or the lane never ran."""
    raise NotImplementedError


def trace_script(request: TraceScript, emit: Callable[[Reply], None], session: Session) -> None:
    """Run a script as ``python SCRIPT ARGS`` would, every launch traced; emits Traced, Found and ScriptDone."""
    raise NotImplementedError
