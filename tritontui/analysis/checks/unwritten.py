"""Why elements of an output were never written: the store goes elsewhere, the mask, the grid, or the offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import AffineForm, form_of
from tritontui.analysis.arrays import distinct
from tritontui.analysis.blocks import walk_sites
from tritontui.analysis.source import axes_asked_for, grid_parameters, parse
from tritontui.analysis.trace import Site, Tensor, Trace
from tritontui.analysis.views import contains

MOST_PROGRAMS = 1024
"""Programs that a grid may lack along one axis."""


@dataclass(frozen=True)
class Reason:
    """``name``: elsewhere, no-store, mask, diagonal, grid, axes, offsets, or "" when nothing is clear."""

    name: str
    line: int | None = None
    file: str = ""
    """That ``line`` counts in."""
    params: dict[str, Any] = field(default_factory=dict)


def reason(traces: Sequence[Trace], tensor: Tensor, missing: NDArray[np.int64], written: int) -> Reason:
    """``missing``: element offsets from the tensor's first element, ascending; ``written``: how many others were."""
    if not written:
        return _nothing_stored(traces, tensor)
    sites = [
        (trace, index)
        for trace in traces
        for index, site in enumerate(trace.sites)
        if site.op == "store" and site.tensor >= 0 and trace.tensors[site.tensor] == tensor
    ]
    if len(sites) != 1:
        return Reason("")
    trace, site = sites[0]
    return (
        _masked(trace, site, missing) or _diagonal(trace, site) or _grid(trace, site, missing) or _offsets(trace, site)
    )


def _nothing_stored(traces: Sequence[Trace], tensor: Tensor) -> Reason:
    stores = [
        (trace.tensors[site.tensor].name, site.line, trace.file)
        for trace in traces
        for site in trace.sites
        if site.op != "load" and site.tensor >= 0 and trace.tensors[site.tensor].storage != tensor.storage
    ]
    if stores:
        name, line, file = stores[-1]
        return Reason("elsewhere", line, file, {"other": name})
    return Reason("" if any(site.op != "load" for trace in traces for site in trace.sites) else "no-store")


def _masked(trace: Trace, site: int, missing: NDArray[np.int64]) -> Reason | None:
    """Lanes that lie on the missing elements, and are switched off."""
    off = []
    shown: tuple[int, int] | None = None
    for block in walk_sites(trace, (site,)):
        whole = block.every_program()
        off.append(whole.offsets[~whole.wanted])
        if shown is None:
            rows, lanes = np.nonzero(~whole.wanted & (whole.offsets == missing[0]))
            shown = (int(whole.programs[rows[0]]), int(lanes[0])) if len(rows) else None
    if shown is None or not np.isin(missing, np.concatenate(off)).all():
        return None
    program, lane = shown
    return Reason("mask", trace.sites[site].line, trace.file, {"owner": trace.program_id(program), "lane": lane})


def _diagonal(trace: Trace, site: int) -> Reason | None:
    """One lane further is a step along two axes of the tensor at once: the ranges of both lie along one of the block's.

    As without ``[:, None]``: a broadcast that makes no tile isn't refused where both ranges are equally long.
    """
    own = trace.sites[site]
    form = form_of(trace, [access for access in trace.accesses if access.site == site])
    strides = {stride for stride in trace.tensors[own.tensor].strides if stride}
    both = {one + other for one, other in combinations(strides, 2)} - strides
    if form is None or not both.intersection(form.lanes):
        return None
    return Reason("diagonal", own.line, trace.file)


def _grid(trace: Trace, site: int, missing: NDArray[np.int64]) -> Reason | None:
    """More programs along one axis would write the missing elements."""
    form = form_of(trace, [access for access in trace.accesses if access.site == site])
    if form is None or form.iteration or _goes_astray(trace, site):  # a loop may be what ends too early
        return None
    own = trace.sites[site]
    given = grid_parameters(parse(trace.source), trace.line if trace.launched_in == trace.file else None)
    for axis, length in enumerate(trace.grid):
        if axis in given:  # the caller says how many; the kernel has to cope
            continue
        for step in _steps(trace, own, form, axis):
            covered = [
                block.every_program().offsets[trace.coordinates(block.programs)[axis] == length - 1]
                for block in walk_sites(trace, (site,))
            ]
            more = _programs_lacking(np.unique(np.concatenate([part.ravel() for part in covered])), step, missing)
            if more and _stays_inside(trace, own, form, step, length + more):
                turned = len(trace.grid) == 2 and trace.grid[1 - axis] == length + more
                counts = {"axis": axis, "programs": length, "needed": length + more}
                return Reason("axes" if turned else "grid", trace.line, trace.launched_in, counts)
    return None


def _goes_astray(trace: Trace, site: int) -> bool:
    """Whether lanes leave the tensor or hit an element twice: what they miss they put elsewhere."""
    tensor = trace.tensors[trace.sites[site].tensor]
    touched = [block.every_program() for block in walk_sites(trace, (site,))]
    places = np.concatenate([whole.offsets[whole.wanted] for whole in touched])
    return not contains(tensor, places).all() or len(distinct(places)) < len(places)


def _steps(trace: Trace, site: Site, form: AffineForm, axis: int) -> list[int]:
    """From one program to the next, where their blocks lie side by side; with one program all that would do so."""
    tiles = [stride * size for stride, size in zip(form.lanes, site.lane_shape, strict=True) if size > 1]
    tensor = trace.tensors[site.tensor]
    along_other_axes = set(tensor.strides) - set(form.lanes) if len(tensor.shape) > 1 else set()
    natural = {*tiles, *along_other_axes}
    step = form.program[axis] if axis < len(form.program) else 0
    if trace.grid[axis] > 1:
        return [step] if step in natural and step else []
    return sorted(natural - {0}, reverse=True) if _asks_for(trace, axis) else []


def _stays_inside(trace: Trace, site: Site, form: AffineForm, step: int, programs: int) -> bool:
    """Whether the last of so many tiles still begins inside the tensor's axis, and not in the next row."""
    tensor = trace.tensors[site.tensor]
    for stride, size in zip(form.lanes, site.lane_shape, strict=True):
        for length, own in zip(tensor.shape, tensor.strides, strict=True):
            if stride * size == step and own == stride:
                return (programs - 1) * size < length
    return True


def _asks_for(trace: Trace, axis: int) -> bool:
    return axis in axes_asked_for(parse(trace.source))


def _programs_lacking(covered: NDArray[np.int64], step: int, missing: NDArray[np.int64]) -> int:
    """How many more programs write ``missing``, each ``step`` further than the last's ``covered``; 0: none do."""
    lowest = int(covered[0])
    reached = np.zeros(int(covered[-1]) - lowest + 1, bool)
    reached[covered - lowest] = True
    rest = missing
    for more in range(1, MOST_PROGRAMS):
        places = rest - more * step - lowest
        if step > 0 and places.max() < 0:
            return 0
        inside = (places >= 0) & (places < len(reached))
        inside[inside] = reached[places[inside]]
        rest = rest[~inside]
        if not len(rest):
            return more
    return 0


def _offsets(trace: Trace, site: int) -> Reason:
    """The blocks of neighbouring programs overlap, or leave gaps."""
    form = form_of(trace, [access for access in trace.accesses if access.site == site])
    own = trace.sites[site]
    moving = [step for step, length in zip(form.program, trace.grid, strict=True) if length > 1] if form else []
    block = max(own.lane_shape, default=1)
    if form is None or len(moving) != 1 or len(own.lane_shape) != 1 or form.lanes != (1,) or moving[0] == block:
        return Reason("")
    return Reason("offsets", own.line, trace.file, {"step": moving[0], "block": block})
