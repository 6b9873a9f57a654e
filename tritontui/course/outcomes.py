"""Which outcomes of a lesson are reached, and what others wait for."""

from __future__ import annotations

from collections.abc import Collection

from tritontui.course.model import Lesson, Outcome, Step


def reached(lesson: Lesson, done: Collection[str]) -> frozenset[str]:
    """Outcomes of ``lesson`` whose every activity is done; reading alone reaches none."""
    return frozenset(outcome.id for outcome in lesson.outcomes if not missing(lesson, outcome, done))


def missing(lesson: Lesson, outcome: Outcome, done: Collection[str]) -> tuple[Step, ...]:
    """The activities that are to be done yet before ``outcome`` is reached; all reading, if it has no activity."""
    steps = [step for step in lesson.steps if outcome.id in step.outcomes]
    activities = [step for step in steps if step.kind != "read"]
    return tuple(step for step in activities if step.id not in done) if activities else tuple(steps)
