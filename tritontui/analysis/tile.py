"""Cells of the access map: what a viewport shows, at a cost that follows the viewport."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import program_block
from tritontui.analysis.footprint import Footprint, Pairs, Pattern, footprint
from tritontui.analysis.trace import Access, Trace
from tritontui.analysis.views import extent
from tritontui.engine.messages import Cell, Tile, TileRequest

NOBODY = np.iinfo(np.int64).max


def tile(trace: Trace, request: TileRequest) -> Tile:
    """The cells that ``request`` asks for. Raises LookupError when the launch has no such site.

    A program that runs the site several times with different masks may count once per execution in ``Cell.programs``
    of large launches (over ``footprint.FEW_PAIRS`` lanes); everything else is exact.
    """
    if not 0 <= request.site < len(trace.sites):
        raise LookupError(f"no site {request.site}")
    accesses = [access for access in trace.accesses if access.site == request.site]
    shape = _Window(request.first, max(1, request.zoom), max(0, request.cells))
    site_footprint = _footprint(trace, request.site, accesses)
    end = extent(trace.tensors[trace.sites[request.site].tensor]) if trace.sites[request.site].tensor >= 0 else 0
    programs, lowest = _programs(site_footprint, shape)
    selected, masked = _selected(accesses, request.program, shape)
    out = _outside(site_footprint, shape, end)
    columns = (np.where(lowest == NOBODY, -1, lowest), programs, selected, masked, out)
    return Tile(
        run=request.run,
        request=request.request,
        first=request.first,
        zoom=shape.zoom,
        cells=[Cell(*row) for row in zip(*(column.tolist() for column in columns), strict=True)],
        elements=end,
        lowest=site_footprint.lowest,
        highest=site_footprint.highest,
    )


class _Window:
    """``cells`` cells of ``zoom`` elements from element ``first`` on."""

    def __init__(self, first: int, zoom: int, cells: int) -> None:
        self.first, self.zoom, self.cells = first, zoom, cells
        self.starts = first + zoom * np.arange(cells, dtype=np.int64)
        """First element of each cell."""
        self.end = first + zoom * cells

    def count(self, elements: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of ``elements`` fall into each cell."""
        inside = elements[(elements >= self.first) & (elements < self.end)]
        return np.bincount((inside - self.first) // self.zoom, minlength=self.cells).astype(np.int64)


def _footprint(trace: Trace, site: int, accesses: Sequence[Access]) -> Footprint:
    """Made at the first request of a site and kept with the trace."""
    key = ("footprint", site)
    if key not in trace.kept:
        trace.kept[key] = footprint(accesses)
    kept: Footprint = trace.kept[key]
    return kept


def _programs(whole: Footprint, window: _Window) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Programs with an active lane in each cell: how many, and the lowest."""
    count, lowest = np.zeros(window.cells, np.int64), np.full(window.cells, NOBODY)
    if not window.cells:
        return count, lowest
    for pattern in whole.patterns:
        _add_pattern(pattern, window, count, lowest)
    _add_pairs(whole.pairs, window, count, lowest)
    return count, lowest


def _add_pattern(pattern: Pattern, window: _Window, count: NDArray[np.int64], lowest: NDArray[np.int64]) -> None:
    first, last = pattern.runs(window.zoom)
    visible = (pattern.rows[0] + first < window.end) & (pattern.rows[-1] + last >= window.first)
    first, last = first[visible, None], last[visible, None]
    start, stop = pattern.between(window.starts - last, window.starts + (window.zoom - 1) - first)
    count += np.maximum(stop - start, 0).sum(axis=0)
    run, cell = np.nonzero(stop > start)
    np.minimum.at(lowest, cell, pattern.lowest(start[run, cell], stop[run, cell]))


def _add_pairs(pairs: Pairs, window: _Window, count: NDArray[np.int64], lowest: NDArray[np.int64]) -> None:
    begin, end = np.searchsorted(pairs.elements, [window.first, window.end])
    if begin == end:
        return
    cell = (pairs.elements[begin:end] - window.first) // window.zoom
    programs = pairs.programs[begin:end]
    np.minimum.at(lowest, cell, programs)
    order = np.lexsort((programs, cell))
    cell, programs = cell[order], programs[order]
    new = np.ones(len(cell), bool)
    new[1:] = (cell[1:] != cell[:-1]) | (programs[1:] != programs[:-1])
    count += np.bincount(cell[new], minlength=window.cells)


def _selected(accesses: Sequence[Access], program: int, window: _Window) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Active and masked-off lanes of the selected program in each cell, over all its executions."""
    active, masked = np.zeros(window.cells, np.int64), np.zeros(window.cells, np.int64)
    for access in accesses:
        block = program_block(access, program)
        if block is not None and window.cells:
            active += window.count(block.offsets[block.wanted])
            masked += window.count(block.offsets[~block.wanted])
    return active, masked


def _outside(whole: Footprint, window: _Window, end: int) -> NDArray[np.int64]:
    """Active lanes in cells that hold nothing of the tensor (elements 0 … end − 1)."""
    found = np.zeros(window.cells, np.int64)
    starts = window.starts
    outer = np.flatnonzero((starts >= end) | (starts + window.zoom <= 0))
    if not len(outer) or (whole.lowest >= 0 and whole.highest < end):
        return found
    for pattern in whole.patterns:
        lanes = pattern.lanes[:, None]
        start, stop = pattern.between(starts[outer] - lanes, starts[outer] + (window.zoom - 1) - lanes)
        found[outer] += pattern.copies @ np.maximum(stop - start, 0)
    found[outer] += window.count(whole.pairs.elements)[outer]
    return found
