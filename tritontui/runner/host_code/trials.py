"""Trials of host code: the learner's function is called with what an exercise hands it, and what it does is judged."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tritontui.analysis.blocks import walk
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseResult
from tritontui.runner.cases.check import Caller
from tritontui.runner.cases.contract import Contract
from tritontui.runner.cases.host import storage_of
from tritontui.runner.cases.memory import is_poison
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.lockstep import Choice
from tritontui.runner.no_gpu.cuda_on_cpu import is_kept_on_host, keep_on_host
from tritontui.runner.spec import Trial, Wrong
from tritontui.runner.tracing.adopt import tensors_of


@dataclass
class Answer:
    """What came of one call: at most one of ``result`` and ``error`` is anything."""

    result: Any
    error: Exception | None
    own_error: bool
    """The learner's own code raised ``error``, not something that it called."""
    line: int | None
    """Where in the submission the error came up; else where the learner's function returned, if that was watched."""
    launches: Sequence[Launch] | None
    """None where they can't be seen (on a GPU)."""
    traces: Sequence[Trace]
    """One a launch, when the call was recorded."""
    choices: Sequence[Choice] = ()
    """One a launch of an autotuned kernel, in lockstep."""

    def writers(self, tensor: torch.Tensor) -> NDArray[np.int64]:
        """Of each element of a contiguous tensor, the program that stored it last; −1: none that was recorded."""
        found = np.full(tensor.numel(), -1, np.int64)
        for trace, launch in zip(self.traces, self.launches or (), strict=False):
            arguments = tensors_of(dict(launch.arguments))
            names = {name for name, argument in arguments if storage_of(argument) == storage_of(tensor)}
            for block in walk(trace, "store", "atomic"):
                owner = trace.tensors[trace.sites[block.access.site].tensor]
                if owner.name in names:
                    whole = block.every_program()
                    offsets = whole.offsets + owner.storage_shift - tensor.storage_offset()
                    inside = whole.touched & (offsets >= 0) & (offsets < len(found))
                    programs = np.broadcast_to(whole.programs[:, None], inside.shape)
                    found[offsets[inside]] = programs[inside]
        return found


@dataclass
class Examiner:
    """Given to a trial: calls the learner's function on this child's device and says what happened.

    On a machine without a GPU that device is the CPU, which the submission sees as a GPU.
    """

    function: Callable[..., Any]
    file: str
    """Path of the submission."""
    device: torch.device
    """Where a trial's tensors belong."""
    caller: Callable[[Callable[[Launch], None], bool], Caller]
    """Makes one that tells of each launch it sees, and records them or not."""
    watched: bool = False
    """Note where the function returns. It doubles the time of a call: for a trial that has failed already."""

    def call(self, *args: Any, **kwargs: Any) -> Answer:
        """``function(*args, **kwargs)``; whatever Exception it raises is in the answer. Random numbers repeat."""
        return self._call(args, kwargs, record=False)

    def call_recorded(self, *args: Any, **kwargs: Any) -> Answer:
        """The same, and where launches can be seen they are traced as well."""
        return self._call(args, kwargs, record=True)

    def _call(self, args: Sequence[Any], kwargs: Mapping[str, Any], *, record: bool) -> Answer:
        torch.manual_seed(0)
        launches: list[Launch] = []
        returns = _Returns(self.file, getattr(self.function, "__name__", ""))

        def work() -> Any:
            with returns.watched() if self.watched else nullcontext():
                return self.function(*args, **kwargs)

        called = self.caller(launches.append, record)(work, [])
        error = called.error
        own, line = _raised(error, self.file) if error is not None else (False, returns.line)
        seen = None if called.launches is None else launches
        return Answer(called.result, error, own, line, seen, called.traces, called.choices)

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
    if isinstance(found, Wrong):
        found = trial.run(replace(examiner, watched=True)) or found
    names = trial.name.in_each_language()
    milliseconds = (time.perf_counter() - started) * 1e3
    result = CaseResult(name=trial.name.en, names=names, passed=found is None, milliseconds=milliseconds)
    if found is None or isinstance(found, Exception):
        return result, None if found is None else blame.of_error(found, "run")
    return result, _finding(found, trial, contract)


_FURTHER: Mapping[str, Mapping[str, Any]] = {
    "benchmark-misuse": {"problem": "trial", "keyword": "", "gbps": 0, "peak": 0},
    "autotune-key": {"problem": "trial"},
    "autotune-invalid-config": {"problem": "trial"},
}
"""What the texts of a diagnosis that isn't of trials alone want to know besides."""


def _finding(wrong: Wrong, trial: Trial, contract: Contract) -> Finding:
    params: dict[str, Any] = {
        "entry": contract.entry,
        "trial": trial.name.in_each_language(),
        "said": wrong.said.in_each_language(),
    }
    if wrong.id == "wrapper-contract":
        return contract.broken_in_trial(params, wrong.line)
    params |= _FURTHER.get(wrong.id, {})
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
    """An argument in few words, the same in every language: ``float32[5]``, ``float16[4, 2] cpu``, ``None``."""
    if isinstance(value, torch.Tensor):
        shape = ", ".join(map(str, value.shape))
        place = " cpu" if is_kept_on_host(value) else ""
        return f"{str(value.dtype).removeprefix('torch.')}[{shape}]{place}"
    return repr(value)


def happened(answer: Answer) -> str:
    """What came of a call, in the words of code: ``→ float32[5]``, ``RuntimeError: …``."""
    if answer.error is None:
        return described(answer.result)
    first = str(answer.error).strip().split("\n")[0]
    return f"{type(answer.error).__name__}: {first}" if first else type(answer.error).__name__
