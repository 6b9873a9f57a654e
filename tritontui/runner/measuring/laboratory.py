"""The experiment of a measure step: the learner's texts checked on the CPU, then every point timed on the GPU."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import torch
import triton

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Broken,
    Done,
    ExperimentPoint,
    ExperimentRequest,
    ExperimentStarted,
    Found,
    GpuInfo,
    OwnRefused,
    OwnText,
    Reply,
    StageStarted,
)
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.exercises import BrokenExerciseError, load_exercise, load_experiment
from tritontui.runner.explaining import verdicts
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.measuring.ceilings import Ceilings, ceilings
from tritontui.runner.measuring.conditions import Condition, gpu_to_oneself, remarks, sampled
from tritontui.runner.measuring.hardware import driver_version, sensors
from tritontui.runner.measuring.large import WrongAtScaleError, agree_at_scale
from tritontui.runner.measuring.points import Interpreted, Subject
from tritontui.runner.measuring.timing import Times, times_of
from tritontui.runner.session import Session
from tritontui.runner.spec import Experiment, Timing
from tritontui.runner.submission import Submissions
from tritontui.runner.workbench import entry_of, tools_of

REPEAT_MS = 50
"""Of do_bench at each point, after its 25 ms of warm-up: a grid of a hundred points takes ten seconds."""
LOOP_CALLS = 50
LOOPS = 3
OF_THE_SUBJECT = frozenset({"launch-bound", "fits-in-cache"})
"""Remarks that a single figure needs; over a whole axis they are what is to be seen."""


def run_experiment(request: ExperimentRequest, emit: Callable[[Reply], None], session: Session) -> None:
    """On the CPU: OwnRefused for each of the learner's texts that is wrong. On a GPU: ExperimentStarted, then
    StageStarted and an ExperimentPoint for each point. Done last.

    Broken when the experiment is at fault. Raises ``session.RunCancelled`` between two points of a cancelled run. A
    fault that ends the GPU's context is a Found, and the experiment's end.
    """
    try:
        subjects = [Own(text, session) for text in request.own]
        if session.device == "cpu":
            with compiling_for(request.target or session.target):
                for own in subjects:
                    session.check_cancelled(request.run)
                    emit(StageStarted(request.run, "sweep"))
                    if (problem := own.examine(request.target or session.target, session)) is not None:
                        emit(OwnRefused(run=request.run, exercise=own.text.exercise, problem=problem))
        else:
            experiment = load_experiment(Path(request.experiment), session.cache)
            Bench(request, emit, session, experiment, subjects).run()
    except BrokenExerciseError as error:
        emit(Broken(request.run, str(error), repr(error.__cause__ or error)))
    emit(Done(request.run))


@dataclass
class Own:
    """A learner's text, as a function to call."""

    text: OwnText
    session: Session
    function: Callable[..., Any] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.exercise = load_exercise(Path(self.text.folder), self.session.cache)
        places: dict[str, Submissions] = self.session.cache.setdefault("own texts", {})
        if self.text.exercise not in places:
            places[self.text.exercise] = Submissions()
        self.submission = places[self.text.exercise].place(self.text.source, self.text.filename)
        self.session.add_learner_file(self.submission.path)
        self.blame = Blame(self.submission, self.exercise.entry, self.session.device)

    def load(self) -> Finding | None:
        """Import the text; the finding when that can't be done."""
        if self.function is None:
            found = entry_of(self.submission, self.exercise, self.blame)
            if isinstance(found, Finding):
                return found
            self.function = found
        return None

    def examine(self, target: str, session: Session) -> Finding | None:
        """What is wrong with the text on its small case, for the interpreter and for the compiler."""
        if (problem := self.load()) is not None:
            return problem
        assert self.function is not None
        exercise = replace(self.exercise, measure_case=self.exercise.measure_case or self.exercise.trace_case)
        subject = Subject(exercise, self.submission, self.function, self.blame)
        with prints_aside():
            return Interpreted(subject, tools_of(session).compiler, target).begin()


@dataclass
class _Lab:
    """What an entry is given (``spec.Lab``)."""

    device: torch.device
    subjects: Mapping[str, Own]
    called: list[Own] = field(default_factory=list)
    """Whose functions this point calls."""

    def __post_init__(self) -> None:
        self._generator = torch.Generator(self.device).manual_seed(0)

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(*shape, dtype=dtype, device=self.device, generator=self._generator)

    def own(self, exercise: str) -> Callable[..., Any]:
        own = self.subjects[exercise]
        self.called.append(own)
        assert own.function is not None
        return own.function


@dataclass
class Bench:
    """One run of an experiment on a GPU."""

    request: ExperimentRequest
    emit: Callable[[Reply], None]
    session: Session
    experiment: Experiment
    subjects: Sequence[Own]

    def __post_init__(self) -> None:
        assert self.session.gpu is not None
        self.gpu: GpuInfo = self.session.gpu
        self.device = torch.device(self.session.device)
        self.sensors = sensors(self.session.device)

    def run(self) -> None:
        request = self.request
        self.emit(StageStarted(request.run, "sweep"))
        for own in self.subjects:
            if (problem := own.load()) is not None:
                self.emit(OwnRefused(run=request.run, exercise=own.text.exercise, problem=problem))
                return
        with self._gpu():
            card = ceilings(self.device, self.sensors)
        self.emit(
            ExperimentStarted(
                run=request.run,
                gpu=self.gpu.name,
                card=_card(card, self.gpu),
                versions=_versions(),
                total=sum(len(_points(axes)) for axes in request.grid.values()),
            )
        )
        for entry, axes in request.grid.items():
            if entry not in self.experiment.entries:
                raise BrokenExerciseError(f"{request.experiment}: no entry '{entry}'")
            for index, values in enumerate(_points(axes)):
                self.session.check_cancelled(request.run)
                self.emit(StageStarted(request.run, "sweep"))
                point = ExperimentPoint(run=request.run, entry=entry, index=index, values=values)
                self._try(point, card)
                if point.problem is not None and point.problem.id == "gpu-fault":
                    self.emit(Found(request.run, "sweep", [point.problem]))
                    return
                self.emit(point)

    def _gpu(self) -> Any:
        def waiting() -> None:
            self.emit(Found(self.request.run, "sweep", [Finding(id="gpu-waiting", severity="note")]))

        return gpu_to_oneself(self.sensors.lock_path(), waiting, lambda: self.session.check_cancelled(self.request.run))

    def _try(self, point: ExperimentPoint, card: Ceilings) -> None:
        """Fill in ``point``: its figures, or why there are none."""
        lab = _Lab(self.device, {own.text.exercise: own for own in self.subjects})
        name = ", ".join(f"{axis} = {value}" for axis, value in point.values.items()) or point.entry
        try:
            with self._gpu() as waited, prints_aside():
                timing = self.experiment.entries[point.entry](point.values, lab)
                if timing.expected is not None:
                    agree_at_scale(name, timing.call, timing.expected)
                self._time(point, timing, card, waited)
        except WrongAtScaleError as error:
            point.problem = verdicts.wrong_at_scale(error, str(self.device))
        except Exception as error:
            point.problem = verdicts.machine_fault(error, name, str(self.device)) or self._problem(error, lab)
        finally:
            torch.cuda.empty_cache()  # gigabytes that others on this GPU can use

    @staticmethod
    def _problem(error: Exception, lab: _Lab) -> Finding:
        """On the learner's line, where their function was called; else it is this card that can't do it."""
        if lab.called:
            return lab.called[-1].blame.of_error(error, "run")
        params = {"kind": type(error).__name__, "message": str(error)}
        return Finding(id="host-exception", severity="error", params=params)

    def _time(self, point: ExperimentPoint, timing: Timing, card: Ceilings, waited: float) -> None:
        with sampled(self.sensors) as condition:
            times = times_of(timing.call, REPEAT_MS)
        host_us, loop_us = clocks(timing.call, lambda: torch.cuda.synchronize(self.device))
        point.figures = figures(times, host_us, loop_us, timing)
        point.remarks = self._doubts(times, host_us, timing, card, condition, waited)

    def _doubts(
        self, times: Times, host_us: float, timing: Timing, card: Ceilings, condition: Condition, waited: float
    ) -> list[Finding]:
        said = remarks(times, host_us, card.empty_us, timing.bytes, self.gpu.l2_bytes, condition, waited)
        return [remark for remark in said if remark.id not in OF_THE_SUBJECT]


def figures(times: Times, host_us: float, loop_us: float, timing: Timing) -> dict[str, float]:
    """By the names in ``course.figures.FIGURES``."""
    found = {
        "us": times.median,
        "low_us": times.low,
        "high_us": times.high,
        "host_us": host_us,
        "loop_us": loop_us,
    }
    if timing.bytes:
        found["gbps"] = timing.bytes / times.median * 1e-3
    if timing.flops:
        found["tflops"] = timing.flops / times.median * 1e-6
    return found


def clocks(call: Callable[[], object], synchronise: Callable[[], object]) -> tuple[float, float]:
    """µs a call by the host's clock: until it returns, and in a loop that ends with one synchronisation.

    Medians of a few loops, the first of which isn't counted.
    """
    returned, finished = [], []
    for _ in range(LOOPS + 1):
        synchronise()
        started = time.perf_counter()
        for _ in range(LOOP_CALLS):
            call()
        returned.append(time.perf_counter() - started)
        synchronise()
        finished.append(time.perf_counter() - started)
    return median(returned[1:]) / LOOP_CALLS * 1e6, median(finished[1:]) / LOOP_CALLS * 1e6


def _points(axes: Mapping[str, Sequence[int | float | str]]) -> list[dict[str, int | float | str]]:
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _card(card: Ceilings, gpu: GpuInfo) -> dict[str, float]:
    """By the names in ``course.figures.CARD_FIGURES``."""
    known: dict[str, float | None] = {
        "copy_gbps": card.copy_gbps,
        "add_gbps": card.add_gbps,
        "read_gbps": card.read_gbps,
        "fill_gbps": card.fill_gbps,
        "empty_us": card.empty_us,
        "peak_gbps": gpu.peak_gbps,
        "peak_fp32_tflops": gpu.peak_fp32_tflops,
        "peak_tensor_tflops": gpu.peak_tensor_tflops,
        "l2_bytes": float(gpu.l2_bytes),
        "sms": float(gpu.sm_count),
    }
    return {name: figure for name, figure in known.items() if figure is not None}


def _versions() -> dict[str, str]:
    known = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": str(torch.__version__),
        "triton": triton.__version__,
        "driver": driver_version(),
    }
    return {name: version for name, version in known.items() if version is not None}
