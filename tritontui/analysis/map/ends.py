"""The lowest and the highest program of each cell of a plane, found by the order in which programs stand.

Nobody looks at those between, so that the cost follows the cells, however many programs there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.map.footprint import Pattern

if TYPE_CHECKING:
    from tritontui.analysis.map.plane import PlaneWindow

Ints = NDArray[np.int64]
Ends = tuple[Ints, Ints]
NOBODY = np.iinfo(np.int64).max
FEW_RUNS = 16
"""Stretches of neighbouring lanes in a program, each of which is followed by itself."""


def ends(window: PlaneWindow, pattern: Pattern, runs: Iterable[tuple[int, int, int]]) -> Ends | None:
    """Lowest and highest program in each cell, NOBODY and −1 where there is none, in the window's own order.

    ``runs``: as ``PlaneWindow.runs`` gives them. None for programs that stand in no such order.
    """
    if not window.dense or not window.major_stride:
        return None
    if window.minor_stride == 1 and pattern.gapless:
        return _gapless(window, pattern)
    key = (window.major_stride, window.minor_stride, window.plane.base % window.major_stride)
    if key not in pattern.lattices:
        pattern.lattices[key] = Lattice.of(pattern, *key)
    lattice = pattern.lattices[key]
    found = None if lattice is None else lattice.ends(window, runs)
    if found is None and window.minor_stride == 1 and pattern.in_step and len(pattern.runs(1)[0]) <= FEW_RUNS:
        found = _in_step(window, pattern)
    return found


def none(window: PlaneWindow) -> Ends:
    """Nobody in any cell."""
    return np.full(window.cells, NOBODY), np.full(window.cells, -1, np.int64)


# ---------------------------------------------------------------- a table of tiles


@dataclass(frozen=True)
class Ids:
    """One number for each place of a table, that ascends or descends along either axis."""

    table: Ints
    down: bool
    """They ascend with the rows of the table."""
    right: bool

    @classmethod
    def of(cls, table: Ints) -> Ids | None:
        ways = []
        for axis in (0, 1):
            steps = np.diff(table, axis=axis)
            if not ((steps >= 0).all() or (steps <= 0).all()):
                return None
            ways.append(bool((steps >= 0).all()))
        return cls(table, *ways)

    def at(self, low: bool, top: Ints, bottom: Ints, left: Ints, right: Ints) -> Ints:
        """The lowest (or highest) number in each rectangle: it stands in one of its corners. Bounds are inclusive."""
        row = top if self.down == low else bottom
        column = left if self.right == low else right
        return np.asarray(self.table[row, column])


@dataclass(frozen=True)
class Lattice:
    """A pattern whose programs begin at all crossings of some major with some minor steps: tiles of a matrix."""

    majors: Ints
    """Major steps at which programs begin, ascending; from the base taken modulo the major stride."""
    minors: Ints
    least: Ids
    """Of the programs that begin at a crossing, the lowest, and the highest."""
    most: Ids
    first: int
    """The pattern's lowest lane offset, which stands there."""

    @classmethod
    def of(cls, pattern: Pattern, major_stride: int, minor_stride: int, base: int) -> Lattice | None:
        rows, least, most = pattern.distinct
        first = int(pattern.lanes[0])
        origin = int(rows[0]) + first - base
        across = int(np.searchsorted(rows, base - first + (origin // major_stride + 1) * major_stride))
        if len(rows) % across:
            return None
        table = rows.reshape(-1, across)
        starts, steps = table[:, 0], table[0] - table[0, 0]
        if not np.array_equal(table, starts[:, None] + steps):
            return None
        majors, rest = np.divmod(starts + (first - base), major_stride)
        minors, left = np.divmod(rest[0] + steps, minor_stride)
        if (rest != rest[0]).any() or left.any() or rest[0] + steps[-1] >= major_stride:
            return None
        low, high = Ids.of(least.reshape(table.shape)), Ids.of(most.reshape(table.shape))
        return None if low is None or high is None else cls(majors, minors, low, high, first)

    def ends(self, window: PlaneWindow, runs: Iterable[tuple[int, int, int]]) -> Ends | None:
        """As the module's; None where a run goes on in the next major step."""
        lowest, highest = none(window)
        top, left = window.starts()
        for start, wide, tall in runs:
            steps, rest = divmod(start - self.first, window.minor_stride)
            if rest:
                continue  # these lanes meet no element of the matrix
            down, right = divmod(int(self.minors[0]) + steps, window.pitch)
            right -= int(self.minors[0])
            if self.minors[-1] + right + wide > window.pitch:
                return None
            majors = self.majors + (down - window.plane.base // window.major_stride)
            minors = self.minors + right
            rows = _between(majors, top, window.major_zoom, tall, window.majors if window.plane.closed else None)
            columns = _between(minors, left, window.minor_zoom, wide, window.minors if window.plane.closed else None)
            touched = np.flatnonzero(((rows[0] < rows[1])[:, None] & (columns[0] < columns[1])[None]).ravel())
            row, column = touched // window.broad, touched % window.broad
            at = rows[0][row], rows[1][row] - 1, columns[0][column], columns[1][column] - 1
            lowest[touched] = np.minimum(lowest[touched], self.least.at(True, *at))
            highest[touched] = np.maximum(highest[touched], self.most.at(False, *at))
        return lowest, highest


def _between(places: Ints, cells: Ints, zoom: int, extent: int, size: int | None) -> tuple[Ints, Ints]:
    """Along one axis: which of ``places`` (start, stop) reach into each cell, going on for ``extent``.

    ``size``: only those that begin in 0 … size − 1.
    """
    start, stop = np.searchsorted(places, cells - extent, "right"), np.searchsorted(places, cells + zoom, "left")
    if size is not None:
        first, last = np.searchsorted(places, [0, size])
        start, stop = np.maximum(start, first), np.minimum(stop, last)
    return start, stop


# ---------------------------------------------------------------- one line


def _gapless(window: PlaneWindow, pattern: Pattern) -> Ends:
    """Of a pattern without gaps: the lowest program touches the first element of the cell that is touched at all, the
    highest the last."""
    line = _Line(window, int(pattern.rows[0] + pattern.lanes[0]), int(pattern.rows[-1] + pattern.lanes[-1]))
    lane = int(pattern.lanes[0]), int(pattern.lanes[-1])
    first = np.maximum(line.element(line.top, line.left), line.begin)
    last = np.minimum(line.element(line.bottom, line.right), line.end)
    touched = np.flatnonzero(line.reached & (first <= last))
    lowest, highest = none(window)
    first, last = first[touched], last[touched]
    lowest[touched] = pattern.programs[pattern.between(first - lane[1], first - lane[0])[0]]
    highest[touched] = pattern.programs[pattern.between(last - lane[1], last - lane[0])[1] - 1]
    return lowest, highest


def _in_step(window: PlaneWindow, pattern: Pattern) -> Ends:
    """Of programs that ascend by one step, each with lanes that have gaps between them: row by row of the cells, from
    the first and from the last on, until somebody is met.

    Where rows and steps meet again and again alike there is no use in going on.
    """
    lowest, highest = none(window)
    step = int(pattern.rows[1] - pattern.rows[0]) if len(pattern.rows) > 1 else 1
    most = step // gcd(step, window.pitch) + 2
    for lane, last_lane in zip(*pattern.runs(1), strict=True):
        line = _Line(window, int(pattern.rows[0] + lane), int(pattern.rows[-1] + last_lane))
        for downwards in (True, False):
            open_ = np.flatnonzero(line.reached)
            for number in range(most):
                row = line.top[open_] + number if downwards else line.bottom[open_] - number
                inside = (row >= line.top[open_]) & (row <= line.bottom[open_])
                open_, row = open_[inside], row[inside]
                if not len(open_):
                    break
                low = line.element(row, line.left[open_]) - last_lane
                high = line.element(row, line.right[open_]) - lane
                start, stop = pattern.between(low, high)
                met = start < stop
                cells = open_[met]
                if downwards:
                    lowest[cells] = np.minimum(lowest[cells], pattern.programs[start[met]])
                else:
                    highest[cells] = np.maximum(highest[cells], pattern.programs[stop[met] - 1])
                open_ = open_[~met]
    return lowest, highest


class _Line:
    """The elements ``begin`` … ``end`` of memory in the cells of a plane whose minor stride is 1."""

    def __init__(self, window: PlaneWindow, begin: int, end: int) -> None:
        self.begin, self.end = begin, end
        self._base, self._pitch = window.plane.base, window.pitch
        major, minor = (axis.ravel() for axis in np.meshgrid(*window.starts(), indexing="ij"))
        top, bottom, left, right = major, major + window.major_zoom - 1, minor, minor + window.minor_zoom - 1
        width = window.minors if window.plane.closed else window.pitch
        left, right = np.maximum(left, 0), np.minimum(right, width - 1)
        if window.plane.closed:
            top, bottom = np.maximum(top, 0), np.minimum(bottom, window.majors - 1)
        first_row, first_column = divmod(begin - self._base, self._pitch)
        last_row, last_column = divmod(end - self._base, self._pitch)
        self.top = np.maximum(top, first_row + (right < first_column))
        """First and last major step of each cell in which the line may be, and the cell's minor ones."""
        self.bottom = np.minimum(bottom, last_row - (left > last_column))
        self.left, self.right = left, right
        self.reached: NDArray[np.bool_] = (self.top <= self.bottom) & (left <= right)

    def element(self, major: Ints, minor: Ints) -> Ints:
        return self._base + major * self._pitch + minor
