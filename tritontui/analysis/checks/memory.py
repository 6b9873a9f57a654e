"""Who touched which element, as flat arrays over all programs: the ground on which conflicts are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, walk_sites
from tritontui.analysis.trace import Tensor, Trace

Selection = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Which units of a storage are looked at."""
MOST_TOUCHES = 1 << 22
"""Rows of ``Touches``: 40 bytes each, and as much again while they are sorted."""


class TooManyTouchesError(Exception):
    """The selected units were touched more than MOST_TOUCHES times."""


@dataclass(frozen=True)
class Touches:
    """One row per lane that reached a storage, in the order of the launch. All arrays have shape (n,)."""

    element: NDArray[np.int64]
    """Unit in the storage: an element, or a part of one where arguments of several widths share it."""
    program: NDArray[np.int64]
    order: NDArray[np.int64]
    """``Access.order``."""
    site: NDArray[np.int64]
    value: NDArray[np.float64]
    """Stored value as a float64 with equal bits exactly where the values have (NaN included); 0 for loads."""

    def __len__(self) -> int:
        return len(self.element)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Touches:
        return Touches(self.element[rows], self.program[rows], self.order[rows], self.site[rows], self.value[rows])


def storages_written(trace: Trace) -> dict[int, int]:
    """Storages that some store or atomic reaches, with the smallest element size of the arguments there, in bytes."""
    written = {trace.tensors[site.tensor].storage for site in trace.sites if site.tensor >= 0 and site.op != "load"}
    return {
        storage: min(tensor.itemsize for tensor in trace.tensors if tensor.storage == storage) for storage in written
    }


def walk_storage(trace: Trace, storage: int, *ops: str) -> Iterator[tuple[Block, Tensor]]:
    """Blocks of these kinds of access on any argument that lies in ``storage``, with that argument."""
    tensors = {
        index: trace.tensors[site.tensor]
        for index, site in enumerate(trace.sites)
        if site.tensor >= 0 and (not ops or site.op in ops) and trace.tensors[site.tensor].storage == storage
    }
    for block in walk_sites(trace, tensors):
        yield block, tensors[block.access.site]


def units(block: Block, tensor: Tensor, unit: int) -> NDArray[np.int64]:
    """First unit of every lane's element in the storage, shape (R, L)."""
    return (block.offsets + tensor.storage_shift) * (tensor.itemsize // unit)


def touches(trace: Trace, storage: int, unit: int, only: Selection, *, cut: bool = False) -> Touches:
    """Lanes that reached units of ``storage`` that ``only`` selects, sorted by (element, order, program).

    ``cut``: of too many, those that came first. Raises TooManyTouchesError otherwise.
    """
    parts: list[tuple[NDArray[Any], ...]] = []
    count = 0
    for block, tensor in walk_storage(trace, storage):
        chosen = _chosen(block, tensor, unit, only)
        found = np.count_nonzero(chosen) * (len(block.programs) if block.shared else 1) * (tensor.itemsize // unit)
        if count + found > MOST_TOUCHES:
            if not cut:
                raise TooManyTouchesError
            break
        if found:
            parts.append(_of_block(block, tensor, unit, chosen))
            count += found
    if not parts:
        nothing = np.empty(0, np.int64)
        return Touches(nothing, nothing, nothing, nothing, np.empty(0, np.float64))
    found = Touches(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return found.take(np.lexsort((found.program, found.order, found.element)))


def _chosen(block: Block, tensor: Tensor, unit: int, only: Selection) -> NDArray[np.bool_]:
    """Touching lanes of which some unit is selected, shape (R, L)."""
    first = units(block, tensor, unit)
    hit = np.zeros(first.shape, bool)
    for part in range(tensor.itemsize // unit):
        hit |= only(first + part)
    return np.asarray(block.touched & hit)


def _of_block(block: Block, tensor: Tensor, unit: int, chosen: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Columns of ``Touches``."""
    width = tensor.itemsize // unit
    first = units(block, tensor, unit)
    rows, lanes = np.nonzero(np.broadcast_to(chosen, (len(block.programs), chosen.shape[1])))
    element = first[rows if len(first) > 1 else 0, lanes]
    program = block.programs[rows]
    value = _values(block, rows, lanes)
    if width > 1:
        element = (element[:, None] + np.arange(width)).ravel()
        program, value = np.repeat(program, width), np.repeat(value, width)
    count = len(element)
    order = np.full(count, block.access.order, np.int64)
    site = np.full(count, block.access.site, np.int64)
    return element, program, order, site, value


def _values(block: Block, rows: NDArray[np.intp], lanes: NDArray[np.intp]) -> NDArray[np.float64]:
    values = block.values()
    if values is None:
        return np.zeros(len(rows), np.float64)
    picked = values[rows if len(values) > 1 else 0, lanes if values.shape[1] > 1 else 0]
    picked = np.broadcast_to(picked, rows.shape)
    if picked.dtype.itemsize == 8 and picked.dtype.kind in "iu":
        return np.ascontiguousarray(picked).view(np.float64)  # exact bits; only ever compared as bits
    return picked.astype(np.float64)


def same_bits(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Equality of stored values, bit by bit (so NaN equals itself)."""
    return np.asarray(left.view(np.int64) == right.view(np.int64))
