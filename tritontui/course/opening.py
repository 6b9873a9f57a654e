"""Between lessons: three questions from earlier ones before a lesson begins, and a guess at its end.

Nothing here blocks the way: who skips the questions goes on, and outcomes don't depend on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from random import Random

from tritontui.course.model import Course, Lesson, Question, Step, Text

OPENING = "opening"
"""Id of the step with which each lesson but the first opens."""
CLOSING = "closing"
"""Id of the step, and of the question, with which a lesson closes."""

QUESTIONS = 3
LESSONS_BACK = 3
"""The questions are from the last lesson and the two before it."""


_OPENING_TITLE: Text = {"en": "Do you remember?", "it": "Ti ricordi?"}
_OPENING_BODY: Text = {
    "en": "Three questions from earlier lessons, with new numbers. Answer them, or go on: nothing depends on them.",
    "it": "Tre domande dalle lezioni passate, con numeri nuovi. Rispondi, oppure vai avanti: non ne dipende niente.",
}
_CLOSING_TITLE: Text = {"en": "What do you think?", "it": "Tu che cosa dici?"}
_CLOSING_BODY: Text = {
    "en": "One question that this lesson leaves open. Nobody expects you to know: commit to a guess.",
    "it": "Una domanda che questa lezione lascia aperta. Non devi saperlo: azzarda una risposta.",
}


def opening_step() -> Step:
    """The step that asks about earlier lessons; its questions are drawn when it is shown."""
    return Step(OPENING, "opening", _OPENING_TITLE, _OPENING_BODY)


def closing_step() -> Step:
    """The step in which the learner guesses what the next lesson answers."""
    return Step(CLOSING, "closing", _CLOSING_TITLE, _CLOSING_BODY)


def recalled(course: Course, lesson: Lesson, learner: str, day: date) -> list[Question]:
    """The questions that ``lesson`` opens with: the same for one learner all day long, others the day after.

    Each has the id ``lesson/step/question`` of where it was taught. One from the last lesson and one from each of the
    two before it; where there are fewer, or one has none to ask, more from the others.
    """
    random = Random(f"{learner} {lesson.id} {day.isoformat()}")
    earlier = [other for other in course.lessons if other.number < lesson.number][-LESSONS_BACK:]
    pools = [pool for other in reversed(earlier) if (pool := list(_pool(other)))]
    for pool in pools:
        random.shuffle(pool)
    return list(_in_turns(pools))[:QUESTIONS]


def _pool(lesson: Lesson) -> Iterator[Question]:
    for step in lesson.steps:
        for question in step.questions:
            if question.recall:
                yield question._replace(id=f"{lesson.id}/{step.id}/{question.id}")


def _in_turns(pools: Sequence[list[Question]]) -> Iterator[Question]:
    for turn in range(max(map(len, pools), default=0)):
        for pool in pools:
            if turn < len(pool):
                yield pool[turn]
