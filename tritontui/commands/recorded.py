"""What is recorded beside exercises, and what the judge must say of it: starters, solutions, attempts, breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tritontui.commands.engine import judge, running
from tritontui.course.breaking import FILE as BREAKS
from tritontui.course.breaking import PASS
from tritontui.course.model import Break, Course, ExerciseFolder, KnobValue, Lesson
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageName
from tritontui.engine.report import Report

STAGES: tuple[StageName, ...] = ("trace", "legality", "cases")


@dataclass(frozen=True)
class Expected:
    """A recorded submission and what is to be said of it."""

    lesson: str
    exercise: ExerciseFolder
    path: Path
    """The file in which it stands."""
    verdict: str
    """``pass``, ``fail``, ``run`` for what is explored (no error but those it shows on purpose), or ``found`` for a
    break, whatever the verdict."""
    diagnosis: str | None = None
    line: int | None = None
    knobs: Mapping[str, KnobValue] = field(default_factory=dict)
    """explored: those that don't stand where they begin."""
    broken: Break | None = None
    """The change made to the solution."""

    @property
    def source(self) -> str:
        if self.broken is not None:
            return self.broken.apply(self.exercise.solution.read_text(encoding="utf-8"))
        return self.path.read_text(encoding="utf-8")

    @property
    def submission(self) -> str:
        """The file, and what was turned or changed."""
        turned = ", ".join(f"{name} = {value}" for name, value in self.knobs.items())
        more = self.broken.id if self.broken is not None else turned
        return str(self.path.relative_to(self.exercise.folder)) + (f" ({more})" if more else "")


@dataclass(frozen=True)
class Item:
    """One line of the report; ``expected`` and ``got`` are a verdict or a diagnosis."""

    lesson: str
    exercise: str
    submission: str
    expected: str
    got: str
    ok: bool
    expected_line: int | None
    got_line: int | None


def expectations(course: Course) -> Iterator[Expected]:
    """What every recorded submission of ``course`` must get."""
    for lesson in course.lessons:
        for step in lesson.steps:
            if step.exercise is None:
                continue
            exercise = step.exercise
            if not exercise.judged:
                yield from _explored(lesson, exercise)
                continue
            yield Expected(lesson.id, exercise, exercise.starter, "fail")
            yield Expected(lesson.id, exercise, exercise.solution, "pass")
            for attempt in exercise.attempts:
                yield Expected(lesson.id, exercise, attempt.path, "fail", attempt.diagnosis, attempt.line)
            for found in exercise.breaks:
                answer = str(found.question.answer)
                yield Expected(lesson.id, exercise, exercise.folder / BREAKS, "found", answer, broken=found)


def _explored(lesson: Lesson, exercise: ExerciseFolder) -> Iterator[Expected]:
    """The starter with every knob where it begins, and with each knob at each of its other values."""
    yield Expected(lesson.id, exercise, exercise.starter, "run")
    for knob in exercise.knobs:
        for value in knob.values:
            if value != knob.start:
                yield Expected(lesson.id, exercise, exercise.starter, "run", knobs={knob.name: value})


async def try_all(course: Course, device: str, tell: Callable[[Expected, Item], None]) -> list[tuple[Expected, Item]]:
    """Judge every recorded submission; ``tell`` is called with each as it comes."""
    done = []
    async with running(device) as engine:
        for expected in expectations(course):
            item = await try_one(engine, expected)
            done.append((expected, item))
            tell(expected, item)
    return done


async def try_one(engine: Engine, expected: Expected) -> Item:
    report = await judge(engine, expected.exercise, expected.source, expected.path.name, STAGES, expected.knobs)
    return compare(expected, report)


def compare(expected: Expected, report: Report) -> Item:
    """The verdict must be the expected one, and the first finding the expected diagnosis, on its line."""
    first = report.findings[0] if report.findings else None
    said = str(report.verdict)
    ok = said == expected.verdict
    if expected.broken is not None:
        said = str(report.shows([option.id for option in expected.broken.question.options]))
        ok = said == expected.diagnosis
    elif expected.diagnosis is not None:
        ok = ok and first is not None and first.id == expected.diagnosis and expected.line in (None, first.line)
        said = first.id if first is not None else said
    elif expected.verdict == PASS:
        ok = ok and all(finding.severity == "note" for finding in report.findings)
        said = said if ok or first is None else first.id
    elif expected.verdict == "run":
        unmeant = [f.id for f in report.findings if f.severity == "error" and f.id not in expected.exercise.faults]
        ok = not unmeant and report.finished and report.broken is None and report.lost is None
        said = unmeant[0] if unmeant else "run" if ok else said
    return Item(
        lesson=expected.lesson,
        exercise=expected.exercise.id,
        submission=expected.submission,
        expected=expected.diagnosis or expected.verdict,
        got=said,
        ok=ok,
        expected_line=expected.line,
        got_line=first.line if first is not None else None,
    )
