"""What the learner said beforehand, by lesson, step and question, and how it came out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from tritontui.course.model import Lesson
from tritontui.course.records import FiguresSource
from tritontui.ui.learner.ledger import Ledger


class Prediction(NamedTuple):
    """What the learner said beforehand, and how it came out."""

    given: str
    confidence: int | None = None
    """Percent."""
    correct: bool | None = None
    """None: not known yet."""
    figure: str | None = None
    """What was right."""
    draw: Mapping[str, int] = MappingProxyType({})
    """The question's variables, as they were drawn."""
    source: FiguresSource | None = None


class Outcome(NamedTuple):
    """What figures said to a prediction."""

    correct: bool
    figure: str
    """What was right."""
    distance: float | None
    """From what was said, as ``course.figures`` counts it."""
    source: FiguresSource


class Predictions:
    """The newest prediction on each question; steps and questions are named by their ids."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[str, dict[tuple[str, str], Prediction]] = {}

    def of(self, lesson: Lesson) -> dict[tuple[str, str], Prediction]:
        """By step and question."""
        if lesson.id not in self._known:
            self._known[lesson.id] = {
                (found.step, found.question): Prediction(
                    found.given, found.confidence, found.correct, found.figure, found.draw, found.source
                )
                for found in self._ledger.read(self._ledger.progress.predictions, [], lesson.id)
            }
        return self._known[lesson.id]

    def commit(self, lesson: Lesson, step: str, question: str, said: Prediction) -> None:
        """The learner commits to what they expect."""
        self.of(lesson)[step, question] = said
        self._ledger.write(
            self._ledger.progress.commit_prediction,
            lesson.id,
            step,
            question,
            said.given,
            dict(said.draw),
            said.confidence,
        )

    def judge(self, lesson: Lesson, step: str, question: str, figure: str) -> Prediction | None:
        """It came out as ``figure``: the prediction judged by it; None when there is none, or it was judged already."""
        before = self.of(lesson).get((step, question))
        if before is None or before.correct is not None:
            return None
        outcome = Outcome(before.given == figure, figure, None, "judged")
        return self._keep(lesson, step, question, before, outcome)

    def measured(self, lesson: Lesson, step: str, question: str, outcome: Outcome) -> None:
        """What the figures of an experiment said to it; nothing, where they have said so before."""
        before = self.of(lesson).get((step, question))
        if before is not None and (before.figure, before.source) != (outcome.figure, outcome.source):
            self._keep(lesson, step, question, before, outcome)

    def _keep(self, lesson: Lesson, step: str, question: str, said: Prediction, outcome: Outcome) -> Prediction:
        judged = said._replace(correct=outcome.correct, figure=outcome.figure, source=outcome.source)
        self.of(lesson)[step, question] = judged
        judge = partial(self._ledger.progress.judge_prediction, **outcome._asdict())
        self._ledger.write(judge, lesson.id, step, question)
        return judged
