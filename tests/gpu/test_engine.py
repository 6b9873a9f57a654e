"""The whole way: engine, two children, a GPU that is lost and replaced; and the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import exercises
import pytest

from benchmarks import sharing
from tritontui.engine.engine import Engine
from tritontui.engine.report import Report


async def report_of(engine, folder, source, stages):
    report = Report("copy", stages=stages)
    async for reply in engine.judge(folder, source, "mine.py", stages=stages):
        report.add(reply)
    return report


@pytest.fixture
async def engine(device):
    running = Engine(device=device)
    await running.start()
    yield running
    await running.close()


async def test_out_of_bounds_never_reaches_the_gpu(engine, tmp_path):
    folder = exercises.write_exercise(tmp_path / "copy", exercises.COPY)
    report = await report_of(engine, folder, exercises.SILENT, ("trace", "legality", "cases", "measure"))
    assert report.verdict == "fail"
    assert report.measurement is None
    assert "out-of-bounds-write" in {finding.id for finding in report.findings}


def test_check_from_the_command_line(vector_add, device):
    command = [sys.executable, "-m", "tritontui", "check", "vector_add", str(vector_add / "solution.py")]
    done = subprocess.run(
        [*command, "--json", "--device", device, "--measure"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert (answer["schema"], answer["verdict"], answer["device"]) == (1, "pass", device)
    assert all(case["passed"] for case in answer["cases"])
    assert answer["measurement"]["gbps"] > 0
    assert answer["compiler"]["registers"] > 0


def test_check_fails_a_wrong_kernel(vector_add, device):
    wrong = vector_add / "attempts" / "subtracts.py"
    command = [sys.executable, "-m", "tritontui", "check", "vector_add", str(wrong), "--json", "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert json.loads(done.stdout)["verdict"] == "fail"


def test_two_learners_get_the_figures_each_would_alone(device):
    shared = sharing.compare(device)
    assert shared.worst <= 0.05, shared
    assert shared.both[0].waits + shared.both[1].waits > 0, shared  # they did meet
