"""What must be settled in the environment before Textual is imported, for Textual reads it while being imported.

Nothing here imports Textual, and nothing overrides what the user has set on purpose.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from typing import Literal, NamedTuple

Colours = Literal["none", "16", "256", "true"]

_TRUE_COLOUR = {"truecolor", "24bit"}


class Terminal(NamedTuple):
    """What is known of the terminal before anything is drawn on it."""

    colours: Colours
    """``none`` when NO_COLOR asks for it; ``16`` where the palette of 256 would collapse (plain ``TERM=xterm``)."""
    mouse: bool
    """False under GNU screen, which withholds a bare Esc while the mouse is tracked."""
    remote: bool
    """The session came over SSH or mosh."""
    frame_diff: bool
    """Write only the cells that changed; ``TRITONTUI_FRAME_DIFF=0`` turns it off."""

    @property
    def ansi(self) -> bool:
        """Only the terminal's own colours may be used."""
        return self.colours in ("none", "16")


def prepare(environ: MutableMapping[str, str] = os.environ) -> Terminal:
    """Put Textual's settings into ``environ`` and say what the terminal is like.

    Call it once, before ``textual`` is imported. Settings the user has made already are kept.
    """
    remote = any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))
    environ.setdefault("TEXTUAL_ANIMATIONS", "none")  # an animation is many frames of bytes over a slow line
    environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")  # with it, AltGr loses [ ] { } @ in Windows Terminal
    environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")  # reports of every pixel the mouse passes
    if remote:
        environ.setdefault("ESCDELAY", "400")  # a gap inside an arrow key's sequence is no Esc
    return Terminal(
        colours=_colours(environ),
        mouse="STY" not in environ,
        remote=remote,
        frame_diff=environ.get("TRITONTUI_FRAME_DIFF", "1") != "0",
    )


def _colours(environ: MutableMapping[str, str]) -> Colours:
    """The depth that Rich will find, and whether colour is wanted at all (https://no-color.org: set and not empty)."""
    if environ.get("NO_COLOR"):
        return "none"
    environ.pop("NO_COLOR", None)  # set but empty asks for nothing, yet Textual would take it as asked
    if environ.get("COLORTERM", "").strip().lower() in _TRUE_COLOUR:
        return "true"
    term = environ.get("TERM", "").strip().lower()
    return "256" if term.endswith("-256color") or term.startswith("xterm-kitty") else "16"
