"""Each question of the analysis, asked of launches made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, addition, block_offsets

from tritontui.analysis import findings, never_written
from tritontui.analysis.trace import Event, Trace
from tritontui.diagnosis.finding import Finding


def found(trace: Trace, identifier: str) -> list[Finding]:
    return [finding for finding in findings(trace) if finding.id == identifier]


def serious(trace: Trace) -> list[tuple[str, int | None]]:
    return [(finding.id, finding.line) for finding in findings(trace) if finding.severity != "note"]


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

    def test_a_grid_that_is_short_along_its_second_axis(self) -> None:
        launch = Launch((2, 1), source="tl.program_id(0)\ntl.program_id(1)\n")
        rows = np.arange(2)[:, None, None] * 4 + np.arange(4)[:, None]
        offsets = rows * 20 + np.arange(8)
        launch.access("store", launch.tensor("out_ptr", (8, 20), fresh=True), offsets, values=offsets, line=8)
        (finding,) = found(launch.trace(), "never-written")
        assert [finding.params[name] for name in ("why", "axis", "programs", "needed")] == ["grid", 1, 1, 3]

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


class TestConflicts:
    def test_different_values_at_one_element_are_an_error(self) -> None:
        launch = Launch((3,))
        out = launch.tensor("out_ptr", 1)
        launch.access("store", out, [[0]], values=[[1.0], [2.0], [3.0]], line=5)
        (finding,) = found(launch.trace(), "write-conflict")
        assert (finding.severity, finding.line, finding.program) == ("error", 5, 0)
        assert finding.params == {
            "index": 0,
            "count": 1,
            "other_program": 1,
            "other_line": 5,
            "value": "1",
            "other_value": "2",
            "same": False,
            "programs": 3,
        }

    def test_equal_values_are_a_note(self) -> None:
        launch = Launch((3,))
        launch.access("store", launch.tensor("out_ptr", 4), [np.arange(4)], values=[np.ones(4)])
        (finding,) = found(launch.trace(), "write-conflict")
        assert (finding.severity, finding.params["same"], finding.params["count"]) == ("note", True, 4)

    def test_a_read_of_what_another_program_writes(self) -> None:
        launch = Launch((2,))
        x = launch.tensor("x_ptr", 9)
        launch.access("load", x, block_offsets(2, 4), line=4)
        launch.access("store", x, block_offsets(2, 4) + 1, values=np.ones((2, 4)), line=5)
        (finding,) = found(launch.trace(), "read-after-write")
        assert (finding.line, finding.program, finding.params["other_program"]) == (4, 1, 0)
        assert (finding.params["index"], finding.params["other_line"]) == (4, 5)

    def test_in_place_work_on_ones_own_elements_is_fine(self) -> None:
        launch = Launch((2,))
        x = launch.tensor("x_ptr", 8)
        launch.access("load", x, block_offsets(2, 4))
        launch.access("store", x, block_offsets(2, 4), values=np.ones((2, 4)))
        assert serious(launch.trace()) == []

    def test_atomics_do_not_conflict_with_each_other(self) -> None:
        launch = Launch((4,))
        x, out = launch.tensor("x_ptr", 32), launch.tensor("out_ptr", 1)
        launch.access("load", x, block_offsets(4, 8))
        launch.access("atomic", out, [[0]], values=np.ones((4, 1)))
        assert serious(launch.trace()) == []

    def test_an_atomic_and_a_plain_store_do(self) -> None:
        launch = Launch((2,))
        out = launch.tensor("out_ptr", 1)
        launch.access("atomic", out, [[0]], values=[[1.0], [1.0]], line=4, semantic="relaxed")
        launch.access("store", out, [[0]], values=[[0.0]], line=5, programs=[0])
        assert [f.severity for f in found(launch.trace(), "write-conflict")] == ["error"]

    @pytest.mark.parametrize(("reader", "alarms"), [(3, 0), (0, 1)])
    def test_only_the_last_arriver_may_read_what_the_others_wrote(self, reader: int, alarms: int) -> None:
        launch = Launch((4,))
        partial, counter = launch.tensor("partial_ptr", 4), launch.tensor("counter_ptr", 1, dtype="i32")
        launch.access("store", partial, np.arange(4)[:, None], values=np.arange(4.0)[:, None])
        launch.access("atomic", counter, [[0]], values=np.ones((4, 1)))
        launch.access("load", partial, [np.arange(4)], programs=[reader])
        assert len(found(launch.trace(), "read-after-write")) == alarms

    def test_a_relaxed_counter_orders_nothing(self) -> None:
        launch = Launch((4,))
        partial, counter = launch.tensor("partial_ptr", 4), launch.tensor("counter_ptr", 1, dtype="i32")
        launch.access("store", partial, np.arange(4)[:, None], values=np.arange(4.0)[:, None])
        launch.access("atomic", counter, [[0]], values=np.ones((4, 1)), semantic="relaxed")
        launch.access("load", partial, [np.arange(4)], programs=[3])
        assert len(found(launch.trace(), "read-after-write")) == 1

    @pytest.mark.parametrize(("atomic", "alarms"), [("cas", 0), ("add", 1)])
    def test_a_guess_that_a_swap_checks_may_be_old(self, atomic: str, alarms: int) -> None:
        launch = Launch((3,))
        out = launch.tensor("out_ptr", 1)
        launch.access("load", out, [[0]])
        launch.access("atomic", out, [[0]], values=np.ones((3, 1)), atomic=atomic)
        assert len(found(launch.trace(), "read-after-write")) == alarms

    def test_a_lock_orders_what_it_guards(self) -> None:
        launch = Launch((3,))
        out, lock = launch.tensor("out_ptr", 1), launch.tensor("lock_ptr", 1, dtype="i32")
        sites = [launch.site(op, tensor, line, ()) for op, tensor, line in (
            ("atomic", lock, 4), ("load", out, 5), ("store", out, 6), ("atomic", lock, 7))]  # fmt: skip
        for program in range(3):
            for site in sites:
                values = [float(program)]
                op, tensor = launch.sites[site].op, launch.sites[site].tensor
                launch.access(op, tensor, np.zeros(1), values=values, site=site, programs=[program])
        assert serious(launch.trace()) == []

    def test_arguments_of_two_widths_that_share_a_storage(self) -> None:
        launch = Launch((2,))
        wide = launch.tensor("wide_ptr", 4, storage=1, itemsize=8, dtype="i64")
        narrow = launch.tensor("narrow_ptr", 8, storage=1, itemsize=4, dtype="i32")
        launch.access("store", wide, [[1]], values=[[5]], programs=[0], line=3)
        launch.access("store", narrow, [[3]], values=[[6]], programs=[1], line=4)
        (finding,) = found(launch.trace(), "write-conflict")
        assert (finding.tensor, finding.params["index"], finding.params["other_line"]) == ("wide_ptr", 1, 4)


class TestDuplicates:
    def test_a_histogram_without_atomics(self) -> None:
        launch = Launch()
        out = launch.tensor("out_ptr", 5, dtype="i32")
        index = np.array([[0, 1, 2, 3, 4, 0, 0, 1]])
        launch.access("load", out, index, line=7)
        launch.access("store", out, index, values=np.ones((1, 8), np.int32), line=8)
        (finding,) = found(launch.trace(), "duplicate-indices")
        assert (finding.line, finding.lanes) == (8, [(0, 0), (5, 6)])
        assert finding.params == {
            "index": 0,
            "hits": 3,
            "lanes_on": 8,
            "elements": 5,
            "read_line": 7,
            "programs": 1,
        }

    def test_lanes_that_write_one_value_to_one_element_are_harmless(self) -> None:
        launch = Launch()
        launch.access("store", launch.tensor("out_ptr", 5), np.zeros((1, 8)), values=np.ones((1, 8)))
        assert serious(launch.trace()) == []

    def test_masked_duplicates_do_not_count(self) -> None:
        launch = Launch()
        mask = [[True] + [False] * 7]
        launch.access("store", launch.tensor("out_ptr", 5), np.zeros((1, 8)), mask, np.arange(8)[None])
        assert serious(launch.trace()) == []


class TestWork:
    def test_programs_that_all_do_the_same(self) -> None:
        launch = Launch((4,), source=UNUSED, n=64, BLOCK=16)
        x, out = launch.tensor("x_ptr", 64), launch.tensor("out_ptr", 64)
        launch.access("load", x, [np.arange(16)], line=5)
        launch.access("store", out, [np.arange(16)], values=[np.arange(16.0)], line=6)
        trace = launch.trace()
        (unused,) = found(trace, "program-id-unused")
        assert (unused.line, unused.params["missing"], unused.params["last_index"]) == (3, [0], 15)
        (unwritten,) = found(trace, "never-written")
        assert (unwritten.caused_by, unwritten.line, unwritten.params["index"]) == ("program-id-unused", 6, 16)

    def test_one_axis_of_two_is_missing(self) -> None:
        launch = Launch((2, 3))
        out = launch.tensor("out_ptr", 8)
        rows = np.repeat(np.arange(2), 3)[:, None] * 4 + np.arange(4)
        launch.access("store", out, rows, values=np.ones((6, 4)))
        (finding,) = found(launch.trace(), "program-id-unused")
        assert finding.params["missing"] == [1]

    def test_a_branch_on_the_id_is_a_use(self) -> None:
        launch = Launch((2,))
        launch.access("store", launch.tensor("out_ptr", 4), [np.arange(4)], values=[np.ones(4)], programs=[0])
        assert found(launch.trace(), "program-id-unused") == []

    def test_counting_programs_with_atomics_needs_no_id(self) -> None:
        launch = Launch((8,))
        launch.access("atomic", launch.tensor("count_ptr", 1), [[0]], values=[[1]])
        assert found(launch.trace(), "program-id-unused") == []

    @pytest.mark.parametrize(("idle", "severity"), [(1, "note"), (3, "warning")])
    def test_programs_without_work(self, idle: int, severity: str) -> None:
        launch = Launch((4,))
        offsets = block_offsets(4, 8)
        launch.access("store", launch.tensor("out_ptr", 32), offsets, offsets < 8 * (4 - idle), np.ones((4, 8)))
        (finding,) = found(launch.trace(), "no-work")
        assert (finding.severity, finding.params["idle"], finding.params["percent"]) == (severity, idle, 25 * idle)


UNUSED = """\
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, x + 1)
"""

SWAPPED = """\
@triton.jit
def kernel(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    rm = tl.arange(0, BLOCK)
    offs = rm[:, None] * N + rm[None, :]
    mask = (rm[None, :] < M) & (rm[:, None] < N)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)
"""


class TestMasks:
    @pytest.mark.parametrize(("rows", "columns"), [(6, 20), (20, 6)])
    def test_axes_swapped(self, rows: int, columns: int) -> None:
        launch = Launch((1,), source=SWAPPED, M=rows, N=columns, BLOCK=32)
        x, out = (
            launch.tensor("x_ptr", (rows, columns), room=1024),
            launch.tensor("out_ptr", (rows, columns), room=1024),
        )
        lanes = np.arange(32)
        offsets = (lanes[:, None] * columns + lanes)[None]
        mask = ((lanes[None, :] < rows) & (lanes[:, None] < columns))[None]
        launch.access("load", x, offsets, mask, line=6)
        launch.access("store", out, offsets, mask, offsets, line=6)
        (finding,) = found(launch.trace(), "mask-axes-swapped")
        assert (finding.line, finding.tensor) == (5, "out_ptr")
        assert (finding.params["rows"], finding.params["columns"]) == (rows, columns)
        assert (finding.params["mask_rows"], finding.params["mask_columns"]) == (columns, rows)
        assert [f.caused_by for f in found(launch.trace(), "never-written")] == ["mask-axes-swapped"]

    @pytest.mark.parametrize(("rows", "columns", "kept", "needed"), [(6, 20, 6, 8), (20, 6, 8, 6)])
    def test_lengths_swapped(self, rows: int, columns: int, kept: int, needed: int) -> None:
        down, along = -(-rows // 4), -(-columns // 8)
        launch = Launch((down, along), source=SWAPPED, M=rows, N=columns, BLOCK=8)
        out = launch.tensor("out_ptr", (rows, columns), room=1024)
        programs = np.arange(down * along)[:, None, None]
        row, column = programs // along * 4 + np.arange(4)[:, None], programs % along * 8 + np.arange(8)
        offsets = row * columns + column
        launch.access("store", out, offsets, (row < columns) & (column < rows), offsets, line=6)
        (finding,) = found(launch.trace(), "mask-axes-swapped")
        assert (finding.line, finding.tensor) == (5, "out_ptr")
        assert [finding.params[name] for name in ("mask_rows", "mask_columns", "rows", "columns")] == [
            4,
            kept,
            4,
            needed,
        ]

    @pytest.mark.parametrize("triangle", [False, True])
    def test_sound_masks_are_not_suspected(self, triangle: bool) -> None:
        launch = Launch((1,), source=SWAPPED, M=6, N=20, BLOCK=32)
        out = launch.tensor("out_ptr", (6, 20))
        lanes = np.arange(32)
        mask = (lanes[:, None] < 6) & (lanes[None, :] < 20)
        if triangle:
            mask &= lanes[:, None] >= lanes[None, :]
        offsets = (lanes[:, None] * 20 + lanes)[None]
        launch.access("store", out, offsets, mask[None], offsets, line=6)
        assert found(launch.trace(), "mask-axes-swapped") == []

    @pytest.mark.parametrize(
        ("mask", "operand"),
        [
            ("a < n & b < m", "n & b"),
            ("(a < n) & b < m", "(a < n) & b"),
            ("(a < n) & (b < m)", None),
            ("a < (n & 12)", None),
        ],
    )
    def test_precedence(self, mask: str, operand: str | None) -> None:
        source = f"def kernel(x_ptr, n, m):\n    mask = {mask}\n    tl.load(x_ptr + a, mask=mask)\n"
        launch = Launch(source=source)
        launch.access("load", launch.tensor("x_ptr", 8), [np.arange(8)], [np.arange(8) < 8], line=3)
        operands = [(f.line, f.params["operand"]) for f in found(launch.trace(), "mask-ignored")]
        assert operands == ([] if operand is None else [(2, operand)])


class TestLayout:
    def test_a_transpose_that_only_reshapes(self) -> None:
        launch = Launch(M=3, N=5)
        x, out = launch.tensor("x_ptr", (3, 5)), launch.tensor("out_ptr", (5, 3), fresh=True)
        rows, columns = np.arange(4)[:, None], np.arange(8)
        offsets, mask = (rows * 5 + columns)[None], ((rows < 3) & (columns < 5))[None]
        launch.access("load", x, offsets, mask, line=5)
        launch.access("store", out, offsets, mask, offsets, line=6)
        (finding,) = found(launch.trace(), "transpose-as-reshape")
        assert (finding.line, finding.params) == (6, {"rows": 3, "columns": 5, "pitch": 5, "out_pitch": 3})

    def test_rows_copied_one_by_one_into_a_transpose(self) -> None:
        launch = Launch((6,), M=6, N=20)
        x, out = launch.tensor("x_ptr", (6, 20)), launch.tensor("out_ptr", (20, 6), fresh=True)
        rows = np.arange(6)[:, None] * 20
        sites = launch.site("load", x, 5, (8,), True), launch.site("store", out, 6, (8,), True)
        for step in range(3):
            columns = step * 8 + np.arange(8)
            launch.access("load", x, rows + columns, (columns < 20)[None], site=sites[0], iteration=(step,))
            launch.access("store", out, rows + columns, (columns < 20)[None], rows, site=sites[1], iteration=(step,))
        assert [finding.line for finding in found(launch.trace(), "transpose-as-reshape")] == [6]

    def test_a_flat_copy_into_another_shape_may_be_meant(self) -> None:
        launch = Launch((4,), n=120)
        x, out = launch.tensor("x_ptr", (6, 20)), launch.tensor("out_ptr", (20, 6), fresh=True)
        offsets = block_offsets(4, 32)
        launch.access("load", x, offsets, offsets < 120, line=5)
        launch.access("store", out, offsets, offsets < 120, offsets, line=6)
        assert serious(launch.trace()) == []

    def test_a_right_transpose(self) -> None:
        launch = Launch(M=3, N=5)
        x, out = launch.tensor("x_ptr", (3, 5)), launch.tensor("out_ptr", (5, 3), fresh=True)
        rows, columns = np.arange(4)[:, None], np.arange(8)
        mask = ((rows < 3) & (columns < 5))[None]
        launch.access("load", x, (rows * 5 + columns)[None], mask, line=5)
        launch.access("store", out, (columns * 3 + rows)[None], mask, (rows + columns)[None], line=6)
        assert serious(launch.trace()) == []

    @pytest.mark.parametrize(("width", "truncated"), [(100, True), (64, False)])
    def test_rows_wider_than_the_block(self, width: int, truncated: bool) -> None:
        launch = Launch((3,), n_cols=width, BLOCK=64)
        x = launch.tensor("x_ptr", (3, width))
        launch.access("load", x, np.arange(3)[:, None] * width + np.arange(64), line=5)
        findings_ = found(launch.trace(), "row-truncated")
        assert [(f.line, f.params["missing"]) for f in findings_] == ([(5, 36)] if truncated else [])

    def test_a_loop_over_the_row_reads_it_all(self) -> None:
        launch = Launch((3,), n_cols=128, BLOCK=64)
        x = launch.tensor("x_ptr", (3, 128))
        site = launch.site("load", x, 5, (64,))
        for step in range(2):
            offsets = np.arange(3)[:, None] * 128 + step * 64 + np.arange(64)
            launch.access("load", x, offsets, site=site, iteration=(step,))
        assert serious(launch.trace()) == []


class TestSectors:
    @pytest.mark.parametrize(("stride", "severity"), [(1, None), (2, "note"), (8, "warning")])
    def test_strided_lanes(self, stride: int, severity: str | None) -> None:
        launch = Launch((2,))
        x = launch.tensor("x_ptr", 2 * 256 * stride)
        launch.access("load", x, np.arange(2)[:, None] * 256 * stride + np.arange(256) * stride, line=4)
        severities = [f.severity for f in found(launch.trace(), "uncoalesced")]
        assert severities == ([severity] if severity else [])

    def test_a_transposed_tile_is_as_good_as_its_rows_are_long(self) -> None:
        launch = Launch()
        out = launch.tensor("out_ptr", (1024, 1024))
        rows, columns = np.arange(64)[:, None], np.arange(16)
        launch.access("store", out, (columns * 1024 + rows)[None], values=[rows + columns], line=4)
        assert found(launch.trace(), "uncoalesced") == []

    def test_a_random_gather_is_only_a_note(self) -> None:
        launch = Launch()
        order = np.random.default_rng(0).permutation(4096)[:512]
        launch.access("load", launch.tensor("x_ptr", 4096), [order], line=4)
        assert [f.severity for f in found(launch.trace(), "uncoalesced")] == ["note"]

    def test_loading_everything_again(self) -> None:
        launch = Launch((2,))
        x = launch.tensor("x_ptr", 2048)
        launch.access("load", x, [np.arange(2048)], line=4)
        launch.access("store", launch.tensor("out_ptr", 2), [[0], [1]], values=[[0], [1]], line=5)
        (finding,) = found(launch.trace(), "redundant-load")
        assert (finding.severity, finding.params) == ("note", {"elements": 2048, "loads": 4096, "ratio": 2.0})


class TestEvents:
    SOURCE = """\
def kernel(out_ptr, stride):
    row = tl.program_id(0)
    offs = row * stride + cols
    tl.store(out_ptr + offs, 1)
"""

    @pytest.mark.parametrize(("reaches", "severity"), [("address", "error"), ("store", "warning")])
    def test_an_overflow_is_as_bad_as_what_it_reaches(self, reaches: str, severity: str) -> None:
        launch = Launch((4,), source=self.SOURCE)
        params = {"value": 2**31, "wrapped": -(2**31), "reaches": reaches, "use_line": 4}
        launch.events.append(Event("int32-overflow", 3, 12, (2,), ((0, 3),), params))
        (finding,) = found(launch.trace(), "int32-overflow")
        assert (finding.severity, finding.line, finding.program, finding.lanes) == (severity, 3, 2, [(0, 3)])
        assert finding.params["expression"] == "row * stride + cols" and finding.params["reach_line"] == 4

    def test_a_nan_matters_when_it_is_stored(self) -> None:
        for stored, count in ((np.nan, 1), (1.0, 0)):
            launch = Launch(source=self.SOURCE)
            launch.events.append(Event("nan-born", 3, 12, (0,), (), {"count": 4}))
            launch.access("store", launch.tensor("out_ptr", 1), [[0]], values=[[stored]], line=4)
            assert len(found(launch.trace(), "nan-born")) == count

    def test_a_nan_descends_from_the_first_infinity(self) -> None:
        launch = Launch(source=self.SOURCE)
        for line in (3, 4):
            launch.events.append(Event("inf-born", line, 12, (0,), (), {"count": 4, "value": "inf"}))
        launch.access("store", launch.tensor("out_ptr", 1), [[0]], values=[[np.nan]], line=4)
        (finding,) = found(launch.trace(), "nan-born")
        assert (finding.line, finding.params["value"]) == (3, "inf")

    def test_an_infinity_that_leaves_only_numbers_is_nobodys_fault(self) -> None:
        launch = Launch(source=self.SOURCE)
        launch.events.append(Event("inf-born", 3, 12, (0,), (), {"count": 4, "value": "inf"}))
        launch.access("store", launch.tensor("out_ptr", 1), [[0]], values=[[1.0]], line=4)
        assert found(launch.trace(), "nan-born") == []


class TestPrecision:
    @pytest.mark.parametrize(
        ("dtype", "programs", "found_it"), [("bf16", 400, True), ("fp16", 400, False), ("bf16", 32, False)]
    )
    def test_sums_that_stop_growing(self, dtype: str, programs: int, found_it: bool) -> None:
        launch = Launch((programs,))
        out = launch.tensor("out_ptr", 1, itemsize=2, dtype=dtype)
        launch.access("load", launch.tensor("x_ptr", programs), np.arange(programs)[:, None])
        launch.access("atomic", out, [[0]], values=np.ones((programs, 1), np.float32), line=4)
        launch.accesses[-1].atomic = "add"
        lines = [(f.line, f.params["worst"]) for f in found(launch.trace(), "low-precision-accumulation")]
        assert lines == ([(4, "36 %")] if found_it else [])

    def test_exchanges_are_no_sums(self) -> None:
        launch = Launch((400,))
        out = launch.tensor("out_ptr", 1, itemsize=2, dtype="bf16")
        launch.access("atomic", out, [[0]], values=np.ones((400, 1), np.float32))
        launch.accesses[-1].atomic = "xchg"
        assert found(launch.trace(), "low-precision-accumulation") == []
