"""The palettes as plain data, for the themes and for what is drawn before Textual is imported.

Backgrounds are nearly grey: Rich rounds a colour of more than 15 % saturation to the cube of 216, where all dark ones
are black, and only greys stay apart in 256 colours.

Colours are ``#rrggbb``, or ``ansi_NAME`` for one of the terminal's own sixteen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Palette = Mapping[str, str]

DARK_THEME = "tritontui-dark"
LIGHT_THEME = "tritontui-light"
ANSI_THEME = "tritontui-ansi"

PALETTES: Mapping[str, Palette] = {
    DARK_THEME: {
        "primary": "#6cb6d9",
        "secondary": "#9fb4c7",
        "accent": "#e3b565",
        "warning": "#e3b565",
        "error": "#f08080",
        "success": "#93c983",
        "foreground": "#d6dce6",
        "background": "#12161d",
        "surface": "#12161d",
        "panel": "#20242b",
        "muted": "#8d98a9",
        "faint": "#4b5666",
        "line": "#2c3542",
        "code": "#1c1f25",
        "gutter": "#6a6f77",
        "pid-0": "#5f9ec4",
        "pid-1": "#b58fc9",
        "pid-2": "#6faf8f",
        "pid-3": "#c79a62",
        "pid-4": "#7f8fd1",
        "pid-5": "#b3ad5e",
        "selected": "#f6d78b",
    },
    LIGHT_THEME: {
        "primary": "#12648c",
        "secondary": "#4a6072",
        "accent": "#8a5a00",
        "warning": "#8a5a00",
        "error": "#b3261e",
        "success": "#2c6e2f",
        "foreground": "#272b31",
        "background": "#fbfaf6",
        "surface": "#fbfaf6",
        "panel": "#e9e9e4",
        "muted": "#626b76",
        "faint": "#b3b5b4",
        "line": "#d3d2ca",
        "code": "#f3f3ef",
        "gutter": "#9c9d9d",
        "pid-0": "#3d7ea6",
        "pid-1": "#8a5aa5",
        "pid-2": "#3a8060",
        "pid-3": "#9a6a2c",
        "pid-4": "#5563ad",
        "pid-5": "#7d7628",
        "selected": "#c07f00",
    },
    ANSI_THEME: {
        "primary": "ansi_cyan",
        "secondary": "ansi_cyan",
        "accent": "ansi_yellow",
        "warning": "ansi_yellow",
        "error": "ansi_red",
        "success": "ansi_green",
        "foreground": "ansi_default",
        "background": "ansi_default",
        "surface": "ansi_default",
        "panel": "ansi_default",
        "muted": "ansi_default",
        "faint": "ansi_bright_black",
        "line": "ansi_bright_black",
        "code": "ansi_default",
        "gutter": "ansi_bright_black",
        "pid-0": "ansi_blue",
        "pid-1": "ansi_magenta",
        "pid-2": "ansi_green",
        "pid-3": "ansi_yellow",
        "pid-4": "ansi_cyan",
        "pid-5": "ansi_red",
        "selected": "ansi_bright_white",
    },
}
"""By the theme's name: one restrained palette, dark and light, and one that keeps to the terminal's own colours."""


class Pen(NamedTuple):
    """How a text is drawn: the roles of its colours in a palette, and its weight."""

    colour: str = "foreground"
    ground: str = "background"
    bold: bool = False


def system_theme(environ: Mapping[str, str]) -> str:
    """Light where the terminal says that its background is (``COLORFGBG``, as rxvt, Konsole and others set it)."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT_THEME if background in ("7", "15") else DARK_THEME
