"""What a view of the map costs, counted: the bytes it has in hand at most and the calls it makes, never its time.

Few calls on small arrays are little work. Both must stay what they are for 4 programs when there are 1,000,000.
"""

from __future__ import annotations

import sys
import tracemalloc

import pytest
import torch
import triton
import triton.language as tl

from tritontui.analysis import tile
from tritontui.engine.messages import Plane, TileRequest
from tritontui.runner.lockstep import tracing

FEW, MANY = 4, 1_000_000
BLOCK = 2
COLUMNS, WIDTH, HEIGHT = 1_000, 40, 10
CELLS = WIDTH * HEIGHT
STORE = 1
OVERLAYS = ("", "writes", "sectors")


@triton.jit
def _copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@pytest.fixture(scope="module")
def traces():
    made = {}
    for programs in (FEW, MANY):
        x = torch.zeros(programs * BLOCK - 1)
        with tracing() as session:
            _copy[(programs,)](x, torch.empty_like(x), x.numel(), BLOCK=BLOCK)
        made[programs] = session.traces[0]
        for overlay in OVERLAYS:  # what is kept with the trace is made once a launch, at the first view
            tile(made[programs], linear(made[programs], 0, 1, overlay))
            tile(made[programs], matrix(made[programs], 0, 1, overlay))
    return made


def elements(trace):
    return trace.programs * BLOCK - 1


def linear(trace, program, zoom, overlay, cells=CELLS):
    first = max(0, min(program * BLOCK, elements(trace) - cells * zoom))
    return TileRequest(
        run=1,
        request=1,
        launch=0,
        site=STORE,
        program=program,
        first=first,
        zoom=zoom,
        cells=cells,
        overlay=overlay,
    )


def matrix(trace, program, zoom, overlay):
    rows = max(1, elements(trace) // COLUMNS)
    plane = Plane(
        base=0,
        row_stride=COLUMNS,
        column_stride=1,
        rows=rows,
        columns=COLUMNS,
        first_row=max(0, min(program * BLOCK // COLUMNS, rows - HEIGHT * zoom)),
        first_column=0,
        row_zoom=zoom,
        column_zoom=zoom,
        width=WIDTH,
    )
    request = linear(trace, program, 1, overlay)
    request.plane = plane
    request.first = 0
    return request


def cost(trace, request, site=STORE):
    """Bytes at the peak, and calls of functions."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event.endswith("call")

    trace.kept.pop(("everybody", site), None)  # that of the view before
    tracemalloc.start()
    tile(trace, request)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    trace.kept.pop(("everybody", site), None)
    before = sys.getprofile()
    sys.setprofile(count)
    tile(trace, request)
    sys.setprofile(before)
    return peak, calls


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("view", [linear, matrix])
def test_a_million_programs_cost_a_view_no_more_than_four(traces, view, overlay):
    few, few_calls = cost(traces[FEW], view(traces[FEW], 0, 1, overlay))
    for program in (0, MANY // 2, MANY - 1):
        for zoom in (1, 4):
            peak, calls = cost(traces[MANY], view(traces[MANY], program, zoom, overlay))
            assert peak < 3 * few + 200_000, (program, zoom)  # the viewport's own; a number a program were 8,000,000
            assert calls < 3 * few_calls, (program, zoom)


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("view", [linear, matrix])
def test_zooming_out_to_the_whole_launch_costs_no_more(traces, view, overlay):
    trace = traces[MANY]
    near, near_calls = cost(trace, view(trace, 0, 1, overlay))
    whole = -(-elements(trace) // (CELLS if view is linear else COLUMNS * HEIGHT))
    far, far_calls = cost(trace, view(trace, 0, whole, overlay))
    assert far < 2 * near + 50_000
    assert far_calls < 2 * near_calls


def test_it_does_grow_with_the_viewport(traces):
    trace = traces[MANY]
    small, _ = cost(trace, linear(trace, 0, 1, ""))
    large, _ = cost(trace, linear(trace, 0, 1, "", cells=20 * CELLS))
    assert large > 8 * small


# ---------------------------------------------------------------- programs with gaps between their elements


@triton.jit
def _transpose(x_ptr, out_ptr, side, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row[:, None] * side + column[None, :], mask=(row[:, None] < side) & (column[None, :] < side))
    place = column[:, None] * side + row[None, :]
    tl.store(out_ptr + place, tl.trans(x), mask=(column[:, None] < side) & (row[None, :] < side))


@triton.jit
def _two_of_three(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * (BLOCK + 1) + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets))


def transposed(tiles):
    x = torch.zeros(tiles * BLOCK - 1, tiles * BLOCK - 1)
    _transpose[(tiles, tiles)](x, torch.empty_like(x), len(x), BLOCK=BLOCK)
    return len(x)


def gappy(tiles):
    x = torch.zeros(tiles * BLOCK, tiles * (BLOCK + 1))
    _two_of_three[(x.numel() // (BLOCK + 1),)](x, torch.empty_like(x), BLOCK=BLOCK)
    return x.shape[1]


@pytest.mark.parametrize("launch", [transposed, gappy])
def test_nor_do_programs_that_stand_apart(launch):
    def costs(tiles, wholly):
        with tracing() as session:
            side = launch(tiles)
        trace = session.traces[0]
        rows = elements_of(trace) // side
        zooms = (-(-rows // HEIGHT), -(-side // WIDTH)) if wholly else (1, 1)
        found = []
        for site in (0, STORE):
            first = 0 if wholly else max(0, rows // 2 - HEIGHT)
            seen = Plane(
                base=0, row_stride=side, column_stride=1, rows=rows, columns=side, first_row=first, first_column=0,
                row_zoom=zooms[0], column_zoom=zooms[1], width=WIDTH,
            )  # fmt: skip
            request = linear(trace, 0, 1, "")
            request.plane, request.site, request.first = seen, site, 0
            tile(trace, request)
            found.append(cost(trace, request, site))
        return found

    for wholly in (False, True):
        for (few, few_calls), (many, many_calls) in zip(costs(40, wholly), costs(400, wholly), strict=True):
            assert many < 2 * few + 50_000 and many_calls < 2 * few_calls, wholly


def elements_of(trace):
    return max(tensor.storage_end - tensor.storage_first for tensor in trace.tensors)
