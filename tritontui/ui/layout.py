"""Where things stand at every size of terminal, for the first frame and for the workspace that takes its place."""

from __future__ import annotations

from typing import Literal

from tritontui.course.model import Step

Pane = Literal["lesson", "launches", "editor", "results"]
PANES: tuple[Pane, ...] = ("lesson", "editor", "results")
"""Of the workspace, from the left."""
TRACE_PANES: tuple[Pane, ...] = ("launches", "editor", "results")
"""Of the screens in which a script is traced."""

MIN_WIDTH, MIN_HEIGHT = 60, 18
MEDIUM, WIDE = 100, 120
"""Columns from which lesson and editor, and from which all three panes stand side by side."""

SIZES = ((0, "-narrow"), (MEDIUM, "-medium"), (WIDE, "-wide"))
"""Classes of the screen, each from so many columns on."""

LEFT_MIN, LEFT_MAX, LEFT_SHARE = 44, 60, 0.36
EDITOR_SHARE, RESULTS_SHARE = 11, 9
"""Of the height, where the results stand under the editor; as in ``app.tcss``."""


def left_width(width: int) -> int:
    """Columns of the pane on the left in a terminal of ``width``, its border included."""
    return min(max(int(width * LEFT_SHARE), LEFT_MIN), LEFT_MAX)


def size_class(width: int) -> str:
    """The class of a screen of ``width`` columns."""
    return next(name for least, name in reversed(SIZES) if width >= least)


def is_too_small(width: int, height: int) -> bool:
    """Whether nothing but a word about the size fits."""
    return width < MIN_WIDTH or height < MIN_HEIGHT


def opening_pane(step: Step) -> Pane:
    """The pane that has the focus when ``step`` is the first one shown."""
    return "editor" if step.kind in ("code", "fix") else "lesson"
