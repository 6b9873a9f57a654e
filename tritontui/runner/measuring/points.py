"""One point of a sweep: interpreted and compiled without a GPU, compared at full size and timed on one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch

from tritontui.analysis.checks.work import idle_programs
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Measurement, SweepPoint
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.cases.callers import RECORDED_ELEMENTS, LockstepCaller
from tritontui.runner.cases.check import CaseOutcome, Checker
from tritontui.runner.cases.contract import contract_of
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.compiler.compile import Built, Compiler, Launch, Rejection
from tritontui.runner.explaining import verdicts
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.host_code.numbers import written_otherwise
from tritontui.runner.measuring.large import WrongAtScaleError, draw, fitting_case, measured_launches
from tritontui.runner.measuring.measure import Bench
from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission
from tritontui.runner.triton_compat import constexpr_parameters, launch_options, launches_with

Function = Callable[..., Any]


@dataclass(frozen=True)
class Subject:
    """What is swept: the learner's function in an exercise."""

    exercise: Exercise
    submission: Submission
    function: Function
    blame: Blame

    def varied(self, values: Mapping[str, int], own: Mapping[str, int]) -> Function:
        """The function as if the learner had written ``values`` where they wrote ``own``: launches, grids and all."""
        blocks = {name: value for name, value in own.items() if name not in launch_options()}

        def call(*arguments: Any) -> Any:
            with launches_with(values), written_otherwise(self.submission.module, blocks, values):
                return self.function(*arguments)

        return call

    def sized(self, values: Mapping[str, int]) -> Case:
        """The measured case at another size."""
        case = self.exercise.measure_case
        assert case is not None
        shown = ", ".join(f"{name} = {value}" for name, value in values.items())
        return Case(shown, {**case.values, **values}, case.seeds[:1])


class Prober(Protocol):
    """Fills in one point, by what its device can tell."""

    launches: Sequence[Launch]
    """What the learner's own text launches, where that is known."""
    derived: Mapping[str, int]
    """Of its integer constants those that differ between the small case and the measured one, as in the latter."""

    def try_point(self, point: SweepPoint, by_size: bool, own: Mapping[str, int]) -> None:
        """Fill in ``point``: its problem, or its figures. ``by_size``: its values are the case's, not the launch's.

        ``own``: the learner's own values of the same names, as far as they are known.
        """
        ...


# ---------------------------------------------------------------- without a GPU


def _derived(small: Sequence[Launch], large: Sequence[Launch]) -> dict[str, int]:
    """Integer constants whose values two cases don't share: the host works them out. As they are in ``large``."""
    known = _constants(small)
    return {name: value for name, value in _constants(large).items() if name in known and known[name] != value}


def _constants(launches: Sequence[Launch]) -> dict[str, int]:
    return {
        name: launch.arguments[name]
        for launch in launches
        for name in constexpr_parameters(launch.kernel)
        if type(launch.arguments.get(name)) is int
    }


@dataclass
class Attempt:
    """One case under the interpreter: what came of it, and what it launched."""

    outcome: CaseOutcome
    launches: list[Launch]
    idle: int
    """Programs that had nothing to do."""

    @property
    def grids(self) -> list[tuple[int, ...] | None]:
        return [launch.grid for launch in self.launches]


@dataclass
class Interpreted:
    """Interprets the small case, and compiles what the measured case would launch."""

    subject: Subject
    compiler: Compiler
    target: str
    launches: Sequence[Launch] = ()
    derived: Mapping[str, int] = field(default_factory=dict, init=False)
    own: Attempt | None = field(default=None, init=False)

    def begin(self) -> Finding | None:
        """Try the learner's own values; what is wrong with them makes a sweep pointless."""
        case = self.subject.exercise.trace_case
        if case is None or self.subject.exercise.measure_case is None:
            return None
        with prints_aside():
            self.own = self._attempt(self.subject.function, case)
        self.launches = self.own.launches
        with as_on_a_gpu():
            self.derived = _derived(self.launches, measured_launches(self.subject.exercise, self.subject.function))
        return self._rejected(self.launches) or self._wrong(self.own)

    def try_point(self, point: SweepPoint, by_size: bool, own: Mapping[str, int]) -> None:
        exercise = self.subject.exercise
        assert self.own is not None
        if by_size:
            case = self.subject.sized(point.values)
            small = _elements(exercise, case) <= RECORDED_ELEMENTS
            attempt = self._attempt(self.subject.function, case) if small else self.own
            function = self.subject.function
            exercise = replace(exercise, measure_case=case)
        else:
            function = self.subject.varied(point.values, own)
            attempt = self._attempt(function, self.own.outcome.question.case)
        point.problem = self._rejected(attempt.launches)
        if point.problem is None:
            with as_on_a_gpu():
                large = measured_launches(exercise, function)
            point.problem = self._compiled(large or attempt.launches, point)
        if point.problem is None and attempt is not self.own:
            point.problem = self._grid_fixed(attempt, point.values) or self._wrong(attempt)

    def _attempt(self, function: Function, case: Case) -> Attempt:
        """``case`` with its first seed."""
        subject, launches = self.subject, list[Launch]()
        caller = LockstepCaller(subject.submission, subject.exercise, launches.append)
        contract = contract_of(subject.exercise, subject.submission.text)
        checker = Checker(subject.exercise, contract, function, caller)
        outcome = checker.check(Case(case.name, case.values, case.seeds[:1]))
        return Attempt(outcome, launches, sum(len(idle_programs(trace)) for trace in caller.traces))

    def _rejected(self, launches: Sequence[Launch]) -> Finding | None:
        for launch in launches:
            if (rejection := self.compiler.check(launch)) is not None:
                return self.subject.blame.of_rejection(rejection)
        return None

    def _compiled(self, launches: Sequence[Launch], point: SweepPoint) -> Finding | None:
        """Resources of the last launch, which is the one that is reported; none may exceed the target's."""
        for launch in launches:
            built = self.compiler.build(launch, self.target)
            if isinstance(built, Rejection):
                return self.subject.blame.of_rejection(built)
            _fill_resources(point, built)
        return None

    def _grid_fixed(self, attempt: Attempt, values: Mapping[str, int]) -> Finding | None:
        """``grid-fixed``: other blocks, the same programs, and so elements that nobody or programs that do nothing."""
        assert self.own is not None
        own = {name: value for launch in self.own.launches for name, value in launch.arguments.items()}
        other = [name for name, value in values.items() if name in own and own[name] != value]
        if not other or attempt.grids != self.own.grids:
            return None
        if attempt.outcome.result.passed and attempt.idle <= self.own.idle:
            return None
        launch = attempt.launches[-1]
        return Finding(
            id="grid-fixed",
            severity="warning",
            line=launch.line,
            params={
                "constant": other[0],
                "value": values[other[0]],
                "own": own[other[0]],
                "grid": list(launch.grid or ()),
                "idle": attempt.idle,
            },
        )

    def _wrong(self, attempt: Attempt) -> Finding | None:
        """What is wrong with the values, or stopped the call."""
        outcome, blame = attempt.outcome, self.subject.blame
        if outcome.result.passed:
            return None
        if outcome.error is not None:
            return blame.of_error(outcome.error, "run", attempt.launches, outcome.question)
        if outcome.broken is not None:
            return outcome.broken
        return verdicts.findings_of(outcome, None, "cpu", self.subject.submission.text)[0]


def _elements(exercise: Exercise, case: Case) -> int:
    return sum(tensor.numel() for tensor in tensors_in(draw(exercise, case, torch.device("meta"))))


def _fill_resources(point: SweepPoint, built: Built) -> None:
    report = built.report()
    point.registers = report.registers
    point.spill_bytes = report.spill_bytes
    point.shared_bytes = report.shared_bytes
    point.occupancy = report.occupancy
    point.occupancy_limit = report.occupancy_limit


# ---------------------------------------------------------------- on a GPU


@dataclass
class Timed:
    """Times the measured case."""

    subject: Subject
    bench: Bench
    launches: Sequence[Launch] = ()
    derived: Mapping[str, int] = field(default_factory=dict, init=False)

    def try_point(self, point: SweepPoint, by_size: bool, own: Mapping[str, int]) -> None:
        exercise, function = self.subject.exercise, self.subject.function
        if by_size:
            exercise = replace(exercise, measure_case=self.subject.sized(point.values))
        else:
            function = self.subject.varied(point.values, own)
        assert exercise.measure_case is not None
        device = str(self.bench.device)
        try:
            point.problem = self._too_large(exercise) if by_size else None
            if point.problem is not None:
                return
            _fill_times(point, self.bench.measure(exercise, function))
        except WrongAtScaleError as error:
            point.problem = verdicts.wrong_at_scale(error, device)
        except Exception as error:
            fault = verdicts.machine_fault(error, exercise.measure_case.name, device)
            point.problem = fault or self.subject.blame.of_error(error, "run")

    def _too_large(self, exercise: Exercise) -> Finding | None:
        """A size that would be made smaller to fit is another size."""
        case, most = exercise.measure_case, self.bench.allowance()
        if case is None or fitting_case(exercise, most) is case:
            return None
        needed = exercise.ideal_bytes(*draw(exercise, case, torch.device("meta"))) if exercise.ideal_bytes else 0
        return verdicts.out_of_memory(needed, str(self.bench.device))


def _fill_times(point: SweepPoint, measured: Measurement) -> None:
    point.median_us, point.low_us, point.high_us = measured.median_us, measured.low_us, measured.high_us
    point.host_us = measured.host_us
    point.gbps = measured.gbps or None
    point.tflops = measured.tflops
    point.torch_us = measured.torch_us
    point.remarks = measured.remarks
