"""Cells of the access map: what a viewport shows, at a cost that follows the viewport."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import program_block
from tritontui.analysis.executions import Executions
from tritontui.analysis.map.linear import NOBODY, LinearWindow
from tritontui.analysis.map.overlays import sectors, writes
from tritontui.analysis.map.plane import NOWHERE, PlaneWindow
from tritontui.analysis.trace import Access, Trace
from tritontui.analysis.views import extent
from tritontui.engine.messages import Cell, SectorTraffic, Tile, TileRequest

Ints = NDArray[np.int64]
Window = LinearWindow | PlaneWindow


def tile(trace: Trace, request: TileRequest) -> Tile:
    """The cells that ``request`` asks for. Raises LookupError when the launch has no such site or execution."""
    site = Executions(trace, request.site, request.execution)
    tensor = trace.tensors[trace.sites[request.site].tensor] if trace.sites[request.site].tensor >= 0 else None
    elements = extent(tensor) if tensor is not None else 0
    cells = max(0, request.cells)
    window: Window
    if request.plane is None:
        window = LinearWindow(request.first, max(1, request.zoom), cells)
    else:
        window = PlaneWindow(request.plane, cells)
    selected, masked, beyond = _selected(site, request.program, window)
    programs, lowest, out = _everybody(site, window, elements)
    again = sum((_active(access, request.program, window) for access in site.others), np.zeros(cells, np.int64))
    columns = (np.where(lowest == NOBODY, -1, lowest), programs, selected, masked, out + beyond, again)
    overlay, traffic = _overlay(site, request, window)
    return Tile(
        run=request.run,
        request=request.request,
        first=request.first,
        zoom=request.zoom,
        cells=[Cell(*row) for row in zip(*(column.tolist() for column in columns), strict=True)],
        elements=elements,
        lowest=site.footprint().lowest,
        highest=site.footprint().highest,
        plane=request.plane,
        place=_place(site, request, window) if isinstance(window, PlaneWindow) else None,
        executions=len(site.iterations),
        iteration=list(site.iteration),
        overlay=overlay,
        traffic=traffic,
    )


def _everybody(site: Executions, window: Window, elements: int) -> tuple[Ints, Ints, Ints]:
    """How many programs touch each cell, the lowest, and what is outside; kept for the next program at this view."""
    view = (site.execution, window.plane if isinstance(window, PlaneWindow) else (window.first, window.zoom))
    key = ("everybody", site.site)
    kept = site.trace.kept.get(key)
    if kept is not None and kept[0] == (view, window.cells):
        found: tuple[Ints, Ints, Ints] = kept[1]
        return found
    whole = site.footprint()
    programs, lowest = window.programs(whole)
    answer = (programs, lowest, window.out(whole, programs, elements))
    site.trace.kept[key] = ((view, window.cells), answer)
    return answer


def _active(access: Access, program: int, window: Window) -> Ints:
    block = program_block(access, program)
    return window.count(block.offsets[block.wanted]) if block is not None else np.zeros(window.cells, np.int64)


def _selected(site: Executions, program: int, window: Window) -> tuple[Ints, Ints, Ints]:
    """Lanes of the selected program in each cell: active, masked off, and active beyond the end of a row."""
    active, masked, beyond = (np.zeros(window.cells, np.int64) for _ in range(3))
    for access in site.chosen:
        block = program_block(access, program)
        if block is None or not window.cells:
            continue
        wanted = block.wanted[0]
        active += window.count(block.offsets[0, wanted])
        places = _logical(site, access, program, window)
        if places is None or not isinstance(window, PlaneWindow):
            masked += window.count(block.offsets[0, ~wanted])
            continue
        major, minor = places
        masked += window.count_places(major[~wanted], minor[~wanted])
        past = wanted & window.is_past(major, minor)
        beyond += window.count_places(major[past], minor[past])
    return active, masked, beyond


def _logical(site: Executions, access: Access, program: int, window: Window) -> tuple[Ints, Ints] | None:
    """Places of the lanes counted past the ends of rows; None where that has no sense."""
    if not isinstance(window, PlaneWindow) or window.plane.wraps:
        return None
    form = site.form()
    return window.logical(form, site.lane_indices(access, program)) if form is not None else None


def _place(site: Executions, request: TileRequest, window: PlaneWindow) -> tuple[int, int] | None:
    """Row and column of the selected lane."""
    block = site.block(request.program)
    if block is None or not 0 <= request.lane < block.offsets.shape[1]:
        return None
    places = _logical(site, block.access, request.program, window)
    if places is not None:
        at = window.on_screen(int(places[0][request.lane]), int(places[1][request.lane]))
        return None if NOWHERE in at else at
    major, minor, valid = window.places(block.offsets[0, request.lane : request.lane + 1])
    return window.on_screen(int(major[0]), int(minor[0])) if valid[0] else None


def _overlay(
    site: Executions, request: TileRequest, window: Window
) -> tuple[list[tuple[int, int]], SectorTraffic | None]:
    index = site.trace.sites[request.site].tensor
    if not request.overlay or index < 0:
        return [], None
    tensor = site.trace.tensors[index]
    if request.overlay == "writes":
        return writes(site.trace, tensor, window), None
    chosen: Sequence[Access] = site.chosen
    return sectors(tensor, chosen, request.program, window)
