"""One site's accesses in the form that the map asks in.

Most accesses are a block of lanes that each program moves by one number of its own. What a viewport shows of them is
found by searching those numbers, without a look at the programs that aren't in it. What has no such form, and what is
small anyway, is kept as plain (element, program) pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import blocks
from tritontui.analysis.compact import compact
from tritontui.analysis.trace import Access, Separable, SharedRows

FEW_PAIRS = 1 << 18
"""Lanes over all programs up to which pairs are simply listed."""
STRETCH = 32
"""Neighbouring rows of a pattern whose lowest program is found once."""


@dataclass(frozen=True)
class Pattern:
    """Programs whose active lanes lie at ``rows[i] + lanes``."""

    lanes: NDArray[np.int64]
    """Distinct offsets, ascending, shape (L,)."""
    copies: NDArray[np.int64]
    """How many lanes have that offset, shape (L,)."""
    rows: NDArray[np.int64]
    """One number per program, ascending, shape (P,)."""
    programs: NDArray[np.int64]
    """Linear ids in the order of ``rows``, shape (P,)."""

    def runs(self, zoom: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and last lane offset of each run; lanes up to ``zoom`` apart belong together.

        No whole cell fits into such a gap, so the cells that a run covers are the cells that its lanes touch; and two
        runs of one program never share a cell.
        """
        cut = np.flatnonzero(np.diff(self.lanes) > zoom)
        first, last = np.concatenate(([0], cut + 1)), np.concatenate((cut, [len(self.lanes) - 1]))
        return self.lanes[first], self.lanes[last]

    def between(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Range (start, stop) of the rows with low ≤ row ≤ high, for each query."""
        step = self._step
        if step is None:
            return np.searchsorted(self.rows, low, "left"), np.searchsorted(self.rows, high, "right")
        count = len(self.rows)
        start = np.clip(-((self.rows[0] - low) // step), 0, count)
        stop = np.clip((high - self.rows[0]) // step + 1, 0, count)
        return start, stop

    def lowest(self, start: NDArray[np.int64], stop: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lowest program among the rows start … stop − 1, for each query; none may be empty."""
        if self._ascending:
            return np.asarray(self.programs[start])
        last, lowest = stop - 1, self.programs[start]
        for ahead in range(min(STRETCH, int((stop - start).max(initial=0)))):  # at either end, up to whole stretches
            lowest = np.minimum(lowest, self.programs[np.minimum(start + ahead, last)])
            lowest = np.minimum(lowest, self.programs[np.maximum(last - ahead, start)])
        first, end = -(-start // STRETCH), stop // STRETCH
        whole = np.flatnonzero(first < end)
        first, end = first[whole], end[whole]
        level = np.frexp((end - first).astype(np.float64))[1] - 1
        between = np.minimum(self._minima[level, first], self._minima[level, end - (1 << level)])
        lowest[whole] = np.minimum(lowest[whole], between)
        return np.asarray(lowest)

    @cached_property
    def distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Distinct rows, ascending, with the lowest and the highest program of each."""
        new = np.ones(len(self.rows), bool)
        new[1:] = self.rows[1:] != self.rows[:-1]
        if new.all():
            return self.rows, self.programs, self.programs
        first = np.flatnonzero(new)
        low, high = np.minimum.reduceat(self.programs, first), np.maximum.reduceat(self.programs, first)
        return self.rows[first], low, high

    @cached_property
    def lattices(self) -> dict[tuple[int, int, int], Any]:
        """What ``ends`` has found of the pattern, by the strides and the base of planes."""
        return {}

    @cached_property
    def in_step(self) -> bool:
        """Each row is the one before and the same step, and programs ascend with them."""
        return self._step is not None and self._ascending

    @cached_property
    def gapless(self) -> bool:
        """Every element from the first to the last is touched, by programs that ascend with the elements."""
        contiguous = int(self.lanes[-1] - self.lanes[0]) + 1 == len(self.lanes)
        return contiguous and self.in_step and (self._step or 0) <= len(self.lanes)

    @cached_property
    def _step(self) -> int | None:
        """The rows' common difference, when they have one above 0."""
        steps = np.diff(self.rows)
        if not len(steps):
            return 1
        return int(steps[0]) if steps[0] > 0 and (steps == steps[0]).all() else None

    @cached_property
    def _ascending(self) -> bool:
        """Programs ascend with their rows: the first of a range is its lowest."""
        return bool((np.diff(self.programs) > 0).all())

    @cached_property
    def _minima(self) -> NDArray[np.int64]:
        """Row k: the lowest program among 2^k neighbouring stretches; what is left of the last one is none."""
        count = len(self.programs) // STRETCH
        stretches = self.programs[: count * STRETCH].reshape(count, STRETCH).min(axis=1)
        table = np.repeat(stretches[None], max(1, count.bit_length()), axis=0)
        for level in range(1, len(table)):
            step = 1 << (level - 1)
            np.minimum(table[level - 1, : count - step], table[level - 1, step:], out=table[level, : count - step])
        return table


@dataclass(frozen=True)
class Pairs:
    """Active lanes one by one, by element ascending. Both of shape (n,)."""

    elements: NDArray[np.int64]
    programs: NDArray[np.int64]


@dataclass(frozen=True)
class Footprint:
    """All accesses of one site."""

    patterns: list[Pattern]
    pairs: Pairs
    lowest: int
    """Lowest and highest offset that any lane addressed, masked or not."""
    highest: int


def footprint(accesses: Sequence[Access]) -> Footprint:
    """The active lanes of one site; what the guard kept from memory is part of it."""
    small = sum(_size(access) for access in accesses) <= FEW_PAIRS
    groups: dict[tuple[int, int], list[Pattern]] = defaultdict(list)
    loose: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    bounds: list[int] = []
    for access in map(compact, accesses):
        bounds += _bounds(access)
        if small or not isinstance(access.offsets, Separable) or _has_masks_of_its_own(access):
            loose += _pairs(access)
        else:
            for pattern in _patterns(access, access.offsets):
                groups[len(pattern.rows), int(pattern.programs[0])].append(pattern)
    return Footprint(
        patterns=_joined([merged for group in groups.values() for merged in _merge(group)]),
        pairs=_sorted(loose),
        lowest=min(bounds, default=0),
        highest=max(bounds, default=0),
    )


def _size(access: Access) -> int:
    return len(access.programs) * int(np.prod(access.offsets.shape[1:], dtype=np.int64))


def _has_masks_of_its_own(access: Access) -> bool:
    return isinstance(access.mask, np.ndarray) and len(access.mask) > 1


def _bounds(access: Access) -> tuple[int, ...]:
    offsets = access.offsets
    if 0 in offsets.shape:
        return ()
    if isinstance(offsets, Separable):
        rows, lanes = offsets.rows, offsets.lanes
        return int(rows.min() + lanes.min()), int(rows.max() + lanes.max())
    return int(offsets.min()), int(offsets.max())


def _pairs(access: Access) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for block in blocks(access):
        whole = block.every_program()
        rows, lanes = np.nonzero(whole.wanted)
        yield whole.offsets[rows, lanes], whole.programs[rows]


def _sorted(parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> Pairs:
    if not parts:
        return Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    elements, programs = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(elements, kind="stable")
    return Pairs(elements[order], programs[order])


def _patterns(access: Access, offsets: Separable) -> Iterator[Pattern]:
    """One pattern per distinct mask of the access."""
    rows = np.broadcast_to(offsets.rows, (len(access.programs),))
    mask = access.mask
    masks = np.ones((1, *(1,) * offsets.lanes.ndim), bool) if mask is None else _mask_rows(mask)
    for number, wanted in enumerate(masks):
        active = offsets.lanes[np.broadcast_to(wanted, offsets.lanes.shape)]
        lanes, copies = np.unique(active, return_counts=True)
        chosen = np.flatnonzero(mask.index == number) if isinstance(mask, SharedRows) else np.arange(len(rows))
        if len(lanes) and len(chosen):
            own, programs = (
                (rows, access.programs) if len(chosen) == len(rows) else (rows[chosen], access.programs[chosen])
            )
            if (np.diff(own) < 0).any():
                order = np.argsort(own, kind="stable")
                own, programs = own[order], programs[order]
            yield Pattern(lanes, copies.astype(np.int64), own, programs.astype(np.int64, copy=False))


def _mask_rows(mask: NDArray[np.bool_] | SharedRows) -> NDArray[np.bool_]:
    return mask.rows if isinstance(mask, SharedRows) else mask


def _merge(group: list[Pattern]) -> list[Pattern]:
    """Executions that move the same programs alike become one pattern."""
    merged: list[Pattern] = []
    while group:
        first, others = group[0], group[1:]
        alike = [first, *(pattern for pattern in others if _moves_alike(first, pattern))]
        group = [pattern for pattern in others if not any(pattern is one for one in alike)]
        every = [np.repeat(one.lanes, one.copies) + (one.rows[0] - first.rows[0]) for one in alike]
        lanes, copies = np.unique(np.concatenate(every), return_counts=True)
        merged.append(Pattern(lanes, copies.astype(np.int64), first.rows, first.programs))
    return merged


def _joined(patterns: list[Pattern]) -> list[Pattern]:
    """Patterns of the same lanes are one: a launch that ran in chunks leaves one a chunk."""
    alike: dict[tuple[bytes, bytes], list[Pattern]] = defaultdict(list)
    for pattern in patterns:
        alike[pattern.lanes.tobytes(), pattern.copies.tobytes()].append(pattern)
    return [group[0] if len(group) == 1 else _join(group) for group in alike.values()]


def _join(group: list[Pattern]) -> Pattern:
    rows, programs = (np.concatenate([getattr(one, name) for one in group]) for name in ("rows", "programs"))
    if (np.diff(rows) < 0).any():
        order = np.argsort(rows, kind="stable")
        rows, programs = rows[order], programs[order]
    return Pattern(group[0].lanes, group[0].copies, rows, programs)


def _moves_alike(left: Pattern, right: Pattern) -> bool:
    shift = right.rows[0] - left.rows[0]
    return np.array_equal(left.programs, right.programs) and np.array_equal(left.rows + shift, right.rows)
