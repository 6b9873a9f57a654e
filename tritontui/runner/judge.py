"""One run of the judge: a learner's text in, findings and figures out, stage by stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from tritontui.diagnosis import review
from tritontui.diagnosis.changes import check_changes
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    ALL_STAGES,
    Broken,
    CaseDone,
    Compiled,
    Done,
    Found,
    Judge,
    Measured,
    Reply,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
    Traced,
)
from tritontui.runner import tuning as tuning_seen
from tritontui.runner import verdicts
from tritontui.runner.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.aside import prints_aside
from tritontui.runner.blame import Blame
from tritontui.runner.callers import DeviceCaller, LockstepCaller, launch_of, watch_for
from tritontui.runner.check import Caller, CaseOutcome, Checker, Question, pose
from tritontui.runner.compile import Built, Launch, Rejection
from tritontui.runner.contract import Contract, outputs_of
from tritontui.runner.hardware import sensors
from tritontui.runner.host import storage_of
from tritontui.runner.listing import keep_built
from tritontui.runner.lockstep import BudgetExceeded, KernelError
from tritontui.runner.measure import Bench, WrongAtScaleError, measured_launches, workload
from tritontui.runner.session import Session
from tritontui.runner.spec import Case, Exercise, Trial
from tritontui.runner.submission import Submission
from tritontui.runner.target import compiling_for
from tritontui.runner.trace import CallOptions, TracedRun, trace_call
from tritontui.runner.trials import Examiner, attempt
from tritontui.runner.triton_compat import Tuning, tunings_noted
from tritontui.runner.workbench import Tools, entry_of, laid_out, tools_of

_OF_KERNELS: tuple[StageName, ...] = ("trace", "legality", "compile")
"""Stages that an exercise about host code alone doesn't have."""

EXPLAINED_ELEMENTS = 1 << 17
"""Outputs up to this size are traced again to say which program wrote a wrong element."""


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
    exercise, submission = begun
    on_cpu = session.device == "cpu"
    with compiling_for(request.target or session.target) if on_cpu else nullcontext():
        _Run(request, emit, session, exercise, submission, tools_of(session)).all_stages()
    emit(Done(request.run))


@dataclass
class _Run:
    """One run; a stage leaves here what the later ones build on."""

    request: Judge
    send: Callable[[Reply], None]
    session: Session
    exercise: Exercise
    submission: Submission
    tools: Tools

    def __post_init__(self) -> None:
        self.run = self.request.run
        traced = self.exercise.trace_case
        self.traced_case = traced.turned(self.request.knobs) if traced is not None else None
        self.target = self.request.target or self.session.target
        self.function: Callable[..., Any] | None = None
        self.obstacle: str | None = None
        """Why the stages after this one can't run."""
        self.explained = False
        """The trace found an error: wrong values in the cases follow from it."""
        self.unsafe = False
        """The trace left the tensors: not for a GPU."""
        self.wrong = False
        """A case failed: not worth measuring."""
        self.shown: tuple[CaseOutcome, verdicts.Owner | None] | None = None
        """The first case with wrong values, or the one that the access map shows."""
        self.launches: list[Launch] = []
        self.large: list[Launch] | None = None
        """Launches of the measured case, once they are known."""
        self.tunings: dict[str, Tuning] = {}
        """Of the measured case on the CPU, of the cases so far on a GPU, by kernel."""
        self.deferred: Finding | None = None
        """What stopped the kernel under the interpreter, until the compiler has had its say on the same fault."""
        self.said: set[tuple[Any, ...]] = set()
        self.blame = Blame(self.submission, self.exercise.entry, self.session.device)
        self.contract = Contract(self.exercise.entry, self.exercise.kernel, self.submission.text)

    # ------------------------------------------------------------ stages

    def all_stages(self) -> None:
        work: dict[StageName, Callable[[], None]] = {
            "trace": self.trace,
            "legality": self.legality,
            "cases": self.cases,
            "compile": self.compile,
            "measure": self.measure,
        }
        for stage in (stage for stage in ALL_STAGES if stage in self.request.stages):
            self.session.check_cancelled(self.run)
            reason = self.obstacle or self._unable(stage)
            if reason is not None:
                self.send(StageSkipped(self.run, stage, reason))
                continue
            with self._stage(stage):
                if self.function is None:
                    self.load(stage)
                if self.obstacle is None:
                    work[stage]()
        self._say_deferred()

    def _unable(self, stage: StageName) -> str | None:
        """Why ``stage`` can't run, although nothing stopped the run."""
        if stage in _OF_KERNELS and self.exercise.trace_case is None:
            return "no-kernel"
        if stage == "measure" and self.session.device == "cpu":
            return "no-gpu"
        if stage == "cases" and self.exercise.reference is None and not self._trials_here:
            return "no-reference"
        if stage in ("cases", "measure") and self.session.device != "cpu" and self.unsafe:
            return "not-safe"
        if stage == "measure":
            if self.wrong:
                return "failed-before"
            if self.exercise.measure_case is None:
                return "no-case"
        return None

    @contextmanager
    def _stage(self, stage: StageName) -> Iterator[None]:
        self.send(StageStarted(self.run, stage))
        started = time.perf_counter()
        yield
        self.send(StageDone(self.run, stage, (time.perf_counter() - started) * 1e3))

    def load(self, stage: StageName) -> None:
        """Import the submission and find the function to call; what is wrong with either is found in ``stage``."""
        entry = entry_of(self.submission, self.exercise, self.blame)
        if isinstance(entry, Finding):
            self.say(stage, [entry])
            self.obstacle = "failed-before"
        else:
            self.function = entry
        if self.session.device == "cpu" and self.request.max_changed_lines is not None:
            starter = (Path(self.request.exercise) / "starter.py").read_text(encoding="utf-8")
            excess = check_changes(starter, self.submission.text, self.request.max_changed_lines)
            self.say(stage, [excess] if excess is not None else [])

    def trace(self) -> None:
        """The small case in lockstep, every access recorded."""
        case = self.traced_case
        assert case is not None
        question = pose(self.exercise, case, case.seeds[0], torch.device("cpu"))
        before = [value.clone() if isinstance(value, torch.Tensor) else value for value in question.arguments]
        watch = watch_for(self.submission, self.exercise, None)
        traced = self._traced(question, watch)
        self.session.keep_traces(self.run, traced.traces)
        self.send(Traced(self.run, traced.summaries))
        self.launches = [launch_of(record) for record in traced.launches]
        self.say("trace", self._misshapen(traced, question) + traced.findings)
        self.explained = any(finding.severity == "error" for finding in traced.findings)
        self._review("trace", wrong=self.explained or traced.failure is not None)
        self.unsafe = any(verdicts.leaves_memory(finding) for finding in traced.findings)
        if traced.failure is not None:
            self._failed_trace(traced, question)
        elif not self.explained:
            self.say("trace", self._contract_findings(traced, watch.computed, question, before))

    def _misshapen(self, traced: TracedRun, question: Question) -> list[Finding]:
        """An output of another shape: whatever else is wrong with it follows from that."""
        if traced.failure is not None or not any(finding.severity == "error" for finding in traced.findings):
            return []
        broken = self.contract.check_result(traced.result, question.right, question.arguments)
        if broken is None or broken.params["reason"] != "shape":
            return []
        for finding in traced.findings:
            finding.caused_by = finding.caused_by or broken.id
        return [broken]

    def _review(self, stage: StageName, *, wrong: bool) -> None:
        """What the text alone says of the kernels that were launched."""
        text, kernels = self.submission.text, [launch.kernel.fn.__name__ for launch in self.launches]
        returned = review.returned_values(text, kernels)
        self.explained = self.explained or bool(returned)
        self.say(stage, returned + (review.exchanged_arguments(text, kernels) if wrong or returned else []))

    def _traced(self, question: Question, watch: Any = None, options: CallOptions | None = None) -> TracedRun:
        assert self.function is not None
        function = self.function

        def call(*arguments: Any) -> Any:
            with watch or nullcontext(), as_on_a_gpu():
                return function(*arguments)

        return trace_call(
            call,
            question.arguments,
            file=str(self.submission.path),
            source=self.submission.text,
            outputs=self.exercise.outputs,
            expected=question.exact,
            options=options or CallOptions(),
        )

    def _failed_trace(self, traced: TracedRun, question: Question) -> None:
        error = traced.failure
        if not isinstance(error, Exception):
            raise error  # type: ignore[misc]
        in_kernel = isinstance(error, KernelError)
        finding = self.blame.of_error(error, "trace" if in_kernel else "host", self.launches, question)
        if in_kernel and self.launches and "legality" in self.request.stages:
            self.deferred = finding
            return
        if not self.explained:
            self.say("trace", [finding])
        self.obstacle = "failed-before"

    def _contract_findings(
        self, traced: TracedRun, computed: Any, question: Question, before: Sequence[Any]
    ) -> list[Finding]:
        if self.exercise.reference is None:
            return []
        broken = self.contract.check_result(traced.result, question.right, question.arguments)
        if broken is None:
            launches = [(record.kernel.fn.__name__, record.arguments) for record in traced.launches]
            broken = self.contract.check_maker(outputs_of(traced.result) or [], computed, launches)
        broken = broken or self.contract.check_inputs(question.arguments, before)
        return [broken] if broken is not None else []

    def legality(self) -> None:
        """Front end of the compiler, for every specialisation that the trace and the measured case launch."""
        rejections = self._rejections(self.launches)
        if self.launches and not rejections:
            rejections = self._rejections(self._measured_launches())
        if rejections:
            self.deferred = None
            self.say("legality", rejections)
            self.obstacle = "not-legal"
        elif self.deferred is not None:
            self._say_deferred()
            self.obstacle = "failed-before"

    def _say_deferred(self) -> None:
        if self.deferred is not None:
            self.say("trace", [self.deferred])
            self.deferred = None

    def _rejections(self, launches: Sequence[Launch]) -> list[Finding]:
        rejected = [self.tools.compiler.check(launch) for launch in launches]
        return [self.blame.of_rejection(rejection) for rejection in rejected if rejection is not None]

    def _measured_launches(self) -> list[Launch]:
        """What the measured case would launch, by the learner's own host code; nothing is launched."""
        if self.large is None:
            with as_on_a_gpu() if self.session.device == "cpu" else nullcontext(), tunings_noted() as noted:
                seen = measured_launches(self.exercise, self.function) if self.function else []
            lines = {launch.kernel: launch.line for launch in self.launches}
            self.large = [replace(launch, line=lines.get(launch.kernel)) for launch in seen]
            self.tunings = {tuning.kernel.fn.__name__: tuning for tuning in noted}
        return self.large

    def cases(self) -> None:
        """Every case, then every trial; cases that fail are told apart by what their wrong elements share."""
        checker = self._checker()
        first = self.traced_case if self.request.first_case_only else None
        cases, trials = ([first], ()) if first else (list(self.exercise.cases), self._trials_here)
        total = len(cases) + len(trials)
        for index, case in enumerate(cases):
            self.session.check_cancelled(self.run)
            with prints_aside() as aside, self._tunings_seen(case):
                outcome = checker.check(case)
            if not outcome.result.passed:
                if not self.wrong and aside.text:
                    print(f"[{case.name}]\n{aside.text}", end="")
                self._failed_case(outcome)
            self.send(CaseDone(self.run, self.session.device, outcome.result, index, total))
            if isinstance(outcome.error, BudgetExceeded) or verdicts.is_sticky(outcome.error):
                return
        if self.shown is not None:
            findings = verdicts.findings_of(*self.shown, self.session.device, self.submission.text)
            self.say("cases", findings)
        if self.obstacle is None:
            self._trials(trials, len(cases), total)

    @contextmanager
    def _tunings_seen(self, case: Case | None) -> Iterator[None]:
        """On a GPU: say what a tuner tries in ``case``, unless the case before it has settled that."""
        if case is None or self.session.device == "cpu":
            yield
            return
        with tunings_noted() as noted:
            yield
        for tuning in noted:
            if tuning.times_ms:
                self.send(tuning_seen.timed(tuning, self.run, self.session.device, case.name))

    def _trials(self, trials: Sequence[Trial], begun: int, total: int) -> None:
        """Every trial is run; of those that fail with one diagnosis, the first is explained."""
        assert self.function is not None
        device = torch.device(self.session.device)
        examiner = Examiner(self.function, str(self.submission.path), device, self._caller)
        explained: dict[str, Finding] = {}
        for index, trial in enumerate(trials, begun):
            self.session.check_cancelled(self.run)
            with prints_aside() as aside:
                try:
                    result, finding = attempt(trial, examiner, self.contract, self.blame)
                except Exception as error:
                    fault = verdicts.machine_fault(error, trial.name.en, self.session.device)
                    if fault is None:
                        raise
                    self.wrong = True
                    self.say("cases", [fault])
                    return
            if finding is not None:
                if not self.wrong and aside.text:
                    print(f"[{trial.name.en}]\n{aside.text}", end="")
                self.wrong = True
                explained.setdefault(finding.id, finding)
            self.send(CaseDone(self.run, self.session.device, result, index, total))
        self.say("cases", list(explained.values()))

    @property
    def _trials_here(self) -> Sequence[Trial]:
        return () if self.exercise.trials_in_lockstep and self.session.device != "cpu" else self.exercise.trials

    def _checker(self) -> Checker:
        assert self.function is not None
        return Checker(self.exercise, self.contract, self.function, self._caller(self._note_launch))

    def _caller(self, seen: Callable[[Launch], None], record: bool = True) -> Caller:
        device = torch.device(self.session.device)
        if device.type == "cpu":
            return LockstepCaller(self.submission, self.exercise, seen, record=record)
        return DeviceCaller(self.submission, self.exercise, device)

    def _note_launch(self, launch: Launch) -> None:
        """A case may launch what the trace didn't: another dtype, another alignment."""
        if (rejection := self.tools.compiler.check(launch)) is not None:
            self.say("legality", [self.blame.of_rejection(rejection)])
            self.obstacle = "not-legal"

    def _failed_case(self, outcome: CaseOutcome) -> None:
        """Say what stopped it; of those that only gave wrong values, keep the one that is worth showing."""
        if not self.wrong:
            self._review("cases", wrong=True)
        self.wrong = True
        if outcome.error is not None:
            self.say("cases", [self._case_error(outcome.error, outcome)])
        elif outcome.broken is not None:
            if not self.explained:  # else it follows from what the trace has found
                self.say("cases", [outcome.broken])
        elif self.shown is None or self._is_shown(outcome.question.case):
            self.shown = (outcome, self._explain(outcome))

    def _is_shown(self, case: Case) -> bool:
        traced = self.exercise.trace_case
        return traced is not None and case.values == traced.values

    def _case_error(self, error: Exception, outcome: CaseOutcome) -> Finding:
        machine = verdicts.machine_fault(error, outcome.result.name, self.session.device)
        return machine or self.blame.of_error(error, "run", self.launches, outcome.question)

    def _explain(self, outcome: CaseOutcome) -> verdicts.Owner | None:
        """Trace a failed small case again, recorded: its findings, and who wrote the first wrong element."""
        mismatch = outcome.result.first_mismatch
        if self.session.device != "cpu" or mismatch is None or mismatch.total > EXPLAINED_ELEMENTS:
            return None
        asked = outcome.question
        question = pose(self.exercise, asked.case, asked.seed, torch.device("cpu"))
        traced = self._traced(question, options=CallOptions(experiments=False, step_bytes=0))
        if not self.explained:
            self.say("cases", traced.findings)
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

    def compile(self) -> None:
        """Each kernel to the end, as it is measured, else as it was traced; what comes last is told in full."""
        work = workload(self.exercise, self.run)
        if work is not None:
            self.send(work)
        launches = self._measured_launches() or self.launches
        if not launches or not self.launches:
            return
        others = {launch.kernel: launch for launch in launches[:-1] if launch.kernel is not launches[-1].kernel}
        for launch in others.values():
            if self._build(launch) is None:
                return
        built = self._build(launches[-1])
        if built is None:
            return
        keep_built(self.session, self.run, built, self.submission.path.name)
        self.send(Compiled(self.run, built.report(self.submission.path.name)))

    def _build(self, launch: Launch) -> Built | None:
        """A tuned kernel is built with the first config that the target can hold."""
        tuning = self.tunings.get(launch.kernel.fn.__name__)
        chosen = launch if tuning is None else self._tuned_launch(tuning)
        built = self.tools.compiler.build(chosen, self.target)
        if isinstance(built, Rejection):
            self.say("compile", [self.blame.of_rejection(built)])
            self.obstacle = "not-legal"
            return None
        self.say("compile", verdicts.spills(built, launch.kernel, self.submission.text))
        return built

    def _tuned_launch(self, tuning: Tuning) -> Launch:
        """Say what each config would be on the target; the launch with the first that has nothing against it."""
        assert self.exercise.measure_case is not None
        case = self.exercise.measure_case.name
        tuned = tuning_seen.untimed(tuning, self.run, self.session.device, case, self._objection)
        self.send(tuned)
        traced = [one.arguments for one in self.launches if one.kernel is tuning.kernel]
        unkeyed = tuning_seen.unkeyed(tuning, traced[-1]) if traced else None
        self.say("compile", [] if unkeyed is None else [unkeyed])
        configs = zip(tuning.configs, tuned.configs, strict=True)
        able = [config for config, known in configs if not known.pruned and known.problem is None]
        return tuning_seen.launch_with(tuning, (able or tuning.kept)[0])

    def _objection(self, launch: Launch) -> Finding | None:
        self.session.check_cancelled(self.run)
        built = self.tools.compiler.build(launch, self.target)
        return self.blame.of_rejection(built) if isinstance(built, Rejection) else None

    def measure(self) -> None:
        """Time and bandwidth on the GPU."""
        assert self.function is not None and self.session.gpu is not None
        device = torch.device(self.session.device)
        bench = Bench(
            self.session.gpu,
            device,
            sensors(self.session.device),
            waiting=lambda: self.say("measure", [Finding(id="gpu-waiting", severity="note")]),
            check_cancelled=lambda: self.session.check_cancelled(self.run),
        )
        try:
            with self._tunings_seen(self.exercise.measure_case):
                self.send(Measured(self.run, bench.measure(self.exercise, self.function)))
        except WrongAtScaleError as error:
            self.say("measure", [verdicts.wrong_at_scale(error, self.session.device)])
        except Exception as error:
            case = self.exercise.measure_case.name if self.exercise.measure_case else ""
            fault = verdicts.machine_fault(error, case, self.session.device)
            self.say("measure", [fault or self.blame.of_error(error, "run", self.launches)])

    # ------------------------------------------------------------ saying

    def say(self, stage: StageName, findings: Sequence[Finding]) -> None:
        """Emit what hasn't been said in this run."""
        new: dict[tuple[Any, ...], Finding] = {}
        for finding in findings:
            new.setdefault(verdicts.identity(finding), finding)
        fresh = [finding for key, finding in new.items() if key not in self.said]
        self.said.update(new)
        if fresh:
            self.send(Found(self.run, stage, fresh))
