"""A card to share: what a kernel does to memory and how fast it is, as text and as SVG. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from textual.theme import Theme

from tritontui.ui.map.picture import Row
from tritontui.ui.theme import DARK

WIDTH = 64
"""Columns between the borders."""
MAP_ROWS = 12
CELL, ROW = 9.6, 20.0
"""Of a character in the SVG, pixels."""
FONT = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
BASELINE = 0.75
"""Of a row, where letters stand."""


@dataclass(frozen=True)
class Card:
    """Rows of styled pieces, as everywhere in the interface: the head, the map, the figures."""

    title: str
    head: Sequence[Row]
    picture: Sequence[Row]
    foot: Sequence[Row]

    @property
    def rows(self) -> list[Row]:
        """All of it, empty rows between the parts."""
        parts = [part for part in (self.head, self.picture, self.foot) if part]
        rows: list[Row] = []
        for part in parts:
            rows += [*([[]] if rows else []), *part]
        return rows


def as_text(card: Card) -> str:
    """In a frame of lines, for a chat or a commit message."""
    top = f"╭─ {card.title} ".ljust(WIDTH + 3, "─") + "╮"
    body = [f"│ {''.join(text for text, _ in row)[:WIDTH]:<{WIDTH}} │" for row in card.rows]
    return "\n".join([top, *body, "╰" + "─" * (WIDTH + 2) + "╯", ""])


def as_svg(card: Card, theme: Theme = DARK) -> str:
    """A picture that needs nothing but a monospaced font; the colours are the theme's."""
    colours = colours_of(theme)
    rows: list[Row] = [[(card.title, "bold $primary")], [], *card.rows]
    width, height = (WIDTH + 4) * CELL, (len(rows) + 2) * ROW
    body = "\n".join(_svg_row(row, (index + 1) * ROW, colours) for index, row in enumerate(rows) if row)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" role="img">
<title>{escape(card.title)}</title>
<rect width="100%" height="100%" rx="10" fill="{colours["background"]}"/>
<g font-family="{FONT}" font-size="16" xml:space="preserve">
{body}
</g>
</svg>
"""


def _svg_row(row: Row, top: float, colours: Mapping[str, str]) -> str:
    """Each piece at its own column, stretched to its cells, so that no font moves what follows."""
    pieces, column = [], 2
    for text, style in row:
        names = style.split()
        fill = next((colours[name[1:]] for name in names if name[1:] in colours), colours["foreground"])
        weight = ' font-weight="bold"' if "bold" in names else ""
        if text.strip():
            place = f'x="{column * CELL:.1f}" y="{top + BASELINE * ROW:.1f}" textLength="{len(text) * CELL:.1f}"'
            pieces.append(f'<text {place} lengthAdjust="spacingAndGlyphs" fill="{fill}"{weight}>{escape(text)}</text>')
        column += len(text)
    return "\n".join(pieces)


def colours_of(theme: Theme) -> dict[str, str]:
    """By the names that styles use after a ``$``."""
    own = ("primary", "secondary", "accent", "warning", "error", "success", "foreground", "background", "panel")
    return {name: value for name in own if (value := getattr(theme, name)) is not None} | dict(theme.variables)
