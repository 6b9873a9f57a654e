"""Trials of host code: the learner's function is called with what an exercise hands it, and what it does is judged."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseResult
from tritontui.runner.blame import Blame
from tritontui.runner.check import Caller
from tritontui.runner.contract import Contract
from tritontui.runner.cuda_on_cpu import keep_on_host
from tritontui.runner.memory import is_poison
from tritontui.runner.spec import Trial, Wrong


@dataclass
class Answer:
    """What came of one call: at most one of ``result`` and ``error`` is anything."""

    result: Any
    error: Exception | None
    own_error: bool
    """The learner's own code raised ``error``, not something that it called."""
    line: int | None
    """Where the learner's function returned, or where in the submission the error came up."""
    launches: int | None
    """Launches of kernels; None where they can't be counted (on a GPU)."""


@dataclass
class Examiner:
    """Given to a trial: calls the learner's function on this child's device and says what happened.

    On a machine without a GPU that device is the CPU, which the submission sees as a GPU.
    """

    function: Callable[..., Any]
    file: str
    """Path of the submission."""
    caller: Caller

    @property
    def device(self) -> torch.device:
        """Where a trial's tensors belong."""
        return self.caller.device

    def call(self, *args: Any, **kwargs: Any) -> Answer:
        """``function(*args, **kwargs)``; whatever Exception it raises is in the answer. Random numbers repeat."""
        torch.manual_seed(0)
        returns = _Returns(self.file, getattr(self.function, "__name__", ""))

        def work() -> Any:
            with returns.watched():
                return self.function(*args, **kwargs)

        called = self.caller(work, [])
        error = called.error
        own, line = _raised(error, self.file) if error is not None else (False, returns.line)
        return Answer(called.result, error, own, line, None if called.launches is None else len(called.launches))

    def on_host(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of ``tensor`` in the CPU's memory, as the submission sees it too when the CPU stands for a GPU."""
        return keep_on_host(tensor.detach().to("cpu", copy=True))

    def is_unwritten(self, tensor: torch.Tensor) -> torch.Tensor:
        """Mask of the elements that hold what the submission's ``torch.empty`` left there: anything at all."""
        return is_poison(tensor)


def attempt(trial: Trial, examiner: Examiner, contract: Contract, blame: Blame) -> tuple[CaseResult, Finding | None]:
    """Run ``trial``. Raises what the trial itself raises: a defect of the lesson."""
    started = time.perf_counter()
    found = trial.run(examiner)
    names = trial.name.in_each_language()
    milliseconds = (time.perf_counter() - started) * 1e3
    result = CaseResult(name=trial.name.en, names=names, passed=found is None, milliseconds=milliseconds)
    if found is None or isinstance(found, Exception):
        return result, None if found is None else blame.of_error(found, "run")
    return result, _finding(found, trial, contract)


def _finding(wrong: Wrong, trial: Trial, contract: Contract) -> Finding:
    params: dict[str, Any] = {
        "entry": contract.entry,
        "trial": trial.name.in_each_language(),
        "said": wrong.said.in_each_language(),
    }
    if wrong.id == "wrapper-contract":
        return contract.broken_in_trial(params, wrong.line)
    if wrong.id == "benchmark-misuse":
        params |= {"problem": "trial", "keyword": "", "gbps": 0, "peak": 0}
    return Finding(id=wrong.id, severity="error", line=wrong.line or contract.definition_line(), params=params)


# ---------------------------------------------------------------- where it returned, where it raised


class _Returns:
    """Notes the line at which one function of the submission returned last."""

    def __init__(self, file: str, name: str) -> None:
        self._file = file
        self._name = name
        self.line: int | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code.co_name == self._name and frame.f_code.co_filename == self._file:
            self.line = frame.f_lineno


def _raised(error: Exception, file: str) -> tuple[bool, int | None]:
    """Whether ``error`` came up in ``file`` itself, and the innermost line of ``file`` on its way."""
    trace, own, line = error.__traceback__, False, None
    while trace is not None:
        own = trace.tb_frame.f_code.co_filename == file
        line = trace.tb_lineno if own else line
        trace = trace.tb_next
    return own, line


def described(value: Any) -> str:
    """An argument in few words, the same in every language: ``float32[5]``, ``float16[4, 2]``, ``None``."""
    if isinstance(value, torch.Tensor):
        shape = ", ".join(map(str, value.shape))
        return f"{str(value.dtype).removeprefix('torch.')}[{shape}]"
    return repr(value)


def happened(answer: Answer) -> str:
    """What came of a call, in the words of code: ``→ float32[5]``, ``RuntimeError: …``."""
    if answer.error is None:
        return described(answer.result)
    first = str(answer.error).strip().split("\n")[0]
    return f"{type(answer.error).__name__}: {first}" if first else type(answer.error).__name__
