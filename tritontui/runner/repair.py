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
from itertools import chain
from types import FunctionType
from typing import Any

import torch

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.edits import Edit, Source, host_edits, kernel_edits, wider_sums
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import Reading
from tritontui.runner.aside import prints_aside
from tritontui.runner.callers import CASE_SECONDS, RECORDED_ELEMENTS, LockstepCaller
from tritontui.runner.check import Checker, Question, pose
from tritontui.runner.compare import tolerance_for, wrong_elements
from tritontui.runner.compile import Launch
from tritontui.runner.contract import Contract, outputs_of
from tritontui.runner.few_bits import NARROW, few_bits
from tritontui.runner.host import tensors_in
from tritontui.runner.lockstep import TraceOptions
from tritontui.runner.lockstep.options import Replaced, Variant
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission
from tritontui.runner.unread import never_read

SECONDS = 0.3
"""Of this thread's own time, for all tries together."""
SUM_SECONDS = 2.0
"""The same for sums in float32, on longer cases."""
ONE_TRY = 0.2
"""Seconds for one launch of a changed kernel: a changed loop may never end."""
MOST_CASES = 8
"""On which a change that helps is tried too."""
SMALLEST = 32
"""Elements of the arguments: with fewer, too many changes would help."""
LARGEST = 1 << 13
"""Elements of the arguments: on larger cases too few changes could be tried."""
LARGEST_SUM = 1 << 19
"""The same where only the sums are tried in float32, which are few changes: bits are lost in long sums."""


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
            return self._sum_in_few_bits(wrong, right) or self._slip(wrong, right)

    def _sum_in_few_bits(self, wrong: Sequence[Case], right: Sequence[Case]) -> Finding | None:
        """``low-precision-accumulation``: the same sums in float32 are right."""
        question = self._wrong_question(wrong, LARGEST_SUM) if self._wider else None
        if question is None:
            return None
        others = self._others(question, [*wrong, *right], LARGEST_SUM)
        deadline = time.thread_time() + SUM_SECONDS
        for edits in self._wider:
            if not self._is_right(edits[-1], question):
                continue
            for edit in edits:
                self.check_cancelled()
                if self._mends(edit, question, others):
                    return few_bits(edit, question, self._outputs(None, question) or [], self.launches)
                if time.thread_time() > deadline:
                    return None
        return None

    def _slip(self, wrong: Sequence[Case], right: Sequence[Case]) -> Finding | None:
        question = self._wrong_question(wrong, LARGEST)
        if question is None:
            return None
        others = self._others(question, [*wrong, *right], RECORDED_ELEMENTS)
        mending = _of_one_place(self._mending(question, others) if others else [])
        if not mending:
            return self._unread(question.case)
        simplest = min(mending, key=lambda edit: edit.kind != "surplus-term")
        return _finding(simplest, question.case, len(others))

    def _unread(self, case: Case) -> Finding | None:
        question = pose(self.exercise, case, case.seeds[0], torch.device("cpu"))
        called = self._caller(None, record=True)(self.function, question.arguments)
        return never_read(self.exercise, question, called) if called.error is None else None

    # ------------------------------------------------------------ what is tried

    @cached_property
    def _source(self) -> Source:
        return Source(self.submission.text)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.submission.text)

    @cached_property
    def _edits(self) -> list[Edit]:
        """Changes to the launched kernels and to the host function, the likeliest first."""
        launched = {launch.kernel.fn.__name__: launch for launch in self.launches}
        found = []
        for kernel in self._reading.kernels():
            launch = launched.get(kernel.name)
            given = launch.arguments.items() if launch is not None else ()
            found += kernel_edits(
                self._source, kernel, [name for name, value in given if isinstance(value, torch.Tensor)]
            )
        host = self._reading.defined(self.exercise.entry)
        if host is not None:
            found += host_edits(self._source, host)
        return sorted(found, key=lambda edit: edit.likely)

    @cached_property
    def _wider(self) -> list[list[Edit]]:
        """For each sum, changes that keep it in float32; none where nothing is 16 bits wide."""
        if not any(short in self.submission.text for short in ("float16", "fp16", "bf16")) and not any(
            value.dtype in NARROW
            for launch in self.launches
            for value in launch.arguments.values()
            if isinstance(value, torch.Tensor)
        ):
            return []
        return [edits for kernel in self._reading.kernels() for edits in wider_sums(self._source, kernel)]

    @cached_property
    def _variants(self) -> dict[bool, tuple[Variant, ...]]:
        """What is compiled in beside the learner's own, for sums (True) and for all else."""
        return {
            sums: tuple(_variant(edit) for edit in edits if edit.in_kernel)
            for sums, edits in ((True, chain.from_iterable(self._wider)), (False, self._edits))
        }

    def _mending(self, question: Question, others: Sequence[Case]) -> list[Edit]:
        """Changes that make all cases right: the likeliest that do, as far as there is time to try them."""
        deadline = time.thread_time() + SECONDS
        found: list[Edit] = []
        for edit in self._edits:
            self.check_cancelled()
            if time.thread_time() > deadline or (found and edit.likely > found[0].likely):
                break
            if self._mends(edit, question, others):
                found.append(edit)
        return found

    def _wrong_question(self, wrong: Sequence[Case], largest: int) -> Question | None:
        """The smallest wrong case of some size; the traced one may be wrong too."""
        traced = self.exercise.trace_case
        cases = [*wrong, *([traced] if traced is not None else [])]
        posed = [pose(self.exercise, case, case.seeds[0], torch.device("cpu")) for case in cases]
        sized = [(_elements(one), one) for one in posed]
        fitting = sorted((one for one in sized if SMALLEST <= one[0] <= largest), key=lambda one: one[0])
        return next((question for _, question in fitting if not self._is_right(None, question)), None)

    def _others(self, question: Question, cases: Sequence[Case], largest: int) -> list[Case]:
        """Cases on which a change that helps is tried too."""
        device = torch.device("cpu")
        small = [
            case
            for case in cases
            if case.values != question.case.values
            and 1 < _elements(pose(self.exercise, case, case.seeds[0], device)) <= largest
        ]
        return small[:MOST_CASES]

    # ------------------------------------------------------------ trying it

    def _mends(self, edit: Edit, question: Question, others: Sequence[Case]) -> bool:
        return self._is_right(edit, question) and all(self._passes(edit, case) for case in (question.case, *others))

    def _is_right(self, edit: Edit | None, question: Question) -> bool:
        """Values alone, quickly."""
        outputs = self._outputs(edit, question)
        if outputs is None or len(outputs) != len(question.exact):
            return False
        return all(self._equal(one, exact) for one, exact in zip(outputs, question.exact, strict=True))

    def _outputs(self, edit: Edit | None, question: Question) -> list[torch.Tensor] | None:
        arguments = [value.clone() if isinstance(value, torch.Tensor) else value for value in question.arguments]
        called = self._caller(edit, record=False)(self._function(edit), arguments)
        return outputs_of(called.result) if called.error is None else None

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
        sums = edit is not None and edit.kind == "low-precision-accumulation"
        variants = self._variants[sums]
        chosen = 0 if edit is None or not edit.in_kernel else variants.index(_variant(edit)) + 1
        seconds = CASE_SECONDS if sums or edit is None else ONE_TRY
        options = TraceOptions(seconds=seconds, variants=variants, variant=chosen)
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


def _elements(question: Question) -> int:
    return sum(tensor.numel() for tensor in tensors_in(question.arguments))


def _variant(edit: Edit) -> Variant:
    return tuple(_replaced(node, text) for node, text in edit.replacements)


def _replaced(node: Any, text: str) -> Replaced:
    return Replaced(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)


def _finding(edit: Edit, case: Case, others: int) -> Finding:
    return Finding(
        id=edit.kind,
        severity=entry(edit.kind).severity,
        line=edit.line,
        column=edit.column,
        params={"expression": edit.expression, "part": edit.part, "case": case.name, "others": others},
    )
