"""Programs that get in each other's way: ``write-conflict`` and ``read-after-write``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.arrays import distinct
from tritontui.analysis.checks.happens_before import HappensBefore, TooManyAtomicsError
from tritontui.analysis.checks.memory import (
    TooManyTouchesError,
    Touches,
    same_bits,
    storages_written,
    touches,
    units,
    walk_storage,
)
from tritontui.analysis.trace import Tensor, Trace
from tritontui.diagnosis.finding import Finding

LARGEST_STORAGE = 1 << 27
"""Units between the lowest and the highest one written; wider launches aren't searched for conflicts."""
MOST_ELEMENTS = 1 << 16
"""Suspected elements whose accesses are compared pair by pair."""


def findings(trace: Trace) -> list[Finding]:
    """At most one ``write-conflict`` and one ``read-after-write`` per pair of lines."""
    if trace.programs < 2:
        return []
    found: list[Finding] = []
    for storage, unit in storages_written(trace).items():
        suspects = _suspects(trace, storage, unit)
        if suspects is not None:
            found += _judge(trace, storage, unit, suspects)
    return found


@dataclass(frozen=True)
class _Suspects:
    """Units of a storage that two programs touch, one of them writing, from unit ``low`` on."""

    low: int
    bitmap: NDArray[np.bool_]

    def fewer(self) -> _Suspects | None:
        """A sixteenth of them; None of one."""
        units = np.flatnonzero(self.bitmap)
        if len(units) < 2:
            return None
        bitmap = np.zeros_like(self.bitmap)
        bitmap[units[: max(1, len(units) // 16)]] = True
        return _Suspects(self.low, bitmap)

    def __call__(self, elements: NDArray[np.int64]) -> NDArray[np.bool_]:
        places = elements - self.low
        inside = (places >= 0) & (places < len(self.bitmap))
        return inside & self.bitmap[np.where(inside, places, 0)]


def _suspects(trace: Trace, storage: int, unit: int) -> _Suspects | None:
    """One pass over all accesses, without regard to their order; None when no unit is touched by two programs."""
    span = _written_span(trace, storage, unit)
    if span is None or span[1] - span[0] > LARGEST_STORAGE:
        return None
    low, size = span[0], span[1] - span[0]
    owner = np.full(size, -1, np.int64)
    plain, many, raced = np.zeros(size, bool), np.zeros(size, bool), np.zeros(size, bool)
    for kind in ("store", "atomic", "load"):
        for block, tensor in walk_storage(trace, storage, kind):
            if not block.touched.any():
                continue
            first = units(block, tensor, unit)[block.touched] - low
            if block.shared:
                program = np.full(first.shape, block.programs[0])
            else:
                program = block.programs[np.nonzero(block.touched)[0]]
            for part in range(tensor.itemsize // unit):
                place = first + part
                if kind == "load":
                    _see_reads(place, program, block.shared, owner, many, raced)
                else:
                    _see_writes(place, program, block.shared, owner, many)
                    if kind == "store":
                        plain[place] = True
    bitmap = (many & plain) | raced
    if not bitmap.any():
        return None
    few = np.flatnonzero(bitmap)
    if len(few) > MOST_ELEMENTS:
        bitmap[few[MOST_ELEMENTS] :] = False
    return _Suspects(low, bitmap)


def _written_span(trace: Trace, storage: int, unit: int) -> tuple[int, int] | None:
    low, high = None, 0
    for block, tensor in walk_storage(trace, storage, "store", "atomic"):
        if block.touched.any():
            places = units(block, tensor, unit)[block.touched]
            start = int(places.min())
            low = start if low is None else min(low, start)
            high = max(high, int(places.max()) + tensor.itemsize // unit)
    return None if low is None else (low, high)


def _see_writes(
    place: NDArray[np.int64],
    program: NDArray[np.int64],
    shared: bool,
    owner: NDArray[np.int64],
    many: NDArray[np.bool_],
) -> None:
    if shared:
        many[place] = True
    earlier = owner[place]
    many[place[(earlier >= 0) & (earlier != program)]] = True
    owner[place] = program
    many[place[owner[place] != program]] = True  # somebody else in this very access came later


def _see_reads(
    place: NDArray[np.int64],
    program: NDArray[np.int64],
    shared: bool,
    owner: NDArray[np.int64],
    many: NDArray[np.bool_],
    raced: NDArray[np.bool_],
) -> None:
    inside = (place >= 0) & (place < len(owner))
    place, program = place[inside], program[inside]
    foreign = (owner[place] >= 0) & (many[place] | (owner[place] != program) | shared)
    raced[place[foreign]] = True


def _judge(trace: Trace, storage: int, unit: int, suspects: _Suspects) -> list[Finding]:
    seen = _touches(trace, storage, unit, suspects)
    order = _order(trace, seen)
    if order is None:
        return []
    op = np.array([site.op for site in trace.sites])[seen.site]
    writes = _unordered(seen, order, *_write_pairs(seen, op))
    read, write = _read_pairs(seen, op)
    open_ = ~(_guessed(trace, seen, read) & (op[write] == "atomic"))
    reads = _unordered(seen, order, read[open_], write[open_])
    return _report(trace, unit, seen, "write-conflict", *writes) + _report(
        trace, unit, seen, "read-after-write", *reads
    )


def _touches(trace: Trace, storage: int, unit: int, suspects: _Suspects) -> Touches:
    """Of as many suspects as there is room for."""
    try:
        return touches(trace, storage, unit, suspects)
    except TooManyTouchesError:
        fewer = suspects.fewer()
    if fewer is None:
        return touches(trace, storage, unit, suspects, cut=True)
    return _touches(trace, storage, unit, fewer)


def _order(trace: Trace, seen: Touches) -> HappensBefore | None:
    try:
        return HappensBefore(trace, distinct(seen.program))
    except TooManyAtomicsError:
        return None


Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows of ``Touches``: one access and the one it may collide with."""


def _write_pairs(seen: Touches, op: NDArray[np.str_]) -> Pairs:
    """Each write with the next one of its element, unless both are atomics."""
    rows = np.flatnonzero(op != "load")
    first, second = rows[:-1], rows[1:]
    keep = (seen.element[first] == seen.element[second]) & (seen.program[first] != seen.program[second])
    keep &= (op[first] == "store") | (op[second] == "store")
    return first[keep], second[keep]


def _read_pairs(seen: Touches, op: NDArray[np.str_]) -> Pairs:
    """Each read with the write before it and the write after it (in the order of the run), of other programs.

    Order between writes is the other question's; so the nearest write on either side is enough.
    """
    rows = np.arange(len(seen))
    is_write = op != "load"
    reads = np.flatnonzero(~is_write)
    before = np.maximum.accumulate(np.where(is_write, rows, -1))[reads]
    after = np.minimum.accumulate(np.where(is_write, rows, len(seen))[::-1])[::-1][reads]
    first, second = [], []
    for other, exists in ((before, before >= 0), (after, after < len(seen))):
        read, write = reads[exists], other[exists]
        keep = (seen.element[read] == seen.element[write]) & (seen.program[read] != seen.program[write])
        first.append(read[keep])
        second.append(write[keep])
    return np.concatenate(first), np.concatenate(second)


def _guessed(trace: Trace, seen: Touches, read: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which reads the same program checks later by a compare-and-swap of that element: a wrong one is tried again."""
    swaps = np.isin(seen.order, [access.order for access in trace.accesses if access.atomic == "cas"])
    if not swaps.any():
        return np.zeros(len(read), bool)
    key = seen.element * trace.programs + seen.program
    known, which = np.unique(key[swaps], return_inverse=True)
    last = np.full(len(known), -1, np.int64)
    np.maximum.at(last, which, seen.order[swaps])
    place = np.minimum(np.searchsorted(known, key[read]), len(known) - 1)
    return np.asarray((known[place] == key[read]) & (last[place] > seen.order[read]))


def _unordered(seen: Touches, order: HappensBefore, first: NDArray[np.intp], second: NDArray[np.intp]) -> Pairs:
    def before(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.bool_]:
        return order.ordered(seen.program[a], seen.order[a], seen.program[b], seen.order[b])

    free = ~(before(first, second) | before(second, first))
    return first[free], second[free]


def _report(
    trace: Trace, unit: int, seen: Touches, identifier: str, first: NDArray[np.intp], second: NDArray[np.intp]
) -> list[Finding]:
    found = []
    lines = np.array([site.line for site in trace.sites], np.int64)
    keys = np.stack([lines[seen.site[first]], lines[seen.site[second]]], axis=1)
    for pair in np.unique(keys, axis=0) if len(keys) else []:
        rows = (keys == pair).all(axis=1)
        found.append(_finding(trace, unit, seen, identifier, first[rows], second[rows]))
    return found


def _finding(
    trace: Trace, unit: int, seen: Touches, identifier: str, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Finding:
    one, other = int(first[0]), int(second[0])
    site, other_site = trace.sites[int(seen.site[one])], trace.sites[int(seen.site[other])]
    tensor = trace.tensors[site.tensor]
    elements, concerned = distinct(seen.element[first] // (tensor.itemsize // unit)), np.concatenate((first, second))
    params: dict[str, Any] = {
        "index": _index(int(seen.element[one]), tensor, unit),
        "count": len(elements),
        "other_program": trace.program_id(int(seen.program[other])),
        "other_line": other_site.line,
    }
    same = False
    if identifier == "write-conflict":
        plain = "atomic" not in (site.op, other_site.op)
        equal = same_bits(seen.value[first], seen.value[second]) if plain else np.zeros(len(first), bool)
        same = bool(equal.all())
        if not same:
            shown = int(np.flatnonzero(~equal)[0])
            one, other = int(first[shown]), int(second[shown])
            params["index"] = _index(int(seen.element[one]), tensor, unit)
            params["other_program"] = trace.program_id(int(seen.program[other]))
        params |= {
            "value": _text(seen.value[one], tensor),
            "other_value": _text(seen.value[other], tensor),
            "same": same,
            "programs": len(distinct(seen.program[concerned])),
        }
    return Finding(
        id=identifier,
        severity="note" if same else "error",
        line=site.line,
        column=site.column,
        tensor=tensor.name,
        program=trace.program_id(int(seen.program[one])),
        params=params,
    )


def _index(element: int, tensor: Tensor, unit: int) -> int:
    return element // (tensor.itemsize // unit) - tensor.storage_shift


def _text(value: np.float64, tensor: Tensor) -> str:
    """A stored value as a learner would write it."""
    if tensor.dtype in ("i64", "u64"):
        return str(int(value.view(np.int64 if tensor.dtype == "i64" else np.uint64)))
    if tensor.dtype[0] in "iu":
        return str(int(value))
    return f"{float(value):.6g}"
