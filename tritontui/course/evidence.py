"""On which rung a learner stands: what each rung takes, and what of it was reached."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tritontui.course.model import Course, Lesson, Outcome, Rung

RUNG = "rung"
"""Id of the question on which rung the learner expects to stand."""
BELOW = "below"
"""Id of the option for those who don't stand on the first yet."""


def lacking(rung: Rung, course: Course, reached: Collection[str]) -> list[tuple[Lesson, Outcome]]:
    """The outcomes of a rung, each with its lesson, that aren't in ``reached``."""
    return [(lesson, outcome) for lesson, outcome in taken(rung, course) if outcome.id not in reached]


def taken(rung: Rung, course: Course) -> Iterator[tuple[Lesson, Outcome]]:
    """All that a rung takes besides the rungs below it."""
    for lesson in course.lessons:
        if lesson.number in rung.lessons:
            for outcome in lesson.outcomes:
                yield lesson, outcome


def standing(rungs: Sequence[Rung], course: Course, reached: Collection[str]) -> str:
    """Id of the highest rung that, like all below it, lacks nothing; ``BELOW`` when the first one does."""
    stands = BELOW
    for rung in rungs:
        if lacking(rung, course, reached):
            break
        stands = rung.id
    return stands
