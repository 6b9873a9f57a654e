"""Findings that an exercise bars: they fail a right kernel, and wait while anything else is wrong."""

from __future__ import annotations

import pytest

from tests.runner.judging import SOLUTION, SPECIFICATION, Run, line_of
from tritontui.runner.session import Session

BARRED = ("uncoalesced", "recompiles-every-call")
STAGES = ("trace", "legality", "cases")
INTERLEAVED = SOLUTION.replace(
    "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "tl.program_id(0) + tl.arange(0, BLOCK) * tl.num_programs(0)"
)
COMPILED_ANEW = SOLUTION.replace("out_ptr, n, BLOCK", "out_ptr, n: tl.constexpr, BLOCK")


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90")


@pytest.fixture
def judged(session, tmp_path):
    def judge(source, barred=BARRED):
        sizes = SPECIFICATION.replace('"n": 100}', '"n": 300}').replace("entry=", f"must_not={barred}, entry=")
        (tmp_path / "exercise.py").write_text(sizes)
        return Run(session, tmp_path, source, STAGES)

    return judge


def test_a_kernel_that_does_none_of_it_passes(judged):
    assert judged(SOLUTION).errors == {}


def test_what_is_barred_fails_a_right_kernel(judged):
    done = judged(INTERLEAVED)
    assert all(result.passed for result in done.cases.values())
    barred = [finding.line for finding in done.findings if finding.severity == "error"]
    assert barred == [line_of(SOLUTION, "tl.load"), line_of(SOLUTION, "tl.store")]


def test_what_only_the_cases_together_show(judged):
    assert list(judged(COMPILED_ANEW).errors) == ["recompiles-every-call"]


def test_elsewhere_they_are_no_errors(judged):
    for source in (INTERLEAVED, COMPILED_ANEW):
        assert judged(source, barred=()).errors == {}


@pytest.mark.parametrize("old, new", [("mask = offs < n", "mask = offs <= n"), ("2 * x, mask", "3 * x, mask")])
def test_nothing_is_said_of_it_while_something_is_wrong(judged, old, new):
    assert old in INTERLEAVED
    done = judged(INTERLEAVED.replace(old, new))
    assert done.errors
    assert not set(BARRED) & {finding.id for finding in done.findings}
