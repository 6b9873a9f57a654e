"""``tritontui list``: lessons, steps, outcomes and what the learner has done."""

from __future__ import annotations

from typing import Any

from tritontui.commands.console import Context
from tritontui.commands.status import GOOD
from tritontui.course.model import Lesson
from tritontui.course.outcomes import reached

SCHEMA = 1


def listing(context: Context, *, as_json: bool) -> int:
    if as_json:
        context.console.json(as_data(context))
        return GOOD
    course, done = context.course(), _done(context)
    for lesson in course.lessons:
        _print_lesson(context, lesson, done.get(lesson.id, frozenset()))
    return GOOD


def as_data(context: Context) -> dict[str, Any]:
    """The JSON of ``list``, with texts in the learner's language."""
    course, done = context.course(), _done(context)
    lessons = [_lesson_data(context, lesson, done.get(lesson.id, frozenset())) for lesson in course.lessons]
    return {"schema": SCHEMA, "lessons": lessons}


def _done(context: Context) -> dict[str, frozenset[str]]:
    """Steps done by lesson; looking makes no file."""
    if not context.paths.progress.exists():
        return {}
    with context.progress() as progress:
        return {lesson.id: progress.done(lesson.id) for lesson in context.course().lessons}


def _lesson_data(context: Context, lesson: Lesson, done: frozenset[str]) -> dict[str, Any]:
    language, attained = context.language, reached(lesson, done)
    return {
        "id": lesson.id,
        "number": lesson.number,
        "title": lesson.title[language],
        "outcomes": [
            {"id": outcome.id, "text": outcome.text[language], "reached": outcome.id in attained}
            for outcome in lesson.outcomes
        ],
        "steps": [
            {
                "id": step.id,
                "kind": step.kind,
                "title": step.title[language],
                "exercise": step.exercise.id if step.exercise else None,
                "done": step.id in done,
            }
            for step in lesson.steps
        ],
    }


def _print_lesson(context: Context, lesson: Lesson, done: frozenset[str]) -> None:
    console, tr, language = context.console, context.tr, context.language
    count = tr("{done} of {steps} done", done=len(done), steps=len(lesson.steps))
    console.line(f"{lesson.number}  {lesson.title[language]} · {count}")
    for outcome in lesson.outcomes:
        meaning = "good" if outcome.id in reached(lesson, done) else "none"
        console.marked(meaning, f"{outcome.id} {_bare(outcome.text[language])}")
    kinds = {
        "opening": tr("opening"),
        "read": tr("read"),
        "explore": tr("explore"),
        "predict": tr("predict"),
        "code": tr("code"),
        "fix": tr("fix"),
        "measure": tr("measure"),
        "do": tr("do"),
        "evidence": tr("evidence"),
        "closing": tr("closing"),
    }
    width = max(len(kind) for kind in kinds.values())
    for number, step in enumerate(lesson.steps, 1):
        exercise = f" · {step.exercise.id}" if step.exercise else ""
        meaning = "good" if step.id in done else "none"
        title = _bare(step.title[language])
        console.marked(meaning, f"{number:2} {kinds[step.kind]:{width}} {title}{exercise}")


def _bare(text: str) -> str:
    """Without the marks of Markdown, which a terminal shows as they are."""
    return text.replace("`", "")
