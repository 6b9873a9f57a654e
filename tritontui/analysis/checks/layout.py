"""Strides that the kernel assumes against those that the tensors have.

``stride-ignored``, ``output-strides``, ``transpose-as-reshape``, ``row-truncated``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import AffineForm, form_of
from tritontui.analysis.arrays import distinct
from tritontui.analysis.blocks import blocks, same_places, walk_sites
from tritontui.analysis.source import along_rows, assignments, called_name, lane_lines, parse
from tritontui.analysis.trace import Access, Separable, Site, Tensor, Trace
from tritontui.analysis.views import (
    contiguous_strides,
    elements,
    extent,
    is_contiguous,
    member_bitmap,
    member_offsets,
)
from tritontui.diagnosis.finding import Finding

LARGEST_VIEW = 1 << 24
"""Elements spanned; larger views aren't compared element by element."""


def findings(trace: Trace) -> list[Finding]:
    """All four questions; at most one finding of each id per tensor."""
    if not trace.complete:
        return []
    return [*_strides(trace), *_transposes(trace), *_truncated(trace)]


def _strides(trace: Trace) -> Iterator[Finding]:
    for index, tensor in enumerate(trace.tensors):
        if len(tensor.shape) < 1 or extent(tensor) > LARGEST_VIEW or not elements(tensor):
            continue
        borrowed = _borrowed_strides(trace, index) or _one_axis(trace, index)
        site, assumed = borrowed or (_packed_site(trace, index) or _row_site(trace, index), None)
        assumed = assumed or contiguous_strides(tensor.shape)
        axis = _wrong_axis(tensor, assumed)
        if site is None or axis is None:
            continue
        yield Finding(
            id="stride-ignored" if site.op == "load" else "output-strides",
            severity="error",
            line=site.line,
            column=site.column,
            tensor=tensor.name,
            params={
                "axis": axis,
                "assumed": assumed[axis],
                "actual": tensor.strides[axis],
                "shape": list(tensor.shape),
                "stride": list(tensor.strides),
            },
        )


def _wrong_axis(tensor: Tensor, assumed: tuple[int, ...]) -> int | None:
    """First axis along which a tensor with the ``assumed`` strides would step differently."""
    for axis, size in enumerate(tensor.shape):
        if size > 1 and tensor.strides[axis] != assumed[axis]:
            return axis
    return None


def _packed_site(trace: Trace, tensor: int) -> Site | None:
    """A site that touches 0 … n − 1 exactly, though the view's n elements lie elsewhere."""
    view = trace.tensors[tensor]
    if is_contiguous(view):
        return None
    count = elements(view)
    members = member_offsets(view)
    if int(members.max()) < count and len(distinct(members)) == count:
        return None
    for index, site in enumerate(trace.sites):
        if site.tensor != tensor:
            continue
        touched = _touched(trace, index)
        if len(touched) == count and touched[0] == 0 and touched[-1] == count - 1:
            return site
    return None


def _touched(trace: Trace, site: int) -> NDArray[np.int64]:
    """Distinct offsets that a site reaches, ascending."""
    parts = [block.offsets[block.touched] for block in walk_sites(trace, (site,))]
    return distinct(np.concatenate(parts)) if parts else np.empty(0, np.int64)


def _borrowed_strides(trace: Trace, tensor: int) -> tuple[Site, tuple[int, ...]] | None:
    """A site that steps through ``tensor`` by the strides of another tensor of its shape, read to write or the reverse.

    The two share their offsets lane by lane; the one whose own strides they aren't is at fault.
    """
    view = trace.tensors[tensor]
    for load, store in _pairs(trace):
        source, target = trace.tensors[trace.sites[load.site].tensor], trace.tensors[trace.sites[store.site].tensor]
        if source.shape != target.shape or _same_steps(source, target):
            continue
        steps = _steps(trace, load.site)
        own = _moves(source)
        if steps is not None and 0 not in own and own <= steps and not _moves(target) <= steps:
            if target is view:
                return trace.sites[store.site], source.strides
        elif source is view and not is_contiguous(source):
            return trace.sites[load.site], target.strides
        elif target is view and is_contiguous(source):
            return trace.sites[store.site], source.strides
    return None


def _one_axis(trace: Trace, tensor: int) -> tuple[Site, tuple[int, ...]] | None:
    """A site whose lanes step along one axis as if the view were contiguous, and rightly along the others."""
    view = trace.tensors[tensor]
    if is_contiguous(view):
        return None
    packed = contiguous_strides(view.shape)
    guesses = [
        tuple(packed[k] if k == axis else stride for k, stride in enumerate(view.strides))
        for axis, size in enumerate(view.shape)
        if size > 1 and packed[axis] != view.strides[axis]
    ]
    for index, site in enumerate(trace.sites):
        form = _form(trace, index) if site.tensor == tensor and _tiled(site) else None
        if form is None:
            continue
        lanes = sorted(step for size, step in zip(site.lane_shape, form.lanes, strict=True) if size > 1)
        for guess in guesses:
            along = sorted(step for size, step in zip(view.shape, guess, strict=True) if size > 1)
            if lanes == along and not _all_members(trace, index, view):
                return site, guess
    return None


def _all_members(trace: Trace, site: int, view: Tensor) -> bool:
    return np.array_equal(_touched(trace, site), distinct(member_offsets(view)))


def _form(trace: Trace, site: int) -> AffineForm | None:
    return form_of(trace, [access for access in trace.accesses if access.site == site])


def _moves(tensor: Tensor) -> set[int]:
    """Strides of the axes that have more than one element."""
    return {stride for size, stride in zip(tensor.shape, tensor.strides, strict=True) if size > 1}


def _steps(trace: Trace, site: int) -> set[int] | None:
    """By how many elements a site moves from program to program, lane to lane and round to round."""
    form = form_of(trace, [access for access in trace.accesses if access.site == site])
    return None if form is None else {*form.program, *form.lanes, *form.iteration}


def _same_steps(left: Tensor, right: Tensor) -> bool:
    return all(
        size == 1 or one == other for size, one, other in zip(left.shape, left.strides, right.strides, strict=True)
    )


def _row_site(trace: Trace, tensor: int) -> Site | None:
    """A load that steps from row to row by the row's length, where no axis of the view has that stride."""
    view = trace.tensors[tensor]
    if is_contiguous(view):
        return None
    wanted = set(contiguous_strides(view.shape)[:-1]) - set(view.strides)
    for index, site in enumerate(trace.sites):
        if site.tensor != tensor or site.op != "load":
            continue
        form = form_of(trace, [access for access in trace.accesses if access.site == index])
        if form is None:
            continue
        block = sum((size - 1) * abs(stride) for size, stride in zip(site.lane_shape, form.lanes, strict=True)) + 1
        following = {size * abs(stride) for size, stride in zip(site.lane_shape, form.lanes, strict=True)}
        # blocks one after another, as they are or along an axis of theirs, say nothing about rows
        if wanted & (({*form.program, *form.iteration} - following | set(form.lanes)) - {block}):
            return site
    return None


def _pairs(trace: Trace) -> Iterator[tuple[Access, Access]]:
    """Each store with the loads that address the same offsets, lane by lane."""
    stores = [a for a in trace.accesses if trace.sites[a.site].op == "store" and trace.sites[a.site].tensor >= 0]
    loads: dict[_Corners, list[Access]] = {}
    for load in trace.accesses:
        if trace.sites[load.site].op == "load" and trace.sites[load.site].tensor >= 0 and _has_lanes(load):
            loads.setdefault(_corners(load), []).append(load)
    done: set[tuple[int, int]] = set()
    for store in filter(_has_lanes, stores):
        for load in loads.get(_corners(store), ()):
            pair = (load.site, store.site)
            if pair not in done and same_places(load, store):
                done.add(pair)
                yield load, store


def _has_lanes(access: Access) -> bool:
    return math.prod(access.offsets.shape[1:]) > 1 and len(access.programs) > 0


_Corners = tuple[tuple[int, ...], int, int]


def _corners(access: Access) -> _Corners:
    """Lanes, first and last offset: the same for all that address the same places. A loop makes thousands of them."""
    offsets = access.offsets
    if isinstance(offsets, Separable):
        first, last = offsets.rows[0] + offsets.lanes.flat[0], offsets.rows[-1] + offsets.lanes.flat[-1]
    else:
        first, last = offsets.flat[0], offsets.flat[-1]
    return offsets.shape[1:], int(first), int(last)


def _transposes(trace: Trace) -> Iterator[Finding]:
    """Tiles or rows read and written with one and the same offsets, between shapes that are each other's transpose."""
    reported: set[int] = set()
    for load, store in _pairs(trace):
        site = trace.sites[store.site]
        source, target = trace.tensors[trace.sites[load.site].tensor], trace.tensors[site.tensor]
        turned = len(source.shape) == 2 and target.shape == source.shape[::-1] and source.shape != target.shape
        if not (turned and is_contiguous(source) and is_contiguous(target)) or site.tensor in reported:
            continue
        if not (_tiled(site) or _row_by_row(trace, load.site, source.strides[0])):
            continue  # a flat copy between such shapes may well be meant
        reported.add(site.tensor)
        rows, columns = source.shape
        yield Finding(
            id="transpose-as-reshape",
            severity="error",
            line=site.line,
            column=site.column,
            tensor=target.name,
            params={"rows": rows, "columns": columns, "pitch": source.strides[0], "out_pitch": target.strides[0]},
        )


def _tiled(site: Site) -> bool:
    return sum(size > 1 for size in site.lane_shape) == 2


def _row_by_row(trace: Trace, site: int, pitch: int) -> bool:
    """Whether an access steps from row to row, ``pitch`` elements apart, and its block isn't simply that long."""
    form = form_of(trace, [access for access in trace.accesses if access.site == site])
    lanes = int(np.prod(trace.sites[site].lane_shape))
    return form is not None and pitch != lanes and pitch in (*form.program, *form.iteration)


def _truncated(trace: Trace) -> Iterator[Finding]:
    """Rows of which only as many elements are read as one block has lanes, though the kernel was told their length."""
    for index, tensor in enumerate(trace.tensors):
        width = tensor.shape[-1] if tensor.shape else 0
        sites = [k for k, site in enumerate(trace.sites) if site.tensor == index and site.op == "load"]
        told = any(
            type(value) is int and value == width and "stride" not in name for name, value in trace.scalars.items()
        )
        # a vector's blocks are the programs' business; a program that stores as many is one of too few
        shared_out = len(tensor.shape) == 1 and (trace.programs > 1 or _stored_alike(trace, sites))
        if not sites or width < 2 or not told or shared_out or extent(tensor) > LARGEST_VIEW:
            continue
        read = _columns_read(trace, tensor, sites)
        count = int(np.count_nonzero(read))
        if not 0 < count < width or not read[:count].all():
            continue
        site = next((s for s in sites if _fills_block(trace, s, count, tensor.strides[-1])), None)
        if site is None or _moves_along(trace, site) or (2 * count == width and _halved(trace, width, count)):
            continue
        yield Finding(
            id="row-truncated",
            severity="error",
            line=trace.sites[site].line,
            column=trace.sites[site].column,
            tensor=tensor.name,
            params={
                "width": width,
                "read": count,
                "missing": width - count,
                "block": count,
                "vector": len(tensor.shape) == 1,
            },
        )


def _moves_along(trace: Trace, site: int) -> bool:
    """Whether a tile's columns begin elsewhere than the row, so that other programs, or launches, read the rest."""
    place, source = trace.sites[site], parse(trace.source)
    function, lines = source.function_at(place.line), lane_lines(source, place)
    if function is None:
        return False
    columns = (assignments(function, name, place.line)[-1:] for name in along_rows(function))
    return any(
        given.lineno in lines and not (isinstance(given.value, ast.Call) and called_name(given.value) == "arange")
        for one in columns
        for given in one
    )


def _halved(trace: Trace, width: int, count: int) -> bool:
    """Whether rows as wide are read in two halves elsewhere: a table of angles is, of which one half says all."""
    halves = [
        site.tensor
        for site in trace.sites
        if site.op == "load" and site.tensor >= 0 and site.lane_shape and max(site.lane_shape) >= count
    ]
    return any(
        halves.count(other) > 1 and trace.tensors[other].shape[-1:] == (width,) and _read_whole(trace, other)
        for other in set(halves)
    )


def _read_whole(trace: Trace, tensor: int) -> bool:
    sites = [index for index, site in enumerate(trace.sites) if site.tensor == tensor and site.op == "load"]
    return bool(_columns_read(trace, trace.tensors[tensor], sites).all())


def _stored_alike(trace: Trace, loads: list[int]) -> bool:
    """Whether some store has as many lanes as a load."""
    shapes = {trace.sites[index].lane_shape for index in loads}
    return any(site.op == "store" and site.lane_shape in shapes for site in trace.sites)


def _columns_read(trace: Trace, tensor: Tensor, sites: list[int]) -> NDArray[np.bool_]:
    """Which positions along the last axis any row was read at."""
    members = member_bitmap(tensor)
    seen = np.zeros(len(members), bool)
    for block in walk_sites(trace, sites):
        places = block.offsets[block.touched]
        seen[places[(places >= 0) & (places < len(seen))]] = True
    rows = seen[member_offsets(tensor)].reshape(-1, tensor.shape[-1])
    return np.asarray(rows.any(axis=0))


def _fills_block(trace: Trace, site: int, count: int, stride: int) -> bool:
    """Whether one axis of the block has ``count`` lanes, ``stride`` elements apart, and nothing masks one off."""
    accesses = [access for access in trace.accesses if access.site == site]
    form = form_of(trace, accesses)
    if form is None:
        return False
    lanes = list(zip(trace.sites[site].lane_shape, form.lanes, strict=True))
    whole = all(block.wanted.all() for access in accesses for block in blocks(access))
    return (count, stride) in lanes and whole
