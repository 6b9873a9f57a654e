"""Stage ``cases``: every case, several seeds each, against the right answer; then the trials of host code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from msgspec.structs import replace

from tritontui.diagnosis import review
from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseDone
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.cases.callers import DeviceCaller, LockstepCaller
from tritontui.runner.cases.check import Caller, CaseOutcome, Checker, pose
from tritontui.runner.cases.configs import Configs, remarks
from tritontui.runner.cases.contract import outputs_of
from tritontui.runner.cases.host import storage_of
from tritontui.runner.compiler import tuning
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.compiler.recompiling import recompiling
from tritontui.runner.explaining import verdicts
from tritontui.runner.explaining.repair import Repair
from tritontui.runner.host_code.trials import Examiner, attempt
from tritontui.runner.lockstep import BudgetExceeded
from tritontui.runner.spec import Case, Trial
from tritontui.runner.stages.legality import note_launch
from tritontui.runner.stages.run import Run
from tritontui.runner.stages.trace import traced_call
from tritontui.runner.tracing.trace import CallOptions
from tritontui.runner.triton_compat import tunings_noted

EXPLAINED_ELEMENTS = 1 << 17
"""Outputs up to this size are traced again to say which program wrote a wrong element."""


def cases(run: Run) -> None:
    """Cases that fail are told apart by what their wrong elements share; leaves whether any did (``wrong``)."""
    caller = _caller(run, partial(note_launch, run))
    checker = Checker(run.exercise, run.contract, run.function, caller)
    configs = Configs(checker, caller) if isinstance(caller, LockstepCaller) else None
    first = run.traced_case if run.request.first_case_only else None
    chosen, trials = ([first], ()) if first else (list(run.exercise.cases), run.trials)
    total = len(chosen) + len(trials)
    judged: dict[bool, list[Case]] = {True: [], False: []}
    for index, case in enumerate(chosen):
        run.check_cancelled()
        with prints_aside() as aside, tunings_seen(run, case):
            outcome = checker.check(case)
            blamed = configs.check(outcome) if configs is not None else None
        if blamed is not None:
            run.wrong = True
            run.say("cases", [blamed.finding])
            at = next(i for i, one in enumerate(chosen) if one.name == blamed.outcome.result.name)
            if at == index:
                outcome = blamed.outcome
            else:  # an earlier case, with what this one may leave in the tuner's cache
                run.send(CaseDone(run.number, run.session.device, blamed.outcome.result, at, total))
        elif not outcome.result.passed:
            if not run.wrong and aside.text:
                print(f"[{case.name}]\n{aside.text}", end="")
            _say_failure(run, outcome)
        judged[outcome.result.passed].append(case)
        run.send(CaseDone(run.number, run.session.device, outcome.result, index, total))
        if isinstance(outcome.error, BudgetExceeded) or verdicts.is_sticky(outcome.error):
            return
    if configs is not None:
        run.say("cases", remarks(configs.choices, run.target))
        run.say("cases", recompiling(run.noted, run.submission.text, severity="note"))
    if run.shown is not None:
        found = verdicts.findings_of(*run.shown, run.session.device, run.submission.text)
        run.say("cases", _placed(run, found, run.shown[0]))
        _say_slip(run, judged[False], judged[True])
    if run.obstacle is None:
        _trials(run, trials, len(chosen), total)
    run.say_held()


@contextmanager
def tunings_seen(run: Run, case: Case | None) -> Iterator[None]:
    """On a GPU: say what a tuner tries in ``case``, unless the case before it has settled that."""
    if case is None or run.on_cpu:
        yield
        return
    with tunings_noted() as noted:
        yield
    for one in noted:
        if one.times_ms:
            run.send(tuning.timed(one, run.number, run.session.device, case.name))


def _caller(run: Run, seen: Callable[[Launch], None], record: bool = True) -> Caller:
    if run.on_cpu:
        return LockstepCaller(run.submission, run.exercise, seen, record=record)
    return DeviceCaller(run.submission, run.exercise, run.device)


def _trials(run: Run, trials: Sequence[Trial], begun: int, total: int) -> None:
    """Every trial is run; of those that fail with one diagnosis, the first is explained.

    What the exercise bars isn't worth a word while cases are wrong.
    """
    later = run.exercise.must_not if run.wrong else ()
    examiner = Examiner(run.function, str(run.submission.path), run.device, partial(_caller, run))
    explained: dict[str, Finding] = {}
    for index, trial in enumerate(trials, begun):
        run.check_cancelled()
        with prints_aside() as aside:
            try:
                result, finding = attempt(trial, examiner, run.contract, run.blame)
            except Exception as error:
                fault = verdicts.machine_fault(error, trial.name.en, run.session.device)
                if fault is None:
                    raise
                run.wrong = True
                run.say("cases", [fault])
                return
        if finding is not None:
            if not run.wrong and aside.text:
                print(f"[{trial.name.en}]\n{aside.text}", end="")
            run.wrong = True
            if finding.id not in later:
                explained.setdefault(finding.id, finding)
        run.send(CaseDone(run.number, run.session.device, result, index, total))
    run.say("cases", list(explained.values()))


# ---------------------------------------------------------------- a case that failed


def _say_failure(run: Run, outcome: CaseOutcome) -> None:
    """Say what stopped it; of those that only gave wrong values, keep the one that is worth showing."""
    if not run.wrong:
        run.review("cases", wrong=True)
    run.wrong = True
    if outcome.error is not None:
        run.say("cases", [_error(run, outcome.error, outcome)])
        return
    if outcome.broken is not None:
        if not run.explained:  # else it follows from what the trace has found
            run.say("cases", _placed(run, [outcome.broken], outcome))
        return
    if outcome.change is not None:
        run.say("cases", [verdicts.differs_again(outcome.change, run.exercise.entry, run.contract.definition_line())])
    if run.shown is None or _is_on_map(run, outcome.question.case) or _tells_more(run, outcome):
        run.shown = (outcome, _owner(run, outcome))


def _say_slip(run: Run, wrong: Sequence[Case], right: Sequence[Case]) -> None:
    """Wrong values that nothing explains: say which line would, computed otherwise, have made them right.

    Strides that have changed places look like many another fault, which only follows from them. A tile that lies the
    wrong way round brings masked lanes to where data belong.
    """
    unpadded = run.causes == {"masked-load-without-other"}
    if run.on_cpu and (unpadded or run.causes <= set(entry("strides-exchanged").folds)):
        repair = Repair(
            run.exercise, run.submission, run.contract, run.function, run.launches, wrong, right, run.check_cancelled
        )
        found = repair.of_strides() if run.causes and not unpadded else repair.finding()
        if unpadded and found is not None and found.id != "wrong-axis":  # else lanes left undefined explain as much
            return
        if found is not None and found.line not in run.padding_lines:  # there it only says again what is known
            run.say("cases", [found])
        elif not run.causes:
            kernels = [launch.kernel.fn.__name__ for launch in run.launches]
            run.say("cases", review.stored_masks(run.submission.text, kernels))


def _tells_more(run: Run, outcome: CaseOutcome) -> bool:
    """Whether what is shown is a case of a single element, and this one has more."""
    before = run.shown[0].result.first_mismatch if run.shown is not None else None
    after = outcome.result.first_mismatch
    return before is not None and after is not None and before.total == 1 < after.total


def _is_on_map(run: Run, case: Case) -> bool:
    traced = run.exercise.trace_case
    return traced is not None and case.values == traced.values


def _error(run: Run, error: Exception, outcome: CaseOutcome) -> Finding:
    machine = verdicts.machine_fault(error, outcome.result.name, run.session.device)
    if machine is not None:
        return machine
    [finding] = _placed(run, [run.blame.of_error(error, "run", run.launches, outcome.question)], outcome)
    return finding


def _placed(run: Run, findings: Sequence[Finding], outcome: CaseOutcome) -> list[Finding]:
    """With the name of the case, where programs and lanes are those of a case that isn't traced."""
    case = outcome.question.case
    elsewhere = not _is_on_map(run, case)
    return [replace(one, case=case.name) if elsewhere and one.program is not None else one for one in findings]


def _owner(run: Run, outcome: CaseOutcome) -> verdicts.Owner | None:
    """Trace a failed small case again, recorded: its findings, and who wrote the first wrong element."""
    mismatch = outcome.result.first_mismatch
    if not run.on_cpu or mismatch is None or mismatch.total > EXPLAINED_ELEMENTS:
        return None
    asked = outcome.question
    question = pose(run.exercise, asked.case, asked.seed, torch.device("cpu"))
    traced = traced_call(run, question, options=CallOptions(experiments=False, step_bytes=0))
    if not run.explained:
        run.say("cases", _placed(run, traced.findings, outcome))
    storages = {
        name: storage_of(value)
        for record in traced.launches
        for name, value in record.arguments.items()
        if isinstance(value, torch.Tensor)
    }
    outputs = outputs_of(traced.result) or []
    if outcome.output_number >= len(outputs):
        return None
    owner = verdicts.owner_of(outputs[outcome.output_number], mismatch.index, traced.traces, storages)
    if owner is not None:
        mismatch.program, mismatch.lane = owner.program, owner.lane
        mismatch.written = True  # with what some other element never written held
    return owner
