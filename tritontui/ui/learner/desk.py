"""Where the learner stands in the course: lesson, step, exercise, and what is done. Plain rules, no widgets."""

from __future__ import annotations

from typing import NamedTuple

from tritontui.course.model import Course, ExerciseFolder, Lesson, Step
from tritontui.course.records import Position


class Place(NamedTuple):
    """One step of one lesson, by index."""

    lesson: int
    step: int


class Desk:
    """Moves through the steps of a course, over the borders of lessons."""

    def __init__(self, course: Course, place: Place) -> None:
        self.course = course
        self.place = place

    @classmethod
    def at(cls, course: Course, position: Position | None, lesson_number: int | None = None) -> Desk:
        """At the wanted lesson, else where the learner left, else at the beginning.

        A wanted lesson in which the learner left opens at the step where they left. Raises KeyError for a
        lesson number that doesn't exist.
        """
        left = find(course, position) if position else None
        if lesson_number is not None:
            index = course.lessons.index(course.lesson(lesson_number))
            return cls(course, left if left and left.lesson == index else Place(index, 0))
        return cls(course, left or Place(0, 0))

    def widen(self, course: Course) -> None:
        """Stay at the step, in a course that has more lessons."""
        index = next(index for index, lesson in enumerate(course.lessons) if lesson.id == self.lesson.id)
        self.course, self.place = course, Place(index, self.place.step)

    @property
    def lesson(self) -> Lesson:
        return self.course.lessons[self.place.lesson]

    @property
    def lesson_before(self) -> Lesson | None:
        """The lesson before this one; None for the first."""
        return self.course.lessons[self.place.lesson - 1] if self.place.lesson > 0 else None

    @property
    def step(self) -> Step:
        return self.lesson.steps[self.place.step]

    @property
    def exercise(self) -> ExerciseFolder | None:
        """The step's exercise, else the one before it in the lesson, else the next: something to try things on."""
        steps = self.lesson.steps
        before = reversed(steps[: self.place.step + 1])
        after = steps[self.place.step + 1 :]
        return next((step.exercise for step in (*before, *after) if step.exercise is not None), None)

    @property
    def ahead(self) -> bool:
        """Whether the exercise is a later step's, of which the learner has read nothing yet."""
        return all(step.exercise is None for step in self.lesson.steps[: self.place.step + 1])

    def beside(self, distance: int) -> Place | None:
        """The place ``distance`` steps on, over lessons; None past either end of the course."""
        places = [Place(i, j) for i, lesson in enumerate(self.course.lessons) for j in range(len(lesson.steps))]
        index = places.index(self.place) + distance
        return places[index] if 0 <= index < len(places) else None


def find(course: Course, position: Position) -> Place | None:
    """The place of a remembered position; None when the course has no such step any more."""
    for lesson_index, lesson in enumerate(course.lessons):
        if lesson.id == position.lesson:
            for step_index, step in enumerate(lesson.steps):
                if step.id == position.step:
                    return Place(lesson_index, step_index)
    return None
