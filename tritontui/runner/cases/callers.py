"""The two ways to run a learner's function: in lockstep on the CPU, or for real on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from tritontui.analysis.checks import bounds
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.runner.cases.check import Called
from tritontui.runner.cases.host import HostWatch, tensors_in
from tritontui.runner.cases.memory import Fence, GuardedAllocations
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.lockstep import LaunchRecord, TraceOptions, tracing
from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.spec import Exercise
from tritontui.runner.submission import Submission

CASE_SECONDS = 10.0
"""For one launch of one case under the interpreter."""

CUT = "reduced-precision-dot"
"""Kind of the event."""
RECORDED_ELEMENTS = 1 << 15
"""Cases up to this size are recorded, to see accesses outside the tensors at every size that is tried."""


def watch_for(submission: Submission, exercise: Exercise, allocations: GuardedAllocations | None) -> HostWatch:
    """A watch on the submission's host code, under the exercise's contract."""
    own = str(submission.path)
    return HostWatch(lambda file: file == own, exercise.allowed_host_calls, allocations)


@dataclass
class LockstepCaller:
    """Launches run under the interpreter; ``seen`` gathers them for the compiler."""

    submission: Submission
    exercise: Exercise
    seen: Callable[[Launch], None]
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    record: bool = True
    """Small calls are recorded, to see accesses outside the tensors; off where nobody asks for ``strays``."""
    options: TraceOptions = field(default_factory=lambda: TraceOptions(seconds=CASE_SECONDS))
    traces: list[Trace] = field(default_factory=list, init=False)
    """Of the last call."""
    varies = False

    def choosing(self, kernel: str, config: Any) -> LockstepCaller:
        """One under which the autotuned ``kernel`` runs with ``config``."""
        return replace(self, options=replace(self.options, tuned_with={kernel: config}))

    def __call__(self, function: Callable[..., Any], arguments: list[Any]) -> Called:
        watch = watch_for(self.submission, self.exercise, GuardedAllocations())
        elements = sum(tensor.numel() for tensor in tensors_in(arguments))
        options = replace(self.options, record=self.record and elements <= RECORDED_ELEMENTS)
        called = Called(computed=watch.computed)
        with tracing(options, file=str(self.submission.path)) as session:
            try:
                with watch, as_on_a_gpu():
                    called.result = function(*arguments)
            except Exception as error:
                called.error = error
        self.traces = session.traces
        called.choices = session.choices
        called.strays = [finding for trace in session.traces for finding in _strays(trace)]
        called.traces = session.traces if options.record else ()
        called.cut = [event.line for trace in session.traces for event in trace.events if event.kind == CUT]
        called.launches = [(record.kernel.fn.__name__, record.arguments) for record in session.launches]
        for record in session.launches:
            self.seen(launch_of(record))
        return called


@dataclass
class DeviceCaller:
    """Launches run on the GPU, every allocation between canaries; the call ends when the device is idle."""

    submission: Submission
    exercise: Exercise
    device: torch.device
    varies = True

    def __call__(self, function: Callable[..., Any], arguments: list[Any]) -> Called:
        fence = Fence()
        guarded = [fence.enclose(value) if isinstance(value, torch.Tensor) else value for value in arguments]
        arguments[:] = guarded
        watch = watch_for(self.submission, self.exercise, GuardedAllocations(fence))
        called = Called(computed=watch.computed)
        try:
            with watch:
                called.result = function(*arguments)
            torch.cuda.synchronize(self.device)
            called.overwritten = fence.overwritten()
        except Exception as error:
            called.error = error
        return called


def _strays(trace: Trace) -> list[Finding]:
    """Accesses outside a tensor, which the guard masked off and the values may not show."""
    if all(access.out is None for access in trace.accesses):
        return []
    return [finding for finding in bounds.findings(trace) if finding.severity == "error"]


def launch_of(record: LaunchRecord) -> Launch:
    """A launch that the interpreter saw, as the compiler takes it."""
    return Launch(record.kernel, record.arguments, record.options, record.line, record.grid)
