"""The course itself: lint finds no error in it, and every solution passes.

Starters, wrong attempts and breaks are tried by a step of continuous integration of its own: ``tritontui verify``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tritontui.commands.engine import running
from tritontui.commands.recorded import expectations, try_one
from tritontui.course.lint import lint
from tritontui.diagnosis import identifiers

COURSE, PROBLEMS = lint(None, identifiers())


def test_nothing_is_wrong_in_the_lessons_and_both_languages_say_the_same() -> None:
    errors = [str(problem) for problem in PROBLEMS if problem.severity == "error"]
    assert not errors, "\n".join(errors)
    assert len(COURSE.lessons) >= 5


async def test_every_solution_passes_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONTUI_HOME", str(tmp_path))
    solutions = [expected for expected in expectations(COURSE) if expected.verdict == "pass"]
    async with running("cpu") as engine:
        items = [await try_one(engine, solution) for solution in solutions]
    wrong = [item for item in items if not item.ok]
    assert not wrong, "\n".join(map(str, wrong))
    assert len(items) > 40
