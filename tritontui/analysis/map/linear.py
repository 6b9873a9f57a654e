"""Cells of linear memory: ``zoom`` neighbouring elements each, found without a look at what isn't in view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.map.footprint import Footprint, Pairs, Pattern

NOBODY = np.iinfo(np.int64).max
Ints = NDArray[np.int64]


class LinearWindow:
    """``cells`` cells of ``zoom`` elements from element ``first`` on."""

    def __init__(self, first: int, zoom: int, cells: int) -> None:
        self.first, self.zoom, self.cells = first, zoom, cells
        self.starts = first + zoom * np.arange(cells, dtype=np.int64)
        """First element of each cell."""
        self.end = first + zoom * cells

    def count(self, offsets: Ints) -> Ints:
        """How many of ``offsets`` fall into each cell."""
        inside = offsets[(offsets >= self.first) & (offsets < self.end)]
        return np.bincount((inside - self.first) // self.zoom, minlength=self.cells).astype(np.int64)

    def programs(self, whole: Footprint) -> tuple[Ints, Ints]:
        """Programs with an active lane in each cell: how many, and the lowest, or NOBODY.

        A program that runs the site several times with different masks may count once per execution where the launch
        is large (over ``footprint.FEW_PAIRS`` lanes); everything else is exact.
        """
        count, lowest = np.zeros(self.cells, np.int64), np.full(self.cells, NOBODY)
        if self.cells:
            for pattern in whole.patterns:
                self._add_pattern(pattern, count, lowest)
            self._add_pairs(whole.pairs, count, lowest)
        return count, lowest

    def out(self, whole: Footprint, touched: Ints, elements: int) -> Ints:  # noqa: ARG002 - as in PlaneWindow
        """Active lanes in cells that hold nothing of the tensor (elements 0 … ``elements`` − 1)."""
        found = np.zeros(self.cells, np.int64)
        starts = self.starts
        outer = np.flatnonzero((starts >= elements) | (starts + self.zoom <= 0))
        if not len(outer) or (whole.lowest >= 0 and whole.highest < elements):
            return found
        for pattern in whole.patterns:
            lanes = pattern.lanes[:, None]
            start, stop = pattern.between(starts[outer] - lanes, starts[outer] + (self.zoom - 1) - lanes)
            found[outer] += pattern.copies @ np.maximum(stop - start, 0)
        found[outer] += self.count(whole.pairs.elements)[outer]
        return found

    def extremes(self, values: NDArray[np.uint8], origin: int) -> tuple[Ints, Ints]:
        """Least and greatest of ``values`` over the elements of each cell; 0 where a cell holds none of them.

        ``values``: one an element of the storage, of which ``origin`` is the offset of the first.
        """
        least, most = np.zeros(self.cells, np.int64), np.zeros(self.cells, np.int64)
        low = np.clip(self.starts - origin, 0, len(values))
        high = np.clip(self.starts + self.zoom - origin, 0, len(values))
        seen = np.flatnonzero(low < high)
        if len(seen):
            part = values[low[seen[0]] : high[seen[-1]]]
            cuts = low[seen] - low[seen[0]]
            least[seen], most[seen] = np.minimum.reduceat(part, cuts), np.maximum.reduceat(part, cuts)
        return least, most

    def _add_pattern(self, pattern: Pattern, count: Ints, lowest: Ints) -> None:
        first, last = pattern.runs(self.zoom)
        visible = (pattern.rows[0] + first < self.end) & (pattern.rows[-1] + last >= self.first)
        first, last = first[visible, None], last[visible, None]
        start, stop = pattern.between(self.starts - last, self.starts + (self.zoom - 1) - first)
        count += np.maximum(stop - start, 0).sum(axis=0)
        run, cell = np.nonzero(stop > start)
        np.minimum.at(lowest, cell, pattern.lowest(start[run, cell], stop[run, cell]))

    def _add_pairs(self, pairs: Pairs, count: Ints, lowest: Ints) -> None:
        begin, end = np.searchsorted(pairs.elements, [self.first, self.end])
        if begin == end:
            return
        cell = (pairs.elements[begin:end] - self.first) // self.zoom
        programs = pairs.programs[begin:end]
        np.minimum.at(lowest, cell, programs)
        order = np.lexsort((programs, cell))
        cell, programs = cell[order], programs[order]
        new = np.ones(len(cell), bool)
        new[1:] = (cell[1:] != cell[:-1]) | (programs[1:] != programs[:-1])
        count += np.bincount(cell[new], minlength=self.cells)
