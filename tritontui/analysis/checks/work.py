"""What the programs are for: ``no-work`` and ``program-id-unused``."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import walk_sites
from tritontui.analysis.checks.axes import absent_axis
from tritontui.analysis.checks.coverage import consequence
from tritontui.analysis.source import Source, ids_of_programs, lane_lines, parse
from tritontui.analysis.trace import Access, Separable, SharedRows, Site, Trace
from tritontui.diagnosis.finding import Finding


def idle_programs(trace: Trace) -> NDArray[np.int64]:
    """Linear ids of the programs of which no lane ever reached for memory, ascending."""
    busy = np.zeros(trace.programs, bool)
    for access in trace.accesses:
        mask = access.mask
        if mask is None:
            busy[access.programs] = True
            continue
        rows = mask.rows if isinstance(mask, SharedRows) else mask
        any_lane = np.asarray(rows.reshape(len(rows), -1).any(axis=1))
        if isinstance(mask, SharedRows):
            any_lane = any_lane.take(mask.index)
        busy[access.programs[np.broadcast_to(any_lane, access.programs.shape)]] = True
    return np.flatnonzero(~busy)


def no_work(trace: Trace) -> list[Finding]:
    """``no-work``: a note, and a warning when more than half of the programs do nothing."""
    empty = all(0 in tensor.shape for tensor in trace.tensors)
    if not trace.complete or empty or not trace.accesses:
        return []
    idle = idle_programs(trace)
    if not len(idle) or len(idle) == trace.programs == 1:
        return []
    return [
        Finding(
            id="no-work",
            severity="warning" if 2 * len(idle) > trace.programs else "note",
            line=trace.line,
            file=trace.launched_in or None,
            program=trace.program_id(int(idle[0])),
            params={
                "idle": len(idle),
                "programs": trace.programs,
                "percent": 100 * len(idle) / trace.programs,
            },
        )
    ]


def program_id_unused(trace: Trace) -> list[Finding]:
    """``program-id-unused``: some axis of the grid changes no address, no mask, no stored value and no branch.

    With what follows from it for the tensors written. A launch that only counts with atomics may mean it, and one in
    which every program left before its first store says nothing.
    """
    if not trace.complete or not any(site.op == "store" for site in trace.sites):
        return []
    missing = [
        axis
        for axis, size in enumerate(trace.grid)
        if size > 1 and not any(_varies(trace, access, axis) for access in trace.accesses)
    ]
    target = _main_site(trace)
    if not missing or target is None:
        return []
    place = trace.sites[target]
    touched = [block.offsets[block.touched] for block in walk_sites(trace, (target,))]
    offsets = np.concatenate(touched) if touched else np.empty(0, np.int64)
    if not len(offsets):
        return []
    source = parse(trace.source)
    if (axis := absent_axis(trace)) is not None:
        return [axis]
    found = [
        Finding(
            id="program-id-unused",
            severity="error",
            line=_blind_line(source, place, missing),
            tensor=trace.tensors[place.tensor].name,
            params={
                "programs": trace.programs,
                "grid": list(trace.grid),
                "missing": missing,
                "index": int(offsets.min()),
                "last_index": int(offsets.max()),
            },
        )
    ]
    unwritten = consequence(trace, place.tensor, "program-id-unused") if place.op == "store" else None
    return found + ([unwritten] if unwritten is not None else [])


def _blind_line(source: Source, site: Site, missing: list[int]) -> int:
    """Of several vectors of lanes: the one that no program id moves, else the one in the missing axis's place."""
    lines = lane_lines(source, site)
    still = [line for line in lines if not _moved(source, line)]
    return (still or lines[min(missing[0], len(lines) - 1) :])[0]


def _moved(source: Source, line: int) -> bool:
    """Whether a statement that begins on ``line`` reckons with a program's id, under whatever name."""
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    function = source.function_at(line)
    names = set() if function is None else ids_of_programs(function)
    return "program_id" in text or any(re.search(rf"\b{name}\b", text) for name in names)


def _main_site(trace: Trace) -> int | None:
    """The last store to a tensor, else the last access."""
    known = [index for index, site in enumerate(trace.sites) if site.tensor >= 0]
    stores = [index for index in known if trace.sites[index].op == "store"]
    return (stores or known)[-1] if known else None


def _varies(trace: Trace, access: Access, axis: int) -> bool:
    """Whether who takes part, where, under which mask or with which values depends on the position along ``axis``."""
    groups = _groups(trace, access.programs, axis)
    if groups is None:
        return True
    offsets, mask = access.offsets, access.mask
    parts: list[NDArray[np.generic] | None] = [
        offsets.rows if isinstance(offsets, Separable) else offsets,
        mask.index if isinstance(mask, SharedRows) else mask,
        access.values,
    ]
    return any(_differs(part, groups) for part in parts if part is not None and len(part) > 1)


def _groups(trace: Trace, programs: NDArray[np.int64], axis: int) -> NDArray[np.intp] | None:
    """Positions in ``programs``, one row per set that differs along ``axis`` only; None if sets are broken."""
    size = trace.grid[axis]
    if len(programs) % size:
        return None
    coordinates = trace.coordinates(programs)
    others = [coordinate for index, coordinate in enumerate(coordinates) if index != axis]
    order = np.lexsort((coordinates[axis], *others))
    groups = order.reshape(-1, size)
    whole = (coordinates[axis][groups] == np.arange(size)).all()
    same = all((other[groups] == other[groups[:, :1]]).all() for other in others)
    return groups if whole and same else None


def _differs(part: NDArray[np.generic], groups: NDArray[np.intp]) -> bool:
    flat = part.reshape(len(part), -1)
    first = flat[groups[:, 0]]
    for position in range(1, groups.shape[1]):
        other = flat[groups[:, position]]
        if not np.array_equal(first, other) and not _equal_with_nan(first, other):
            return True
    return False


def _equal_with_nan(left: NDArray[np.generic], right: NDArray[np.generic]) -> bool:
    return left.dtype.kind == "f" and np.array_equal(left, right, equal_nan=True)
