"""Bounds, views, strides and coverage. Each question is asked of launches made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, addition, block_offsets, found, serious

from tritontui.analysis import findings, never_written


def test_a_right_addition_gives_nothing_serious() -> None:
    assert serious(addition().trace()) == []


def test_an_unmasked_tail_is_out_of_bounds_with_the_lanes_and_elements() -> None:
    trace = addition(masked=False).trace()
    reads, (write,) = found(trace, "out-of-bounds-read"), found(trace, "out-of-bounds-write")
    assert [(f.tensor, f.line, f.severity) for f in reads] == [("x_ptr", 6, "error"), ("y_ptr", 7, "error")]
    assert (write.program, write.lanes, write.line) == (3, [(232, 255)], 8)
    assert write.params == {
        "index": 1000,
        "last_index": 1023,
        "size": 1000,
        "held": 0,
        "count": 24,
        "programs": 1,
        "masked": False,
        "access": "tl.store(out_ptr + offs, …)",
    }


def test_a_write_into_the_neighbour_is_an_error_and_the_view_is_its_consequence() -> None:
    launch = Launch((3,))
    out = launch.tensor("out_ptr", 70, room=96)
    launch.access("store", out, block_offsets(3, 32), values=np.ones((3, 32)))
    trace = launch.trace()
    (bounds,), (view,) = found(trace, "out-of-bounds-write"), found(trace, "outside-view")
    assert (bounds.severity, bounds.params["index"], bounds.params["last_index"]) == ("error", 70, 95)
    assert (view.severity, view.caused_by) == ("error", "out-of-bounds-write")
    assert view.params["shape"] == [70] and view.params["stride"] == [1]


def test_a_read_of_the_neighbour_is_a_warning() -> None:
    launch = Launch((3,))
    x = launch.tensor("x_ptr", 70, room=96)
    launch.access("load", x, block_offsets(3, 32))
    assert serious(launch.trace()) == [("out-of-bounds-read", 1), ("outside-view", 1)]
    assert {f.severity for f in findings(launch.trace())} == {"warning"}


def test_gaps_of_a_view_are_outside_view_alone() -> None:
    launch = Launch((4,), n_cols=3)
    x = launch.tensor("x_ptr", (4, 3), (6, 1))
    lanes = np.arange(4)
    launch.access("load", x, np.arange(4)[:, None] * 3 + lanes, [lanes < 3], line=7)
    trace = launch.trace()
    (view,) = found(trace, "outside-view")
    assert (view.severity, view.caused_by, view.program) == ("warning", None, 1)
    (stride,) = found(trace, "stride-ignored")
    assert stride.params == {"axis": 0, "assumed": 3, "actual": 6, "shape": [4, 3], "stride": [6, 1]}


def test_the_right_stride_of_a_sliced_view_is_fine() -> None:
    launch = Launch((4,), n_cols=3, row_stride=6)
    x = launch.tensor("x_ptr", (4, 3), (6, 1))
    lanes = np.arange(4)
    launch.access("load", x, np.arange(4)[:, None] * 6 + lanes, [lanes < 3], line=7)
    assert serious(launch.trace()) == []


def test_a_permuted_tensor_read_flat_is_stride_ignored() -> None:
    launch = Launch((2,))
    x, out = launch.tensor("x_ptr", (4, 8), (1, 4)), launch.tensor("out_ptr", (4, 8))
    offsets = block_offsets(2, 16)
    launch.access("load", x, offsets, line=3)
    launch.access("store", out, offsets, values=offsets, line=4)
    assert serious(launch.trace()) == [("stride-ignored", 3)]


def test_an_output_with_other_strides_is_named_as_such() -> None:
    launch = Launch((2,))
    x, out = launch.tensor("x_ptr", (4, 8)), launch.tensor("out_ptr", (4, 8), (1, 4))
    offsets = block_offsets(2, 16)
    launch.access("load", x, offsets, line=3)
    launch.access("store", out, offsets, values=offsets, line=4)
    assert serious(launch.trace()) == [("output-strides", 4)]


@pytest.mark.parametrize(("strides", "assumed"), [((6, 1), 6), ((1, 4), 1)], ids=["sliced", "transposed"])
def test_the_store_is_blamed_when_it_borrows_the_strides_of_the_input(strides: tuple[int, int], assumed: int) -> None:
    launch = Launch((4,))
    x, out = launch.tensor("x_ptr", (4, 3), strides), launch.tensor("out_ptr", (4, 3))
    offsets = np.arange(4)[:, None] * strides[0] + np.arange(4) * strides[1]
    mask = [np.arange(4) < 3]
    launch.access("load", x, offsets, mask, line=3)
    launch.access("store", out, offsets, mask, values=offsets, line=4)
    assert "stride-ignored" not in [finding.id for finding in findings(launch.trace())]
    (stride,) = found(launch.trace(), "output-strides")
    assert (stride.line, stride.tensor) == (4, "out_ptr")
    assert (stride.params["assumed"], stride.params["actual"]) == (assumed, 3)


def test_permuted_tensors_that_agree_are_fine() -> None:
    launch = Launch((2,))
    x, out = launch.tensor("x_ptr", (4, 8), (1, 4)), launch.tensor("out_ptr", (4, 8), (1, 4))
    offsets = block_offsets(2, 16)
    launch.access("load", x, offsets, line=3)
    launch.access("store", out, offsets, values=offsets, line=4)
    assert serious(launch.trace()) == []


class TestCoverage:
    def test_missing_elements_of_a_fresh_output(self) -> None:
        launch = Launch((2,))
        out = launch.tensor("out_ptr", 100, fresh=True)
        launch.access("store", out, block_offsets(2, 32), values=np.ones((2, 32)), line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert (finding.line, finding.severity) == (99, "error")  # the launch: its grid is too small
        assert {name: value for name, value in finding.params.items() if value is not None} == {
            "index": 64,
            "last_index": 99,
            "count": 36,
            "size": 100,
            "written": 64,
            "programs": 2,
            "why": "grid",
            "axis": 0,
            "needed": 4,
        }

    def why(self, launch: Launch) -> tuple[str, int | None]:
        (finding,) = found(launch.trace(), "never-written")
        return finding.params["why"], finding.line

    def test_the_mask_switches_the_last_element_off(self) -> None:
        launch = Launch((4,))
        offsets = block_offsets(4, 16)
        launch.access("store", launch.tensor("out_ptr", 60, fresh=True), offsets, offsets < 59, offsets, line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert finding.line == 8
        assert [finding.params[name] for name in ("why", "index", "owner", "lane")] == ["mask", 59, 3, 11]

    def test_blocks_that_leave_gaps(self) -> None:
        launch = Launch((3,))
        offsets = np.arange(3)[:, None] * 40 + np.arange(16)
        launch.access("store", launch.tensor("out_ptr", 96, fresh=True), offsets, values=offsets, line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert [finding.params[name] for name in ("why", "step", "block")] == ["offsets", 40, 16]

    def test_blocks_one_element_apart_are_no_small_grid(self) -> None:
        launch = Launch((3,))
        offsets = np.arange(3)[:, None] + np.arange(16)
        launch.access("store", launch.tensor("out_ptr", 96, fresh=True), offsets, values=offsets, line=8)
        assert self.why(launch) == ("offsets", 8)

    def test_lanes_a_step_apart_in_a_vector_are_no_small_grid(self) -> None:
        """Three programs would fill the gaps, and so would a step of one: the step may be what is wrong."""
        launch = Launch((1,), source="tl.program_id(0)\n")
        offsets = 3 * np.arange(16)[None]
        launch.access("store", launch.tensor("out_ptr", 48, fresh=True), offsets, values=offsets, line=8)
        assert self.why(launch) == ("", 8)

    def test_a_grid_that_is_short_along_its_second_axis(self) -> None:
        launch = Launch((2, 1), source="tl.program_id(0)\ntl.program_id(1)\n")
        rows = np.arange(2)[:, None, None] * 4 + np.arange(4)[:, None]
        offsets = rows * 20 + np.arange(8)
        launch.access("store", launch.tensor("out_ptr", (8, 20), fresh=True), offsets, values=offsets, line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert [finding.params[name] for name in ("why", "axis", "programs", "needed")] == ["grid", 1, 1, 3]

    def test_rows_and_columns_along_one_axis_of_the_block(self) -> None:
        """Both ranges without ``[:, None]``: the tile's diagonal, and no small grid."""
        launch = Launch((1, 1), source="tl.program_id(0)\ntl.program_id(1)\n")
        offsets = (np.arange(8) * 20 + np.arange(8))[None, None]
        launch.access("store", launch.tensor("out_ptr", (8, 20), fresh=True), offsets, values=offsets, line=8)
        assert self.why(launch) == ("diagonal", 8)

    def test_a_grid_whose_axes_are_exchanged(self) -> None:
        """Axis 0 of the ids goes along the columns, of which there are three tiles."""
        launch = Launch((2, 3), source="tl.program_id(0)\ntl.program_id(1)\n")
        programs = np.arange(6)[:, None, None]
        rows, columns = programs % 3 * 4 + np.arange(4)[:, None], programs // 3 * 8 + np.arange(8)
        out = launch.tensor("out_ptr", (8, 24), fresh=True)
        offsets, mask = rows * 24 + columns, np.broadcast_to(rows < 8, (6, 4, 8))
        launch.access("store", out, offsets, mask, offsets, line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert [finding.params[name] for name in ("why", "axis", "programs", "needed")] == ["axes", 0, 2, 3]

    @pytest.mark.parametrize("step", [1, 24])
    def test_what_is_put_elsewhere_is_no_small_grid(self, step: int) -> None:
        """Lanes that share elements, or leave the tensor, would be enough where they belong."""
        launch = Launch((2,))
        offsets = np.arange(2)[:, None] * 16 + np.arange(16) // 2 * step
        launch.access("store", launch.tensor("out_ptr", 96, fresh=True), offsets, values=offsets, line=8)
        assert self.why(launch) == ("", 8)

    def test_a_grid_that_the_caller_gives_is_not_too_small(self) -> None:
        launch = Launch((2,), source="\n" * 97 + "def host(x, programs):\n    kernel[(programs,)](x)\n")
        offsets = block_offsets(2, 16)
        launch.access("store", launch.tensor("out_ptr", 96, fresh=True), offsets, values=offsets, line=8)
        assert self.why(launch)[0] == ""

    def test_a_loop_that_ends_too_early_is_no_small_grid(self) -> None:
        launch = Launch((2,))
        out = launch.tensor("out_ptr", 100, fresh=True)
        site = launch.access("store", out, block_offsets(2, 16), values=block_offsets(2, 16), line=8, iteration=(0,))
        later = block_offsets(2, 16) + 32
        launch.access("store", out, later, values=later, site=site, iteration=(1,))
        assert self.why(launch) == ("", 8)

    def test_the_store_goes_to_another_tensor(self) -> None:
        launch = Launch((2,))
        launch.tensor("out_ptr", 32)
        launch.access("store", launch.tensor("x_ptr", 32), block_offsets(2, 16), values=block_offsets(2, 16), line=8)
        (finding,) = never_written([launch.trace()], ["out_ptr"])
        assert (finding.params["why"], finding.params["other"], finding.line) == ("elsewhere", "x_ptr", 8)

    def test_a_returned_tensor_that_nothing_stores_to(self) -> None:
        launch = Launch()
        launch.tensor("out_ptr", 32, fresh=True)
        launch.access("load", launch.tensor("x_ptr", 32), [np.arange(32)])
        (finding,) = never_written([launch.trace()], required={0: np.arange(32)})
        assert finding.params["why"] == "no-store"

    def test_an_axis_that_the_grid_has_not(self) -> None:
        launch = Launch((2,), source="\ncolumn = tl.program_id(1)\n")
        offsets = block_offsets(2, 16)
        launch.access("store", launch.tensor("out_ptr", 96, fresh=True), offsets, values=offsets, line=8)
        (absent,) = found(launch.trace(), "grid-axis-missing")
        assert (absent.line, absent.params["axis"], absent.params["axes"]) == (2, 1, 1)

    def test_two_launches_fill_one_output(self) -> None:
        traces = []
        for start in (0, 32):
            launch = Launch()
            out = launch.tensor("out_ptr", 64, fresh=start == 0, storage=7)
            launch.access("store", out, [np.arange(32) + start], values=[np.ones(32)])
            traces.append(launch.trace())
        assert never_written(traces) == []
        assert never_written(traces[:1]) != []

    def test_scratch_that_is_read_again_need_not_be_full(self) -> None:
        launch = Launch()
        scratch = launch.tensor("scratch_ptr", 64, fresh=True)
        launch.access("store", scratch, [np.arange(32)], values=[np.ones(32)])
        launch.access("load", scratch, [np.arange(32)])
        assert found(launch.trace(), "never-written") == []

    def test_a_declared_output_must_be_whole_even_if_initialised(self) -> None:
        launch = Launch()
        out = launch.tensor("out_ptr", 64)
        launch.access("store", out, [np.arange(32)], values=[np.ones(32)])
        trace = launch.trace()
        assert never_written([trace]) == []
        assert [f.params["count"] for f in never_written([trace], ["out_ptr"])] == [32]

    def test_a_view_with_gaps_counts_its_own_elements(self) -> None:
        launch = Launch((4,))
        out = launch.tensor("out_ptr", (4, 3), (6, 1), fresh=True)
        launch.access("store", out, np.arange(4)[:, None] * 6 + np.arange(3), values=np.ones((4, 3)))
        assert found(launch.trace(), "never-written") == []

    def test_an_incomplete_trace_proves_nothing(self) -> None:
        launch = Launch((2,))
        launch.access("store", launch.tensor("out_ptr", 100, fresh=True), block_offsets(2, 32))
        trace = launch.trace()
        trace.complete = False
        assert found(trace, "never-written") == []
