"""Programs without work, masks, layouts, sectors. Each question is asked of launches made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, block_offsets, found, serious


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
