"""Lessons of other people: they are programs, so nothing of them runs before the learner has allowed it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from test_cli_judging import run

from tritontui.commands.console import Context
from tritontui.commands.trust import ask_to_run
from tritontui.course.model import LANGUAGES
from tritontui.course.paths import Paths
from tritontui.i18n import translator

SMALL = Path(__file__).parents[1] / "small_course"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    """Somebody's lessons: a copy of the small course."""
    return Path(shutil.copytree(SMALL, tmp_path / "theirs"))


def test_lessons_from_elsewhere_are_listed_without_running_anything(home: Path, lessons: Path) -> None:
    done = run(home, "list", "--lessons", lessons, "--json")
    assert done.returncode == 0
    assert [lesson["id"] for lesson in json.loads(done.stdout)["lessons"]] == ["01-small", "02-after"]
    missing = run(home, "list", "--lessons", lessons / "nowhere")
    assert missing.returncode == 2 and "holds no lesson" in missing.stderr


def test_nothing_runs_before_it_is_allowed_and_a_change_asks_again(
    home: Path, lessons: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = lessons / "02-after/exercises/negate/solution.py"
    asked = run(home, "check", "negate", solution, "--lessons", lessons)
    assert asked.returncode == 2 and asked.stdout == ""
    assert "lessons are programs" in asked.stderr and "--trust" in asked.stderr
    italian = run(home, "check", "negate", solution, "--lessons", lessons, "--lang", "it")
    assert "le lezioni sono programmi" in italian.stderr

    allowed = run(home, "--lessons", lessons, "--trust", "check", "negate", solution)
    assert allowed.returncode == 0, allowed.stderr
    monkeypatch.setenv("TRITONTUI_HOME", str(home))
    paths = Paths.find().of_course(lessons)
    ask_to_run(Context("en", translator("en"), paths, "cpu", lessons=lessons))  # it is remembered: no CommandError

    solution.write_text(solution.read_text() + "# touched\n")
    changed = run(home, "check", "negate", solution, "--lessons", lessons)
    assert changed.returncode == 2 and "have changed since you allowed them" in changed.stderr


def test_work_and_progress_of_other_lessons_are_kept_apart(home: Path, lessons: Path) -> None:
    own = Paths.find({"TRITONTUI_HOME": str(home)})
    theirs = own.of_course(lessons)
    assert own.of_course(None) == own
    assert theirs.work != own.work and theirs.progress != own.progress and theirs.cache == own.cache
    assert own.of_course(lessons.parent / "others" / lessons.name) != theirs, "two folders of one name"


def test_linting_judges_what_is_recorded_and_tells_all_problems(home: Path, lessons: Path) -> None:
    exercise = lessons / "02-after/exercises/negate"
    shutil.rmtree(lessons / "01-small")
    attempt = exercise / "attempts" / "no_mask.py"
    attempt.write_text(attempt.read_text().replace("out-of-bounds-read", "never-written"))
    breaks = exercise / "breaks.toml"
    breaks.write_text(breaks.read_text().replace('answer = "no-work"', 'answer = "write-conflict"'))
    (exercise / "starter.py").write_text((exercise / "solution.py").read_text())

    read = run(home, "lint-lessons", "--lessons", lessons, "--no-run", "--json")
    report = json.loads(read.stdout)
    assert report["judged"] is None
    assert {problem["message"] for problem in report["problems"] if problem["severity"] == "error"} == {
        "1 hints, where 3 lead to the solution",
        "2 wrong attempts, where 4 are wanted",
    }

    done = run(home, "lint-lessons", "--lessons", lessons, "--trust", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    found = {(Path(problem["file"]).name, problem["line"], problem["message"]) for problem in report["problems"]}
    assert ("starter.py", None, "this gives pass, not fail") in found
    assert ("no_mask.py", 10, "this gives out-of-bounds-read on line 10, not never-written on line 10") in found
    assert ("breaks.toml", None, "'more-programs' gives no-work on line 17, not write-conflict") in found
    assert len(report["judged"]) == 6
    assert report["errors"] == 5

    said = run(home, "lint-lessons", "--lessons", lessons, "--no-run", "--lang", "it")
    assert said.returncode == 1 and "2 errori" in said.stdout and "niente è stato eseguito" in said.stdout


def test_every_lesson_here_reads_without_an_error(home: Path) -> None:
    done = run(home, "lint-lessons", "--no-run", "--json")
    report = json.loads(done.stdout)
    assert [problem for problem in report["problems"] if problem["severity"] == "error"] == []
    assert (done.returncode, report["errors"], LANGUAGES) == (0, 0, ("en", "it"))
