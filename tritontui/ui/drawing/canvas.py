"""A small canvas of characters: dots finer than a cell, signs over them, and scales with their ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

from textual.content import Content

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille dots by row and column within a cell (Unicode, block U+2800)."""


@dataclass(frozen=True)
class Glyphs:
    """What plots are made of."""

    braille: bool
    """Lines of dots, eight a cell; else one dot a cell."""
    markers: str
    """One per series, so that they differ without colour."""
    levels: str
    """From nothing to full."""
    level_line: str
    vertical: str
    tick: str
    corner: str
    horizontal: str
    down: str
    empty: str


UNICODE = Glyphs(True, "●○◆◇▲△", " ▁▂▃▄▅▆▇█", "┄", "│", "┤", "└", "─", "┬", "·")
ASCII = Glyphs(False, "ox+*#@", " .:-=+*#@", "-", "|", "+", "+", "-", "+", ".")


@dataclass(frozen=True)
class Scale:
    """Maps figures from ``low`` to ``high`` onto 0…1."""

    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where ``value`` lies; outside 0…1 when it is off the scale."""
        if self.log:
            if value <= 0:
                return -1.0
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[float]:
        """At most ``most`` round values on the scale."""
        return _decades(self.low, self.high, most) if self.log else _steps(self.low, self.high, most)


def scale(values: list[float], *, log: bool = False) -> Scale:
    """A scale that holds ``values`` with round ends; a linear one begins at 0 unless a value is negative."""
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    if not finite:
        return Scale(1.0, 10.0, log)
    low, high = min(finite), max(finite)
    if log:
        return Scale(low, high if high > low else low * 10, True)
    low = min(low, 0.0)
    step = _round_step((high - low) or 1.0, 10)
    return Scale(math.floor(low / step) * step, math.ceil(high / step - 1e-9) * step or step)


def _round_step(span: float, parts: int) -> float:
    """The smallest of 1, 2, 5 × a power of ten of which at most ``parts`` fit into ``span``."""
    raw = span / max(parts, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= raw * (1 - 1e-9))


def _steps(low: float, high: float, most: int) -> list[float]:
    step = _round_step(high - low, max(most - 1, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _decades(low: float, high: float, most: int) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / max(most, 1)))
    found = [10.0**power for power in range(first, last + 1, every)]
    return found or [low]


class Canvas:
    """``width`` × ``height`` cells; places are given in 0…1 from the lower left corner, others are left out."""

    def __init__(self, width: int, height: int, glyphs: Glyphs) -> None:
        self.width, self.height, self.glyphs = width, height, glyphs
        self._fine = (2, 4) if glyphs.braille else (1, 1)
        self._dots = [[0] * width for _ in range(height)]
        self._cells = [[("", "")] * width for _ in range(height)]
        """Sign and style; a sign covers the dots under it."""

    def dot(self, x: float, y: float, style: str) -> None:
        """One dot of a line."""
        if 0 <= x <= 1 and 0 <= y <= 1:
            self._dot(*self._fine_place(x, y), style)

    def line(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        """Dots from place to place."""
        (x0, y0), (x1, y1) = (self._fine_place(*start), self._fine_place(*end))
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            self._dot(round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps), style)

    def sign(self, x: float, y: float, sign: str, style: str) -> None:
        """A sign of its own in the cell at a place."""
        if 0 <= x <= 1 and 0 <= y <= 1:
            column, row = self.cell(x, y)
            self._cells[row][column] = (sign, style)

    def level(self, y: float, style: str) -> None:
        """A broken line across, under everything else."""
        if 0 <= y <= 1:
            row = self.cell(0, y)[1]
            for column in range(self.width):
                if not self._cells[row][column][0] and not self._dots[row][column]:
                    self._cells[row][column] = (self.glyphs.level_line, style)

    def words(self, x: float, y: float, text: str, style: str, *, ends: bool = False) -> None:
        """``text`` in the row of a place, from that cell on, or up to it; it covers what is there."""
        if 0 <= x <= 1 and 0 <= y <= 1:
            column, row = self.cell(x, y)
            first = min(max(column - (len(text) - 1 if ends else 0), 0), max(0, self.width - len(text)))
            for place, sign in enumerate(text[: self.width], first):
                self._cells[row][place] = (sign, style)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Column and row, from the top, of the cell that holds a place."""
        column, row = self._fine_place(x, y)
        return column // self._fine[0], row // self._fine[1]

    def row(self, row: int) -> Content:
        """One row of cells, from the top."""
        cells = [self._drawn(row, column) for column in range(self.width)]
        groups = groupby(cells, key=lambda cell: cell[1])
        return Content.assemble(*(("".join(sign for sign, _ in group), style) for style, group in groups))

    def _drawn(self, row: int, column: int) -> tuple[str, str]:
        sign, style = self._cells[row][column]
        bits = self._dots[row][column]
        if sign or not bits:
            return sign or " ", style
        return (chr(0x2800 + bits) if self.glyphs.braille else "."), style

    def _fine_place(self, x: float, y: float) -> tuple[int, int]:
        columns, rows = self.width * self._fine[0], self.height * self._fine[1]
        return round(x * (columns - 1)), round((1 - y) * (rows - 1))

    def _dot(self, x: int, y: int, style: str) -> None:
        (column, across), (row, down) = divmod(x, self._fine[0]), divmod(y, self._fine[1])
        if not (0 <= column < self.width and 0 <= row < self.height):
            return
        self._dots[row][column] |= _BITS[down][across] if self.glyphs.braille else 1
        sign, _ = self._cells[row][column]
        if not sign or sign == self.glyphs.level_line:
            self._cells[row][column] = ("", style)
