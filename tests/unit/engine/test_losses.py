import pytest

from tritontui.engine import losses
from tritontui.engine.messages import Judge, Stalled

SEGFAULT = """Fatal Python error: Segmentation fault

Stack (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/tmp/tritontui-abc/7/vector_add.py", line 12 in add
  File "/tmp/tritontui-abc/7/vector_add.py", line 30 in <module>
  File "/src/tritontui/runner/judge.py", line 99 in trace
"""


def request(source="", filename="vector_add.py"):
    return Judge(run=5, exercise="/e", source=source, filename=filename, stages=["trace"])


def test_a_crash_is_blamed_on_the_innermost_line_of_the_learner():
    found, lost = losses.died(request(), "trace", -11, SEGFAULT, None)
    assert (found.findings[0].id, found.findings[0].line) == ("runner-lost", 12)
    assert (lost.reason, lost.exit_code, lost.line, lost.learner) == ("died", -11, 12, True)
    assert "Segmentation fault" in found.findings[0].original


def test_a_death_without_a_trace_is_looked_for_in_the_text():
    source = "import os\n\ndef add(x, y):\n    os._exit(1)\n"
    found, lost = losses.died(request(source), "trace", 1, "", None)
    assert (found.findings[0].line, found.findings[0].params["call"]) == (4, "_exit")
    assert lost.learner


def test_a_death_that_nothing_explains_is_the_machines():
    found, lost = losses.died(request("x = 1\n"), "cases", -9, "", None)
    assert found.findings[0].line is None
    assert not lost.learner


def test_a_child_that_said_where_it_stood_makes_no_progress_there():
    found, lost = losses.deadline_passed(request(), "trace", 8.0, "", Stalled(5, 8, "trace"))
    assert (found.findings[0].id, found.findings[0].line) == ("no-progress", 8)
    assert lost.learner


def test_a_child_that_was_locked_up_is_known_from_faulthandler():
    found, lost = losses.deadline_passed(request(), "trace", 8.0, SEGFAULT, None)
    assert (found.findings[0].id, found.findings[0].line) == ("no-progress", 12)
    assert lost.learner


def test_a_child_that_said_nothing_is_the_machines_fault():
    found, lost = losses.deadline_passed(request(), "trace", 8.0, "", None)
    assert (found.findings[0].id, found.findings[0].params["reason"]) == ("runner-lost", "deadline")
    assert not lost.learner


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nos.abort()\n", ("abort", 2)),
        ("from os import _exit\nx = 1\n_exit(0)", ("_exit", 3)),
        ("print(1)", None),
        ("def broken(:", None),
        ("os._exit(1)\nos.abort()", ("_exit", 1)),
    ],
)
def test_ways_out_are_found_in_the_text(source, expected):
    assert losses.first_way_out(source) == expected
