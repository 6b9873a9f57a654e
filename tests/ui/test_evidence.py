"""Where the learner stands: said first, then shown beside what was reached."""

from __future__ import annotations

from pathlib import Path

from driving import opened

from tritontui.course.loader import load_course
from tritontui.course.progress import Progress
from tritontui.course.scoreboard import scoreboard

COURSE = load_course()
LESSON = COURSE.lesson(10)
STEP = next(step for step in LESSON.steps if step.kind == "evidence")


def finish(home: Path, *lessons: int) -> None:
    """Every step of those lessons is done."""
    kept = Progress(home / "data" / "progress.sqlite")
    for lesson in map(COURSE.lesson, lessons):
        for step in lesson.steps:
            kept.mark_done(lesson.id, step.id)
    kept.close()


async def test_nothing_is_shown_before_one_has_placed_oneself(home: Path) -> None:
    finish(home, *STEP.rungs[0].lessons)
    async with opened(lesson=10) as driver:
        await driver.go(STEP.id)
        assert "What you have shown" not in driver.lesson.plain
        driver.lesson.focus()
        await driver.press("down", "down", "enter")  # rows
        shown = driver.lesson.plain
        assert "✓ Elements  15/15" in shown and "○ Rows  0/" in shown
        assert "You stand on: Elements" in shown and "TORCH_LOGS=output_code" in shown
        assert driver.app.study.is_done(driver.app.study.step)
        [said] = driver.app.study.predictions().values()
        assert (said.given, said.figure, said.correct) == ("rows", "elements", False)
        kept = Progress(home / "data" / "progress.sqlite")
        assert scoreboard(COURSE, kept.answers(), kept.predictions()).overall is None, "no prediction of a kernel"
        kept.close()


async def test_what_is_missing_leads_to_its_step(home: Path) -> None:
    finish(home, *STEP.rungs[1].lessons)  # a rung without the one below it
    async with opened(language="it", lesson=10) as driver:
        await driver.go(STEP.id)
        driver.lesson.focus()
        await driver.press("enter")
        assert "○ Elementi  0/15" in driver.lesson.plain and "✓ Righe" in driver.lesson.plain
        await driver.press("enter")
        assert driver.app.study.lesson.number == 1
