"""The signs of the map: what each cell is drawn as. States differ by glyph, so that the map holds without colour."""

from __future__ import annotations

from dataclasses import dataclass

from tritontui.engine.messages import Cell, Overlay
from tritontui.ui.theme import PROGRAM_COLOURS

SELECTED = "█"
EDGE = "▌"
"""The selected program has a part of it: only where a cell is several elements."""
AGAIN = "▚"
"""The selected program in another iteration."""
MASKED = "□"
OUT = "×"
EVEN, ODD = "▒", "░"
SHARED = "▓"
UNTOUCHED = "·"
ELSEWHERE = " "
LANE, LANE_MASKED = "◆", "◇"
PARTLY, ONCE = "░", "▒"
"""Of the elements of a cell some are written, all are written once."""
MANY = "+"
"""More than nine times."""
WASTED = "░"
"""Moved in a sector of which the program uses something else."""

SOLID = frozenset((SELECTED, EDGE, AGAIN, EVEN, ODD, SHARED))
"""Signs that fill their cell, however wide."""

STYLES = {
    SELECTED: "bold $selected",
    EDGE: "bold $selected",
    AGAIN: "$selected",
    MASKED: "$accent",
    OUT: "bold $error",
    SHARED: "$secondary",
    UNTOUCHED: "$faint",
    ELSEWHERE: "$faint",
}


@dataclass(frozen=True)
class Sign:
    """A glyph and its style."""

    glyph: str
    style: str

    def drawn(self, width: int) -> str:
        """In a cell of ``width`` characters: solid ones leave the last of three free, others stand in the middle."""
        if width == 1:
            return self.glyph
        if self.glyph in SOLID:
            return self.glyph * min(width, 2) + " " * (width - 2)
        return self.glyph + " " * (width - 1) if width == 2 else f"{self.glyph:^{width}}"


def sign(cell: Cell, holds: int, coordinates: list[int]) -> Sign:
    """Who touches a cell of ``holds`` elements; ``coordinates`` are those of its lowest program in the grid."""
    if cell.out:
        return _of(OUT)
    if cell.selected:
        return _of(EDGE if cell.masked or cell.selected < holds else SELECTED)
    if cell.masked:
        return _of(MASKED)
    if cell.again:
        return _of(AGAIN)
    if not holds:
        return _of(ELSEWHERE)
    if cell.programs > 1:
        return _of(SHARED)
    if cell.programs == 1:
        return Sign(ODD if sum(coordinates) % 2 else EVEN, program_style(coordinates))
    return _of(UNTOUCHED)


def program_style(coordinates: list[int]) -> str:
    """A program's colour: neighbours along any axis of the grid differ."""
    number = sum((axis + 1) * coordinate for axis, coordinate in enumerate(reversed(coordinates)))
    return f"$pid-{number % PROGRAM_COLOURS}"


def overlay_sign(overlay: Overlay, cell: Cell, values: tuple[int, int], holds: int) -> Sign:
    """A cell under an overlay; ``values`` as in ``Tile.overlay``."""
    if cell.out:
        return _of(OUT)
    return _writes(values, holds) if overlay == "writes" else _sectors(cell, values, holds)


def _writes(values: tuple[int, int], holds: int) -> Sign:
    least, most = values
    if not most:
        return Sign(UNTOUCHED, "bold $accent") if holds else _of(ELSEWHERE)
    if not least:
        return Sign(PARTLY, "$accent")
    if most == 1:
        return Sign(ONCE, "$pid-0")
    return Sign(str(most) if most < 10 else MANY, "bold $error")


def _sectors(cell: Cell, values: tuple[int, int], holds: int) -> Sign:
    used, wasted = values
    if used:
        return Sign(SELECTED if not wasted else EDGE, STYLES[SELECTED])
    if wasted:
        return Sign(WASTED, "$error")
    if cell.masked:
        return _of(MASKED)
    return _of(UNTOUCHED if holds else ELSEWHERE)


def lane_sign(found: Sign) -> Sign:
    """The cell of the selected lane."""
    if found.glyph == OUT:
        return Sign(OUT, "bold reverse $error")
    if found.glyph == MASKED:
        return Sign(LANE_MASKED, "bold reverse $accent")
    return Sign(LANE, "bold reverse $selected")


def _of(glyph: str) -> Sign:
    return Sign(glyph, STYLES[glyph])
