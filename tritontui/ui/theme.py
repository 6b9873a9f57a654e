"""The colours: one restrained palette, dark and light, and one that keeps to the terminal's own sixteen.

Backgrounds are nearly grey: Rich rounds a colour of more than 15 % saturation to the cube of 216, where all dark ones
are black, and only greys stay apart in 256 colours.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="tritontui-dark",
    primary="#6cb6d9",
    secondary="#9fb4c7",
    accent="#e3b565",
    warning="#e3b565",
    error="#f08080",
    success="#93c983",
    foreground="#d6dce6",
    background="#12161d",
    surface="#12161d",
    panel="#20242b",
    dark=True,
    variables={
        "muted": "#8d98a9",
        "faint": "#4b5666",
        "line": "#2c3542",
        "code": "#1c1f25",
        "pid-0": "#5f9ec4",
        "pid-1": "#b58fc9",
        "pid-2": "#6faf8f",
        "pid-3": "#c79a62",
        "pid-4": "#7f8fd1",
        "pid-5": "#b3ad5e",
        "selected": "#f6d78b",
    },
)

LIGHT = Theme(
    name="tritontui-light",
    primary="#12648c",
    secondary="#4a6072",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#b3261e",
    success="#2c6e2f",
    foreground="#272b31",
    background="#fbfaf6",
    surface="#fbfaf6",
    panel="#e9e9e4",
    dark=False,
    variables={
        "muted": "#626b76",
        "faint": "#b3b5b4",
        "line": "#d3d2ca",
        "code": "#f3f3ef",
        "pid-0": "#3d7ea6",
        "pid-1": "#8a5aa5",
        "pid-2": "#3a8060",
        "pid-3": "#9a6a2c",
        "pid-4": "#5563ad",
        "pid-5": "#7d7628",
        "selected": "#c07f00",
    },
)

ANSI = Theme(
    name="tritontui-ansi",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    accent="ansi_yellow",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables=BUILTIN_THEMES["ansi-dark"].variables
    | {
        "muted": "ansi_default",
        "faint": "ansi_bright_black",
        "line": "ansi_bright_black",
        "code": "ansi_default",
        "pid-0": "ansi_blue",
        "pid-1": "ansi_magenta",
        "pid-2": "ansi_green",
        "pid-3": "ansi_yellow",
        "pid-4": "ansi_cyan",
        "pid-5": "ansi_red",
        "selected": "ansi_bright_white",
    },
)

THEMES: tuple[Theme, ...] = (DARK, LIGHT, ANSI)
PROGRAM_COLOURS = 6


def system_theme(environ: Mapping[str, str]) -> str:
    """Light where the terminal says that its background is (``COLORFGBG``, as rxvt, Konsole and others set it)."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in ("7", "15") else DARK.name
