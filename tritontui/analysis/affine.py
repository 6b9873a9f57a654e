"""The affine form of a site: offset = base + Σ stride·index over the grid's axes, the lanes' axes and the loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.compact import separate
from tritontui.analysis.trace import Access, Separable, Trace

_SAMPLE = 64
"""Accesses × programs that the strides are computed from; all of them are then checked."""


@dataclass(frozen=True)
class AffineForm:
    """offset = base + Σ pid[a]·program[a] + Σ lane[k]·lanes[k] + Σ iteration[i]·loop[i], all strides in elements."""

    base: int
    program: tuple[int, ...]
    lanes: tuple[int, ...]
    iteration: tuple[int, ...]


def lane_strides(lanes: NDArray[np.int64]) -> tuple[int, ...] | None:
    """Strides of a block of lane offsets along its axes (first lane 0); None when it isn't affine."""
    strides = []
    for axis, size in enumerate(lanes.shape):
        second = [0] * lanes.ndim
        second[axis] = 1
        strides.append(int(lanes[tuple(second)] - lanes[(0,) * lanes.ndim]) if size > 1 else 0)
    expected = np.zeros((1,) * lanes.ndim, np.int64)
    for axis, (size, stride) in enumerate(zip(lanes.shape, strides, strict=True)):
        shape = [1] * lanes.ndim
        shape[axis] = size
        expected = expected + (np.arange(size, dtype=np.int64) * stride).reshape(shape)
    return tuple(strides) if np.array_equal(expected, lanes - lanes[(0,) * lanes.ndim]) else None


def form_of(trace: Trace, accesses: Sequence[Access]) -> AffineForm | None:
    """The affine form that all ``accesses`` of one site have in common, over all lanes; None when there is none."""
    split = _split(accesses)
    if split is None:
        return None
    rows, lanes = split
    strides = lane_strides(lanes)
    if strides is None:
        return None
    depth = max(len(access.iteration) for access in accesses)
    columns = [_columns(trace, access, depth) for access in accesses]
    solution = _solve(np.concatenate([_thin(c) for c in columns]), np.concatenate([_thin(r) for r in rows]))
    if solution is None:
        return None
    base, moves = solution
    if any(not np.array_equal(base + c @ moves, r) for c, r in zip(columns, rows, strict=True)):
        return None
    axes = len(trace.grid)
    return AffineForm(base, tuple(moves[:axes].tolist()), strides, tuple(moves[axes:].tolist()))


def _split(accesses: Sequence[Access]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]] | None:
    """Row offsets of each access (one per program), and the block of lanes that they share."""
    rows, lanes = [], None
    for access in accesses:
        offsets = access.offsets
        separable = offsets if isinstance(offsets, Separable) else separate(offsets)
        if separable is None or (lanes is not None and not np.array_equal(separable.lanes, lanes)):
            return None
        lanes = separable.lanes
        rows.append(np.broadcast_to(separable.rows, (len(access.programs),)))
    return None if lanes is None else (rows, lanes)


def _columns(trace: Trace, access: Access, depth: int) -> NDArray[np.int64]:
    """Grid coordinates and loop counters of each program of the access, shape (P, axes + depth)."""
    count = len(access.programs)
    loops = list(access.iteration) + [0] * (depth - len(access.iteration))
    columns = [*trace.coordinates(access.programs), *(np.full(count, loop, np.int64) for loop in loops)]
    return np.stack(columns, axis=1)


def _thin(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """About _SAMPLE rows: the first ones (where each step is small) and some spread over the rest."""
    count = len(array)
    if count <= _SAMPLE:
        return array
    picked = np.union1d(np.arange(_SAMPLE // 2), np.linspace(0, count - 1, _SAMPLE // 2).astype(np.int64))
    return array[picked]


def _solve(columns: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]] | None:
    """Integer base and strides with base + columns·strides = rows on the sample; columns that never move get 0."""
    moving = np.flatnonzero((columns != columns[0]).any(axis=0))
    moves = np.zeros(columns.shape[1], np.int64)
    if len(moving):
        steps = (columns[:, moving] - columns[0, moving]).astype(np.float64)
        found, *_ = np.linalg.lstsq(steps, (rows - rows[0]).astype(np.float64), rcond=None)
        if not np.isfinite(found).all() or np.abs(found).max(initial=0.0) > 2**62:
            return None
        moves[moving] = np.rint(found).astype(np.int64)
    base = int(rows[0] - columns[0] @ moves)
    return (base, moves) if np.array_equal(base + columns @ moves, rows) else None
