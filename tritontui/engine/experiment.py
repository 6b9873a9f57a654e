"""What is known of one run of an experiment so far, and the figures that it ends in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from math import prod

from tritontui.course.figures import FIGURES, AxisValue, EntryFigures, Figures, Machine
from tritontui.course.model import ExerciseFolder, Experiment
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Broken,
    Done,
    ExperimentPoint,
    ExperimentStarted,
    Found,
    Lost,
    OwnRefused,
    OwnText,
    Reply,
    StageSkipped,
)

COMMAND = "tritontui"
"""What measured, where nothing else is said."""


def own_text(exercise: ExerciseFolder, source: str, filename: str) -> OwnText:
    """A learner's text, for ``Engine.experiment``."""
    return OwnText(exercise=exercise.id, folder=str(exercise.folder), source=source, filename=filename)


class ExperimentRun:
    """Add the replies of one run as they come."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.run: int | None = None
        self.started: ExperimentStarted | None = None
        self.points: dict[tuple[str, int], ExperimentPoint] = {}
        self.refused: dict[str, Finding] = {}
        """What is wrong with a learner's text, by its exercise; nothing is timed then."""
        self.findings: list[Finding] = []
        """Of the run as a whole: ``gpu-fault``, ``no-progress``…"""
        self.waiting = False
        """Another measurement has the GPU."""
        self.unmeasured: str | None = None
        """Why there are no figures: ``no-gpu``."""
        self.broken: Broken | None = None
        self.lost: Lost | None = None
        self.finished = False
        self.cancelled = False

    def add(self, reply: Reply) -> None:
        """Take one reply in. Replies of another run than the first one seen are ignored."""
        run = getattr(reply, "run", None)
        self.run = run if self.run is None else self.run
        if run != self.run:
            return
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
            case StageSkipped():
                self.unmeasured = reply.reason
            case Broken():
                self.broken = reply
            case Lost():
                self.lost = reply
            case Done():
                self.finished, self.cancelled = True, reply.cancelled
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
