"""``tritontui export`` and ``tritontui reset``: the learner's work, out as plain files and back to its beginning."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec

from tritontui.commands.check import find_exercise
from tritontui.commands.console import Context
from tritontui.commands.listing import as_data
from tritontui.commands.status import GOOD, CommandError
from tritontui.course.model import Course, ExerciseFolder, Lesson
from tritontui.course.storage import StorageError
from tritontui.course.work import Work


def export(context: Context, folder: str) -> int:
    """Copy every exercise the learner has written, and the progress, to ``folder``; nothing there is overwritten."""
    target, work = Path(folder), Work(context.paths.work)
    copies = {target / f"{name}.py": work.path(name) for name in work.exercises()}
    progress = target / "progress.json"
    taken = [path for path in [*copies, progress] if path.exists()]
    if taken:
        raise CommandError(context.tr("{path} is there already; choose another folder.", path=taken[0]))
    try:
        target.mkdir(parents=True, exist_ok=True)
        for copy, original in copies.items():
            shutil.copyfile(original, copy)
        progress.write_bytes(msgspec.json.format(msgspec.json.encode(as_data(context)), indent=2) + b"\n")
    except OSError as error:
        raise StorageError.from_os(error, Path(error.filename or target)) from error
    context.console.marked(
        "good",
        context.tr.plural(
            "{n} exercise and the progress are in {folder}",
            "{n} exercises and the progress are in {folder}",
            len(copies),
            folder=target,
        ),
    )
    return GOOD


def reset(context: Context, what: str, *, confirmed: bool) -> int:
    """Put starters back and forget the steps of an exercise, a lesson (by number) or ``all``."""
    course, tr = context.course(), context.tr
    lessons, exercises = _chosen(context, course, what)
    if not confirmed and not _agreed(context, lessons, exercises):
        context.console.line(tr("Nothing was changed."))
        return GOOD
    context.paths.create()
    work = Work(context.paths.work)
    written = [exercise for exercise in exercises if work.read(exercise.id) is not None]
    for exercise in written:
        work.reset(exercise)
    with context.progress() as progress:
        for lesson in lessons:
            progress.forget(lesson.id)
    kept = tr("Done. The old text is in {folder}.", folder=work.folder / "versions")
    context.console.marked("good", kept if written else tr("Done. There was no text of yours to keep."))
    return GOOD


def _chosen(context: Context, course: Course, what: str) -> tuple[list[Lesson], list[ExerciseFolder]]:
    if what == "all":
        lessons = list(course.lessons)
    elif what.isdigit():
        try:
            lessons = [course.lesson(int(what))]
        except KeyError:
            raise CommandError(context.tr("There is no lesson {number}.", number=what)) from None
    else:
        return [], [find_exercise(context, course, what)]
    return lessons, [step.exercise for lesson in lessons for step in lesson.steps if step.exercise]


def _agreed(context: Context, lessons: list[Lesson], exercises: list[ExerciseFolder]) -> bool:
    """Say what will happen and ask, at the terminal; without one, say how to go on."""
    tr = context.tr
    if not sys.stdin.isatty():
        raise CommandError(tr("Nobody is here to confirm: add --yes."))
    if exercises:
        names = ", ".join(exercise.id for exercise in exercises)
        context.console.line(tr("Back to the starter: {names}. Your text is kept aside.", names=names))
    for lesson in lessons:
        context.console.line(tr("Lesson {number} begins again: no step of it counts as done.", number=lesson.number))
    return context.agreed(tr("Go ahead? [y/N]"))
