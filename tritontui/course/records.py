"""What is kept of a learner's work, a row at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple


class Position(NamedTuple):
    """Where the learner left."""

    lesson: str
    step: str


class AnswerRecord(NamedTuple):
    lesson: str
    step: str
    question: str
    given: str
    correct: bool
    at: float


class AttemptRecord(NamedTuple):
    verdict: Literal["pass", "fail", "error"]
    findings: tuple[str, ...]
    """Ids, cause first."""
    device: str
    at: float
    """Seconds since 1970."""


class MeasurementRecord(NamedTuple):
    case: str
    device: str
    """The GPU's name."""
    median_us: float
    gbps: float
    at: float


FiguresSource = Literal["measured", "imported", "recorded", "judged"]
"""Measured here; measured elsewhere by the learner and brought in; the course's own recording; or a verdict."""


class PredictionRecord(NamedTuple):
    """What the learner expected of an experiment or a verdict, and what was right once it was there."""

    lesson: str
    step: str
    question: str
    given: str
    """choice: the option's id; number: the number, as text."""
    draw: Mapping[str, int]
    """The question's variables, as they were drawn."""
    at: float
    """When it was committed, in seconds since 1970."""
    correct: bool | None = None
    """None: the figures haven't been seen yet."""
    figure: str | None = None
    """The right answer by the figures: an option's id, or a number."""
    distance: float | None = None
    """number: abs(given - figure) / abs(figure)."""
    source: FiguresSource | None = None
    confidence: int | None = None
    """How sure the learner was, in percent; None: not asked."""


class ExperimentRecord(NamedTuple):
    """The figures of one experiment, measured by the learner."""

    exercise: str
    gpu: str
    """The GPU's name."""
    source: FiguresSource
    figures: str
    """JSON, as ``course.figures`` reads it."""
    at: float
