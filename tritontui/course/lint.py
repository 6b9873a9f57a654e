"""What a lesson should have and hasn't, as far as reading its files tells: nothing is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from tritontui.course import twins
from tritontui.course.breaking import FILE as BREAKS
from tritontui.course.breaking import PASS
from tritontui.course.exercises import MARKER
from tritontui.course.faults import CourseError, Problem
from tritontui.course.loader import read_lessons
from tritontui.course.model import DECLARED, Course, ExerciseFolder, Lesson, Step

STEPS = range(5, 10)
"""So many steps of its own has a lesson."""
HINTS = 3
ATTEMPTS = 4
BREAKS_EACH = 2

_MENTION = re.compile(r"\b(?:lesson|lezione) (\d+)\b", re.IGNORECASE)


def lint(folder: Path | None, diagnoses: Collection[str]) -> tuple[Course, list[Problem]]:
    """The lessons under ``folder`` that could be read, and everything that is wrong with any; ``diagnoses`` are known.

    Raises CourseError when there is no lesson at all.
    """
    course, problems = read_lessons(folder, thorough=True)
    numbers = {lesson.number for lesson in course.lessons}
    for lesson in course.lessons:
        problems += _lesson(lesson, numbers, diagnoses)
    return course, CourseError(problems).problems


def _lesson(lesson: Lesson, numbers: Collection[int], diagnoses: Collection[str]) -> Iterator[Problem]:
    toml = lesson.folder / "lesson.toml"
    own = [step for step in lesson.steps if step.kind in DECLARED]
    if len(own) not in STEPS:
        said = f"{len(own)} steps, where {STEPS.start} to {STEPS.stop - 1} make a sitting"
        yield Problem(toml, None, said, "warning")
    if lesson.closing is None:
        yield Problem(toml, None, "no [closing]: the lesson ends without a question for the next", "warning")
    code = [step for step in own if step.kind == "code"]
    cold = [step for step in code if step.exercise is not None and step.exercise.cold]
    if code and len(cold) != 1:
        yield Problem(toml, None, f"{len(cold)} exercises are judged cold, where one is meant to be", "warning")
    yield from twins.check_words(toml, 1, lesson.title)
    for outcome in lesson.outcomes:
        yield from twins.check_words(toml, _line_with(toml, f'"{outcome.id}"') or 1, outcome.text)
    yield from twins.check(lesson.folder)
    for path in sorted(lesson.folder.glob("*.md")):
        yield from _mentions(path, numbers)
    for step in own:
        if step.exercise is not None:
            yield from _exercise(step, step.exercise, numbers, diagnoses)
        if step.experiment is not None and step.experiment.recorded is None:
            said = f"not recorded yet: python -m benchmarks.recordings {step.experiment.id}"
            yield Problem(step.experiment.folder, None, said, "warning")


def _exercise(
    step: Step, exercise: ExerciseFolder, numbers: Collection[int], diagnoses: Collection[str]
) -> Iterator[Problem]:
    for name in exercise.faults:
        if name not in diagnoses:
            yield Problem(exercise.folder.parents[1] / "lesson.toml", None, f"'{name}' is no diagnosis")
    if not exercise.judged:
        return
    for stem in ("hints.", "breaks."):
        yield from twins.check(exercise.folder, stem)
    for path in sorted(exercise.folder.glob("*.md")):
        yield from _mentions(path, numbers)
    if len(exercise.hints["en"]) < HINTS:
        said = f"{len(exercise.hints['en'])} hints, where {HINTS} lead to the solution"
        yield Problem(exercise.folder / "hints.en.md", None, said)
    yield from _attempts(exercise, diagnoses)
    if step.kind == "code":
        yield from _breaks(exercise, diagnoses)


def _attempts(exercise: ExerciseFolder, diagnoses: Collection[str]) -> Iterator[Problem]:
    if len(exercise.attempts) < ATTEMPTS:
        said = f"{len(exercise.attempts)} wrong attempts, where {ATTEMPTS} are wanted"
        yield Problem(exercise.folder / "attempts", None, said)
    for attempt in exercise.attempts:
        if attempt.diagnosis not in diagnoses:
            lines = attempt.path.read_text(encoding="utf-8").splitlines()
            line = next(number for number, text in enumerate(lines, 1) if MARKER.search(text))
            yield Problem(attempt.path, line, f"'{attempt.diagnosis}' is no diagnosis")


def _breaks(exercise: ExerciseFolder, diagnoses: Collection[str]) -> Iterator[Problem]:
    path = exercise.folder / BREAKS
    if len(exercise.breaks) < BREAKS_EACH:
        said = f"{len(exercise.breaks)} things to break on purpose, where {BREAKS_EACH} are wanted"
        yield Problem(path if path.exists() else exercise.folder, None, said, "warning")
    for found in exercise.breaks:
        for option in found.question.options:
            if option.id != PASS and option.id not in diagnoses:
                line = _line_with(path, f'"{option.id}"')
                yield Problem(path, line, f"'{option.id}' is no diagnosis, nor '{PASS}'")


def _mentions(path: Path, numbers: Collection[int]) -> Iterator[Problem]:
    """Lessons that a text sends the learner to, and that aren't there."""
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for mention in _MENTION.finditer(text):
            if int(mention[1]) not in numbers:
                yield Problem(path, line, f"there is no lesson {mention[1]}", "warning")


def _line_with(path: Path, text: str) -> int | None:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), None)
