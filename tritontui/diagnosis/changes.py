"""How much of a text was changed: a fault that sits in one line isn't found by writing the kernel anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from tritontui.diagnosis.finding import Finding

_COMMENT = re.compile(r"\s#[^'\"]*$")
"""At the end of a line; where a quote follows, the sign may stand in a string."""


def check_changes(starter: str, text: str, most: int) -> Finding | None:
    """``too-many-changes`` where more than ``most`` lines of code differ, at the first line that is too many."""
    changes = list(changed_lines(starter, text))
    if len(changes) <= most:
        return None
    params = {"changed": len(changes), "most": most}
    return Finding(id="too-many-changes", severity="error", line=changes[most], params=params)


def changed_lines(starter: str, text: str) -> Iterator[int]:
    """For each line of code that was changed, added or taken out, its line in ``text`` (or the one it stood before).

    Lines replaced by others count once each. Empty lines, comments and space at the end of a line are free.
    """
    old, new = list(_code(starter)), list(_code(text))
    places = [number for number, _ in new] or [1]
    matcher = SequenceMatcher(None, [line for _, line in old], [line for _, line in new], autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind != "equal":
            for index in range(max(old_to - old_from, new_to - new_from)):
                yield places[min(new_from + index, max(new_to - 1, new_from), len(places) - 1)]


def _code(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, _COMMENT.sub("", line).rstrip()
