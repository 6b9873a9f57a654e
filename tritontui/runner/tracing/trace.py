"""Running host code under the lockstep interpreter: traces, findings, and what the access map asks about them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tritontui import analysis
from tritontui.analysis.arrays import distinct
from tritontui.analysis.trace import Trace
from tritontui.diagnosis import rank
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Inspection,
    InspectRequest,
    LaunchSummary,
    Steps,
    StepsRequest,
    Tile,
    TileRequest,
)
from tritontui.runner.cases.again import copied, first_change
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.lockstep import LaunchRecord, TraceOptions, tracing
from tritontui.runner.lockstep.options import STEP_BYTES
from tritontui.runner.scripts.script import trace_script
from tritontui.runner.session import Session
from tritontui.runner.tracing.adopt import storage_address
from tritontui.runner.tracing.experiments import ORDERS
from tritontui.runner.tracing.study import Study, place

__all__ = ["CallOptions", "TracedRun", "inspect", "steps", "tile", "trace_call", "trace_script"]


@dataclass(frozen=True)
class CallOptions:
    """How much is tried beyond the first run."""

    experiments: bool = True
    """Launch again with masked lanes at extremes, with padding followed, in shuffled order, with all configs."""
    step_bytes: int = STEP_BYTES
    """Room for the steps of all launches; 0: none are recorded."""
    budget_seconds: float = 2.0
    """Spent on experiments in all; the one that runs over is finished, and no other is begun."""


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
    study = Study(file, source, options.budget_seconds if options.experiments else 0.0)
    run = TracedRun()
    fresh = copied(list(args)) if options.experiments else None
    with tracing(TraceOptions(step_bytes=options.step_bytes), file=file, observer=study):
        try:
            run.result = fn(*args)
        except (Exception, SystemExit) as error:
            run.failure = error
    run.traces, run.launches, run.summaries = study.traces, study.launches, study.summaries
    found = list(study.findings)
    if run.failure is None:
        for finding in analysis.never_written(run.traces, outputs, returned(run.result)):
            place(finding, None, file)
            found.append(finding)
        if fresh is not None and any(finding.id == "nondeterministic" for finding in found):
            found = _unless_scratch(found, fn, fresh, run.result, file)
    run.findings = once_each(rank(once_each(judged(found, expected))))
    return run


def _unless_scratch(
    findings: list[Finding], fn: Callable[..., Any], args: list[Any], result: Any, file: str
) -> list[Finding]:
    """Without ``nondeterministic`` where the order changes only what ``fn`` doesn't return."""
    results = tensors_in(result)
    if not results or any(_changed_by_order(fn, args, results, file, seed) for seed in range(ORDERS)):
        return findings
    return [finding for finding in findings if finding.id != "nondeterministic"]


def _changed_by_order(
    fn: Callable[..., Any], args: list[Any], results: list[torch.Tensor], file: str, seed: int
) -> bool:
    before = copied(results)  # the next call may write into the same buffers
    options = TraceOptions(record=False, order="shuffled", seed=seed)
    with tracing(options, file=file), contextlib.redirect_stdout(io.StringIO()):
        try:
            other = fn(*copied(args))
        except (Exception, SystemExit):
            return True
    return first_change(before, tensors_in(other)) is not None


def tile(request: TileRequest, session: Session) -> Tile:
    """Cells of the access map from the traces kept in ``session``. Raises LookupError when they are gone."""
    return analysis.tile(_kept(request, session), request)


def inspect(request: InspectRequest, session: Session) -> Inspection:
    """The arithmetic of one lane. Raises LookupError when the traces are gone or the lane never ran."""
    return analysis.inspect(_kept(request, session), request)


def steps(request: StepsRequest, session: Session) -> Steps:
    """A program's way through a launch. Raises LookupError when the traces are gone, or hold no steps."""
    return analysis.steps(_kept(request, session), request)


def _kept(request: TileRequest | InspectRequest | StepsRequest, session: Session) -> Trace:
    traces = session.traces(request.run)
    if not 0 <= request.launch < len(traces):
        raise LookupError(f"launch {request.launch} of run {request.run} isn't kept")
    return traces[request.launch]


def returned(result: Any) -> dict[int, NDArray[np.int64]]:
    """Per storage of the returned tensors, the element offsets that they show."""
    shown: dict[int, list[NDArray[np.int64]]] = {}
    for tensor in tensors_in(result):
        offsets = np.array(tensor.storage_offset(), np.int64)
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
            offsets = offsets[..., None] + np.arange(size, dtype=np.int64) * stride
        shown.setdefault(storage_address(tensor), []).append(offsets.ravel())
    return {storage: distinct(np.concatenate(parts)) for storage, parts in shown.items()}


def judged(findings: Iterable[Finding], expected: Any) -> list[Finding]:
    """With the right answer at hand a NaN is an error where it is wrong, and nothing where it is right."""
    right = tensors_in(expected)
    if not right:
        return list(findings)
    has_nan = any(bool(tensor.isnan().any()) for tensor in right if tensor.is_floating_point())
    kept = []
    for finding in findings:
        if finding.id == "nan-born":
            if has_nan:
                continue
            finding.severity = "error"
            finding.params["judged"] = True
        kept.append(finding)
    return kept


def once_each(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each id, place and tensor: launches of one kernel repeat them."""
    first: dict[tuple[Any, ...], Finding] = {}
    for finding in findings:
        first.setdefault((finding.id, finding.line, finding.column, finding.tensor, finding.caused_by), finding)
    return list(first.values())
