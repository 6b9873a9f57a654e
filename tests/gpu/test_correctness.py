"""Solutions and recorded wrong attempts on the GPU itself; memory that was touched and shouldn't have been."""

from __future__ import annotations

from pathlib import Path

import exercises
import pytest
import torch

from benchmarks import references
from tritontui.engine.messages import CaseDone, Found, Measured, StageSkipped
from tritontui.runner.cases.check import pose
from tritontui.runner.spec import Case, Exercise

ATTEMPTS = sorted((Path(__file__).parents[2] / "lessons").glob("05-*/exercises/vector_add/attempts/*.py"))


def passed(replies):
    results = [reply.result.passed for reply in replies if isinstance(reply, CaseDone)]
    return bool(results) and all(results)


def findings(replies):
    return [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]


def test_the_solution_passes_every_case(judge, vector_add):
    replies = judge(vector_add, (vector_add / "solution.py").read_text(), ["cases"])
    assert passed(replies), findings(replies)


def test_the_starter_fails(judge, vector_add):
    assert not passed(judge(vector_add, (vector_add / "starter.py").read_text(), ["cases"]))


@pytest.mark.parametrize(
    "identifier", ["subtracts", "sum_in_float16", "always_float32", "returns_nothing", "x_twice", "pid_not_used"]
)
def test_wrong_attempts_fail_on_the_gpu_too(judge, vector_add, identifier):
    """Those that stay inside their tensors: the others never reach a GPU."""
    path = next(path for path in ATTEMPTS if path.stem == identifier)
    replies = judge(vector_add, path.read_text(), ["cases"])
    assert not passed(replies)
    assert any(finding.severity == "error" for finding in findings(replies))


@pytest.mark.parametrize("name", references.NAMES)
def test_other_right_kernels_pass(judge, name):
    replies = judge(references.folder(name), references.source(name), ["cases"])
    assert passed(replies), findings(replies)
    assert findings(replies) == []


def test_a_kernel_that_varies_from_launch_to_launch_is_said_to(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    replies = judge(folder, exercises.TICKETS, ["cases"])
    assert not passed(replies)
    (varies,) = [finding for finding in findings(replies) if finding.id == "nondeterministic"]
    assert varies.params["again"] and varies.params["entry"] == "copy"


def test_a_silent_write_past_the_end_is_seen(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    replies = judge(folder, exercises.SILENT, ["cases"])
    assert not passed(replies)
    (canary,) = [finding for finding in findings(replies) if finding.id == "canary-overwritten"]
    assert canary.params["index"] == 1000
    assert canary.params["size"] == 1000
    assert canary.params["count"] == 24


def test_the_trace_keeps_it_from_the_gpu(judge, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    replies = judge(folder, exercises.SILENT, ["trace", "cases", "measure"])
    skipped = {reply.stage: reply.reason for reply in replies if isinstance(reply, StageSkipped)}
    assert skipped == {"cases": "not-safe", "measure": "not-safe"}


def test_a_wrong_kernel_is_not_measured(judge, vector_add):
    path = next(path for path in ATTEMPTS if path.stem == "subtracts")
    replies = judge(vector_add, path.read_text(), ["cases", "measure"])
    assert not any(isinstance(reply, Measured) for reply in replies)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.arange(40.0).view(5, 8)[1:, 2:5],
        lambda: torch.arange(40.0).view(5, 8).t(),
        lambda: torch.arange(5.0).expand(3, 5),
    ],
    ids=["slice", "transposed", "expanded"],
)
def test_views_reach_the_gpu_as_the_views_they_are(device, make):
    exercise = Exercise(
        entry="f",
        inputs=lambda case, generator: [make()],
        reference=lambda x: x,
        cases=[Case("view")],
        trace_case=Case("view"),
    )
    (moved,) = pose(exercise, exercise.trace_case, 0, torch.device(device)).arguments
    assert moved.device.type == torch.device(device).type
    assert moved.stride() == make().stride()
    assert torch.equal(moved.cpu(), make())
