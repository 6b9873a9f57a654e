"""A measure step while the learner is at it: predictions committed first, then the figures beside them. No widgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from tritontui.course.figures import Figures
from tritontui.course.model import Question
from tritontui.course.questions import AnswerError, Drawn, draw, plain, read_number
from tritontui.ui.learner.predictions import Prediction
from tritontui.ui.lesson.quiz import Asked, Quiz


class MeasureQuiz(Quiz):
    """Predictions are taken as they are until the figures are there; questions about the figures wait for them.

    ``predicted`` are the predictions that were committed before, by question.
    """

    def __init__(
        self,
        questions: Iterable[Question],
        answered: Iterable[str],
        predicted: Mapping[str, Prediction],
        random: Random | None = None,
    ) -> None:
        self.figures: Figures | None = None
        self._predicted = predicted
        super().__init__(questions, answered, random)

    def _ask(self, question: Question, done: bool) -> Asked:
        asked = super()._ask(question, done)
        committed = self._predicted.get(question.id)
        if committed is None or not question.prediction:
            return asked
        known = {name: committed.draw.get(name, values[0]) for name, values in question.variables.items()}
        asked.drawn = Drawn(question, known, asked.drawn.shown, asked.drawn.partners)
        asked.last, asked.done = committed.given, True
        return asked

    @property
    def committed(self) -> bool:
        """Whether everything that is asked before the figures is answered."""
        return all(asked.done for asked in self.asked if not asked.question.after)

    @property
    def shown(self) -> list[Asked]:
        asked = super().shown
        return asked if self.figures is not None else [one for one in asked if not one.question.after]

    @property
    def current(self) -> Asked | None:
        asked = super().current
        return None if asked is not None and asked.question.after and self.figures is None else asked

    @property
    def done(self) -> bool:
        return self.figures is not None and all(asked.done for asked in self.asked)

    def reveal(self, figures: Figures) -> list[Asked]:
        """The figures are there: every prediction is judged by them, and given back. Raises ExpressionError."""
        self.figures = figures
        predictions = []
        for asked in self.asked:
            asked.drawn = asked.drawn.measured(figures)
            if asked.question.prediction and asked.done:
                asked.judged = asked.drawn.judge(asked.last)
                predictions.append(asked)
        return predictions

    def answer(self, given: str = "") -> tuple[str, str, bool | None] | None:
        asked = self.current
        if asked is None or not asked.question.prediction:
            return super().answer(given)
        asked.unclear = False
        if asked.question.kind == "number":
            try:
                given = plain(read_number(asked.typed, asked.drawn.variables))
            except AnswerError:
                asked.unclear = True
                return None
        asked.last, asked.done = given, True
        if self.figures is not None:
            asked.judged = asked.drawn.judge(given)
        return asked.question.id, given, None

    def ask_again(self) -> None:
        """Every prediction anew, with other numbers where there are some; the figures are out of sight until then."""
        self.figures = None
        for asked in self.asked:
            asked.drawn = Drawn(asked.drawn.question, asked.drawn.variables, asked.drawn.shown, asked.drawn.partners)
            if asked.question.prediction:
                asked.drawn = draw(asked.question, self._random, asked.drawn)
                asked.typed, asked.last, asked.judged, asked.done = "", "", None, False
