"""How a command ends: its exit status, and what it says when it can't be carried out."""

from __future__ import annotations

import sys

from tritontui.i18n import plain

GOOD = 0
WRONG = 1
"""The kernel is wrong."""
UNUSABLE = 2
"""The command was misused, or the machine can't do it."""


class CommandError(Exception):
    """The command can't be carried out; ``str()`` says why in the learner's language. Exit status 2."""


def complain(message: str) -> None:
    """Say on standard error what is wrong."""
    if sys.stderr is not None:
        print(f"tritontui: {plain(message, lines=True)}", file=sys.stderr)
