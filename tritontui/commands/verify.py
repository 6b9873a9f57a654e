"""``tritontui verify``: every starter fails, every solution passes, every recorded wrong attempt gets its diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tritontui.commands.console import GOOD, WRONG, Context
from tritontui.commands.engine import judge, run, running
from tritontui.course.loader import load_course
from tritontui.course.model import Course, ExerciseFolder, KnobValue, Lesson
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageName
from tritontui.engine.report import Report

SCHEMA = 1
STAGES: tuple[StageName, ...] = ("trace", "legality", "cases")


@dataclass(frozen=True)
class Expected:
    """A recorded submission and what is to be said of it."""

    lesson: str
    exercise: ExerciseFolder
    path: Path
    verdict: str
    """``pass``, ``fail``, or ``run`` for what is explored: no error but those it shows on purpose."""
    diagnosis: str | None = None
    line: int | None = None
    knobs: Mapping[str, KnobValue] = field(default_factory=dict)
    """explored: those that don't stand where they begin."""


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


def verify(context: Context, *, as_json: bool) -> int:
    course = load_course(thorough=True)
    items = run(_verify(context, course, announce=not as_json))
    failed = [item for item in items if not item.ok]
    if as_json:
        passed = len(items) - len(failed)
        context.console.json(
            {"schema": SCHEMA, "passed": passed, "failed": len(failed), "items": [asdict(item) for item in items]}
        )
    else:
        context.console.line()
        text = context.tr.plural(
            "{right} of {n} is as expected",
            "{right} of {n} are as expected",
            len(items),
            right=len(items) - len(failed),
        )
        context.console.marked("error" if failed else "good", text)
    return WRONG if failed else GOOD


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


def _explored(lesson: Lesson, exercise: ExerciseFolder) -> Iterator[Expected]:
    """The starter with every knob where it begins, and with each knob at each of its other values."""
    yield Expected(lesson.id, exercise, exercise.starter, "run")
    for knob in exercise.knobs:
        for value in knob.values:
            if value != knob.start:
                yield Expected(lesson.id, exercise, exercise.starter, "run", knobs={knob.name: value})


async def verify_one(engine: Engine, expected: Expected) -> Item:
    source = expected.path.read_text(encoding="utf-8")
    report = await judge(engine, expected.exercise, source, expected.path.name, STAGES, expected.knobs)
    return compare(expected, report)


def compare(expected: Expected, report: Report) -> Item:
    """The verdict must be the expected one, and the first finding the expected diagnosis, on its line."""
    first = report.findings[0] if report.findings else None
    said = str(report.verdict)
    ok = said == expected.verdict
    if expected.diagnosis is not None:
        ok = ok and first is not None and first.id == expected.diagnosis and expected.line in (None, first.line)
        said = first.id if first is not None else said
    elif expected.verdict == "pass":
        ok = ok and all(finding.severity == "note" for finding in report.findings)
        said = said if ok or first is None else first.id
    elif expected.verdict == "run":
        unmeant = [f.id for f in report.findings if f.severity == "error" and f.id not in expected.exercise.faults]
        ok = not unmeant and report.finished and report.broken is None and report.lost is None
        said = unmeant[0] if unmeant else "run" if ok else said
    turned = ", ".join(f"{name} = {value}" for name, value in expected.knobs.items())
    return Item(
        lesson=expected.lesson,
        exercise=expected.exercise.id,
        submission=str(expected.path.relative_to(expected.exercise.folder)) + (f" ({turned})" if turned else ""),
        expected=expected.diagnosis or expected.verdict,
        got=said,
        ok=ok,
        expected_line=expected.line,
        got_line=first.line if first is not None else None,
    )


async def _verify(context: Context, course: Course, announce: bool) -> list[Item]:
    items = []
    async with running(context.device) as engine:
        for expected in expectations(course):
            item = await verify_one(engine, expected)
            items.append(item)
            if announce:
                _print(context, item)
    return items


def _print(context: Context, item: Item) -> None:
    text = f"{item.exercise}/{item.submission}: {_at(context, item.got, item.got_line)}"
    if not item.ok:
        text += " · " + context.tr("expected: {what}", what=_at(context, item.expected, item.expected_line))
    context.console.marked("good" if item.ok else "error", text)


def _at(context: Context, what: str, line: int | None) -> str:
    return what if line is None else f"{what}, {context.tr('line {line}', line=line)}"
