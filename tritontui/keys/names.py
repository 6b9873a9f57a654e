"""Keys as people write them: which ones a terminal can tell apart, and how they look in a key line."""

from __future__ import annotations

import re

from tritontui.i18n import N_

SAME_AS = {"ctrl+h": "Backspace", "ctrl+i": "Tab", "ctrl+j": "Enter", "ctrl+m": "Enter", "ctrl+[": "Esc"}
"""A terminal sends the same for these as for a key that everybody needs."""

_MOVES = "up|down|left|right|home|end|insert|delete|pageup|pagedown"
_SPELLED = re.compile(
    rf"f([1-9]|1\d|2[0-4])|ctrl\+([a-z]|space|[/\\\]^])|alt\+[a-z]|shift\+tab|(ctrl|shift)\+({_MOVES})"
)


class UnusableKeyError(ValueError):
    """``message`` is a template in English, marked for the catalogue, and ``values`` its fields."""

    def __init__(self, message: str, **values: str) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values


def is_letter(key: str) -> bool:
    """A single character: it is a command only where nothing is being typed."""
    return len(key) == 1


def canonical(written: str) -> str:
    """``Ctrl+R`` as ``ctrl+r``; a single character as it is. Raises UnusableKeyError."""
    key = written if is_letter(written) else written.lower().replace(" ", "")
    if key in SAME_AS:
        raise UnusableKeyError(
            N_("{key} can't be told from {other}: a terminal sends the same for both"), key=key, other=SAME_AS[key]
        )
    if key.isdigit():
        raise UnusableKeyError(N_("{key} can't be chosen: digits pick the tabs of the results"), key=key)
    if not (_SPELLED.fullmatch(key) or (is_letter(key) and key.isprintable() and not key.isspace())):
        raise UnusableKeyError(N_("{key} is no key that can be chosen; ctrl+k, f12, alt+x and k can"), key=written)
    return key


def shown(key: str) -> str:
    """``ctrl+r`` as ``^R``, ``f9`` as ``F9``, ``shift+tab`` as ``Shift+Tab``."""
    if is_letter(key):
        return key
    before, _, last = key.rpartition("+")
    short = {"pageup": "PgUp", "pagedown": "PgDn"}.get(last, last.capitalize())
    last = last.upper() if len(last) <= 1 or last[1:].isdigit() else short
    return f"^{last}" if before == "ctrl" else "+".join(filter(None, [before.capitalize(), last]))
