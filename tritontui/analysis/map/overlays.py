"""What can be laid over the map: how often each element is written, and what an access moves in sectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.arrays import distinct
from tritontui.analysis.blocks import program_block
from tritontui.analysis.checks.sectors import SECTOR
from tritontui.analysis.executions import Executions
from tritontui.analysis.map.footprint import Footprint
from tritontui.analysis.trace import Access, Tensor, Trace
from tritontui.engine.messages import SectorTraffic

LARGEST_COUNTED = 1 << 26
"""Elements of a storage whose writes are counted (a byte each)."""
COUNTED_AT_ONCE = 1 << 20
"""Elements whose writes are counted together: what that takes stays in the processor's cache."""
MOST_WRITES = 255

Ints = NDArray[np.int64]


class Countable(Protocol):
    """The cells of a window."""

    def count(self, offsets: Ints) -> Ints: ...

    def extremes(self, values: NDArray[np.uint8], origin: int) -> tuple[Ints, Ints]: ...


def write_counts(trace: Trace, tensor: Tensor) -> NDArray[np.uint8] | None:
    """How often the launch wrote each element of the tensor's storage (255: or more), from its first element on.

    Stores and atomics through any argument of the same storage and element size count. None for a storage over
    LARGEST_COUNTED.
    """
    size = tensor.storage_end - tensor.storage_first
    if size > LARGEST_COUNTED:
        return None
    key = ("writes", tensor.storage, tensor.itemsize)
    if key not in trace.kept:
        trace.kept[key] = _counted(trace, tensor, size)
    kept: NDArray[np.uint8] = trace.kept[key]
    return kept


def _counted(trace: Trace, tensor: Tensor, size: int) -> NDArray[np.uint8]:
    """By the borders of what each program writes: neighbouring lanes count as one stretch."""
    counts = np.empty(max(size, 0), np.uint8)
    stretches = list(_stretches(trace, tensor))
    level = sum(one.times * int(np.searchsorted(one.first, 0) - np.searchsorted(one.end, 0)) for one in stretches)
    for start in range(0, len(counts), COUNTED_AT_ONCE):
        part = counts[start : start + COUNTED_AT_ONCE]
        rises = np.zeros(len(part), np.int32)
        """By how much each element is written more often than the one before it."""
        rises[0] = level
        for one in stretches:
            for borders, by in ((one.first, one.times), (one.end, -one.times)):
                low, high = np.searchsorted(borders, [start, start + len(part)])
                np.add.at(rises, borders[low:high] - start, np.int32(by))
        np.cumsum(rises, out=rises)
        level = int(rises[-1])
        np.minimum(rises, MOST_WRITES, out=part, casting="unsafe")
    return counts


class Stretches(NamedTuple):
    """Neighbours that are written ``times`` more often than without: from each ``first`` to before its ``end``. Both
    ascend."""

    first: Ints
    end: Ints
    times: int


def _stretches(trace: Trace, tensor: Tensor) -> Iterator[Stretches]:
    """All writes to the tensor's storage, counted from its first element."""
    for index, through in _written_through(trace, tensor):
        shift = through.storage_shift - tensor.storage_shift - tensor.storage_first
        whole = Executions(trace, index).footprint()
        yield Stretches(whole.pairs.elements + shift, whole.pairs.elements + (shift + 1), 1)
        for pattern in whole.patterns:
            steps = np.diff(pattern.rows)
            cuts = np.flatnonzero((np.diff(pattern.lanes) != 1) | (np.diff(pattern.copies) != 0)) + 1
            for lanes, copies in zip(np.split(pattern.lanes, cuts), np.split(pattern.copies, cuts), strict=True):
                apart = np.flatnonzero(steps != len(lanes))  # where one ends and the next begins there is no border
                first = pattern.rows[np.concatenate(([0], apart + 1))] + (lanes[0] + shift)
                end = pattern.rows[np.concatenate((apart, [-1]))] + (lanes[-1] + 1 + shift)
                yield Stretches(first, end, int(copies[0]))


def _written_through(trace: Trace, tensor: Tensor) -> Iterator[tuple[int, Tensor]]:
    """Sites that write the tensor's storage in elements of its size, and the argument each goes through."""
    for index, site in enumerate(trace.sites):
        through = trace.tensors[site.tensor] if site.tensor >= 0 else None
        if through is None or site.op == "load" or through.storage != tensor.storage:
            continue
        if through.itemsize == tensor.itemsize:
            yield index, through


def writes(trace: Trace, tensor: Tensor, window: Countable) -> list[tuple[int, int]]:
    """Least and greatest number of writes to the elements of each cell; nothing where they aren't counted."""
    counts = write_counts(trace, tensor)
    if counts is None or not len(counts):
        return []
    least, most = window.extremes(counts, tensor.storage_first)
    return list(zip(least.tolist(), most.tolist(), strict=True))


def writers(trace: Trace, tensor: Tensor, offset: int) -> int:
    """How many programs write the element at ``offset``."""
    found = []
    for index, through in _written_through(trace, tensor):
        shift = tensor.storage_shift - through.storage_shift
        found.append(programs_at(Executions(trace, index).footprint(), offset + shift))
    return len(distinct(np.concatenate(found))) if found else 0


def programs_at(whole: Footprint, offset: int) -> Ints:
    """The programs with an active lane at ``offset``, each once, ascending."""
    first, end = np.searchsorted(whole.pairs.elements, [offset, offset + 1])
    found = [whole.pairs.programs[first:end]]
    for pattern in whole.patterns:
        start, stop = pattern.between(offset - pattern.lanes, offset - pattern.lanes)
        found += [pattern.programs[one:other] for one, other in zip(start, stop, strict=True) if one < other]
    return distinct(np.concatenate(found))


def sectors(
    tensor: Tensor, accesses: Sequence[Access], program: int, window: Countable
) -> tuple[list[tuple[int, int]], SectorTraffic]:
    """Elements that the program uses in each cell, and those that its sectors bring along unused; and the sums."""
    used_in, moved_in = 0, 0
    cells: list[tuple[Ints, Ints]] = []
    traffic = SectorTraffic(sectors=0, ideal=0, used_bytes=0)
    for access in accesses:
        block = program_block(access, program)
        if block is None:
            continue
        used = distinct(block.offsets[block.touched])
        touched = distinct((used + tensor.storage_shift) * tensor.itemsize // SECTOR)
        traffic.sectors += len(touched)
        traffic.ideal += -(-len(used) * tensor.itemsize // SECTOR)
        traffic.used_bytes += len(used) * tensor.itemsize
        first = -(-touched * SECTOR // tensor.itemsize) - tensor.storage_shift
        moved = (first[:, None] + np.arange(max(1, SECTOR // tensor.itemsize))).ravel()
        cells.append((window.count(used), window.count(moved)))
    if cells:
        used_in = np.sum([used for used, _ in cells], axis=0)
        moved_in = np.sum([moved for _, moved in cells], axis=0)
        return list(zip(used_in.tolist(), np.maximum(moved_in - used_in, 0).tolist(), strict=True)), traffic
    return [], traffic
