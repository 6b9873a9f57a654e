"""What is said of a launch of which only some programs ran."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.analysis.handmade import Launch
from tritontui.analysis import launch_findings, never_written, summarise
from tritontui.diagnosis import explain

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


def test_a_launch_that_is_recorded_in_part_says_up_to_where_and_what_is_not_judged() -> None:
    trace = launch_of_some(np.array(RAN)[:, None] * 8 + np.arange(8)).trace()
    assert summarise(trace, 0).unjudged == []
    trace.complete, trace.recorded_to, trace.line = False, 17, 30
    (finding,) = [one for one in launch_findings(trace) if one.id == "partly-traced"]
    summary = summarise(trace, 0)
    assert (summary.left_out, summary.recorded_to, summary.unjudged) == (0, 17, ["out_ptr"])
    english, italian = explain(finding, "en"), explain(finding, "it")
    assert (english.title, italian.title) == ("Recorded up to line 17", "Registrato fino alla riga 17")
    assert english.message.endswith("up to line 17. Whether `out_ptr` is written in full is not judged.")
    assert italian.message.endswith("fino alla riga 17. Se `out_ptr` è scritto per intero non si può dire.")


def test_of_a_stopped_launch_nobody_says_that_its_programs_ended() -> None:
    trace = launch_of_some(np.array(RAN)[:, None] * 8 + np.arange(8)).trace()
    trace.complete, trace.stopped, trace.recorded_to = False, True, 17
    (finding,) = [one for one in launch_findings(trace) if one.id == "partly-traced"]
    assert "up to line 17, before it was stopped." in explain(finding, "en").message
    assert "fino alla riga 17, prima di essere fermato." in explain(finding, "it").message


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
