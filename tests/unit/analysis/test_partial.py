"""What is said of a launch of which only some programs ran."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.analysis.handmade import Launch
from tritontui.analysis import launch_findings, never_written

RAN = [0, 1, 2, 50, 99]


def launch_of_some(offsets: object) -> Launch:
    launch = Launch((100,))
    launch.access("store", launch.tensor("out_ptr", 4000, fresh=True), offsets, programs=RAN)
    return launch


@pytest.mark.parametrize(
    ("step", "lane", "form", "last"),
    [
        (8, 1, "once", 799),
        (16, 2, "gaps", 99 * 16 + 14),
        (10, 1, "gaps", 99 * 10 + 7),
        (4, 1, "repeats", 99 * 4 + 7),
        (1, 100, "once", 799),
    ],
)
def test_affine_stores_tell_of_all_programs(step: int, lane: int, form: str, last: int) -> None:
    trace = launch_of_some(np.array(RAN)[:, None] * step + np.arange(8) * lane).trace()
    trace.complete, trace.left_out = False, 95
    (finding,) = [one for one in launch_findings(trace) if one.id == "partly-traced"]
    told = (finding.tensor, finding.params["traced"], finding.params["form"], finding.params["last_index"])
    assert told == ("out_ptr", 5, form, last)


def test_of_other_stores_nothing_is_said() -> None:
    trace = launch_of_some(np.array(RAN)[:, None] ** 2 % 97 * 8 + np.arange(8)).trace()
    trace.complete, trace.left_out = False, 95
    (finding,) = [one for one in launch_findings(trace) if one.id == "partly-traced"]
    assert (finding.params["form"], finding.params["index"]) == ("none", None)


def test_an_incomplete_launch_is_silent_of_its_own_tensors_alone() -> None:
    partly, whole = launch_of_some(np.array(RAN)[:, None] * 8 + np.arange(8)).trace(), Launch((1,))
    partly.complete = False
    whole.access("store", whole.tensor("other_ptr", 10, fresh=True, storage=7), np.arange(8)[None])
    assert [finding.tensor for finding in never_written([partly, whole.trace()])] == ["other_ptr"]
    addresses = Launch((1,))
    addresses.tensor("pointers_ptr", 4, dtype="i64", itemsize=8, storage=9)
    table = addresses.trace()
    table.complete = False
    assert never_written([table, whole.trace()]) == [], "it may have written through a table of pointers"
