"""Masks that say something else than was meant: ``mask-axes-swapped`` and ``mask-ignored``.

And ``strides-exchanged``, where a mask only looks swapped because the offsets are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, blocks, walk_sites
from tritontui.analysis.checks.coverage import consequence
from tritontui.analysis.source import Source, address_of, assignments, mask_of, parse
from tritontui.analysis.trace import Site, Tensor, Trace
from tritontui.analysis.views import contains, elements, extent
from tritontui.diagnosis.finding import Finding

LARGEST_VIEW = 1 << 26


def findings(trace: Trace) -> list[Finding]:
    """Both questions; one finding per mask in the source."""
    return [*_axes_swapped(trace), *_ignored(trace)]


# ---------------------------------------------------------------- axes


@dataclass
class _Fit:
    """How a mask fits the tensor over all programs."""

    covered: NDArray[np.bool_]
    outside: int = 0
    repeated: int = 0
    """Lanes of one access that hit an element which another lane of it already hits."""

    def add(self, offsets: NDArray[np.int64], active: NDArray[np.bool_], tensor: Tensor) -> None:
        inside = active & contains(tensor, offsets)
        self.outside += int(np.count_nonzero(active & ~inside))
        self.covered[offsets[inside]] = True
        nowhere = np.iinfo(np.int64).max
        ranked = np.sort(np.where(inside, offsets, nowhere), axis=1)
        self.repeated += int(np.count_nonzero((ranked[:, 1:] == ranked[:, :-1]) & (ranked[:, 1:] != nowhere)))

    @property
    def sound(self) -> bool:
        return not self.outside and not self.repeated


@dataclass
class _Swapped:
    """The first program that shows it, and the mask that it should have."""

    site: int
    block: Block
    row: int
    right: NDArray[np.bool_]
    """Shape (lanes,)."""


def _axes_swapped(trace: Trace) -> Iterator[Finding]:
    """Masks that are wrong as they are and right with their axes, or the two lengths compared with, exchanged.

    Stores first, one finding per mask line.
    """
    source = parse(trace.source)
    order = sorted(range(len(trace.sites)), key=lambda index: trace.sites[index].op == "load")
    reported: set[int] = set()
    for index in order:
        site = trace.sites[index]
        swapped = (_swapped(trace, index) if _is_square_tile(site) else None) or _lengths_swapped(trace, index)
        if swapped is None:
            continue
        line = _mask_line(source, site)
        if line in reported:
            continue
        beside = any(_mask_line(source, trace.sites[other]) == line and _fits(trace, other) for other in order)
        if beside and not _tile_turned(source, site):
            yield _strides_finding(trace, site, source)
            continue
        reported.add(line)
        yield _axes_finding(trace, site, swapped, site.line if beside else line, source)
        if site.op == "store" and (unwritten := consequence(trace, site.tensor, "mask-axes-swapped")):
            yield unwritten


def _is_square_tile(site: Site) -> bool:
    shape = site.lane_shape
    return site.has_mask and site.tensor >= 0 and len(shape) == 2 and shape[0] == shape[1] > 1


def _swapped(trace: Trace, site: int) -> _Swapped | None:
    tensor = trace.tensors[trace.sites[site].tensor]
    if extent(tensor) > LARGEST_VIEW:
        return None
    written, exchanged = (_Fit(np.zeros(extent(tensor), bool)) for _ in range(2))
    first: _Swapped | None = None
    for access in trace.accesses:
        if access.site != site:
            continue
        for block in blocks(access):
            turned = _turn(block.wanted, trace.sites[site].lane_shape[0])
            written.add(block.offsets, block.wanted, tensor)
            exchanged.add(block.offsets, turned, tensor)
            if exchanged.outside:
                return None
            differs = np.flatnonzero((turned != block.wanted).any(axis=1))
            if first is None and len(differs):
                first = _Swapped(site, block, int(differs[0]), turned[differs[0]])
    covered, would_cover = int(written.covered.sum()), int(exchanged.covered.sum())
    incomplete = covered < would_cover == elements(tensor)
    repeats = written.repeated > 0 and trace.sites[site].op != "load"  # indices taken modulo a length are read twice
    wrong = written.outside > 0 or repeats or incomplete
    return first if wrong and exchanged.sound else None


def _fits(trace: Trace, site: int) -> bool:
    """Whether a mask is right for a matrix that isn't square: where it isn't right, the strides are at fault."""
    tensor = trace.tensors[trace.sites[site].tensor]
    if len(tensor.shape) != 2 or tensor.shape[0] == tensor.shape[1] or extent(tensor) > LARGEST_VIEW:
        return False
    fit = _Fit(np.zeros(extent(tensor), bool))
    for block in walk_sites(trace, (site,)):
        fit.add(block.offsets, block.wanted, tensor)
    return fit.sound and int(fit.covered.sum()) == elements(tensor)


def _turn(wanted: NDArray[np.bool_], side: int) -> NDArray[np.bool_]:
    """Each row's square of lanes, transposed."""
    return np.asarray(wanted.reshape(-1, side, side).transpose(0, 2, 1).reshape(wanted.shape))


def _lengths_swapped(trace: Trace, site: int) -> _Swapped | None:
    """Each axis of the tile compared with the other axis' length, in every program."""
    place = trace.sites[site]
    if not place.has_mask or place.tensor < 0 or len(place.lane_shape) != 2 or 1 in place.lane_shape:
        return None
    tensor = trace.tensors[place.tensor]
    shape = tensor.shape
    if len(shape) != 2 or shape[0] == shape[1] or min(shape) < 2 or min(tensor.strides) < 1:
        return None
    first: _Swapped | None = None
    for block in walk_sites(trace, (site,)):
        axes = _coordinates(block.offsets.reshape(-1, *place.lane_shape), tensor)
        if axes is None:
            return None
        right, exchanged = (
            ((axes[0] < lengths[0]) & (axes[1] < lengths[1])).reshape(len(block.offsets), -1)
            for lengths in (tensor.shape, tensor.shape[::-1])
        )
        if not np.array_equal(np.broadcast_to(block.wanted, exchanged.shape), exchanged):
            return None
        differs = np.flatnonzero((exchanged != right).any(axis=1))
        if first is None and len(differs):
            first = _Swapped(site, block, int(differs[0]), right[differs[0]])
    return first


def _coordinates(offsets: NDArray[np.int64], tensor: Tensor) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Row and column of the matrix that each lane of tiles (R, a, b) means; None where tiles lie otherwise."""
    steps = [int(offsets[0, 1, 0] - offsets[0, 0, 0]), int(offsets[0, 0, 1] - offsets[0, 0, 0])]
    turned = steps == [*tensor.strides[::-1]]
    if not turned and steps != [*tensor.strides]:
        return None
    corner = offsets[:, 0, 0][:, None, None]
    lanes = [np.arange(offsets.shape[1])[None, :, None], np.arange(offsets.shape[2])[None, None, :]]
    if not np.array_equal(offsets, corner + lanes[0] * steps[0] + lanes[1] * steps[1]) or (corner < 0).any():
        return None
    wide, narrow = max(tensor.strides), min(tensor.strides)
    origins = {wide: corner // wide, narrow: corner % wide // narrow}
    along = [origins[stride] + lanes[axis ^ turned] for axis, stride in enumerate(tensor.strides)]
    return along[0], along[1]


def _axes_finding(trace: Trace, site: Site, swapped: _Swapped, line: int, source: Source) -> Finding:
    lanes = swapped.block.wanted[swapped.row].reshape(site.lane_shape)
    right = swapped.right.reshape(site.lane_shape)
    return Finding(
        id="mask-axes-swapped",
        severity="error",
        line=line,
        tensor=trace.tensors[site.tensor].name,
        program=trace.program_id(int(swapped.block.programs[swapped.row])),
        params={
            "mask_rows": int(lanes.any(axis=1).sum()),
            "mask_columns": int(lanes.any(axis=0).sum()),
            "rows": int(right.any(axis=1).sum()),
            "columns": int(right.any(axis=0).sum()),
            "access": source.access_text(site),
        },
    )


def _tile_turned(source: Source, site: Site) -> bool:
    """Whether each index of the address stands along the axis of the tile where the mask has the other one.

    ``c[:, None] * rows + r[None, :]`` under a mask of ``r[:, None] < rows``: each index has its own stride, and the
    tile lies the other way round than its mask.
    """
    address, mask = (_axes_of(node) for node in (address_of(source, site), _mask_expression(source, site)))
    return len(address) == 2 and address == {name: 1 - axis for name, axis in mask.items()}


def _axes_of(expression: ast.expr | None) -> dict[str, int]:
    """Along which axis of a tile ``expression`` lays each name out: 0 for ``r[:, None]``, 1 for ``c[None, :]``."""
    axes: dict[str, int] = {}
    for node in ast.walk(expression) if expression is not None else ():
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Tuple):
            kept = [axis for axis, part in enumerate(node.slice.elts) if isinstance(part, ast.Slice)]
            if len(node.slice.elts) == 2 and len(kept) == 1:
                axes[node.value.id] = kept[0]
    return axes


def _strides_finding(trace: Trace, site: Site, source: Source) -> Finding:
    tensor = trace.tensors[site.tensor]
    address = address_of(source, site)
    named = {node.id for node in ast.walk(address) if isinstance(node, ast.Name)} if address is not None else set[str]()
    passed = [value for name, value in trace.scalars.items() if name in named and type(value) is int]
    in_reverse = passed == [*reversed(tensor.strides)] and trace.line is not None
    at = address.lineno if address is not None else site.line
    return Finding(
        id="strides-exchanged",
        severity="error",
        line=trace.line if in_reverse else at,
        tensor=tensor.name,
        params={
            "expression": source.segment(address) if address is not None else "",
            "case": "",
            "where": "launch" if in_reverse else "kernel",
            "shape": list(tensor.shape),
            "rows_apart": tensor.strides[0],
            "columns_apart": tensor.strides[1],
        },
    )


def _mask_line(source: Source, site: Site) -> int:
    """Line on which the mask of an access is made."""
    expression = _mask_expression(source, site)
    return expression.lineno if expression is not None else site.line


def _mask_expression(source: Source, site: Site) -> ast.expr | None:
    """The mask's expression, looked up behind a name."""
    call, function = source.call_of(site), source.function_at(site.line)
    mask = mask_of(call) if call is not None else None
    while isinstance(mask, ast.Name) and function is not None:
        given = assignments(function, mask.id, (call or mask).lineno)
        value = given[-1].value if given else None
        if value is None:
            break
        mask = value
    return mask


# ---------------------------------------------------------------- precedence


def _ignored(trace: Trace) -> Iterator[Finding]:
    """``a < n & b < m``: ``&`` binds tighter than ``<``, so a comparison is swallowed."""
    source = parse(trace.source)
    reported: set[int] = set()
    for site in trace.sites:
        mask = _mask_expression(source, site) if site.has_mask else None
        for node in ast.walk(mask) if mask is not None else ():
            swallowed = _swallowed(source, node)
            if swallowed is None or node.lineno in reported:  # type: ignore[attr-defined]
                continue
            reported.add(node.lineno)  # type: ignore[attr-defined]
            yield Finding(
                id="mask-ignored",
                severity="warning",
                line=node.lineno,  # type: ignore[attr-defined]
                column=node.col_offset + 1,  # type: ignore[attr-defined]
                params={"expression": source.segment(mask), "operand": source.segment(swallowed)},  # type: ignore[arg-type]
            )


def _swallowed(source: Source, node: ast.AST) -> ast.expr | None:
    """The operand of a comparison that is an ``&`` or ``|`` without parentheses of its own."""
    if not isinstance(node, ast.Compare):
        return None
    for operand in (*node.comparators, node.left):
        joins = isinstance(operand, ast.BinOp) and isinstance(operand.op, (ast.BitAnd, ast.BitOr))
        if joins and not _in_parentheses(source, operand):
            return operand
    return None


def _in_parentheses(source: Source, node: ast.expr) -> bool:
    before = source.lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="ignore").rstrip()
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    after = source.lines[end_line - 1].encode()[end:].decode(errors="ignore").lstrip()
    return before.endswith("(") and after.startswith(")")
