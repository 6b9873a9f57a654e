"""Commands that run kernels, as a shell sees them: with real children, on the CPU."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tritontui.course.loader import load_course
from tritontui.course.paths import Paths
from tritontui.course.progress import OWN_TRACE, Progress
from tritontui.course.work import Work

EXERCISE = load_course().exercise("vector_add")

SCRIPT = """\
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, 2 * x{mask})


n = int(sys.argv[1])
x = torch.arange(n, dtype=torch.float32)
out = torch.empty_like(x)
double[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
print("sum", out.sum().item())
{end}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def environ(home: Path) -> dict[str, str]:
    return {**os.environ, "TRITONTUI_HOME": str(home), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def run(home: Path, *arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tritontui", "--device", "cpu", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environ(home), input=stdin)


def run_json(home: Path, *arguments: str | Path, stdin: str = "") -> tuple[int, dict[str, Any]]:
    done = run(home, *arguments, "--json", stdin=stdin)
    assert done.stderr == ""
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["schema"] == 1
    return done.returncode, report


def test_check_of_the_solution(home: Path) -> None:
    status, report = run_json(home, "check", "vector_add", EXERCISE.solution, "--measure")
    assert (status, report["verdict"], report["findings"]) == (0, "pass", [])
    assert report["device"] == "cpu" and report["target"].startswith("sm_")
    assert len(report["cases"]) > 5 and all(case["passed"] for case in report["cases"])
    assert all(case["first_mismatch"] is None for case in report["cases"])
    assert report["measurement"] is None
    assert report["compiler"]["kernel"] == "add_kernel"
    assert {"trace", "legality", "cases", "compile"} <= report["timings_ms"].keys()
    assert not home.exists()


def test_check_for_a_target_that_is_not_here(home: Path) -> None:
    status, report = run_json(home, "check", "vector_add", EXERCISE.solution, "--target", "sm_86")
    assert (status, report["target"], report["compiler"]["target"]) == (0, "sm_86", "sm_86")
    refused = run(home, "check", "vector_add", EXERCISE.solution, "--target", "hopper")
    assert refused.returncode == 2
    assert "sm_90" in refused.stderr


def test_check_of_a_wrong_kernel(home: Path) -> None:
    status, report = run_json(home, "check", "vector_add", EXERCISE.folder / "attempts" / "store_without_mask.py")
    assert (status, report["verdict"]) == (1, "fail")
    first = report["findings"][0]
    assert (first["id"], first["severity"], first["line"]) == ("out-of-bounds-write", "error", 13)
    assert (first["tensor"], first["program"], first["lanes"]) == ("out_ptr", 3, [[232, 255]])
    assert first["message"]


def test_check_for_a_human_in_both_languages(home: Path) -> None:
    attempt = EXERCISE.folder / "attempts" / "store_without_mask.py"
    english, italian = (
        run(home, "check", "vector_add", attempt),
        run(home, "--lang", "it", "check", "vector_add", attempt),
    )
    assert (english.returncode, italian.returncode) == (1, 1)
    assert "✗ line 13: " in english.stdout and "✗ riga 13: " in italian.stdout
    assert english.stdout.endswith("✗ Not right yet.\n") and italian.stdout.endswith("✗ Non è ancora giusto.\n")
    for text in (english.stdout, italian.stdout):
        assert "1000–1023" in text and "\x1b" not in text
        assert all(len(line) <= 80 for line in text.splitlines())


def test_check_of_standard_input(home: Path) -> None:
    status, report = run_json(home, "check", "vector_add", "-", stdin="def add(x, y)\n    return x\n")
    assert status == 1
    assert (report["findings"][0]["id"], report["findings"][0]["line"]) == ("syntax-error", 1)


def test_check_of_saved_work_counts_as_in_the_application(home: Path) -> None:
    paths = Paths.find({"TRITONTUI_HOME": str(home)})
    Work(paths.work).save("vector_add", EXERCISE.solution.read_text())
    done = run(home, "check", "vector_add")
    assert done.returncode == 0
    assert done.stdout.endswith("✓ Right: it passes.\n")
    lesson, step = load_course().place("vector_add")
    progress = Progress(paths.progress)
    assert progress.done(lesson.id) == {step.id}
    assert [attempt.verdict for attempt in progress.attempts("vector_add")] == ["pass"]
    progress.close()


def test_doctor(home: Path) -> None:
    status, report = run_json(home, "doctor")
    assert (status == 0) == report["ok"] == all(check["ok"] for check in report["checks"])
    assert {"python", "torch", "triton", "compiler"} <= {check["id"] for check in report["checks"]}
    for check in report["checks"]:
        assert check.keys() == {"id", "ok", "detail", "remedy"}
        assert check["ok"] or check["remedy"]
    assert "✓" in run(home, "--lang", "it", "doctor").stdout


def last_traced(home: Path) -> str | None:
    """The script that counts for the lesson which asks for a trace of one's own."""
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    try:
        return progress.setting(OWN_TRACE)
    finally:
        progress.close()


def test_trace_of_a_right_script(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "right.py"
    script.write_text(SCRIPT.format(mask=", mask=offs < n", end=""))
    status, report = run_json(home, "trace", script, "100")
    assert status == 0
    assert report["script"] == {
        "exit": 0,
        "error": None,
        "output": "sum 9900.0\n",
        "output_dropped": 0,
        "only_counted": 0,
    }
    [launch] = report["launches"]
    assert (launch["kernel"], launch["grid"]) == ("double", [2])
    load, store = launch["accesses"]
    assert (load["op"], load["tensor"], load["line"]) == ("load", "x_ptr", 11)
    assert (store["op"], store["tensor"], store["line"]) == ("store", "out_ptr", 12)
    assert (load["programs"], load["lanes_on"], load["lanes_off"]) == (2, 100, 28)
    assert load["affine"]["base"] == 0
    assert [term["stride"] for term in load["affine"]["terms"]] == [64, 1]
    assert not [found for found in launch["findings"] if found["severity"] != "note"]
    assert last_traced(home) == str(script)


def test_trace_of_a_wrong_script(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(SCRIPT.format(mask="", end="sys.exit(7)"))
    status, report = run_json(home, "trace", script, "100")
    assert (status, report["script"]["exit"]) == (7, 7)
    first = report["launches"][0]["findings"][0]
    assert (first["id"], first["line"], first["program"]) == ("out-of-bounds-write", 12, 1)
    assert last_traced(home) is None
    shown = run(home, "--lang", "it", "trace", script, "100")
    assert shown.returncode == 7
    assert shown.stdout.startswith("sum ") and "lancio 0: double" in shown.stdout and "✗ riga 12: " in shown.stdout


def test_trace_of_a_script_that_raises(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "raises.py"
    script.write_text("x = 1\nraise ValueError('no')\n")
    status, report = run_json(home, "trace", script)
    assert (status, report["launches"]) == (1, [])
    assert (report["script"]["error"]["line"], report["script"]["exit"]) == (2, 1)


def test_trace_of_one_launch(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "twice.py"
    script.write_text(SCRIPT.format(mask=", mask=offs < n", end="double[(1,)](x, out, 64, BLOCK=64)"))
    status, report = run_json(home, "trace", script, "100", "--launch", "1")
    assert (status, [launch["grid"] for launch in report["launches"]]) == (0, [[1]])
    missing = run(home, "trace", script, "100", "--launch", "2")
    assert (missing.returncode, missing.stdout) == (2, "sum 9900.0\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_its_children(home: Path, tmp_path: Path, number: signal.Signals) -> None:
    """The learner's code says on a pipe of its own that it runs, then loops for good."""
    running = tmp_path / "running"
    os.mkfifo(running)
    source = tmp_path / "endless.py"
    source.write_text(f"open({str(running)!r}, 'w').write('x')\nwhile True: pass\n")
    listener = os.open(running, os.O_RDONLY | os.O_NONBLOCK)
    command = [sys.executable, "-m", "tritontui", "--device", "cpu", "check", "vector_add", str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ(home))
    assert select.select([listener], [], [], 60)[0], "the learner's code never ran"
    os.close(listener)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert children
    watched = [os.pidfd_open(int(pid)) for pid in children]
    process.send_signal(number)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", "")
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], 10)
        assert ended, "a child outlived the command"
        os.close(descriptor)
