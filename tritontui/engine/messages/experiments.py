"""What a measure step times: entries at every point of their axes."""

from __future__ import annotations

from msgspec import Struct

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages.runs import StageName

AxisValue = int | float | str


class OwnText(Struct, kw_only=True):
    """A learner's text that an experiment calls."""

    exercise: str
    """Its id."""
    folder: str
    """The exercise's folder (holds exercise.py)."""
    source: str
    filename: str


class ExperimentRequest(Struct, tag=True, kw_only=True):
    """In the CPU's child: are the learner's own texts fit to run? In a GPU's child: time every point."""

    run: int
    experiment: str
    """Folder of the experiment (holds experiment.py)."""
    grid: dict[str, dict[str, list[AxisValue]]]
    """By entry the values of its axes; the last axis varies fastest."""
    own: list[OwnText] = []
    target: str | None = None
    soft_seconds: dict[StageName, float] = {}


class OwnRefused(Struct, tag=True, kw_only=True):
    """A learner's text is wrong, and no GPU sees it."""

    run: int
    exercise: str
    problem: Finding


class ExperimentStarted(Struct, tag=True, kw_only=True):
    run: int
    gpu: str
    """The GPU's name."""
    card: dict[str, float]
    """Its own figures, by the names in ``course.figures.CARD_FIGURES``."""
    versions: dict[str, str]
    total: int
    """Points of all entries."""


class ExperimentPoint(Struct, tag=True, kw_only=True):
    """One point of one entry, ``index`` counting the entry's points."""

    run: int
    entry: str
    index: int
    values: dict[str, AxisValue]
    figures: dict[str, float] = {}
    """By the names in ``course.figures.FIGURES``; empty where there is a ``problem``."""
    problem: Finding | None = None
    remarks: list[Finding] = []
    """What makes these figures doubtful: noise, another process, throttling."""
