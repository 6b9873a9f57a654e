"""Values that overflow, stop being numbers, or stop growing. Each question is asked of launches made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, found

from tritontui.analysis.trace import Event


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
        assert lines == ([(4, "36%")] if found_it else [])

    def test_exchanges_are_no_sums(self) -> None:
        launch = Launch((400,))
        out = launch.tensor("out_ptr", 1, itemsize=2, dtype="bf16")
        launch.access("atomic", out, [[0]], values=np.ones((400, 1), np.float32))
        launch.accesses[-1].atomic = "xchg"
        assert found(launch.trace(), "low-precision-accumulation") == []
