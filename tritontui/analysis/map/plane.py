"""A strided matrix in memory and the cells of a window on it: which elements, which programs, which lanes.

One of the two strides, the *major* one, steps over everything that the *minor* one spans (a 0 stands for an expanded
axis), so that an offset belongs to one place: major = (offset − base) // major stride, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import AffineForm
from tritontui.analysis.map.ends import ends, none
from tritontui.analysis.map.footprint import Footprint, Pairs, Pattern
from tritontui.engine.messages import Plane

Ints = NDArray[np.int64]
NOWHERE = -(1 << 60)
ROWS_AT_ONCE = 1 << 15
"""Rows of a pattern that are looked at together: they stay in the processor's cache."""
PAIRS_AT_ONCE = 1 << 18
"""Programs × cells that are looked at together."""


@dataclass(frozen=True)
class Rectangles:
    """Rectangles of places, by their first place and their extent; all arrays of one length."""

    major: Ints
    minor: Ints
    tall: Ints
    wide: Ints
    least: Ints
    """Lowest and highest program of each."""
    most: Ints

    def of(self, chosen: NDArray[np.bool_]) -> Rectangles:
        if chosen.all():
            return self
        parts = (self.major, self.minor, self.tall, self.wide, self.least, self.most)
        return Rectangles(*(part[chosen] for part in parts))


class PlaneWindow:
    """The cells of a window, row by row of the screen."""

    def __init__(self, plane: Plane, cells: int) -> None:
        self.plane = plane
        self.cells = cells
        height = cells // plane.width
        self.turned = plane.column_stride > plane.row_stride
        """The major axis goes across the screen."""
        row = (plane.row_stride, plane.rows, plane.first_row, plane.row_zoom, height)
        column = (plane.column_stride, plane.columns, plane.first_column, plane.column_zoom, plane.width)
        major, minor = (column, row) if self.turned else (row, column)
        self.major_stride, self.majors, self.major_first, self.major_zoom, self.high = major
        self.minor_stride, self.minors, self.minor_first, self.minor_zoom, self.broad = minor
        self.pitch = -(-self.major_stride // self.minor_stride) if self.minor_stride else 1
        """Minor steps from one major step to the next."""
        self.dense = bool(self.minor_stride) and self.major_stride % self.minor_stride == 0

    # ------------------------------------------------------------ places

    def places(self, offsets: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Major and minor index of each offset, and which offsets have one; 0 stands for all along an expanded axis."""
        rest = offsets - self.plane.base
        major = minor = np.zeros_like(rest)
        if self.major_stride:
            major = rest // self.major_stride
            rest = rest - major * self.major_stride
        if self.minor_stride:
            minor = rest // self.minor_stride
            rest = rest - minor * self.minor_stride
        valid = rest == 0
        if self.plane.closed:
            valid &= self._is_inside(major, minor)
        return major, minor, valid

    def _is_inside(self, major: Ints, minor: Ints) -> NDArray[np.bool_]:
        return (major >= 0) & (major < self.majors) & (minor >= 0) & (minor < self.minors)

    def logical(self, form: AffineForm, indices: Ints) -> tuple[Ints, Ints] | None:
        """Places counted past the ends of rows: each term of ``form`` steps along one axis.

        ``indices``: a column for each term, in the order program axes, lane axes, loops; one row a lane. NOWHERE for
        lanes of other slices. None when a stride belongs to no axis.
        """
        strides = [*form.program, *form.lanes, *form.iteration]
        steps = np.zeros((3, len(strides)), np.int64)
        """Of each term: along the major axis, along the minor one, from slice to slice."""
        for number, stride in enumerate(strides):
            if self.plane.slice_stride and abs(stride) >= self.plane.slice_stride:
                steps[2, number] = stride
            elif self.major_stride and stride % self.major_stride == 0:
                steps[0, number] = stride // self.major_stride
            elif self.minor_stride and stride % self.minor_stride == 0 and abs(stride) < self.major_stride:
                steps[1, number] = stride // self.minor_stride
            elif stride:
                return None
        majors, minors, between = (indices @ one for one in steps)
        major, minor, valid = self.places(form.base + between)
        if self.plane.slice_stride:
            valid &= self._is_inside(major, minor)
        elif not valid.all():
            return None
        return np.where(valid, major + majors, NOWHERE), np.where(valid, minor + minors, NOWHERE)

    def is_past(self, major: Ints, minor: Ints) -> NDArray[np.bool_]:
        """Which places lie beyond the end of a row, or, where other slices follow, beyond the last row."""
        past = (minor >= self.minors) | (minor < 0)
        if self.plane.closed:
            past |= major >= self.majors
        return np.asarray(past & (major != NOWHERE))

    def on_screen(self, major: int, minor: int) -> tuple[int, int]:
        """Row and column of a place."""
        return (minor, major) if self.turned else (major, minor)

    # ------------------------------------------------------------ counting

    def count(self, offsets: Ints) -> Ints:
        """How many of ``offsets`` fall into each cell; along an expanded axis they fall into every cell."""
        major, minor, valid = self.places(offsets)
        return self.count_places(major[valid], minor[valid])

    def count_places(self, major: Ints, minor: Ints) -> Ints:
        """How many places fall into each cell."""
        row = np.zeros_like(major) if self._all_majors else (major - self.major_first) // self.major_zoom
        column = np.zeros_like(minor) if self._all_minors else (minor - self.minor_first) // self.minor_zoom
        seen = (row >= 0) & (row < self.high) & (column >= 0) & (column < self.broad)
        found = np.bincount(row[seen] * self.broad + column[seen], minlength=self.cells)[: self.cells]
        return self._arranged(self._spread(found.astype(np.int64)))

    def outside(self) -> NDArray[np.bool_]:
        """Cells that hold no element of the matrix, screen row by row."""
        major, minor = self.starts()
        off_major = (major >= self.majors) | (major + self.major_zoom <= 0)
        off_minor = (minor >= self.minors) | (minor + self.minor_zoom <= 0)
        return self._arranged((off_major[:, None] | off_minor[None, :]).ravel())

    def extremes(self, values: NDArray[np.uint8], origin: int) -> tuple[Ints, Ints]:
        """Least and greatest of ``values`` over the elements of each cell; 0 where a cell holds no element.

        ``values``: one an element of the storage, of which ``origin`` is the offset of the first.
        """
        least, most = np.zeros((self.high, self.broad), np.int64), np.zeros((self.high, self.broad), np.int64)
        major, minor = self.starts()
        seen = np.flatnonzero((minor < self.minors) & (minor + self.minor_zoom > 0))
        if len(seen):
            first, last = max(int(minor[seen[0]]), 0), min(int(minor[seen[-1]]) + self.minor_zoom, self.minors)
            cuts = np.maximum(minor[seen], 0) - first
            for row, start in enumerate(major.tolist()):
                low, high = max(start, 0), min(start + self.major_zoom, self.majors)
                if low < high:
                    part = self._part(values, origin, slice(low, high), slice(first, last))
                    least[row, seen] = np.minimum.reduceat(part.min(axis=0), cuts)
                    most[row, seen] = np.maximum.reduceat(part.max(axis=0), cuts)
        return self._arranged(least.ravel()), self._arranged(most.ravel())

    def _part(self, values: NDArray[np.uint8], origin: int, major: slice, minor: slice) -> NDArray[np.uint8]:
        """The values of a part of the matrix, without a copy."""
        first = self.plane.base - origin + major.start * self.major_stride + minor.start * self.minor_stride
        shape = (major.stop - major.start, minor.stop - minor.start)
        strides = (self.major_stride, self.minor_stride)  # bytes, for these are uint8
        return np.lib.stride_tricks.as_strided(values[first:], shape, strides, writeable=False)

    @property
    def _all_majors(self) -> bool:
        return not self.major_stride

    @property
    def _all_minors(self) -> bool:
        return not self.minor_stride

    def starts(self) -> tuple[Ints, Ints]:
        major = self.major_first + self.major_zoom * np.arange(self.high, dtype=np.int64)
        minor = self.minor_first + self.minor_zoom * np.arange(self.broad, dtype=np.int64)
        return major, minor

    def _spread(self, found: Ints) -> Ints:
        """Counts of the first row or column for all of them, where that axis is expanded."""
        table = found.reshape(self.high, self.broad)
        if self._all_majors and self.high:
            inside = self._inside(self.major_first, self.major_zoom, self.majors, self.high)
            table = np.where(inside[:, None], table[:1], 0)
        if self._all_minors and self.broad:
            inside = self._inside(self.minor_first, self.minor_zoom, self.minors, self.broad)
            table = np.where(inside[None, :], table[:, :1], 0)
        return table.ravel()

    @staticmethod
    def _inside(first: int, zoom: int, extent: int, count: int) -> NDArray[np.bool_]:
        starts = first + zoom * np.arange(count)
        return np.asarray((starts < extent) & (starts + zoom > 0))

    def _arranged(self, found: NDArray[Any]) -> NDArray[Any]:
        """From major by minor to row by column."""
        return found.reshape(self.high, self.broad).T.ravel() if self.turned else found

    # ------------------------------------------------------------ programs

    def programs(self, whole: Footprint) -> tuple[Ints, Ints]:
        """Programs with an active lane in each cell: 0, 1, or 2 for more; and the lowest, or NOBODY."""
        lowest, highest = none(self)
        plain: list[Pattern] = []
        for pattern in whole.patterns:
            found = ends(self, pattern, self.runs(pattern.lanes))
            if found is None:
                plain.append(pattern)
            else:
                lowest, highest = np.minimum(lowest, found[0]), np.maximum(highest, found[1])
        for part in self._parts(replace(whole, patterns=plain)):
            for cells, least, most in self._cells(part):
                np.minimum.at(lowest, cells, least)
                np.maximum.at(highest, cells, most)
        count = np.where(highest < 0, 0, np.where(lowest == highest, 1, 2))
        return self._arranged(count), self._arranged(lowest)

    def out(self, whole: Footprint, touched: Ints, elements: int) -> Ints:  # noqa: ARG002 - as in LinearWindow
        """Programs (2 for more) in cells that hold nothing of the matrix; ``touched`` as ``programs`` counts."""
        return np.where(self.outside(), touched, 0)

    def _near(self, pattern: Pattern) -> tuple[Ints, Ints, Ints]:
        """The pattern's distinct rows with a lane between the window's first and last major step."""
        rows, least, most = pattern.distinct
        if not self.major_stride:
            return rows, least, most
        low, high = self._reach
        start, stop = np.searchsorted(rows, [low - int(pattern.lanes[-1]), high - int(pattern.lanes[0])])
        return rows[start:stop], least[start:stop], most[start:stop]

    def _near_pairs(self, pairs: Pairs) -> Pairs:
        """Those between the window's first and last major step."""
        if not self.major_stride:
            return pairs
        start, stop = np.searchsorted(pairs.elements, self._reach)
        return Pairs(pairs.elements[start:stop], pairs.programs[start:stop])

    @property
    def _reach(self) -> tuple[int, int]:
        """The elements, first and one past the last, of the major steps in view."""
        low = self.plane.base + self.major_first * self.major_stride
        return low, low + self.high * self.major_zoom * self.major_stride

    def _parts(self, whole: Footprint) -> Iterator[Rectangles]:
        """The places of all active lanes that may be in view."""
        for pattern in whole.patterns:
            near = self._near(pattern)
            runs = list(self.runs(pattern.lanes))
            for start in range(0, len(near[0]), ROWS_AT_ONCE):
                rows, least, most = (part[start : start + ROWS_AT_ONCE] for part in near)
                for first, wide, tall in runs:
                    major, minor, valid = self.places(rows + first)
                    high, broad = np.full_like(rows, tall), np.full_like(rows, wide)
                    yield from self._wrapped(Rectangles(major, minor, high, broad, least, most).of(valid))
        pairs = self._near_pairs(whole.pairs)
        major, minor, valid = self.places(pairs.elements)
        one, who = np.ones(len(major), np.int64), pairs.programs
        yield Rectangles(major, minor, one, one, who, who).of(valid)

    def runs(self, lanes: Ints) -> Iterator[tuple[int, int, int]]:
        """Lane offsets as rectangles: (first offset, minor extent, major extent)."""
        if self.minor_stride and self.major_stride and not self.dense:
            yield from ((start, 1, 1) for start in lanes.tolist())  # past a row's end a run hits no place of the next
            return
        step = self.minor_stride or self.major_stride or 1
        cut = np.flatnonzero(np.diff(lanes) != step) + 1
        starts = lanes[np.concatenate(([0], cut))]
        lengths = np.diff(np.concatenate(([0], cut, [len(lanes)])))
        if not self.minor_stride:  # a run goes along the major axis
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
                yield start, 1, length
            return
        if not self.major_stride:
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
                yield start, length, 1
            return
        new = np.ones(len(starts), bool)
        new[1:] = (np.diff(starts) != self.major_stride) | (lengths[1:] != lengths[:-1]) | (lengths[1:] > self.pitch)
        first = np.flatnonzero(new)
        tall = np.diff(np.concatenate((first, [len(starts)])))
        yield from zip(starts[first].tolist(), lengths[first].tolist(), tall.tolist(), strict=True)

    def _wrapped(self, part: Rectangles) -> Iterator[Rectangles]:
        """Cut at the end of a major step, where lanes go on in the next one."""
        over = part.minor + part.wide - self.pitch
        if not self.dense or not (over > 0).any():
            yield part
            return
        head = Rectangles(
            part.major, part.minor, part.tall, np.minimum(part.wide, self.pitch - part.minor), part.least, part.most
        )
        yield head
        past = over > 0
        rest, over = part.of(past), over[past]
        whole = np.where(rest.tall == 1, over // self.pitch, 0)
        full = np.full(len(over), self.pitch, np.int64)
        yield Rectangles(rest.major + 1, np.zeros_like(over), whole, full, rest.least, rest.most).of(whole > 0)
        left = over - whole * self.pitch
        tail = Rectangles(rest.major + 1 + whole, np.zeros_like(over), rest.tall, left, rest.least, rest.most)
        yield tail.of(left > 0)

    def _cells(self, part: Rectangles) -> Iterator[tuple[Ints, Ints, Ints]]:
        """(cell, lowest, highest program) for each cell that a rectangle covers, in the window's own order.

        Neighbours that cover the same cells are taken together, so that far away a crowd costs no more than a few.
        """
        top, bottom = self._span(part.major, part.tall, self.major_first, self.major_zoom, self._all_majors, True)
        left, right = self._span(part.minor, part.wide, self.minor_first, self.minor_zoom, self._all_minors, False)
        seen = np.flatnonzero((top < bottom) & (left < right))
        if not len(seen):
            return
        corners = [top[seen], bottom[seen], left[seen], right[seen]]
        new = np.ones(len(seen), bool)
        new[1:] = np.logical_or.reduce([corner[1:] != corner[:-1] for corner in corners])
        first = np.flatnonzero(new)
        least = np.minimum.reduceat(part.least[seen], first)
        most = np.maximum.reduceat(part.most[seen], first)
        top, bottom, left, right = (corner[first] for corner in corners)
        broad = right - left
        sizes = (bottom - top) * broad
        ends = np.cumsum(sizes)
        start = 0
        while start < len(first):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + PAIRS_AT_ONCE, "right")))
            count = sizes[start:stop]
            owner = np.repeat(np.arange(start, stop), count)
            within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
            row, column = within // broad[owner], within % broad[owner]
            yield (top[owner] + row) * self.broad + left[owner] + column, least[owner], most[owner]
            start = stop

    def _span(
        self, first: Ints, extent: Ints, start: int, zoom: int, everywhere: bool, is_major: bool
    ) -> tuple[Ints, Ints]:
        """First cell and one past the last, along one axis, clipped to the window."""
        count, size = (self.high, self.majors) if is_major else (self.broad, self.minors)
        if everywhere:
            inside = np.flatnonzero(self._inside(start, zoom, size, count))
            low, high = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (0, 0)
            return np.full(len(first), low, np.int64), np.full(len(first), high, np.int64)
        low_cell = np.clip((first - start) // zoom, 0, count)
        high_cell = np.clip((first + extent - 1 - start) // zoom + 1, 0, count)
        return low_cell, high_cell
