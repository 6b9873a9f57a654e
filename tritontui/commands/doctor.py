"""``tritontui doctor``: what works here, and what to do about what doesn't."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tritontui.commands.console import Context
from tritontui.commands.engine import run, running
from tritontui.commands.status import GOOD, UNUSABLE, CommandError
from tritontui.course.progress import MENDED_PYTHON, OTHER_PYTHON
from tritontui.diagnosis.checks import say
from tritontui.engine.elsewhere import ElsewhereError, look_at
from tritontui.engine.messages import Check
from tritontui.engine.practice import break_one, was_broken

SCHEMA = 1


def doctor(context: Context, *, as_json: bool, python: str | None = None) -> int:
    """``python``: of that interpreter or virtual environment, instead of the one that tritontui runs in."""
    checks = run(_probe(context)) if python is None else _elsewhere(context, python)
    ok = all(check.ok for check in checks)
    if as_json:
        data = [
            {"id": check.id, "ok": check.ok, "detail": check.detail, "remedy": say(check, context.tr).remedy}
            for check in checks
        ]
        context.console.json({"schema": SCHEMA, "ok": ok, "checks": data})
    else:
        print_checks(context, checks)
        if python is None and not any(check.id == "gpu" for check in checks):
            context.console.marked("note", context.tr("No GPU is used here: everything works except measuring."))
    return GOOD if ok else UNUSABLE


def print_checks(context: Context, checks: Iterable[Check], *, remedies: bool = True) -> None:
    """One check a line; under those that failed what to do, and the machine's own words."""
    for check in checks:
        said = say(check, context.tr)
        context.console.marked("good" if check.ok else "error", said.title)
        if not check.ok and remedies:
            context.console.paragraph(said.remedy)
        if not check.ok:
            context.console.paragraph(check.detail, indent=4)


async def _probe(context: Context) -> list[Check]:
    async with running(context.device) as engine:
        return await engine.probe()


def _elsewhere(context: Context, python: str) -> list[Check]:
    """What works in another Python; one in which all is well is remembered, for the lesson that asks for it."""
    try:
        looked = look_at(python)
    except ElsewhereError as error:
        raise CommandError(context.tr("That Python can't be asked: {reason}", reason=error)) from None
    if looked.ok and not looked.is_this_one:
        context.paths.create()
        with context.progress() as progress:
            made_to_be_mended = was_broken(Path(looked.prefix))
            progress.set_setting(MENDED_PYTHON if made_to_be_mended else OTHER_PYTHON, looked.executable)
    return looked.checks


def practice(context: Context, folder: str) -> int:
    """Make an environment to mend."""
    try:
        break_one(Path(folder).expanduser())
    except FileExistsError:
        raise CommandError(context.tr("{path} exists already: name a folder that doesn't.", path=folder)) from None
    except OSError as error:
        raise CommandError(context.tr("{path} can't be made: {reason}", path=folder, reason=error.strerror)) from None
    context.console.line(context.tr("An environment with something wrong in it is in {path}.", path=folder))
    context.console.line(context.tr("What is wrong, says: {command}", command=f"tritontui doctor --python {folder}"))
    return GOOD
