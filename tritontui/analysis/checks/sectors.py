"""Memory traffic in sectors of 32 bytes: ``uncoalesced`` and ``redundant-load``.

A sector is the least that NVIDIA's memory moves. Counted are the distinct sectors of *one program's* access over the
fewest that could hold as many elements: the compiler is free to hand lanes to threads, so a count per 32 consecutive
lanes would blame layouts that never exist.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import form_of
from tritontui.analysis.arrays import distinct
from tritontui.analysis.blocks import Block, blocks
from tritontui.analysis.compact import separate
from tritontui.analysis.source import parse
from tritontui.analysis.trace import Access, Separable, SharedRows, Tensor, Trace
from tritontui.diagnosis.finding import Finding

SECTOR = 32
"""Bytes."""
NOTE_FROM, WARNING_FROM = 2.0, 4.0
"""Sectors over ideal sectors."""
FEWEST = 8
"""Sectors of one access below which their number doesn't matter."""
REUSE_FROM = 2.0
SMALLEST_REUSE = 1024
"""Distinct elements from which loading them again is worth a word."""
CACHED_BYTES = 1 << 20
"""A tensor of this size stays in any GPU's L2 cache while a launch works on it."""
LARGEST_STORAGE = 1 << 27
"""Elements; reuse within larger storages isn't counted."""


@dataclass
class Traffic:
    """Sectors of a site over all its programs and executions."""

    sectors: int = 0
    ideal: int = 0
    most: int = 0
    """Sectors of the one program's access that needs most, and the fewest that it could need."""
    most_ideal: int = 0

    def add(self, sectors: NDArray[np.int64], lanes: NDArray[np.int64], times: int, itemsize: int) -> None:
        """``sectors`` and distinct elements ``lanes`` per program, each counted ``times`` over."""
        ideal = -(-lanes * itemsize // SECTOR)
        self.sectors += int(sectors.sum()) * times
        self.ideal += int(ideal.sum()) * times
        if len(sectors) and sectors.max() > self.most:
            worst = int(sectors.argmax())
            self.most, self.most_ideal = int(sectors[worst]), int(ideal[worst])

    @property
    def ratio(self) -> float:
        return self.sectors / self.ideal if self.ideal else 1.0


def traffic(trace: Trace, accesses: Sequence[Access]) -> Traffic:
    """Sectors of one site's ``accesses``; lanes outside the storage move nothing."""
    total = Traffic()
    for access in accesses:
        tensor = trace.tensors[trace.sites[access.site].tensor]
        if access.out is None and _add_by_pattern(access, tensor, total):
            continue
        for block in blocks(access):
            sectors, elements = _distinct(block, tensor)
            times = len(block.programs) if block.shared else 1
            total.add(sectors, elements, times, tensor.itemsize)
    return total


def findings(trace: Trace) -> list[Finding]:
    """``uncoalesced`` per site, ``redundant-load`` per tensor."""
    by_site: dict[int, list[Access]] = defaultdict(list)
    for access in trace.accesses:
        if trace.sites[access.site].tensor >= 0:
            by_site[access.site].append(access)
    found = []
    for site, accesses in sorted(by_site.items()):
        finding = _uncoalesced(trace, site, accesses)
        if finding is not None:
            found.append(finding)
    return found + _redundant(trace, by_site)


def _uncoalesced(trace: Trace, site: int, accesses: Sequence[Access]) -> Finding | None:
    total, place = traffic(trace, accesses), trace.sites[site]
    if total.ratio < NOTE_FROM or total.most < FEWEST:
        return None
    form = form_of(trace, accesses)
    # Where the addresses come from memory (a gather, a scatter), the data decides and not the kernel.
    severe = total.ratio >= WARNING_FROM and form is not None and not _shared(accesses, trace.tensors[place.tensor])
    return Finding(
        id="uncoalesced",
        severity="warning" if severe else "note",
        line=place.line,
        column=place.column,
        tensor=trace.tensors[place.tensor].name,
        params={
            "op": place.op,
            "sectors": total.most,
            "ideal": total.most_ideal,
            "ratio": round(total.ratio, 1),
            "stride": _last_stride(form.lanes) if form is not None else 0,
            "access": parse(trace.source).access_text(place),
        },
    )


def _shared(accesses: Sequence[Access], tensor: Tensor) -> bool:
    """Whether the tensor stays in a cache, and what one program leaves of its sectors is used by others."""
    if (tensor.storage_end - tensor.storage_first) * tensor.itemsize > CACHED_BYTES:
        return False
    seen = _seen(accesses, tensor)
    elements = np.flatnonzero(seen) + tensor.storage_first + tensor.storage_shift
    sectors = len(distinct(elements * tensor.itemsize // SECTOR))
    return sectors * SECTOR < NOTE_FROM * len(elements) * tensor.itemsize


def _last_stride(lanes: tuple[int, ...]) -> int:
    """Elements from one lane to the next along the last axis that moves."""
    return next((stride for stride in reversed(lanes) if stride), 0)


def _redundant(trace: Trace, by_site: dict[int, list[Access]]) -> list[Finding]:
    found = []
    for index, tensor in enumerate(trace.tensors):
        if tensor.storage_end - tensor.storage_first > LARGEST_STORAGE:
            continue
        sites = [s for s in by_site if trace.sites[s].op == "load" and trace.sites[s].tensor == index]
        loads, elements = _reuse([access for site in sites for access in by_site[site]], tensor)
        if elements < SMALLEST_REUSE or loads < REUSE_FROM * elements:
            continue
        found.append(
            Finding(
                id="redundant-load",
                severity="note",
                line=trace.sites[sites[0]].line,
                tensor=tensor.name,
                params={"elements": elements, "loads": loads, "ratio": round(loads / elements, 1)},
            )
        )
    return found


def _reuse(accesses: Sequence[Access], tensor: Tensor) -> tuple[int, int]:
    """Elements loaded in all, and how many of them are distinct."""
    loads = 0
    for access in accesses:
        for block in blocks(access):
            times = len(block.programs) if block.shared else 1
            loads += int(np.count_nonzero(block.touched)) * times
    return loads, int(np.count_nonzero(_seen(accesses, tensor)))


def _seen(accesses: Sequence[Access], tensor: Tensor) -> NDArray[np.bool_]:
    """Which elements of the storage, from its first on, any lane reaches."""
    seen = np.zeros(max(0, tensor.storage_end - tensor.storage_first), bool)
    for access in accesses:
        for block in blocks(access):
            seen[block.offsets[block.touched] - tensor.storage_first] = True
    return seen


def _distinct(block: Block, tensor: Tensor) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct sectors and distinct elements of each row."""
    nowhere = np.iinfo(np.int64).max
    offsets = np.sort(np.where(block.touched, block.offsets, nowhere), axis=1)
    valid = offsets != nowhere
    sectors = (offsets + tensor.storage_shift) * tensor.itemsize // SECTOR
    return _changes(np.where(valid, sectors, nowhere), valid), _changes(offsets, valid)


def _changes(ranked: NDArray[np.int64], valid: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Distinct valid values in each sorted row."""
    new = np.ones(ranked.shape, bool)
    new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    return np.asarray((new & valid).sum(axis=1, dtype=np.int64))


def _add_by_pattern(access: Access, tensor: Tensor, total: Traffic) -> bool:
    """Count each (position within a sector, mask) once, where few programs differ in them; False if that isn't so."""
    offsets, mask = access.offsets, access.mask
    separable = offsets if isinstance(offsets, Separable) else separate(offsets)
    if separable is None or SECTOR % tensor.itemsize:
        return False
    masks, index = _mask_rows(mask)
    if masks is None:
        return False
    lanes = separable.lanes.ravel()
    count = len(access.programs)
    phase = np.broadcast_to((separable.rows + tensor.storage_shift) % (SECTOR // tensor.itemsize), (count,))
    pattern, times = np.unique(phase * len(masks) + np.broadcast_to(index, (count,)), return_counts=True)
    for number, repeat in zip(pattern.tolist(), times.tolist(), strict=True):
        shift, row = divmod(number, len(masks))
        wanted = np.broadcast_to(masks[row], separable.lanes.shape).ravel()
        elements = distinct(lanes[wanted])
        sectors = distinct((elements + shift) * tensor.itemsize // SECTOR)
        total.add(np.array([len(sectors)]), np.array([len(elements)]), repeat, tensor.itemsize)
    return True


def _mask_rows(
    mask: NDArray[np.bool_] | SharedRows | None,
) -> tuple[NDArray[np.bool_] | None, NDArray[np.int64]]:
    """Distinct masks and which one each program has; None when that isn't known cheaply."""
    nothing = np.zeros(1, np.int64)
    if mask is None:
        return np.ones(1, bool), nothing
    if isinstance(mask, SharedRows):
        return mask.rows, mask.index.astype(np.int64)
    return (mask, nothing) if len(mask) == 1 else (None, nothing)
