"""Changed texts of a submission, tried on cases in lockstep."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any

import torch

from tritontui.diagnosis.edits import Edit, Source
from tritontui.runner.cases.callers import CASE_SECONDS, LockstepCaller
from tritontui.runner.cases.check import Called, Checker, Question
from tritontui.runner.cases.compare import tolerance_for, wrong_elements
from tritontui.runner.cases.contract import Contract, outputs_of
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.lockstep import TraceOptions
from tritontui.runner.lockstep.options import Replaced, Variant
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission


@dataclass
class Tries:
    """Some changes to one submission. Those to kernels are compiled in all at once, so that each costs only its run."""

    exercise: Exercise
    submission: Submission
    contract: Contract
    function: Callable[..., Any]
    edits: Sequence[Edit] = ()
    seconds: float = CASE_SECONDS
    """For one launch: a changed loop may never end."""

    def mends(self, edit: Edit, question: Question, others: Sequence[Case]) -> bool:
        """Whether ``edit`` makes ``question`` right, and its case and the ``others`` pass."""
        return self.is_right(edit, question) and all(self._passes(edit, case) for case in (question.case, *others))

    def is_right(self, edit: Edit | None, question: Question) -> bool:
        """Values alone, quickly; None: of the learner's own text."""
        outputs = self.outputs(edit, question)
        if outputs is None or len(outputs) != len(question.exact):
            return False
        return all(self._equal(one, exact) for one, exact in zip(outputs, question.exact, strict=True))

    def outputs(self, edit: Edit | None, question: Question) -> list[torch.Tensor] | None:
        """None where the call fails."""
        arguments = [value.clone() if isinstance(value, torch.Tensor) else value for value in question.arguments]
        called = self._caller(edit, record=False)(self._function(edit), arguments)
        return outputs_of(called.result) if called.error is None else None

    def recorded(self, question: Question) -> Called:
        """A call of the learner's own text, on the very arguments of ``question``."""
        return self._caller(None, record=True)(self.function, question.arguments)

    def _equal(self, output: torch.Tensor, exact: torch.Tensor) -> bool:
        if output.shape != exact.shape:
            return False
        tolerance = tolerance_for(output.dtype, self.exercise.tolerances)
        return not bool(wrong_elements(output, exact, tolerance).any())

    def _passes(self, edit: Edit, case: Case) -> bool:
        """With all that the judge asks of a case."""
        checker = Checker(self.exercise, self.contract, self._function(edit), self._caller(edit, record=True))
        return checker.check(case).result.passed

    @cached_property
    def _variants(self) -> tuple[Variant, ...]:
        return tuple(_variant(edit) for edit in self.edits if edit.in_kernel)

    def _caller(self, edit: Edit | None, *, record: bool) -> LockstepCaller:
        chosen = 0 if edit is None or not edit.in_kernel else self._variants.index(_variant(edit)) + 1
        seconds = CASE_SECONDS if edit is None else self.seconds
        options = TraceOptions(seconds=seconds, variants=self._variants, variant=chosen)
        return LockstepCaller(self.submission, self.exercise, seen=_nobody, record=record, options=options)

    def _function(self, edit: Edit | None) -> Callable[..., Any]:
        """The host function to call: the learner's own, unless it is what was changed."""
        if edit is None or edit.in_kernel or not isinstance(self.function, FunctionType):
            return self.function
        tree = ast.parse(Source(self.submission.text).changed(edit))
        host = next(_functions(tree, self.function.__name__))
        scope = dict(self.function.__globals__)
        exec(compile(ast.Module([host], []), str(self.submission.path), "exec", dont_inherit=True), scope)
        made: Callable[..., Any] = scope[host.name]
        return made


def _nobody(_launch: Launch) -> None:
    """Nobody compiles what is only tried."""


def _functions(tree: ast.Module, name: str) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)


def _variant(edit: Edit) -> Variant:
    return tuple(_replaced(node, text) for node, text in edit.replacements)


def _replaced(node: Any, text: str) -> Replaced:
    return Replaced(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)
