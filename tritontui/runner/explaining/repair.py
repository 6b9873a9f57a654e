"""Which line of a kernel would, computed otherwise, have made the result right.

Where values are wrong and nothing else is known, small changes to the learner's own text are tried on the small case in
lockstep. A line is named when changes to that line alone make the case right, and other cases too. The changed text is
never shown. Where none helps, inputs that no program reads may prove why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import torch

from tritontui.diagnosis.edits import Edit, Source, exchanged_strides, host_edits, kernel_edits, wider_sums
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import FunctionDef, Reading
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.cases.callers import RECORDED_ELEMENTS
from tritontui.runner.cases.check import Question, pose
from tritontui.runner.cases.contract import Contract
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.cases.unread import never_read
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.explaining.blamed import NARROW, few_bits, slip, strides_exchanged
from tritontui.runner.explaining.tries import Tries
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission

SECONDS = 1.5
"""Of this thread's own time, for all tries together."""
SUM_SECONDS = 2.0
"""The same for sums in float32, on longer cases."""
ONE_TRY = 0.2
"""Seconds for one launch of a changed kernel: a changed loop may never end."""
MOST_CASES = 8
"""On which a change that helps is tried too."""
SMALLEST = 32
"""Elements of the arguments: with fewer, too many changes would help."""
LARGEST = 1 << 15
"""Elements of the arguments: on larger cases too few changes could be tried."""
LARGEST_SUM = 1 << 19
"""The same where only the sums are tried in float32, which are few changes: bits are lost in long sums."""


@dataclass
class Repair:
    """The search for one submission.

    ``wrong``, ``right``: cases that the submission gets wrong, and those that must stay right.
    """

    exercise: Exercise
    submission: Submission
    contract: Contract
    function: Callable[..., Any]
    launches: Sequence[Launch]
    wrong: Sequence[Case]
    right: Sequence[Case]
    check_cancelled: Callable[[], None]

    def finding(self) -> Finding | None:
        """The line that the blame falls on; None when none stands out."""
        with prints_aside():
            return self._sum_in_few_bits() or self._strides_exchanged() or self._slip()

    def of_strides(self) -> Finding | None:
        """The same, where it can only be strides that have changed places."""
        with prints_aside():
            return self._strides_exchanged()

    # ------------------------------------------------------------ searches

    def _sum_in_few_bits(self) -> Finding | None:
        """``low-precision-accumulation``: the same sums in float32 are right."""
        sums = self._sums()
        tries = self._tries(chain.from_iterable(sums))
        question = self._wrong_question(tries, LARGEST_SUM) if sums else None
        if question is None:
            return None
        likely = [edits for edits in sums if tries.is_right(edits[-1], question)]
        edit = self._first_that_mends(tries, chain.from_iterable(likely), question, LARGEST_SUM)
        if edit is None:
            return None
        if edit.kind == "wrong-type":
            return slip(edit, question.case, len(self._others(question, LARGEST_SUM)))
        return few_bits(edit, question, tries.outputs(None, question) or [], self.launches)

    def _strides_exchanged(self) -> Finding | None:
        edits = [
            edit for kernel in self._kernels for edit in exchanged_strides(self._source, kernel, self._tensors(kernel))
        ]
        tries = self._tries(edits)
        question = self._wrong_question(tries, RECORDED_ELEMENTS) if edits else None
        if question is None:
            return None
        edit = self._first_that_mends(tries, edits, question, RECORDED_ELEMENTS)
        if edit is None:
            return None
        others = len(self._others(question, RECORDED_ELEMENTS))
        found = strides_exchanged(edit, self.launches, question.case)
        return found or slip(edit, question.case, others)

    def _slip(self) -> Finding | None:
        tries = self._tries(self._small_changes(), ONE_TRY)
        question = self._wrong_question(tries, LARGEST)
        if question is None:
            return None
        others = self._others(question, RECORDED_ELEMENTS)
        proving = len(others) or len(question.case.seeds) > 1  # one answer alone may come out right by chance
        mending = _of_one_place(self._mending(tries, question, others) if proving else [])
        if not mending:
            question = pose(self.exercise, question.case, question.case.seeds[0], torch.device("cpu"))
            called = tries.recorded(question)
            return never_read(self.exercise, question, called) if called.error is None else None
        simplest = min(mending, key=lambda edit: edit.kind != "surplus-term")
        return slip(simplest, question.case, len(others))

    def _first_that_mends(self, tries: Tries, edits: Iterable[Edit], question: Question, largest: int) -> Edit | None:
        others = self._others(question, largest)
        deadline = time.thread_time() + SUM_SECONDS
        for edit in edits:
            self.check_cancelled()
            if tries.mends(edit, question, others):
                return edit
            if time.thread_time() > deadline:
                break
        return None

    def _mending(self, tries: Tries, question: Question, others: Sequence[Case]) -> list[Edit]:
        """Changes that make all cases right: the likeliest that do, as far as there is time to try them."""
        deadline = time.thread_time() + SECONDS
        found: list[Edit] = []
        for edit in tries.edits:
            self.check_cancelled()
            if time.thread_time() > deadline or (found and edit.likely > found[0].likely):
                break
            if tries.mends(edit, question, others):
                found.append(edit)
        return found

    # ------------------------------------------------------------ what is tried

    @cached_property
    def _source(self) -> Source:
        return Source(self.submission.text)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.submission.text)

    @property
    def _kernels(self) -> list[FunctionDef]:
        return list(self._reading.kernels())

    def _tries(self, edits: Iterable[Edit], seconds: float | None = None) -> Tries:
        tries = Tries(self.exercise, self.submission, self.contract, self.function, list(edits))
        if seconds is not None:
            tries.seconds = seconds
        return tries

    def _tensors(self, kernel: FunctionDef) -> list[str]:
        """Those of its parameters that a launch passed tensors for."""
        return [
            name
            for launch in self.launches
            if launch.kernel.fn.__name__ == kernel.name
            for name, value in launch.arguments.items()
            if isinstance(value, torch.Tensor)
        ]

    def _small_changes(self) -> list[Edit]:
        """Changes to the launched kernels and to the host function, the likeliest first."""
        found = [edit for kernel in self._kernels for edit in kernel_edits(self._source, kernel, self._tensors(kernel))]
        host = self._reading.defined(self.exercise.entry)
        if host is not None:
            found += host_edits(self._source, host)
        return sorted(found, key=lambda edit: edit.likely)

    def _sums(self) -> list[list[Edit]]:
        """For each sum, changes that keep it in float32; none where nothing is 16 bits wide."""
        given = (value for launch in self.launches for value in launch.arguments.values())
        narrow = any(isinstance(value, torch.Tensor) and value.dtype in NARROW for value in given)
        if not narrow and not any(short in self.submission.text for short in ("float16", "fp16", "bf16")):
            return []
        return [edits for kernel in self._kernels for edits in wider_sums(self._source, kernel)]

    def _wrong_question(self, tries: Tries, largest: int) -> Question | None:
        """The smallest wrong case of some size; the traced one may be wrong too."""
        traced = self.exercise.trace_case
        cases = [*self.wrong, *([traced] if traced is not None else [])]
        posed = [pose(self.exercise, case, case.seeds[0], torch.device("cpu")) for case in cases]
        sized = [(_elements(one), one) for one in posed]
        fitting = sorted((one for one in sized if SMALLEST <= one[0] <= largest), key=lambda one: one[0])
        return next((question for _, question in fitting if not tries.is_right(None, question)), None)

    def _others(self, question: Question, largest: int) -> list[Case]:
        """Cases on which a change that helps is tried too."""
        device = torch.device("cpu")
        small = [
            case
            for case in (*self.wrong, *self.right)
            if case.values != question.case.values
            and 1 < _elements(pose(self.exercise, case, case.seeds[0], device)) <= largest
        ]
        return small[:MOST_CASES]


def _of_one_place(mending: Sequence[Edit]) -> list[Edit]:
    """Those of the only line that stands out.

    What nothing uses may be missing at any of several places through which one value flows: at the first of them.
    """
    first = [edit for edit in mending if edit.line == min(edit.line for edit in mending)]
    missing = {edit.part for edit in mending if edit.kind == "missing-term"}
    one_name = len(missing) == 1 and "" not in missing and all(edit.kind == "missing-term" for edit in mending)
    return first if one_name or len(first) == len(mending) else []


def _elements(question: Question) -> int:
    return sum(tensor.numel() for tensor in tensors_in(question.arguments))
