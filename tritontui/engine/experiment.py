"""What is known of one run of an experiment so far, and the figures that it ends in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from math import prod

from tritontui.course.figures import FIGURES, AxisValue, EntryFigures, Figures, Machine
from tritontui.course.model import ExerciseFolder, Experiment
from tritontui.diagnosis.finding import Finding
from tritontui.engine.measuring import MeasuringRun
from tritontui.engine.messages import (
    ExperimentPoint,
    ExperimentStarted,
    Found,
    OwnRefused,
    OwnText,
    Reply,
)

COMMAND = "tritontui"
"""What measured, where nothing else is said."""


def own_text(exercise: ExerciseFolder, source: str, filename: str) -> OwnText:
    """A learner's text, for ``Engine.experiment``."""
    return OwnText(exercise=exercise.id, folder=str(exercise.folder), source=source, filename=filename)


class ExperimentRun(MeasuringRun):
    """One run of an experiment: its points, by entry and index."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__()
        self.experiment = experiment
        self.started: ExperimentStarted | None = None
        self.points: dict[tuple[str, int], ExperimentPoint] = {}
        self.refused: dict[str, Finding] = {}
        """What is wrong with a learner's text, by its exercise; nothing is timed then."""

    def _take(self, reply: Reply) -> None:
        match reply:
            case ExperimentStarted():
                self.started, self.waiting = reply, False
            case ExperimentPoint():
                self.points[reply.entry, reply.index] = reply
                self.waiting = False
            case OwnRefused():
                self.refused[reply.exercise] = reply.problem
            case Found():
                self.waiting = any(finding.id == "gpu-waiting" for finding in reply.findings)
                self.findings += [finding for finding in reply.findings if finding.id != "gpu-waiting"]
            case _:
                pass

    @property
    def progress(self) -> tuple[int, int]:
        """Points tried, of so many."""
        return len(self.points), self.started.total if self.started else 0

    @property
    def last(self) -> ExperimentPoint | None:
        """The point that was tried last."""
        return next(reversed(self.points.values()), None)

    @property
    def complete(self) -> bool:
        """Whether every point was tried."""
        tried, total = self.progress
        return self.started is not None and tried == total

    def figures(self, command: str = COMMAND, now: datetime | None = None) -> Figures | None:
        """The figures, once every point was tried; None before, and when there is not one figure."""
        if not self.complete or self.started is None or not any(point.figures for point in self.points.values()):
            return None
        at = now or datetime.now(timezone.utc)
        return Figures(
            self.experiment.id,
            Machine(self.started.gpu, {n: _short(f) for n, f in self.started.card.items()}, self.started.versions),
            at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            command,
            {entry: self._entry(entry, axes) for entry, axes in self.experiment.grid.items()},
        )

    def _entry(self, entry: str, axes: Mapping[str, tuple[AxisValue, ...]]) -> EntryFigures:
        points = [self.points[entry, index] for index in range(prod(len(values) for values in axes.values()))]
        known = [name for name in FIGURES if any(name in point.figures for point in points)]
        return EntryFigures(axes, {name: tuple(_figure(point, name) for point in points) for name in known})


def _figure(point: ExperimentPoint, name: str) -> float | None:
    return _short(point.figures[name]) if name in point.figures else None


def _short(figure: float) -> float:
    """Five significant digits: the rest is noise."""
    return float(f"{figure:.5g}")
