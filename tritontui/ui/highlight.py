"""Colours for Triton code, line by line. No Textual in here: plain Rich styles and Pygments tokens."""

from __future__ import annotations

from typing import Literal

from rich.text import Text

Palette = Literal["dark", "light", "ansi", "none"]


def code_text(source: str, palette: Palette) -> Text:
    """``source`` (a snippet of a lesson, say) as styled text, for a Static or a Content."""
    return Text(source)
