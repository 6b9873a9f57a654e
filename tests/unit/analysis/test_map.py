"""The access map's tiles: the quick way against counting by hand, and its memory on a large launch."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from handmade import Launch, addition
from hypothesis import given, settings
from hypothesis import strategies as st

from tritontui.analysis import tile
from tritontui.analysis.map import footprint as footprint_module
from tritontui.analysis.trace import Access, Separable, SharedRows, Trace
from tritontui.engine.messages import Cell, Tile, TileRequest


def ask(trace: Trace, site: int, first: int, cells: int, zoom: int, program: int = 0) -> Tile:
    return tile(
        trace,
        TileRequest(run=1, request=2, launch=0, site=site, program=program, first=first, cells=cells, zoom=zoom),
    )


def counted(trace: Trace, site: int, first: int, cells: int, zoom: int, program: int = 0) -> list[Cell]:
    """The same cells, lane by lane."""
    size = trace.tensors[trace.sites[site].tensor].shape[0]
    touched: list[list[int]] = [[] for _ in range(cells)]
    masked = [0] * cells
    for access in trace.accesses:
        shape = (len(access.programs), *access.offsets.shape[1:])
        assert isinstance(access.offsets, np.ndarray)
        offsets = np.broadcast_to(access.offsets, shape).reshape(len(access.programs), -1)
        mask = np.broadcast_to(True if access.mask is None else access.mask, shape).reshape(offsets.shape)
        for row, owner in enumerate(access.programs.tolist()):
            for offset, wanted in zip(offsets[row].tolist(), mask[row].tolist(), strict=True):
                cell = (offset - first) // zoom
                if access.site == site and 0 <= cell < cells:
                    if wanted:
                        touched[cell].append(owner)
                    elif owner == program:
                        masked[cell] += 1
    return [
        Cell(
            program=min(owners, default=-1),
            programs=len(set(owners)),
            selected=owners.count(program),
            masked=masked[cell],
            out=len(owners) if first + cell * zoom >= size or first + (cell + 1) * zoom <= 0 else 0,
        )
        for cell, owners in enumerate(touched)
    ]


def test_the_tail_of_an_addition() -> None:
    trace = addition(n=1000, masked=False).trace()
    answer = ask(trace, 0, first=760, cells=3, zoom=120, program=3)
    assert answer.cells == [
        Cell(program=2, programs=2, selected=112, masked=0, out=0),
        Cell(program=3, programs=1, selected=120, masked=0, out=0),
        Cell(program=3, programs=1, selected=24, masked=0, out=24),
    ]
    assert (answer.elements, answer.lowest, answer.highest) == (1000, 0, 1023)


def test_masked_lanes_are_shown_where_they_would_fall() -> None:
    trace = addition(n=1000).trace()
    answer = ask(trace, 0, first=992, cells=2, zoom=16, program=3)
    assert answer.cells == [Cell(3, 1, 8, 8, 0), Cell(-1, 0, 0, 16, 0)]


def test_an_unknown_site_is_a_lookup_error() -> None:
    with pytest.raises(LookupError):
        ask(addition().trace(), 9, 0, 4, 1)


@st.composite
def launches(draw: Any) -> Trace:
    """Tiles of random strides, some masked, over one or two executions of a site."""
    programs = draw(st.integers(1, 6))
    launch = Launch((programs,))
    tensor = launch.tensor("x_ptr", draw(st.integers(1, 80)), first=200, room=2000)
    shape = draw(st.sampled_from([(4,), (8,), (2, 4), (4, 4)]))
    strides = [draw(st.integers(0, 9)) for _ in shape]
    lanes = sum(index * stride for index, stride in zip(np.indices(shape), strides, strict=True))
    site = launch.site("load", tensor, 1, shape, masked=True)
    step = draw(st.integers(-3, 12))
    order = np.array(draw(st.permutations(range(programs))))
    for iteration in range(draw(st.integers(1, 2))):
        rows = order * step + draw(st.integers(-20, 20))
        offsets = rows.reshape(-1, *(1,) * len(shape)) + lanes
        limit = draw(st.none() | st.integers(0, 60))
        launch.access(
            "load", tensor, offsets, None if limit is None else offsets < limit, site=site, iteration=(iteration,)
        )
    return launch.trace()


@settings(max_examples=200, deadline=None)
@given(launches(), st.integers(-30, 60), st.integers(1, 40), st.integers(1, 12), st.integers(0, 5), st.booleans())
def test_both_ways_agree_with_counting(
    trace: Trace, first: int, cells: int, zoom: int, program: int, patterns: bool
) -> None:
    kept = footprint_module.FEW_PAIRS
    footprint_module.FEW_PAIRS = 0 if patterns else kept
    try:
        answer = ask(trace, 0, first, cells, zoom, program).cells
    finally:
        footprint_module.FEW_PAIRS = kept
    expected = counted(trace, 0, first, cells, zoom, program)
    if patterns:  # executions with different masks may count a program once each
        for got, wanted in zip(answer, expected, strict=True):
            assert wanted.programs <= got.programs <= wanted.programs * len(trace.accesses)
            got.programs = wanted.programs
    assert answer == expected


def million_programs(shuffled: bool) -> Trace:
    """A vector of 128 million elements, a block of 128 for each of a million programs."""
    programs, block = 1_000_000, 128
    launch = Launch((programs,))
    n = programs * block - 50
    tensor = launch.tensor("x_ptr", n)
    site = launch.site("load", tensor, 1, (block,), masked=True)
    rows = np.arange(programs) * block
    if shuffled:
        rows = np.random.default_rng(0).permutation(rows)
    index = np.zeros(programs, np.int32)
    index[rows.argmax()] = 1
    masks = np.array([np.ones(block, bool), np.arange(block) < block - 50])
    access = Access(site, (), np.arange(programs), Separable(rows, np.arange(block)), SharedRows(index, masks))
    launch.accesses.append(access)
    return launch.trace()


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("zoom", [1, 100, 128_000])
def test_a_view_of_a_million_programs_makes_no_array_of_their_size(shuffled: bool, zoom: int) -> None:
    trace = million_programs(shuffled)
    ask(trace, 0, 0, 1000, 128_000)  # the first view of a site prepares it
    tracemalloc.start()
    answer = ask(trace, 0, 0, 1000, zoom, program=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert {cell.programs for cell in answer.cells} <= {1, 2, 1000}


def test_the_lowest_program_of_a_crowded_cell_is_found_among_shuffled_ones() -> None:
    trace = million_programs(shuffled=True)
    offsets = trace.accesses[0].offsets
    assert isinstance(offsets, Separable)
    owners = np.empty(1_000_000, np.int64)
    owners[offsets.rows // 128] = np.arange(1_000_000)
    answer = ask(trace, 0, 128_000, 4, 128_000)
    assert [cell.program for cell in answer.cells] == [
        int(owners[k * 1000 : (k + 1) * 1000].min()) for k in range(1, 5)
    ]
