"""Earlier versions of the learner's text: which there are, and what putting one back would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.i18n import Translator
from tritontui.ui.widgets.text_view import Block, line

CONTEXT = 2
"""Unchanged lines around a change."""
STYLES = {"+": "$success", "-": "$error"}
SIGNS = {"+": "+ ", "-": "− ", " ": "  "}


class Earlier(NamedTuple):
    """One text that was kept."""

    saved: float
    """Seconds since 1970."""
    text: str


class DiffLine(NamedTuple):
    """One line of a difference; ``number`` is its line in the present text, or where it would come to stand."""

    sign: str
    """``+`` comes back, ``-`` goes, a blank stays."""
    number: int
    text: str


def earlier(work: Work, exercise: str, now: str) -> list[Earlier]:
    """Texts of ``exercise`` other than ``now``, each once, newest first: those that can be read."""
    seen, found = {now}, []
    for version in work.versions(exercise):
        with suppress(StorageError):  # it has just made room for a newer one
            text = version.read()
            if text not in seen:
                seen.add(text)
                found.append(Earlier(version.saved, text))
    return found


def difference(now: str, then: str) -> list[list[DiffLine]]:
    """What changes when ``then`` takes the place of ``now``: the changes with their surroundings, group by group."""
    from difflib import SequenceMatcher

    old, new = now.splitlines(), then.splitlines()
    groups = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        rows: list[DiffLine] = []
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                rows += [DiffLine(" ", at + 1, old[at]) for at in range(old_from, old_to)]
                continue
            rows += [DiffLine("-", at + 1, old[at]) for at in range(old_from, old_to)]
            rows += [DiffLine("+", old_from + 1, new[at]) for at in range(new_from, new_to)]
        groups.append(rows)
    return groups


def version_blocks(versions: Sequence[Earlier], now: str) -> Iterator[Block]:
    """A row for each, with its age and how much it differs; the targets are the versions."""
    for version in versions:
        rows = [row for group in difference(now, version.text) for row in group]
        back, gone = (sum(row.sign == sign for row in rows) for sign in "+-")
        yield line(
            (datetime.fromtimestamp(version.saved).strftime("%Y-%m-%d %H:%M:%S"), "bold"),
            (f"  +{back}", "$success"),
            (f" −{gone}", "$error"),
            target=version,
        )


def difference_blocks(now: str, then: str, tr: Translator) -> Iterator[Block]:
    """The lines that would go and come back, with their numbers in the present text."""
    groups = difference(now, then)
    if not groups:
        yield line((tr("Only the end of the last line differs."), "$muted"))
    for index, group in enumerate(groups):
        if index:
            yield line(("   ⋮", "$muted"))
        for row in group:
            number = "" if row.sign == "+" else str(row.number)
            first = line((f"{number:>4} ", "$muted"), (SIGNS[row.sign], STYLES.get(row.sign, "$muted"))).text
            code = line((row.text, STYLES.get(row.sign, "")))
            yield code._replace(first=first, rest=line(" " * first.cell_length).text, fold=True)
