"""The course itself: lint finds no error in it, and recorded submissions get their verdicts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tritontui.commands.recorded import expectations
from tritontui.course.lint import lint
from tritontui.diagnosis import identifiers

COURSE, PROBLEMS = lint(None, identifiers())


def test_nothing_is_wrong_in_the_lessons_and_both_languages_say_the_same() -> None:
    errors = [str(problem) for problem in PROBLEMS if problem.severity == "error"]
    assert not errors, "\n".join(errors)
    assert len(COURSE.lessons) >= 5


def test_every_recorded_submission_gets_its_verdict(tmp_path: Path) -> None:
    """Starters fail, solutions pass without a word, wrong attempts get their diagnosis on their line."""
    command = [sys.executable, "-m", "tritontui", "verify", "--device", "cpu", "--json"]
    environ = {**os.environ, "TRITONTUI_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    report = json.loads(done.stdout)
    wrong = [item for item in report["items"] if not item["ok"]]
    assert not wrong, "\n".join(map(str, wrong))
    assert (done.returncode, report["failed"], report["passed"]) == (0, 0, len(list(expectations(COURSE))))
