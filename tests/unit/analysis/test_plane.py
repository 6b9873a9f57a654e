"""The map of a tensor's own shape: every cell against counting, and a large launch's cost."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from handmade import Launch, addition
from hypothesis import given, settings
from hypothesis import strategies as st

from tritontui.analysis import inspect, tile
from tritontui.analysis.map import footprint as footprint_module
from tritontui.analysis.map.overlays import write_counts
from tritontui.analysis.trace import Access, Separable, Trace
from tritontui.engine.messages import InspectRequest, Plane, Tile, TileRequest


def plane(rows: int, columns: int, row_stride: int, column_stride: int, **changes: Any) -> Plane:
    """A window on the whole matrix, one cell an element, unless ``changes`` say otherwise."""
    given = {"base": 0, "first_row": 0, "first_column": 0, "row_zoom": 1, "column_zoom": 1, "width": columns}
    return Plane(rows=rows, columns=columns, row_stride=row_stride, column_stride=column_stride, **{**given, **changes})


def ask(trace: Trace, seen: Plane, high: int, *, site: int = 0, program: int = 0, **more: Any) -> Tile:
    return tile(
        trace,
        TileRequest(
            run=1, request=2, launch=0, site=site, program=program, first=0, cells=high * seen.width, zoom=1,
            plane=seen, **more,
        ),
    )  # fmt: skip


def rows_of(answer: Tile, name: str) -> list[list[int]]:
    assert answer.plane is not None
    width = answer.plane.width
    values = [getattr(cell, name) for cell in answer.cells]
    return [values[start : start + width] for start in range(0, len(values), width)]


# ---------------------------------------------------------------- against counting


def touched(trace: Trace, execution: int | None, program: int) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Programs by element, once a lane; and the selected program's masked-off lanes by element."""
    owners: dict[int, list[int]] = defaultdict(list)
    masked: dict[int, int] = defaultdict(int)
    order = sorted({access.iteration for access in trace.accesses})
    for access in trace.accesses:
        if execution is not None and access.iteration != order[execution]:
            continue
        assert isinstance(access.offsets, np.ndarray)
        shape = (len(access.programs), *access.offsets.shape[1:])
        offsets = np.broadcast_to(access.offsets, shape).reshape(len(access.programs), -1)
        mask = np.broadcast_to(True if access.mask is None else access.mask, shape).reshape(offsets.shape)
        for row, owner in enumerate(access.programs.tolist()):
            for offset, wanted in zip(offsets[row].tolist(), mask[row].tolist(), strict=True):
                if wanted:
                    owners[offset].append(owner)
                elif owner == program:
                    masked[offset] += 1
    return owners, masked


@st.composite
def matrices(draw: Any) -> tuple[int, int, int, int]:
    """Rows, columns and strides: row by row, column by column, padded, every other column, expanded."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    gap, step = draw(st.integers(0, 3)), draw(st.integers(1, 2))
    wide, tall = columns * step + gap, rows * step + gap
    return draw(
        st.sampled_from(
            [(rows, columns, wide, step), (rows, columns, step, tall), (rows, columns, 0, step), (rows, columns, 1, 0)]
        )
    )


@st.composite
def launches(draw: Any, row_stride: int, column_stride: int, op: str = "load") -> Trace:
    programs = draw(st.integers(1, 5))
    launch = Launch((programs,))
    tensor = launch.tensor("x_ptr", 40, first=400, room=2000)
    shape = draw(st.sampled_from([(5,), (2, 3), (3, 2)]))
    steps = st.sampled_from([row_stride, column_stride, 1, 2, 5, 0])
    strides = [draw(steps) for _ in shape]
    lanes = sum(index * stride for index, stride in zip(np.indices(shape), strides, strict=True))
    site = launch.site(op, tensor, 1, shape, masked=True)
    step = draw(st.sampled_from([0, 1, row_stride, 2 * row_stride, column_stride, 3, -2]))
    order = np.array(draw(st.permutations(range(programs))))
    for iteration in range(draw(st.integers(1, 3))):
        rows = order * step + draw(st.integers(-9, 12))
        offsets = rows.reshape(-1, *(1,) * len(shape)) + lanes
        limit = draw(st.none() | st.integers(0, 30))
        mask = None if limit is None else offsets < limit
        launch.access(op, tensor, offsets, mask, site=site, iteration=(iteration,))
    return launch.trace()


@st.composite
def lines(draw: Any) -> Trace:
    """Programs in order, each with a block of neighbours that begins in the block before or right after it."""
    programs, lanes = draw(st.integers(1, 20)), draw(st.integers(1, 6))
    launch = Launch((programs,))
    tensor = launch.tensor("x_ptr", 40, first=400, room=2000)
    rows = np.arange(programs) * draw(st.integers(1, lanes)) + draw(st.integers(-9, 12))
    launch.access("load", tensor, rows[:, None] + np.arange(lanes))
    return launch.trace()


@st.composite
def gappy_lines(draw: Any) -> Trace:
    """Programs in order, each with a block or two of neighbours, and a gap before the next one's."""
    programs, lanes = draw(st.integers(1, 20)), draw(st.integers(1, 4))
    launch = Launch((programs,))
    tensor = launch.tensor("x_ptr", 40, first=400, room=2000)
    rows = np.arange(programs) * draw(st.integers(lanes, 17)) + draw(st.integers(-9, 12))
    blocks = draw(st.sampled_from([[0], [0, lanes + 1]]))
    launch.access("load", tensor, rows[:, None] + np.concatenate([start + np.arange(lanes) for start in blocks]))
    return launch.trace()


@st.composite
def tiles(draw: Any, row_stride: int, column_stride: int) -> Trace:
    """A grid of tiles of the matrix, apart or over one another, its programs counted along either axis, either way."""
    across, down = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    launch = Launch((across * down * 2,))
    tensor = launch.tensor("x_ptr", 40, first=400, room=2000)
    shape = draw(st.sampled_from([(1, 2), (2, 3), (3, 1)]))
    steps = [draw(st.integers(1, 4)) for _ in range(2)]
    ids = np.arange(across * down)
    order = draw(st.sampled_from([ids, ids[::-1], ids.reshape(down, across).T.ravel(), np.roll(ids, 1)]))
    order = np.repeat(order, 2) if draw(st.booleans()) else np.concatenate([order, order])
    rows = order // across * steps[0] * row_stride + order % across * steps[1] * column_stride
    lane = np.indices(shape)
    offsets = rows[:, None, None] + lane[0] * row_stride + lane[1] * column_stride + draw(st.integers(-9, 12))
    launch.access("load", tensor, offsets)
    return launch.trace()


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_every_cell_of_a_plane_agrees_with_counting(data: st.DataObject) -> None:
    rows, columns, row_stride, column_stride = data.draw(matrices())
    kinds = launches(row_stride, column_stride), lines(), gappy_lines(), tiles(row_stride, column_stride)
    trace = data.draw(st.one_of(kinds))
    high, width = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    row_zoom, column_zoom = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    seen = plane(
        rows, columns, row_stride, column_stride, base=data.draw(st.integers(0, 3)), width=width, wraps=True,
        first_row=data.draw(st.integers(-3, 4)), first_column=data.draw(st.integers(0, 4)),
        row_zoom=row_zoom, column_zoom=column_zoom,
    )  # fmt: skip
    execution = data.draw(st.none() | st.integers(0, len({access.iteration for access in trace.accesses}) - 1))
    program = data.draw(st.integers(0, trace.programs - 1))
    kept = footprint_module.FEW_PAIRS
    footprint_module.FEW_PAIRS = data.draw(st.sampled_from([0, kept]))
    try:
        answer = ask(trace, seen, high, program=program, execution=execution)
    finally:
        footprint_module.FEW_PAIRS = kept
    owners, masked = touched(trace, execution, program)
    whole, _ = touched(trace, None, program)
    for number, cell in enumerate(answer.cells):
        row = seen.first_row + number // width * row_zoom
        column = seen.first_column + number % width * column_zoom
        offsets = {offset for offset in expected_offsets(seen, row, column) if offset is not None}
        lanes = [owner for offset in offsets for owner in owners[offset]]
        assert cell.programs == min(len(set(lanes)), 2)
        assert cell.program == min(lanes, default=-1)
        assert cell.selected == lanes.count(program)
        assert cell.masked == sum(masked[offset] for offset in offsets)
        others = [owner for offset in offsets for owner in whole[offset]]
        assert cell.again == (0 if execution is None else others.count(program) - lanes.count(program))
        beyond = row >= rows or row + row_zoom <= 0 or column >= columns or column + column_zoom <= 0
        assert (cell.out > 0) == (beyond and bool(lanes)), (row, column, seen)


def expected_offsets(seen: Plane, row: int, column: int) -> list[int | None]:
    """Offsets of a cell's elements; past the minor axis only as far as the next major step; an expanded axis ends."""
    found: list[int | None] = []
    major_first = seen.row_stride >= seen.column_stride
    major_stride, minor_stride = sorted((seen.row_stride, seen.column_stride), reverse=True)
    for i in range(row, row + seen.row_zoom):
        for j in range(column, column + seen.column_zoom):
            major, minor = (i, j) if major_first else (j, i)
            majors, minors = (seen.rows, seen.columns) if major_first else (seen.columns, seen.rows)
            in_minor = 0 <= minor < minors if minor_stride == 0 else 0 <= minor * minor_stride < major_stride
            in_major = major_stride > 0 or 0 <= major < majors
            valid = in_minor and in_major
            found.append(seen.base + major * major_stride + minor * minor_stride if valid else None)
    return found


# ---------------------------------------------------------------- what a learner sees


def tiled(rows: int = 6, columns: int = 10, tall: int = 4, wide: int = 4, mask: str = "both") -> Trace:
    """A copy of a matrix in tiles, a program each; ``mask``: ``both`` axes, ``rows`` alone, or ``none``."""
    grid = (-(-rows // tall), -(-columns // wide))
    launch = Launch(grid)
    tensor = launch.tensor("x_ptr", (rows, columns), room=400)
    first, second = np.unravel_index(np.arange(grid[0] * grid[1]), grid)
    i = (first * tall)[:, None, None] + np.arange(tall)[:, None]
    j = (second * wide)[:, None, None] + np.arange(wide)
    keeps = {"both": (i < rows) & (j < columns), "rows": (i < rows) & (j < 99), "none": None}[mask]
    launch.access("load", tensor, i * columns + j, keeps)
    return launch.trace()


def test_masked_lanes_stick_out_of_the_tensor() -> None:
    answer = ask(tiled(), plane(6, 10, 10, 1, width=12), 8, program=5, lane=15)
    masked, selected = rows_of(answer, "masked"), rows_of(answer, "selected")
    assert [row[8:] for row in selected[4:]] == [[1, 1, 0, 0], [1, 1, 0, 0], [0] * 4, [0] * 4]
    assert [row[8:] for row in masked[4:]] == [[0, 0, 1, 1], [0, 0, 1, 1], [1] * 4, [1] * 4]
    assert not any(map(any, rows_of(answer, "out")))
    assert answer.place == (7, 11)


def test_lanes_past_the_end_of_a_row_are_out_and_what_they_hit_is_shown() -> None:
    answer = ask(tiled(mask="rows"), plane(6, 10, 10, 1, width=12), 6, program=2)
    assert [row[10:] for row in rows_of(answer, "out")[:4]] == [[1, 1]] * 4
    assert rows_of(answer, "selected")[1][:2] == [1, 1], "the next row's first elements are what they really reach"


def test_a_flat_index_goes_on_in_the_next_row() -> None:
    launch = Launch((4,))
    tensor = launch.tensor("x_ptr", (6, 10))
    offsets = np.arange(4)[:, None] * 16 + np.arange(16)
    launch.access("load", tensor, offsets, offsets < 60)
    answer = ask(launch.trace(), plane(6, 10, 10, 1, wraps=True), 7, program=3)
    assert rows_of(answer, "selected")[4] == [0] * 8 + [1, 1] and rows_of(answer, "selected")[5] == [1] * 10
    assert rows_of(answer, "masked")[6] == [1] * 4 + [0] * 6


def test_an_expanded_axis_shows_one_row_everywhere() -> None:
    launch = Launch((2,))
    tensor = launch.tensor("x_ptr", (3, 8), (0, 1))
    launch.access("load", tensor, np.arange(2)[:, None] * 4 + np.arange(4))
    answer = ask(launch.trace(), plane(3, 8, 0, 1), 4, program=1)
    assert rows_of(answer, "selected") == [[0] * 4 + [1] * 4] * 3 + [[0] * 8]
    assert rows_of(answer, "program")[:3] == [[0] * 4 + [1] * 4] * 3


def test_one_iteration_is_shown_alone_and_the_others_faintly() -> None:
    launch = Launch((1,))
    tensor = launch.tensor("a_ptr", (2, 8))
    site = launch.site("load", tensor, 1, (2, 4))
    for step in range(2):
        offsets = np.arange(2)[:, None] * 8 + step * 4 + np.arange(4)
        launch.access("load", tensor, offsets[None], site=site, iteration=(step,))
    answer = ask(launch.trace(), plane(2, 8, 8, 1), 2, execution=1)
    assert rows_of(answer, "selected")[0] == [0] * 4 + [1] * 4
    assert rows_of(answer, "again")[0] == [1] * 4 + [0] * 4
    assert (answer.executions, answer.iteration, answer.place) == (2, [1], (0, 4))
    assert rows_of(ask(launch.trace(), plane(2, 8, 8, 1), 2), "selected")[0] == [1] * 8
    with pytest.raises(LookupError):
        ask(launch.trace(), plane(2, 8, 8, 1), 2, execution=2)


def test_a_slice_of_three_axes() -> None:
    launch = Launch((4,))
    tensor = launch.tensor("x_ptr", (4, 2, 3))
    launch.access("load", tensor, np.arange(4)[:, None] * 6 + np.arange(6))
    answer = ask(launch.trace(), plane(2, 3, 3, 1, base=12, wraps=True), 2, program=2)
    assert rows_of(answer, "selected") == [[1] * 3] * 2
    assert (
        rows_of(ask(launch.trace(), plane(2, 3, 3, 1, base=6, wraps=True), 2, program=2), "selected") == [[0] * 3] * 2
    )


# ---------------------------------------------------------------- overlays


def test_writes_are_counted_over_all_programs_and_sites() -> None:
    launch = Launch((3,))
    out = launch.tensor("out_ptr", 16)
    launch.access("store", out, np.arange(3)[:, None] * 4 + np.arange(6), values=np.zeros((3, 6)))
    trace = launch.trace()
    answer = tile(
        trace,
        TileRequest(
            run=1, request=2, launch=0, site=0, program=0, first=-4, cells=6, zoom=4, overlay="writes"
        ),
    )  # fmt: skip
    assert answer.overlay == [(0, 0), (1, 1), (1, 2), (1, 2), (0, 1), (0, 0)]
    seen = ask(trace, plane(4, 4, 4, 1), 4, overlay="writes")
    assert seen.overlay[:4] == [(1, 1)] * 4 and seen.overlay[4:8] == [(2, 2), (2, 2), (1, 1), (1, 1)]
    coarse = ask(trace, plane(4, 4, 4, 1, row_zoom=4, column_zoom=2, width=2), 1, overlay="writes")
    assert coarse.overlay == [(1, 2), (0, 1)]
    found = inspect(trace, InspectRequest(run=1, request=2, launch=0, site=0, program=1, lane=0, writes=True))
    assert (found.writes, found.writers, found.programs) == (2, 2, 2)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_counts_of_writes_agree_with_counting(data: st.DataObject) -> None:
    trace = data.draw(launches(data.draw(st.integers(1, 9)), 1, "store"))
    kept = footprint_module.FEW_PAIRS
    footprint_module.FEW_PAIRS = data.draw(st.sampled_from([0, kept]))
    try:
        counts = write_counts(trace, trace.tensors[0])
    finally:
        footprint_module.FEW_PAIRS = kept
    owners, _ = touched(trace, None, 0)
    tensor = trace.tensors[0]
    assert counts is not None
    expected = [len(owners[tensor.storage_first + place]) for place in range(len(counts))]
    assert counts.tolist() == expected


def test_sectors_tell_used_from_wasted() -> None:
    launch = Launch((2,))
    tensor = launch.tensor("x_ptr", 64)
    launch.access("load", tensor, np.arange(2)[:, None] + np.arange(4) * 16)
    answer = tile(
        launch.trace(),
        TileRequest(
            run=1, request=2, launch=0, site=0, program=1, first=0, cells=8, zoom=8, overlay="sectors"
        ),
    )  # fmt: skip
    assert answer.overlay == [(1, 7), (0, 0)] * 4
    traffic = answer.traffic
    assert traffic is not None
    assert (traffic.sectors, traffic.ideal, traffic.moved_bytes, traffic.used_bytes) == (4, 1, 128, 16)


# ---------------------------------------------------------------- large launches


@pytest.mark.parametrize("zoom", [1, 512])
def test_a_plane_of_a_million_programs_costs_no_array_of_their_lanes(zoom: int) -> None:
    programs, block = 1_000_000, 128
    launch = Launch((programs,))
    tensor = launch.tensor("x_ptr", (programs, block))
    site = launch.site("load", tensor, 1, (block,))
    rows = np.arange(programs, dtype=np.int64) * block
    launch.accesses.append(Access(site, (), np.arange(programs), Separable(rows, np.arange(block)), None))
    trace = launch.trace()
    seen = plane(programs, block, block, 1, row_zoom=20_000 if zoom > 1 else 1, width=100)
    ask(trace, seen, 50)  # the first view of a site prepares it
    tracemalloc.start()
    answer = ask(trace, plane(programs, block, block, 1, row_zoom=zoom, first_row=1000, width=100), 50, program=1003)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40_000_000
    assert answer.cells[0].program == 1000 and answer.cells[0].programs == (1 if zoom == 1 else 2)
    assert answer.cells[300].selected == (1 if zoom == 1 else 0)


def test_the_index_of_an_element() -> None:
    launch = addition(n=1000)
    launch.tensors[0] = launch.tensors[launch.tensor("x_ptr", (10, 100), (1, 10))]
    found = inspect(launch.trace(), InspectRequest(run=1, request=2, launch=0, site=0, program=0, lane=37))
    assert found.index == [7, 3]
    assert found.steps == ["offs = 0·256 + 37 = 37"]
