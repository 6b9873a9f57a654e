"""The questions of a step while the learner answers them: what keys do to their state. No widgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from tritontui.course.model import Question
from tritontui.course.questions import Answer, AnswerError, Drawn, Judged, draw, plain, read_number

NUMBER_CHARACTERS = frozenset("0123456789+-*/().,_% ")


@dataclass
class Asked:
    """One question with the answer as far as it is given."""

    drawn: Drawn
    typed: str = ""
    """number: what has been typed."""
    order: list[str] = field(default_factory=list)
    """order: ids as they stand."""
    partners: dict[str, str] = field(default_factory=dict)
    """match: chosen partner by id."""
    tried: list[str] = field(default_factory=list)
    """choice: options that were wrong."""
    lifted: str | None = None
    """order: the item that moves with the cursor."""
    judged: Judged | None = None
    """The last answer's judgement; its words hold the numbers it was given for."""
    given: Answer = ""
    """That answer."""
    last: str = ""
    """The same, in words."""
    unclear: bool = False
    """What was given could not be read as an answer."""
    done: bool = False

    @property
    def question(self) -> Question:
        return self.drawn.question

    def still_wrong(self, item: str) -> bool:
        """Whether ``item`` of an order or a match was wrong, and is as it was then."""
        if self.judged is None or item not in self.judged.wrong:
            return False
        if isinstance(self.given, Mapping):
            return self.partners.get(item) == self.given[item]
        return self.order.index(item) == list(self.given).index(item)


class Quiz:
    """Asks one question after the other; a wrong answer redraws the numbers."""

    def __init__(
        self, questions: Iterable[Question], answered: Iterable[str] = (), random: Random | None = None
    ) -> None:
        self._random = random or Random()
        known = set(answered)
        self.asked = [self._ask(question, question.id in known) for question in questions]

    @property
    def current(self) -> Asked | None:
        """The question to answer now; None when all are answered."""
        return next((asked for asked in self.asked if not asked.done), None)

    @property
    def shown(self) -> list[Asked]:
        """The questions answered so far, and the one to answer now."""
        current = self.current
        return self.asked if current is None else self.asked[: self.asked.index(current) + 1]

    @property
    def done(self) -> bool:
        return self.current is None

    def _ask(self, question: Question, done: bool) -> Asked:
        asked = Asked(draw(question, self._random), done=done)
        asked.order = list(asked.drawn.shown) if question.kind == "order" else []
        return asked

    # ------------------------------------------------------------ keys

    def type(self, character: str, free: bool = False) -> bool:
        """A character into a number; False when none is asked for or the character is none of an answer's.

        Digits and signs begin an answer, and so does what is ``free``, a character that means nothing else here. Once
        begun, all that is typed belongs to it: a command's letter in ``n // 64`` or ``600 MB`` must not leave the step.
        """
        asked = self.current
        if asked is None or asked.question.kind != "number" or not character.isprintable():
            return False
        if not asked.typed and not free and character not in NUMBER_CHARACTERS:
            return False
        asked.typed += character
        return True

    def erase(self) -> bool:
        """Take the last typed character back."""
        asked = self.current
        if asked is None or not asked.typed:
            return False
        asked.typed = asked.typed[:-1]
        return True

    def lift(self, item: str) -> None:
        """Take an item of an order up, or put it down."""
        asked = self.current
        if asked is not None:
            asked.lifted = None if asked.lifted == item else item

    def carry(self, step: int) -> bool:
        """Move the lifted item; False when none is lifted."""
        asked = self.current
        if asked is None or asked.lifted is None:
            return False
        old = asked.order.index(asked.lifted)
        new = min(max(old + step, 0), len(asked.order) - 1)
        asked.order.insert(new, asked.order.pop(old))
        return True

    def pair(self, item: str, step: int = 1) -> None:
        """The next partner for an item of a match."""
        asked = self.current
        if asked is None:
            return
        choices = asked.drawn.partners
        chosen = asked.partners.get(item)
        index = choices.index(chosen) + step if chosen is not None else (0 if step > 0 else -1)
        asked.partners[item] = choices[index % len(choices)]

    # ------------------------------------------------------------ judging

    def answer(self, given: str = "") -> tuple[str, str, bool | None] | None:
        """Judge the current question (``given`` is a choice's option): question id, answer in words, right or not.

        None when there was no answer to judge yet.
        """
        asked = self.current
        if asked is None:
            return None
        answer = self._answer_of(asked, given)
        asked.unclear = False
        try:
            judged = asked.drawn.judge(answer)
        except AnswerError:
            asked.unclear = True
            return None
        words = _in_words(answer)
        asked.judged, asked.given, asked.last, asked.lifted = judged, answer, words, None
        asked.done = judged.correct
        if not judged.correct:
            self._again(asked, given)
        return asked.question.id, words, judged.correct

    def _answer_of(self, asked: Asked, given: str) -> Answer:
        kind = asked.question.kind
        if kind == "number":
            return asked.typed
        if kind == "order":
            return tuple(asked.order)
        if kind == "match":
            return dict(asked.partners)
        return given

    def _again(self, asked: Asked, given: str) -> None:
        asked.typed = ""
        if asked.question.variables:
            asked.drawn = draw(asked.question, self._random, asked.drawn)
            asked.tried.clear()
        elif asked.question.kind == "choice":
            asked.tried.append(given)


class Guesses(Quiz):
    """Takes what the learner expects and doesn't judge it; options stand as they were declared.

    ``given`` are the guesses that were made before, by question.
    """

    def __init__(self, questions: Iterable[Question], given: Mapping[str, str], *, head: str) -> None:
        self.head = head
        """What stands over each question, marked for the catalogue."""
        self._given = given
        super().__init__(questions, given)

    @property
    def given(self) -> dict[str, str]:
        """By question, as far as they go."""
        return {asked.question.id: asked.last for asked in self.asked if asked.done}

    def _ask(self, question: Question, done: bool) -> Asked:
        drawn = Drawn(question, {}, tuple(option.id for option in question.options))
        return Asked(drawn, last=self._given.get(question.id, ""), done=done)

    def answer(self, given: str = "") -> tuple[str, str, bool | None] | None:
        """Take the guess: question id, the guess in words, and None for nobody says whether it is right."""
        asked = self.current
        if asked is None:
            return None
        asked.unclear = False
        if asked.question.kind == "number":
            try:
                given = plain(read_number(asked.typed, {}))
            except AnswerError:
                asked.unclear = True
                return None
        asked.last, asked.done = given, True
        return asked.question.id, given, None


def _in_words(answer: Answer) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict):
        return " ".join(f"{item}={partner}" for item, partner in answer.items())
    return " ".join(answer)
