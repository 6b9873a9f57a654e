"""The map's arithmetic: zoom, rows, signs, and what stays selected when the kernel changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritontui.engine.messages import Cell, LaunchSummary, Overlay, SiteSummary, TensorSummary
from tritontui.ui.map import memory as mm
from tritontui.ui.map import signs as signs


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
    shown = mm.window(lowest, end, columns, rows)
    assert shown.first <= max(lowest, 0) and (rows == 1 or shown.first <= lowest)
    assert shown.first % shown.row_elements == 0
    assert lowest < 0 or shown.end >= end
    if shown.zoom > 1 and lowest == 0:
        assert columns * rows * (shown.zoom // 2) < end


@given(st.integers(-500, 0), st.integers(1, 100_000), st.integers(1, 20), st.integers(0, 4), st.integers(-50, 50))
def test_a_window_pans_no_farther_than_there_is_anything(low: int, end: int, rows: int, near: int, by: int) -> None:
    shown = mm.window(low, end, 64, rows, near).panned(by, low, end)
    assert shown.first % shown.row_elements == 0
    assert shown.first < end and shown.end > low
    assert shown.panned(1000_000, low, end).end >= end


@given(st.integers(0, 10**7), st.integers(0, 6), st.integers(1, 40))
def test_a_window_moves_until_the_lane_is_in_view(offset: int, power: int, rows: int) -> None:
    shown = mm.Window(0, 2**power, 64, rows).moved_to_show(offset)
    cell = shown.cell_of(offset)
    assert cell is not None and shown.first + cell * shown.zoom <= offset < shown.first + (cell + 1) * shown.zoom


@pytest.mark.parametrize(
    ("cell", "holds", "glyph"),
    [
        (Cell(3, 1, 2, 0, 0), 2, signs.SELECTED),
        (Cell(3, 1, 1, 1, 0), 2, signs.EDGE),
        (Cell(3, 2, 1, 0, 0), 2, signs.EDGE),
        (Cell(-1, 0, 0, 2, 0), 0, signs.MASKED),
        (Cell(3, 1, 0, 0, 2), 0, signs.OUT),
        (Cell(2, 1, 0, 0, 0, 2), 2, signs.AGAIN),
        (Cell(-1, 0, 0, 0, 0), 0, signs.ELSEWHERE),
        (Cell(-1, 0, 0, 0, 0), 2, signs.UNTOUCHED),
        (Cell(0, 1, 0, 0, 0), 2, signs.EVEN),
        (Cell(1, 1, 0, 0, 0), 2, signs.ODD),
        (Cell(0, 2, 0, 0, 0), 2, signs.SHARED),
    ],
)
def test_every_state_has_its_own_sign(cell: Cell, holds: int, glyph: str) -> None:
    assert signs.sign(cell, holds, [cell.program]).glyph == glyph


def test_neighbours_of_a_grid_differ_in_sign_and_colour() -> None:
    def drawn(*coordinates: int) -> signs.Sign:
        return signs.sign(Cell(0, 1, 0, 0, 0), 1, list(coordinates))

    for row in range(8):
        for column in range(8):
            here, right, below = drawn(row, column), drawn(row, column + 1), drawn(row + 1, column)
            assert here.glyph != right.glyph and here.style != right.style
            assert here.glyph != below.glyph and here.style != below.style


@pytest.mark.parametrize(
    ("overlay", "values", "glyph"),
    [
        ("writes", (0, 0), signs.UNTOUCHED),
        ("writes", (0, 1), signs.PARTLY),
        ("writes", (1, 1), signs.ONCE),
        ("writes", (1, 4), "4"),
        ("writes", (12, 12), signs.MANY),
        ("sectors", (4, 0), signs.SELECTED),
        ("sectors", (1, 3), signs.EDGE),
        ("sectors", (0, 4), signs.WASTED),
        ("sectors", (0, 0), signs.UNTOUCHED),
    ],
)
def test_overlays_have_their_signs(overlay: Overlay, values: tuple[int, int], glyph: str) -> None:
    assert signs.overlay_sign(overlay, Cell(-1, 0, 0, 0, 0), values, 4).glyph == glyph


def test_the_selected_lane_shows_what_it_does() -> None:
    found = [signs.lane_sign(signs.sign(cell, 1, [])).glyph for cell in (Cell(0, 1, 1, 0, 0), Cell(-1, 0, 0, 1, 0))]
    assert found == [signs.LANE, signs.LANE_MASKED]


@pytest.mark.parametrize(("width", "solid", "other"), [(1, "█", "□"), (2, "██", "□ "), (3, "██ ", " □ ")])
def test_wide_cells_keep_their_neighbours_apart(width: int, solid: str, other: str) -> None:
    assert signs.Sign(signs.SELECTED, "").drawn(width) == solid
    assert signs.Sign(signs.MASKED, "").drawn(width) == other


def test_programs_of_findings_are_found_by_their_coordinates() -> None:
    (access,) = mm.accesses([launch(site(0, 11), grid=(2, 3, 4))])
    assert mm.linear_program(access, [1, 2, 3]) == 23 and mm.coordinates(access, 23) == [1, 2, 3]
    assert mm.linear_program(access, 5) == 5 and mm.linear_program(access, [1, 2]) is None


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
