"""Stage ``trace``: the small case in lockstep, every access recorded and looked at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Traced
from tritontui.runner.cases.again import copied, first_change
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.cases.callers import LockstepCaller, launch_of, watch_for
from tritontui.runner.cases.check import Question, pose
from tritontui.runner.cases.contract import outputs_of
from tritontui.runner.cases.host import HostWatch
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.explaining import verdicts
from tritontui.runner.lockstep import KernelError
from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.stages.run import Run
from tritontui.runner.tracing.trace import DEFAULT_OPTIONS, CallOptions, TracedRun, trace_call


def trace(run: Run) -> None:
    """Leaves the launches, and whether they are in error (``explained``) or unsafe."""
    case = run.traced_case
    assert case is not None
    question = pose(run.exercise, case, case.seeds[0], torch.device("cpu"))
    before = copied(question.arguments)
    watch = watch_for(run.submission, run.exercise, None)
    traced = traced_call(run, question, watch)
    run.session.keep_traces(run.number, traced.traces)
    ideal = run.exercise.ideal_bytes(*before) if run.exercise.ideal_bytes else 0
    run.send(Traced(run.number, traced.summaries, case.name, int(ideal), case.names))
    run.launches = [launch_of(record) for record in traced.launches]
    run.say("trace", _misshapen(run, traced, question) + traced.findings)
    run.explained = any(finding.severity == "error" for finding in traced.findings)
    run.review("trace", wrong=run.explained or traced.failure is not None)
    run.unsafe = any(verdicts.leaves_memory(finding) for finding in traced.findings)
    if traced.failure is not None:
        _say_failure(run, traced, question)
    elif not run.explained and run.exercise.reference is not None:
        broken = _contract_findings(run, traced, watch.computed, question, before)
        run.say("trace", broken or _repeated(run, traced, before))


def traced_call(
    run: Run, question: Question, watch: HostWatch | None = None, options: CallOptions = DEFAULT_OPTIONS
) -> TracedRun:
    """The learner's function on the arguments of ``question``, recorded."""

    def call(*arguments: Any) -> Any:
        with watch or nullcontext(), as_on_a_gpu():
            return run.function(*arguments)

    return trace_call(
        call,
        question.arguments,
        file=str(run.submission.path),
        source=run.submission.text,
        outputs=run.exercise.outputs,
        expected=question.exact,
        options=options,
    )


def _misshapen(run: Run, traced: TracedRun, question: Question) -> list[Finding]:
    """An output of another shape: whatever else is wrong with it follows from that."""
    if traced.failure is not None or not any(finding.severity == "error" for finding in traced.findings):
        return []
    broken = run.contract.check_result(traced.result, question.right, question.arguments)
    if broken is None or broken.params["reason"] != "shape":
        return []
    for finding in traced.findings:
        finding.caused_by = finding.caused_by or broken.id
    return [broken]


def _say_failure(run: Run, traced: TracedRun, question: Question) -> None:
    error = traced.failure
    if not isinstance(error, Exception):
        raise error  # type: ignore[misc]
    in_kernel = isinstance(error, KernelError)
    finding = run.blame.of_error(error, "trace" if in_kernel else "host", run.launches, question)
    if in_kernel and run.launches and "legality" in run.request.stages:
        run.deferred = finding
        return
    if not run.explained:
        run.say("trace", [finding])
    run.obstacle = "failed-before"


def _contract_findings(
    run: Run, traced: TracedRun, computed: Any, question: Question, before: Sequence[Any]
) -> list[Finding]:
    broken = run.contract.check_result(traced.result, question.right, question.arguments)
    if broken is None:
        launches = [(record.kernel.fn.__name__, record.arguments) for record in traced.launches]
        broken = run.contract.check_maker(outputs_of(traced.result) or [], computed, launches)
    broken = broken or run.contract.check_inputs(question.arguments, before)
    return [broken] if broken is not None else []


def _repeated(run: Run, traced: TracedRun, arguments: list[Any]) -> list[Finding]:
    """The same call a second time: what differs depends on something that outlives a call."""
    first = copied(outputs_of(traced.result) or [])  # the second call may write into the same buffers
    caller = LockstepCaller(run.submission, run.exercise, _ignored, record=False)
    with prints_aside():
        second = caller(run.function, arguments)
    change = first_change(first, outputs_of(second.result) or [])
    return (
        [] if change is None else [verdicts.differs_again(change, run.exercise.entry, run.contract.definition_line())]
    )


def _ignored(_: Launch) -> None:
    """The first call's launches are known already."""
