"""Elements that several programs or lanes touch. Each question is asked of launches made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, block_offsets, found, serious


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

    def test_touched_too_often_fewer_elements_are_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        launch = Launch((40,))
        out = launch.tensor("out_ptr", 32)
        launch.access("store", out, [np.arange(32)] * 40, values=np.arange(40.0)[:, None] * np.ones(32), line=5)
        counts = []
        for most in (2000, 100):
            monkeypatch.setattr("tritontui.analysis.checks.memory.MOST_TOUCHES", most)
            counts += [finding.params["count"] for finding in found(launch.trace(), "write-conflict")]
        assert counts == [32, 2]

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
