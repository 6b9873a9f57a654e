"""The keys named in the bottom line: which, and how many fit."""

from __future__ import annotations

from tritontui.i18n import N_, Translator
from tritontui.keys.file import Keys

Hints = tuple[tuple[str, str], ...]
"""(keys, what they do); in those still to be said, ``{run}`` stands for the key of that command."""

ACTING: Hints = (("{run}", N_("run")), ("{hint}", N_("hint")), ("{previous-step}/{next-step}", N_("step")))
GETTING_ABOUT: Hints = (
    ("{cycle-panes}", N_("pane")),
    ("{palette}", N_("all")),
    ("{zoom}", N_("zoom")),
    ("{help}", N_("help")),
)
EVERYWHERE: Hints = (*ACTING, *GETTING_ABOUT)


def key_hints(hints: Hints, keys: Keys, tr: Translator) -> Hints:
    """``hints`` with the learner's own keys and in their language; a command without a key isn't in it."""
    said = ((keys.filled_in(key).strip("/"), tr(label)) for key, label in hints)
    return tuple((key, label) for key, label in said if key)


def fitting(hints: Hints, width: int) -> Hints:
    """As many as fit in ``width`` columns, the most useful first, and always the last: it leads to all the others."""
    *others, last = hints
    room = width + 2 - _columns(last)  # nothing follows the last one's blanks
    shown = []
    for hint in others:
        room -= _columns(hint)
        if room < 0:
            break
        shown.append(hint)
    return (*shown, last)


def _columns(hint: tuple[str, str]) -> int:
    """With the blanks between the two, and after them."""
    key, label = hint
    return len(key) + len(label) + 3
