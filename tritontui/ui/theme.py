"""The palettes as Textual's themes."""

from __future__ import annotations

from typing import Any

from textual.theme import BUILTIN_THEMES, Theme

from tritontui.ui.colours import ANSI_THEME, DARK_THEME, LIGHT_THEME, PALETTES

_TEXTUALS_ROLES = ("primary", "secondary", "accent", "warning", "error", "success",
                   "foreground", "background", "surface", "panel")  # fmt: skip
"""The rest of a palette are variables of ours."""


def _theme(name: str) -> Theme:
    palette = PALETTES[name]
    roles: dict[str, Any] = {role: palette[role] for role in _TEXTUALS_ROLES}
    ours = {role: colour for role, colour in palette.items() if role not in roles}
    if name == ANSI_THEME:
        given = BUILTIN_THEMES["ansi-dark"].variables
        return Theme(name, **roles, boost="ansi_default", dark=True, ansi=True, variables=given | ours)
    return Theme(name, **roles, dark=name == DARK_THEME, variables=ours)


DARK, LIGHT, ANSI = _theme(DARK_THEME), _theme(LIGHT_THEME), _theme(ANSI_THEME)
THEMES: tuple[Theme, ...] = (DARK, LIGHT, ANSI)
PROGRAM_COLOURS = sum(role.startswith("pid-") for role in PALETTES[DARK_THEME])
