"""One case of an exercise: draw its inputs, call the learner's function, compare with the right answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseResult, Mismatch
from tritontui.runner.cases.again import Change, copied, first_change
from tritontui.runner.cases.compare import compare, tolerance_for
from tritontui.runner.cases.contract import Contract, outputs_of
from tritontui.runner.cases.host import HostCall
from tritontui.runner.cases.memory import Overwritten
from tritontui.runner.lockstep import Choice
from tritontui.runner.process.torch_state import defaults_aside
from tritontui.runner.spec import Case, Exercise


@dataclass(frozen=True)
class Question:
    """The arguments of one call, and the right answers: in the exercise's own dtype, and as exact as can be had."""

    case: Case
    seed: int
    arguments: list[Any]
    right: list[torch.Tensor]
    exact: list[torch.Tensor]


@defaults_aside()
def pose(exercise: Exercise, case: Case, seed: int, device: torch.device) -> Question:
    """Draw the inputs of ``case`` on the CPU, the same for every device, move them, and compute the right answers.

    Raises whatever the exercise's own functions raise: a defect of the lesson.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = exercise.inputs(case, generator)
    arguments = [_moved(value, device) if isinstance(value, torch.Tensor) else value for value in drawn]
    if exercise.reference is None:
        return Question(case, seed, arguments, [], [])
    right = _answers(exercise.reference, arguments)
    wide = [_widened(value) for value in arguments]
    exact = _answers(exercise.reference, wide) if exercise.reference_in_float64 else right
    return Question(case, seed, arguments, right, exact)


def _moved(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """``tensor`` on ``device``, as the same view of a copy of its storage: ``to`` alone straightens strides out."""
    if tensor.device == device or tensor.device.type != "cpu":
        return tensor.to(device)
    storage = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
    return storage.to(device).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _answers(reference: Callable[..., Any], arguments: Sequence[Any]) -> list[torch.Tensor]:
    outputs = outputs_of(reference(*arguments))
    if outputs is None:
        raise TypeError("the reference returned no tensor")
    return outputs


def _widened(value: Any) -> Any:
    return value.to(torch.float64) if isinstance(value, torch.Tensor) and value.is_floating_point() else value


@dataclass
class Called:
    """What came of one call of the learner's function."""

    result: Any = None
    error: Exception | None = None
    computed: Mapping[int, HostCall] = field(default_factory=dict)
    """What torch itself computed meanwhile, by storage."""
    launches: Sequence[tuple[str, Mapping[str, Any]]] | None = None
    """Name and arguments of each launch; None where they can't be seen (on a GPU)."""
    overwritten: Sequence[Overwritten] = ()
    strays: Sequence[Finding] = ()
    """Accesses outside the tensors, where the launches were recorded."""
    traces: Sequence[Trace] = ()
    """One a launch, where they were recorded."""
    choices: Sequence[Choice] = ()
    """What tuners had to choose from, in lockstep."""
    cut: Sequence[int] | None = None
    """Lines on which ``tl.dot`` cut float32 operands to TF32; None where that can't be seen (on a GPU)."""


class Caller(Protocol):
    """Runs the learner's function on a device, in lockstep or for real."""

    device: torch.device
    varies: bool
    """Programs run in another order each time, so that one call doesn't tell what the next one gives."""

    def __call__(self, function: Callable[..., Any], arguments: list[Any]) -> Called: ...


@dataclass(frozen=True)
class CaseOutcome:
    """The verdict on one case; at most one of ``error``, ``broken`` and the result's mismatch says why it failed."""

    result: CaseResult
    question: Question
    error: Exception | None = None
    broken: Finding | None = None
    overwritten: Sequence[Overwritten] = ()
    strays: Sequence[Finding] = ()
    change: Change | None = None
    """Where a second call with the same inputs gave another answer, when one of the two is wrong."""
    choices: Sequence[Choice] = ()
    """What tuners had to choose from, in lockstep."""
    output_number: int = 0
    """Which output the mismatch is in."""
    output: torch.Tensor | None = None
    """That output."""
    exact: torch.Tensor | None = None
    """Its right values."""
    cut: Sequence[int] | None = None
    """As in ``Called``."""


@dataclass(frozen=True)
class Checker:
    """Checks cases of one exercise on one submission."""

    exercise: Exercise
    contract: Contract
    function: Callable[..., Any]
    caller: Caller

    def check(self, case: Case) -> CaseOutcome:
        """Every seed of ``case``; the first that fails decides. Raises what the exercise's own functions raise."""
        started = time.perf_counter()
        outcome: CaseOutcome | None = None
        for seed in case.seeds:
            outcome = self._check_once(pose(self.exercise, case, seed, self.caller.device), started)
            if not outcome.result.passed:
                break
        if outcome is None:
            raise ValueError(f"case {case.name!r} has no seeds")
        return outcome

    def _check_once(self, question: Question, started: float) -> CaseOutcome:
        before = copied(question.arguments)
        called = self.caller(self.function, question.arguments)

        def failed(**why: Any) -> CaseOutcome:
            mismatch = why.pop("mismatch", None)
            return CaseOutcome(_result(question, started, False, mismatch), question, choices=called.choices, **why)

        if called.error is not None:
            return failed(error=called.error)
        broken = self._break_of_contract(called, question, before)
        if broken is not None:
            return failed(broken=broken)
        outputs = outputs_of(called.result) or []
        wrong, change = self._wrong_output(outputs, question), None
        if self.caller.varies:
            first = copied(outputs)  # the second call may write into the same buffers
            others = outputs_of(self.caller(self.function, before).result) or []
            change = first_change(first, others)
            if change is not None and wrong is None:
                wrong = self._wrong_output(others, question)
        if wrong is not None:
            number, output, mismatch = wrong
            return failed(
                mismatch=mismatch,
                output_number=number,
                output=output,
                exact=question.exact[number],
                overwritten=called.overwritten,
                strays=called.strays,
                change=change,
                cut=called.cut,
            )
        if called.overwritten or called.strays:
            return failed(overwritten=called.overwritten, strays=called.strays)
        return CaseOutcome(_result(question, started, True, None), question, choices=called.choices)

    def _wrong_output(
        self, outputs: Sequence[torch.Tensor], question: Question
    ) -> tuple[int, torch.Tensor, Mismatch] | None:
        """The first output that is wrong: its number, itself, and its first wrong element."""
        for number, (output, exact) in enumerate(zip(outputs, question.exact, strict=False)):
            tolerance = tolerance_for(output.dtype, self.exercise.tolerances)
            if (mismatch := compare(output, exact, tolerance)) is not None:
                return number, output, mismatch
        return None

    def _break_of_contract(self, called: Called, question: Question, before: Sequence[Any]) -> Finding | None:
        contract = self.contract
        problem = contract.check_result(called.result, question.right, question.arguments)
        if problem is not None:
            return problem
        outputs = outputs_of(called.result) or []
        if called.launches is not None:
            problem = contract.check_maker(outputs, called.computed, called.launches)
        return problem or contract.check_inputs(question.arguments, before)


def _result(question: Question, started: float, passed: bool, mismatch: Mismatch | None) -> CaseResult:
    return CaseResult(
        name=question.case.name,
        names=question.case.names,
        passed=passed,
        milliseconds=(time.perf_counter() - started) * 1e3,
        first_mismatch=mismatch,
    )
