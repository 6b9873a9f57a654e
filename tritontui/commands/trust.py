"""Lessons of other people are programs: before any of it runs, the learner is told so and asked, once a state."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from tritontui.commands.console import Context
from tritontui.commands.status import CommandError
from tritontui.course.paths import Paths
from tritontui.course.storage import make_folder, write_atomically


def ask_to_run(context: Context) -> None:
    """Return when the lessons may be run: those of this installation, or trusted ones. Raises CommandError."""
    folder = context.lessons
    if folder is None:
        return
    record = Paths.find().data / "trusted.json"
    trusted, state = _read(record), fingerprint(folder)
    if trusted.get(str(folder)) == state:
        return
    if not context.trust:
        _ask(context, folder, changed=str(folder) in trusted)
    make_folder(record.parent)
    write_atomically(record, json.dumps({**trusted, str(folder): state}, indent=2) + "\n")


def fingerprint(folder: Path) -> str:
    """A digest of every file of the lessons in ``folder``: names and contents."""
    digest = hashlib.sha256()
    for path in sorted(path for lesson in folder.glob("[0-9][0-9]-*") for path in lesson.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _ask(context: Context, folder: Path, *, changed: bool) -> None:
    tr = context.tr
    said = tr("{folder} holds lessons from elsewhere, and lessons are programs.", folder=folder)
    if changed:
        said = tr("The lessons in {folder} have changed since you allowed them.", folder=folder)
    said += " " + tr("To judge an exercise, code from there runs on this machine and may do whatever you may.")
    if not (sys.stdin and sys.stdin.isatty()):
        raise CommandError(said + " " + tr("Nobody is here to allow it: add --trust."))
    context.console.paragraph(said, indent=0)
    if not context.agreed(tr("Run them from now on? [y/N]")):
        raise CommandError(tr("Nothing of it was run."))


def _read(record: Path) -> dict[str, str]:
    """State by folder; a file that can't be read trusts nothing."""
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
