"""Accesses outside the tensor: outside its storage, past the passed view, or in the gaps of the view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, lane_ranges, walk
from tritontui.analysis.source import parse
from tritontui.analysis.trace import Tensor, Trace
from tritontui.analysis.views import contains, elements, extent
from tritontui.diagnosis.finding import Finding, LaneRange


@dataclass
class _Strays:
    """Lanes of one site that go astray in one way."""

    programs: set[int] = field(default_factory=set)
    program: int = -1
    """The lowest program that shows it, and what its lanes do there."""
    lanes: list[LaneRange] = field(default_factory=list)
    indices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, block: Block, stray: NDArray[np.bool_]) -> None:
        """``stray``: the lanes in question, shape (R, L) of ``block``."""
        rows = np.flatnonzero(stray.any(axis=1))
        if not len(rows):
            return
        programs = block.programs if block.shared else block.programs[rows]
        self.programs.update(programs.tolist())
        if self.program < 0 or programs[0] < self.program:
            self.program = int(programs[0])
            self.lanes = lane_ranges(stray[rows[0]])
            self.indices = block.offsets[rows[0]][stray[rows[0]]]


@dataclass
class _SiteStrays:
    outside: _Strays = field(default_factory=_Strays)
    """Outside the storage: the guard kept these from memory."""
    beyond: _Strays = field(default_factory=_Strays)
    """In the storage, before or after everything the view spans."""
    gaps: _Strays = field(default_factory=_Strays)
    """Between the view's elements."""


def findings(trace: Trace) -> list[Finding]:
    """``out-of-bounds-read``, ``out-of-bounds-write`` and ``outside-view``, at most one of each per site."""
    sites: dict[int, _SiteStrays] = {}
    for block in walk(trace):
        _look(
            block,
            trace.tensors[trace.sites[block.access.site].tensor],
            sites.setdefault(block.access.site, _SiteStrays()),
        )
    found: list[Finding] = []
    for site, strays in sorted(sites.items()):
        found += _report(trace, site, strays)
    return found


def _look(block: Block, tensor: Tensor, strays: _SiteStrays) -> None:
    if block.out is not None:
        strays.outside.add(block, block.out & block.wanted)
    touched = block.touched
    foreign = touched & ~contains(tensor, block.offsets)
    if foreign.any():
        past = (block.offsets < 0) | (block.offsets >= extent(tensor))
        strays.beyond.add(block, foreign & past)
        strays.gaps.add(block, foreign & ~past)


def _report(trace: Trace, site: int, strays: _SiteStrays) -> list[Finding]:
    write = trace.sites[site].op != "load"
    bounds_id = "out-of-bounds-write" if write else "out-of-bounds-read"
    found: list[Finding] = []
    if _says_little(trace.tensors[trace.sites[site].tensor]) and not write and not strays.outside.programs:
        astray = (strays.gaps, strays.beyond)
        return [_finding(trace, site, "outside-view", "note", one) for one in astray if one.programs]
    leaving = strays.outside if strays.outside.programs else strays.beyond
    if leaving.programs:
        # Reads of the neighbour's memory are only suspicious: a kernel may mean them. Writes destroy it.
        certain = write or bool(strays.outside.programs)
        found.append(_finding(trace, site, bounds_id, "error" if certain else "warning", leaving))
    for foreign, cause in ((strays.beyond, bounds_id), (strays.gaps, None)):
        if foreign.programs:
            finding = _finding(trace, site, "outside-view", "error" if write else "warning", foreign)
            finding.caused_by = cause
            found.append(finding)
    return found


def _says_little(tensor: Tensor) -> bool:
    """Whether the view's elements aren't the ones meant: of an axis of stride 0 the kernel may have its own stride."""
    return any(size > 1 and not stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))


def _finding(trace: Trace, site: int, identifier: str, severity: Any, strays: _Strays) -> Finding:
    place, tensor = trace.sites[site], trace.tensors[trace.sites[site].tensor]
    params: dict[str, Any] = {
        "index": int(strays.indices.min()),
        "last_index": int(strays.indices.max()),
        "size": elements(tensor),
        "held": extent(tensor) if _says_little(tensor) else 0,
        "count": len(strays.indices),
        "programs": len(strays.programs),
        "masked": place.has_mask,
        "access": parse(trace.source).access_text(place),
    }
    if identifier == "outside-view":
        params |= {
            "op": "read" if place.op == "load" else "write",
            "shape": list(tensor.shape),
            "stride": list(tensor.strides),
        }
    return Finding(
        id=identifier,
        severity=severity,
        line=place.line,
        column=place.column,
        tensor=tensor.name,
        program=trace.program_id(strays.program),
        lanes=strays.lanes,
        params=params,
    )
