"""One run of the judge: a learner's text in, findings and figures out, stage by stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tritontui.diagnosis.changes import check_changes
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    ALL_STAGES,
    Broken,
    Done,
    Judge,
    Reply,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
)
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.session import Session
from tritontui.runner.stages.cases import cases
from tritontui.runner.stages.compile import compile_kernels
from tritontui.runner.stages.legality import legality
from tritontui.runner.stages.measure import measure
from tritontui.runner.stages.run import Run
from tritontui.runner.stages.trace import trace
from tritontui.runner.workbench import entry_of, laid_out, tools_of

_WORK: Mapping[StageName, Callable[[Run], None]] = {
    "trace": trace,
    "legality": legality,
    "cases": cases,
    "compile": compile_kernels,
    "measure": measure,
}
_OF_KERNELS: tuple[StageName, ...] = ("trace", "legality", "compile")
"""Stages that an exercise about host code alone doesn't have."""


def judge(request: Judge, emit: Callable[[Reply], None], session: Session) -> None:
    """Judge ``request.source``; each stage's answers are emitted as they are ready.

    Emits StageStarted, then Found / Traced / CaseDone / Compiled / Measured, then StageDone or StageSkipped, for each
    stage of ``request.stages``, in the order trace, legality, cases, compile, measure; and Done last, or Broken when
    the exercise itself is at fault. Raises ``session.RunCancelled`` between two steps of a cancelled run, and lets
    what isn't an Exception pass; anything else that a learner can write becomes a finding.
    """
    begun = laid_out(request, session)
    if isinstance(begun, Broken):
        emit(begun)
        emit(Done(request.run))
        return
    run = Run(request, emit, session, *begun, tools_of(session))
    with compiling_for(run.target) if run.on_cpu else nullcontext():
        _all_stages(run)
    emit(Done(request.run))


def _all_stages(run: Run) -> None:
    for stage in (stage for stage in ALL_STAGES if stage in run.request.stages):
        run.check_cancelled()
        reason = run.obstacle or _unable(run, stage)
        if reason is not None:
            run.send(StageSkipped(run.number, stage, reason))
            continue
        with _said(run, stage):
            if run.loaded is None:
                _load(run, stage)
            if run.obstacle is None:
                _WORK[stage](run)
    run.say_deferred()


def _unable(run: Run, stage: StageName) -> str | None:
    """Why ``stage`` can't run, although nothing stopped the run."""
    exercise = run.exercise
    if stage in _OF_KERNELS and exercise.trace_case is None:
        return "no-kernel"
    if stage == "measure" and run.on_cpu:
        return "no-gpu"
    if stage == "cases" and exercise.reference is None and not run.trials:
        return "no-reference"
    if stage in ("cases", "measure") and not run.on_cpu and run.unsafe:
        return "not-safe"
    if stage == "measure":
        if run.wrong:
            return "failed-before"
        if exercise.measure_case is None:
            return "no-case"
    return None


@contextmanager
def _said(run: Run, stage: StageName) -> Iterator[None]:
    run.send(StageStarted(run.number, stage))
    started = time.perf_counter()
    yield
    run.send(StageDone(run.number, stage, (time.perf_counter() - started) * 1e3))


def _load(run: Run, stage: StageName) -> None:
    """Import the submission and find the function to call; what is wrong with either is found in ``stage``."""
    entry = entry_of(run.submission, run.exercise, run.blame)
    if isinstance(entry, Finding):
        run.say(stage, [entry])
        run.obstacle = "failed-before"
    else:
        run.loaded = entry
    if run.on_cpu and run.request.max_changed_lines is not None:
        starter = (Path(run.request.exercise) / "starter.py").read_text(encoding="utf-8")
        excess = check_changes(starter, run.submission.text, run.request.max_changed_lines)
        run.say(stage, [excess] if excess is not None else [])
