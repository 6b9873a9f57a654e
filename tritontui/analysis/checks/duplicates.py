"""Lanes of one store that hit one element: ``duplicate-indices``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, blocks, lane_ranges, same_places
from tritontui.analysis.compact import separate
from tritontui.analysis.trace import Access, Separable, Trace
from tritontui.diagnosis.finding import Finding


@dataclass
class _Collision:
    """The first program of a site in which lanes collide."""

    program: int
    lanes: NDArray[np.bool_]
    index: int
    hits: int
    lanes_on: int
    elements: int
    read_line: int
    programs: set[int]


def findings(trace: Trace) -> list[Finding]:
    """One finding per store where colliding lanes write different values, or update what they all read before.

    Lanes that write one and the same value to one element are harmless and not reported.
    """
    collisions: dict[int, _Collision] = {}
    for position, access in enumerate(trace.accesses):
        site = trace.sites[access.site]
        if site.op != "store" or site.tensor < 0 or not _may_collide(access):
            continue
        read_line = _read_line(trace, position)
        for block in blocks(access):
            _look(block, read_line, collisions)
    return [_finding(trace, site, collision) for site, collision in sorted(collisions.items())]


def _may_collide(access: Access) -> bool:
    """Quick no for the usual case: one pattern of lanes, all of them different."""
    offsets = access.offsets
    if int(np.prod(offsets.shape[1:], dtype=np.int64)) < 2:
        return False
    separable = offsets if isinstance(offsets, Separable) else separate(offsets)
    if separable is None:
        return True
    lanes = np.sort(separable.lanes.ravel())
    return bool((lanes[1:] == lanes[:-1]).any())


def _look(block: Block, read_line: int, collisions: dict[int, _Collision]) -> None:
    touched = block.touched
    outside = np.iinfo(np.int64).max
    order = np.argsort(np.where(touched, block.offsets, outside), axis=1, kind="stable")
    offsets = np.take_along_axis(block.offsets, order, axis=1)
    active = np.take_along_axis(touched, order, axis=1)
    equal = (offsets[:, 1:] == offsets[:, :-1]) & active[:, 1:]
    if not read_line and (values := block.values()) is not None:
        values = np.broadcast_to(values, (max(len(values), len(order)), order.shape[1]))
        if len(values) > len(order):  # one row of offsets for all programs, but each its own values
            _look(block.every_program(), read_line, collisions)
            return
        ranked = np.take_along_axis(values, order, axis=1)
        equal &= ranked[:, 1:] != ranked[:, :-1]
    rows = np.flatnonzero(equal.any(axis=1))
    if not len(rows):
        return
    programs = set((block.programs if block.shared else block.programs[rows]).tolist())
    known = collisions.get(block.access.site)
    if known is not None:
        known.programs |= programs
        return
    row = int(rows[0])
    collisions[block.access.site] = _collision(block, row, programs, read_line)


def _collision(block: Block, row: int, programs: set[int], read_line: int) -> _Collision:
    touched = block.touched[row]
    elements, counts = np.unique(block.offsets[row][touched], return_counts=True)
    index = int(elements[np.argmax(counts)])
    return _Collision(
        program=int(block.programs[row]),
        lanes=touched & (block.offsets[row] == index),
        index=index,
        hits=int(counts.max()),
        lanes_on=int(touched.sum()),
        elements=len(elements),
        read_line=read_line,
        programs=programs,
    )


def _read_line(trace: Trace, position: int) -> int:
    """Line of the latest earlier load of the same elements, which this store then updates; 0: none."""
    store = trace.accesses[position]
    tensor = trace.sites[store.site].tensor
    for access in reversed(trace.accesses[:position]):
        site = trace.sites[access.site]
        if site.op == "load" and site.tensor == tensor and same_places(access, store):
            return site.line
    return 0


def _finding(trace: Trace, site: int, collision: _Collision) -> Finding:
    place = trace.sites[site]
    return Finding(
        id="duplicate-indices",
        severity="error",
        line=place.line,
        column=place.column,
        tensor=trace.tensors[place.tensor].name,
        program=trace.program_id(collision.program),
        lanes=lane_ranges(collision.lanes),
        params={
            "index": collision.index,
            "hits": collision.hits,
            "lanes_on": collision.lanes_on,
            "elements": collision.elements,
            "read_line": collision.read_line,
            "programs": len(collision.programs),
        },
    )
