"""The map's arithmetic: zoom, rows, signs, and what stays selected when the kernel changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritontui.engine.messages import Cell, LaunchSummary, SiteSummary, TensorSummary, Tile
from tritontui.ui import memory_map as mm


def site(number: int, line: int, op: str = "load", tensor: str = "x_ptr", lanes: int = 256) -> SiteSummary:
    return SiteSummary(
        site=number,
        line=line,
        column=9,
        op=op,
        tensor=tensor,
        dtype="fp32",
        lane_shape=[lanes],
        programs=4,
        executions=1,
        lanes_on=1000,
        lanes_off=24,
        lanes_out=0,
        sectors=125,
        sectors_ideal=125,
    )


def launch(*sites: SiteSummary, grid: tuple[int, ...] = (4,)) -> LaunchSummary:
    tensors = [
        TensorSummary(name=name, dtype="fp32", shape=[1000], stride=[1], elements=1000)
        for name in ("x_ptr", "y_ptr", "out_ptr")
    ]
    return LaunchSummary(
        launch=0,
        kernel="add_kernel",
        line=20,
        grid=list(grid),
        tensors=tensors,
        scalars={"n": 1000, "BLOCK": 256},
        sites=list(sites),
        mode="lockstep",
        kernel_ms=1.0,
        analysis_ms=1.0,
    )


@given(st.integers(-5000, 0), st.integers(1, 3_000_000), st.integers(8, 200), st.integers(1, 60))
def test_the_fitting_zoom_shows_everything_and_no_less_would(lowest: int, end: int, width: int, rows: int) -> None:
    columns = mm.columns_in(width)
    assert columns <= width < 2 * columns
    shown = mm.window(lowest, end, columns, rows, None)
    assert shown.first <= max(lowest, 0) and (rows == 1 or shown.first <= lowest)
    assert shown.first % shown.row_elements == 0
    assert lowest < 0 or shown.end >= end
    if shown.zoom > 1 and lowest == 0:
        assert columns * rows * (shown.zoom // 2) < end


@given(st.integers(0, 10**7), st.integers(0, 6), st.integers(1, 40))
def test_a_window_moves_until_the_lane_is_in_view(offset: int, power: int, rows: int) -> None:
    shown = mm.Window(0, 2**power, 64, rows).moved_to_show(offset)
    cell = shown.cell_of(offset)
    assert cell is not None and shown.first + cell * shown.zoom <= offset < shown.first + (cell + 1) * shown.zoom


@pytest.mark.parametrize(
    ("cell", "first", "sign"),
    [
        (Cell(3, 1, 2, 0, 0), 998, mm.SELECTED),
        (Cell(3, 1, 1, 1, 0), 998, mm.EDGE),
        (Cell(-1, 0, 0, 2, 0), 1000, mm.MASKED),
        (Cell(3, 1, 0, 0, 2), 1000, mm.OUT),
        (Cell(-1, 0, 0, 0, 0), 1000, mm.ELSEWHERE),
        (Cell(-1, 0, 0, 0, 0), -2, mm.ELSEWHERE),
        (Cell(-1, 0, 0, 0, 0), 10, mm.UNTOUCHED),
        (Cell(0, 1, 0, 0, 0), 10, mm.EVEN),
        (Cell(1, 1, 0, 0, 0), 10, mm.ODD),
        (Cell(0, 2, 0, 0, 0), 10, mm.SHARED),
    ],
)
def test_every_state_has_its_own_sign(cell: Cell, first: int, sign: str) -> None:
    tile = Tile(run=1, request=1, first=0, zoom=2, cells=[], elements=1000, lowest=0, highest=1023)
    assert mm.glyph(cell, first, tile) == sign


def test_the_selection_follows_its_access_when_lines_move() -> None:
    old = mm.accesses([launch(site(0, 11), site(1, 12, tensor="y_ptr"), site(2, 13, "store", "out_ptr"))])
    selection = mm.Selection(site=2, program=3, lane=200)
    new = mm.accesses([launch(site(0, 12), site(1, 15, "store", "out_ptr"), site(2, 14, tensor="y_ptr"))])
    assert mm.carried_over(old[2], selection, new) == mm.Selection(site=1, program=3, lane=200)


def test_the_selection_stays_within_a_smaller_grid_and_block() -> None:
    every = mm.accesses([launch(site(0, 11, lanes=128), grid=(2,))])
    assert mm.carried_over(None, mm.Selection(program=3, lane=200), every) == mm.Selection(program=1, lane=127)
    assert mm.carried_over(every[0], mm.Selection(program=3, lane=200), []) == mm.Selection()


def test_accesses_come_in_the_order_of_the_source() -> None:
    every = mm.accesses([launch(site(0, 13), site(1, 11), site(2, 12))])
    assert [access.site.line for access in every] == [11, 12, 13]
    assert mm.find(every, mm.Selection(site=2)) == 1
    assert every[0].lanes == 256 and every[0].programs == 4 and every[0].elements == 1000
