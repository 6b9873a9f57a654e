"""How often a learner's committed predictions were right: by what they are about, by how sure they were, and lately."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from tritontui.course.model import Course, Lesson, Question, Step, Topic
from tritontui.course.opening import OPENING
from tritontui.course.records import AnswerRecord, PredictionRecord

LATELY = 10


@dataclass(frozen=True)
class Try:
    """One prediction and how it came out: the first answer to a question, or what was said before a verdict."""

    lesson: str
    step: str
    question: str
    topic: Topic
    correct: bool
    at: float
    """Seconds since 1970."""
    confidence: int | None = None
    """Percent; None: not asked."""


@dataclass(frozen=True)
class Tally:
    """So many of them were right."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.right / self.total


@dataclass(frozen=True)
class Scoreboard:
    overall: Tally | None
    """None: nothing was predicted yet."""
    topics: dict[Topic, Tally]
    """In the order of ``Topic``; only what was predicted."""
    sureness: dict[int, Tally]
    """By confidence in percent, the smallest first."""
    lately: tuple[Try, ...]
    """Newest first."""

    @property
    def calibration(self) -> float | None:
        """How much surer the learner was than right, from -1 to 1; None where confidence was never asked."""
        total = sum(tally.total for tally in self.sureness.values())
        if total == 0:
            return None
        sure = sum(percent * tally.total for percent, tally in self.sureness.items()) / 100
        return (sure - sum(tally.right for tally in self.sureness.values())) / total


def scoreboard(course: Course, answers: Iterable[AnswerRecord], predictions: Iterable[PredictionRecord]) -> Scoreboard:
    """What is on the board; answers and predictions are given oldest first, of lessons that ``course`` may lack."""
    tries = sorted([*_first_tries(course, answers), *_judged(course, predictions)], key=lambda one: one.at)
    topics = {topic: [one for one in tries if one.topic == topic] for topic in get_args(Topic)}
    sure = sorted({one.confidence for one in tries if one.confidence is not None})
    return Scoreboard(
        overall=_tally(tries) if tries else None,
        topics={topic: _tally(found) for topic, found in topics.items() if found},
        sureness={percent: _tally([one for one in tries if one.confidence == percent]) for percent in sure},
        lately=tuple(reversed(tries[-LATELY:])),
    )


def _tally(tries: Sequence[Try]) -> Tally:
    return Tally(sum(one.correct for one in tries), len(tries))


def _first_tries(course: Course, answers: Iterable[AnswerRecord]) -> Iterator[Try]:
    """The first answer to each question of a step; of an opening, to each question on each day."""
    questions = _questions(course)
    seen: set[tuple[str, str, str, date | None]] = set()
    for answer in answers:
        day = date.fromtimestamp(answer.at) if answer.step == OPENING else None
        key = answer.lesson, answer.step, answer.question, day
        if key in seen:
            continue
        seen.add(key)
        origin = answer.question if answer.step == OPENING else f"{answer.lesson}/{answer.step}/{answer.question}"
        question = questions.get(origin)
        if question is not None:
            lesson, step, name = origin.split("/")
            yield Try(lesson, step, name, question.topic, answer.correct, answer.at)


def _judged(course: Course, predictions: Iterable[PredictionRecord]) -> Iterator[Try]:
    """Predictions of figures and verdicts of which it is known how they came out."""
    questions = _questions(course)
    steps = {(lesson.id, step.id) for lesson, step in _steps(course)}
    for one in predictions:
        if one.correct is None or (one.lesson, one.step) not in steps:
            continue
        question = questions.get(f"{one.lesson}/{one.step}/{one.question}")
        topic = question.topic if question is not None else "verdicts"
        yield Try(one.lesson, one.step, one.question, topic, one.correct, one.at, one.confidence)


def _questions(course: Course) -> dict[str, Question]:
    """By ``lesson/step/question``."""
    return {
        f"{lesson.id}/{step.id}/{question.id}": question
        for lesson, step in _steps(course)
        for question in step.questions
    }


def _steps(course: Course) -> Iterator[tuple[Lesson, Step]]:
    """Those that ask for predictions: where learners place themselves, nobody is right or wrong."""
    for lesson in course.lessons:
        yield from ((lesson, step) for step in lesson.steps if step.kind != "evidence")
