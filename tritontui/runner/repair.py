"""Which line of a kernel would, computed otherwise, have made the result right.

Where values are wrong and nothing else is known, small changes to the learner's own text are tried on the small case in
lockstep. A line is named when changes to that line alone make the case right, and other cases too. The changed text is
never shown. Where none helps, inputs that no program reads may prove why.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any

import torch

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.edits import Edit, Source, host_edits, kernel_edits
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import Reading
from tritontui.runner.aside import prints_aside
from tritontui.runner.callers import RECORDED_ELEMENTS, LockstepCaller
from tritontui.runner.check import Checker, Question, pose
from tritontui.runner.compare import tolerance_for, wrong_elements
from tritontui.runner.compile import Launch
from tritontui.runner.contract import Contract, outputs_of
from tritontui.runner.host import tensors_in
from tritontui.runner.lockstep import TraceOptions
from tritontui.runner.lockstep.options import Variant
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission
from tritontui.runner.unread import never_read

SECONDS = 0.3
"""Of this thread's own time, for all tries together."""
ONE_TRY = 0.2
"""Seconds for one launch of a changed kernel: a changed loop may never end."""
MOST_CASES = 8
"""On which a change that helps is tried too."""
SMALLEST = 32
"""Elements of the arguments: with fewer, too many changes would help."""
LARGEST = 1 << 13
"""Elements of the arguments: on larger cases too few changes could be tried."""


@dataclass
class Repair:
    """The search for one submission."""

    exercise: Exercise
    submission: Submission
    contract: Contract
    function: Callable[..., Any]
    launches: Sequence[Launch]
    check_cancelled: Callable[[], None]

    def finding(self, wrong: Sequence[Case], right: Sequence[Case]) -> Finding | None:
        """The line that the blame falls on; None when none stands out.

        ``wrong``, ``right``: cases that the submission gets wrong, and those that must stay right.
        """
        with prints_aside():
            question = self._small_question(wrong)
            if question is None:
                return None
            others = [case for case in (*wrong, *right) if case.values != question.case.values and self._is_small(case)]
            mending = self._mending(question, others[:MOST_CASES]) if others else []
            mending = _of_one_place(mending)
            if not mending:
                return self._unread(question.case)
        simplest = min(mending, key=lambda edit: edit.kind != "surplus-term")
        return _finding(simplest, question.case, len(others[:MOST_CASES]))

    def _unread(self, case: Case) -> Finding | None:
        question = pose(self.exercise, case, case.seeds[0], torch.device("cpu"))
        called = self._caller(None, record=True)(self.function, question.arguments)
        return never_read(self.exercise, question, called) if called.error is None else None

    # ------------------------------------------------------------ what is tried

    @cached_property
    def _source(self) -> Source:
        return Source(self.submission.text)

    @cached_property
    def _edits(self) -> list[Edit]:
        """Changes to the launched kernels and to the host function, the likeliest first."""
        reading = Reading(self.submission.text)
        launched = {launch.kernel.fn.__name__: launch for launch in self.launches}
        found = []
        for kernel in reading.kernels():
            launch = launched.get(kernel.name)
            given = launch.arguments.items() if launch is not None else ()
            found += kernel_edits(
                self._source, kernel, [name for name, value in given if isinstance(value, torch.Tensor)]
            )
        host = reading.defined(self.exercise.entry)
        if host is not None:
            found += host_edits(self._source, host)
        return sorted(found, key=lambda edit: edit.likely)

    @cached_property
    def _variants(self) -> tuple[Variant, ...]:
        return tuple(_variant(edit) for edit in self._edits if edit.in_kernel)

    def _mending(self, question: Question, others: Sequence[Case]) -> list[Edit]:
        """Changes that make all cases right: the likeliest that do, as far as there is time to try them."""
        deadline = time.thread_time() + SECONDS
        found: list[Edit] = []
        for edit in self._edits:
            self.check_cancelled()
            if time.thread_time() > deadline or (found and edit.likely > found[0].likely):
                break
            if self._is_right(edit, question) and all(self._passes(edit, case) for case in (question.case, *others)):
                found.append(edit)
        return found

    def _small_question(self, wrong: Sequence[Case]) -> Question | None:
        """The smallest wrong case of some size; the traced one may be wrong too."""
        traced = self.exercise.trace_case
        cases = [*wrong, *([traced] if traced is not None else [])]
        posed = [pose(self.exercise, case, case.seeds[0], torch.device("cpu")) for case in cases]
        sized = [(sum(tensor.numel() for tensor in tensors_in(one.arguments)), one) for one in posed]
        fitting = sorted((one for one in sized if SMALLEST <= one[0] <= LARGEST), key=lambda one: one[0])
        return next((question for _, question in fitting if not self._is_right(None, question)), None)

    def _is_small(self, case: Case) -> bool:
        drawn = pose(self.exercise, case, case.seeds[0], torch.device("cpu"))
        size: int = sum(tensor.numel() for tensor in tensors_in(drawn.arguments))
        return 1 < size <= RECORDED_ELEMENTS

    # ------------------------------------------------------------ trying it

    def _is_right(self, edit: Edit | None, question: Question) -> bool:
        """Values alone, quickly."""
        arguments = [value.clone() if isinstance(value, torch.Tensor) else value for value in question.arguments]
        called = self._caller(edit, record=False)(self._function(edit), arguments)
        outputs = outputs_of(called.result) if called.error is None else None
        if outputs is None or len(outputs) != len(question.exact):
            return False
        return all(self._equal(one, exact) for one, exact in zip(outputs, question.exact, strict=True))

    def _equal(self, output: torch.Tensor, exact: torch.Tensor) -> bool:
        if output.shape != exact.shape:
            return False
        tolerance = tolerance_for(output.dtype, self.exercise.tolerances)
        return not bool(wrong_elements(output, exact, tolerance).any())

    def _passes(self, edit: Edit, case: Case) -> bool:
        """With all that the judge asks of a case."""
        checker = Checker(self.exercise, self.contract, self._function(edit), self._caller(edit, record=True))
        return checker.check(case).result.passed

    def _caller(self, edit: Edit | None, *, record: bool) -> LockstepCaller:
        chosen = 0 if edit is None or not edit.in_kernel else self._variants.index(_variant(edit)) + 1
        options = TraceOptions(seconds=ONE_TRY, variants=self._variants, variant=chosen)
        return LockstepCaller(self.submission, self.exercise, seen=_nobody, record=record, options=options)

    def _function(self, edit: Edit | None) -> Callable[..., Any]:
        """The host function to call: the learner's own, unless it is what was changed."""
        if edit is None or edit.in_kernel or not isinstance(self.function, FunctionType):
            return self.function
        tree = ast.parse(self._source.changed(edit))
        host = next(_functions(tree, self.function.__name__))
        scope = dict(self.function.__globals__)
        exec(compile(ast.Module([host], []), str(self.submission.path), "exec", dont_inherit=True), scope)
        made: Callable[..., Any] = scope[host.name]
        return made


def _of_one_place(mending: Sequence[Edit]) -> list[Edit]:
    """Those of the only line that stands out.

    What nothing uses may be missing at any of several places through which one value flows: at the first of them.
    """
    first = [edit for edit in mending if edit.line == min(edit.line for edit in mending)]
    missing = {edit.part for edit in mending if edit.kind == "missing-term"}
    one_name = len(missing) == 1 and "" not in missing and all(edit.kind == "missing-term" for edit in mending)
    return first if one_name or len(first) == len(mending) else []


def _nobody(_launch: Launch) -> None:
    """Nobody compiles what is only tried."""


def _functions(tree: ast.Module, name: str) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)


def _variant(edit: Edit) -> Variant:
    node: Any = edit.node
    return Variant(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, edit.text)


def _finding(edit: Edit, case: Case, others: int) -> Finding:
    return Finding(
        id=edit.kind,
        severity=entry(edit.kind).severity,
        line=edit.line,
        column=edit.column,
        params={"expression": edit.expression, "part": edit.part, "case": case.name, "others": others},
    )
