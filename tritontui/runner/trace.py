"""Running host code under the lockstep interpreter: traces, findings, and what the access map asks about them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tritontui import analysis
from tritontui.analysis.trace import Trace
from tritontui.diagnosis import rank
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Inspection, InspectRequest, LaunchSummary, Tile, TileRequest
from tritontui.runner.adopt import adopt, storage_address
from tritontui.runner.experiments import Call, First, experiments
from tritontui.runner.lockstep import LaunchRecord, tracing
from tritontui.runner.session import Session


@dataclass(frozen=True)
class CallOptions:
    """How much is tried beyond the first run."""

    experiments: bool = True
    """Rerun with masked lanes at two extremes, with padding followed, and in shuffled program order."""
    budget_seconds: float = 2.0
    """No experiment is begun that would, at the first run's pace, end later than this after the call began."""


DEFAULT_OPTIONS = CallOptions()


@dataclass
class TracedRun:
    """What a host function did under the interpreter."""

    traces: list[Trace] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """Of all launches, ranked; a launch that failed still contributes what it did before."""
    launches: list[LaunchRecord] = field(default_factory=list)
    """One per trace, for the compiler."""
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
    options: CallOptions = DEFAULT_OPTIONS,
) -> TracedRun:
    """Call ``fn(*args)`` (CPU tensors) with every launch in lockstep; ``args`` are left as the first run left them.

    ``file`` is the path under which this process imported the learner's text ``source``; ``outputs`` are kernel
    parameters that must be written whole; ``expected`` is the reference's result (or a sequence of results), which lets
    findings that depend on the right answer (``nan-born``) be exact.
    Learner's exceptions land in ``TracedRun.failure``; KeyboardInterrupt and ``session.Interruption`` pass.
    """
    began = time.monotonic()
    call = Call.before(fn, args, file) if options.experiments else None
    run = TracedRun()
    with tracing(file=file) as session:
        try:
            run.result = fn(*args)
        except (Exception, SystemExit) as error:
            run.failure = error
    seconds = time.monotonic() - began
    run.traces, run.launches = session.traces, session.launches
    found: list[Finding] = []
    for number, (trace, record) in enumerate(zip(run.traces, run.launches, strict=True)):
        findings, summary = look_at(trace, record, number, file, source)
        found += findings
        run.summaries.append(summary)
    if run.failure is None:
        found += analysis.never_written(run.traces, outputs, returned(run.result))
        if call is not None:
            first = First(run.result, args, run.traces, run.launches, found, seconds)
            found += experiments(call, first, began + options.budget_seconds)
    run.findings = rank(distinct(judged(found, expected)))
    return run


def look_at(
    trace: Trace, record: LaunchRecord, number: int, file: str, source: str
) -> tuple[list[Finding], LaunchSummary]:
    """Make the ``number``-th fresh trace of a run ready; what it shows by itself, and its figures."""
    began = time.perf_counter()
    adopt(trace, record, file, source)
    findings = analysis.launch_findings(trace)
    summary = analysis.summarise(trace, number)
    summary.analysis_ms = (time.perf_counter() - began) * 1e3
    return findings, summary


def tile(request: TileRequest, session: Session) -> Tile:
    """Cells of the access map from the traces kept in ``session``. Raises LookupError when they are gone."""
    return analysis.tile(_kept(request, session), request)


def inspect(request: InspectRequest, session: Session) -> Inspection:
    """The arithmetic of one lane. Raises LookupError when the traces are gone or the lane never ran."""
    return analysis.inspect(_kept(request, session), request)


def _kept(request: TileRequest | InspectRequest, session: Session) -> Trace:
    traces = session.traces(request.run)
    if not 0 <= request.launch < len(traces):
        raise LookupError(f"launch {request.launch} of run {request.run} isn't kept")
    return traces[request.launch]


def returned(result: Any) -> dict[int, NDArray[np.int64]]:
    """Per storage of the returned tensors, the element offsets that they show."""
    shown: dict[int, list[NDArray[np.int64]]] = {}
    for tensor in _tensors(result):
        offsets = np.array(tensor.storage_offset(), np.int64)
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
            offsets = offsets[..., None] + np.arange(size, dtype=np.int64) * stride
        shown.setdefault(storage_address(tensor), []).append(offsets.ravel())
    return {storage: np.unique(np.concatenate(parts)) for storage, parts in shown.items()}


def judged(findings: Iterable[Finding], expected: Any) -> list[Finding]:
    """With the right answer at hand a NaN is an error where it is wrong, and nothing where it is right."""
    right = _tensors(expected)
    if not right:
        return list(findings)
    has_nan = any(bool(tensor.isnan().any()) for tensor in right if tensor.is_floating_point())
    kept = []
    for finding in findings:
        if finding.id == "nan-born":
            if has_nan:
                continue
            finding.severity = "error"
        kept.append(finding)
    return kept


def distinct(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each id, place and tensor: launches of one kernel repeat them."""
    first: dict[tuple[Any, ...], Finding] = {}
    for finding in findings:
        first.setdefault((finding.id, finding.line, finding.column, finding.tensor, finding.caused_by), finding)
    return list(first.values())


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []
