"""The geometry of a tensor's own shape: which tensors have one, how far it is drawn, what a window on it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_memory_map import launch, site

from tritontui.engine.messages import Affine, TensorSummary, Term
from tritontui.ui.map.memory import Access
from tritontui.ui.map.tensor_shape import Matrix, has_shape, matrix, shape_window, slice_index, slice_of, slices, ticks


def access(
    shape: list[int], stride: list[int], affine: Affine | None = None, lanes: tuple[int, ...] = (16, 16)
) -> Access:
    one = site(0, 11)
    one.affine, one.lane_shape = affine, list(lanes)
    elements = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    summary = launch(one)
    summary.tensors = [TensorSummary(name="x_ptr", dtype="fp32", shape=shape, stride=stride, elements=elements)]
    return Access(summary, one)


def tiles(stride: int, rows: int = 3, columns: int = 5, step: int = 1, *more: Term) -> Affine:
    """Tiles of 16 × 16, a program each."""
    terms = [
        Term(name="pid0", stride=16 * stride, extent=rows),
        Term(name="pid1", stride=16 * step, extent=columns),
        Term(name="lane0", stride=stride, extent=16),
        Term(name="lane1", stride=step, extent=16),
    ]
    return Affine(base=0, terms=[*terms, *more])


@pytest.mark.parametrize(
    ("shape", "stride", "has"),
    [
        ([40, 70], [70, 1], True),
        ([40, 70], [1, 40], True),
        ([40, 16], [70, 2], True),
        ([10, 32], [0, 1], True),
        ([3, 5, 12], [60, 12, 1], True),
        ([3, 5, 12], [1, 36, 3], True),
        ([1, 70], [70, 1], True),
        ([70, 1], [1, 1], True),
        ([100], [2], False),
        ([10, 4], [1, 1], False),
        ([8, 8], [4, 1], False),
        ([0, 8], [8, 1], False),
    ],
)
def test_a_shape_needs_two_axes_that_share_no_element(shape: list[int], stride: list[int], has: bool) -> None:
    assert has_shape(access(shape, stride)) == has


def test_tiles_stick_out_as_far_as_their_lanes_go() -> None:
    found = matrix(access([40, 70], [70, 1], tiles(70)))
    assert (found.more_rows, found.more_columns, found.wraps) == (8, 10, False)
    turned = matrix(access([40, 70], [1, 40], tiles(1, step=40)))
    assert (turned.more_rows, turned.more_columns, turned.wraps) == (8, 10, False)


def test_a_flat_index_wraps_and_its_overshoot_is_a_row() -> None:
    flat = Affine(base=0, terms=[Term(name="pid0", stride=64, extent=5), Term(name="lane0", stride=1, extent=64)])
    found = matrix(access([9, 30], [30, 1], flat, (64,)), 0, 0, 319)
    assert (found.more_rows, found.more_columns, found.wraps) == (2, 0, True)


def test_one_block_over_all_rows_goes_on_in_the_next() -> None:
    flat = Affine(base=0, terms=[Term(name="lane0", stride=1, extent=32)])
    found = matrix(access([4, 6], [6, 1], flat, (32,)), 0, 0, 31)
    assert (found.more_rows, found.more_columns, found.wraps) == (2, 0, True)
    turned = matrix(access([6, 4], [1, 6], flat, (32,)), 0, 0, 31)
    assert (turned.more_rows, turned.more_columns, turned.wraps) == (0, 2, True)


def test_what_lies_before_the_tensor_has_its_rows() -> None:
    assert matrix(access([9, 30], [30, 1]), 0, -31, 200).before == 2


def test_the_gap_of_a_sliced_view_is_shown() -> None:
    assert matrix(access([12, 16], [40, 2])).more_columns == 4
    assert matrix(access([12, 16], [400, 1])).more_columns == 8


def test_slices_are_numbered_row_by_row() -> None:
    one = access([2, 3, 5, 12], [180, 60, 12, 1])
    assert slices(one) == 6 and slice_index(one, 4) == [1, 1]
    assert slice_of(one, [1, 1, 0, 0]) == 4 and slice_of(one, []) is None
    found = matrix(one, 4)
    assert (found.base, found.rows, found.columns, found.slice_stride, found.closed) == (240, 5, 12, 60, True)
    assert not matrix(one, 5).closed, "after the last slice there is nothing"


@given(
    st.integers(1, 3000), st.integers(1, 3000), st.integers(0, 20), st.integers(0, 20), st.integers(20, 200),
    st.integers(3, 60), st.integers(0, 12), st.tuples(st.integers(0, 3000), st.integers(0, 3000)),
)  # fmt: skip
def test_a_window_keeps_to_its_room_and_goes_where_it_is_sent(
    rows: int, columns: int, more_rows: int, more_columns: int, width: int, height: int, near: int, at: tuple[int, int]
) -> None:
    shape = Matrix(0, rows, columns, columns, 1, False, more_rows=more_rows, more_columns=more_columns)
    shown = shape_window(shape, width, height, near)
    assert shown.height <= height and shown.width * shown.cell_width + (more_columns > 0) <= width
    if near == 0:
        assert shown.height * shown.row_zoom >= rows + more_rows
        assert shown.width * shown.column_zoom >= columns + more_columns
    place = (min(at[0], rows + more_rows - 1), min(at[1], columns + more_columns - 1))
    moved = shown.moved_to_show(place)
    assert moved.cell_of(place) is not None
    assert moved.first_row % moved.row_zoom == 0 and moved.first_column % moved.column_zoom == 0
    far = moved.panned(10_000, 10_000)
    assert far.first_row < rows + more_rows and far.first_column < columns + more_columns


def test_cells_know_how_many_elements_they_hold() -> None:
    shown = shape_window(Matrix(0, 5, 6, 6, 1, False, more_columns=4), 60, 3, 0)
    assert (shown.row_zoom, shown.column_zoom) == (2, 1)
    assert [shown.holds(cell) for cell in (0, 5, 6, 2 * shown.width)] == [2, 2, 0, 1]
    assert shape_window(Matrix(0, 5, 6, 0, 1, False), 60, 3, 0).holds(0) == 1, "an expanded row is one"


def test_ticks_leave_room_for_their_figures() -> None:
    found = list(ticks(0, 1, 70, 1, 2))
    assert found[:3] == [(0, 0), (4, 4), (8, 8)]
    assert [index for _, index in ticks(100, 4, 20, 1, 3)] == [128, 160]
