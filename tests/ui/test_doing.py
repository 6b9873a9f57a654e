"""Do steps: questions first, then something outside of the application, which is noticed here; or skipped, and said."""

from __future__ import annotations

from pathlib import Path

from driving import Driver, opened

from tritontui.course.loader import load_course
from tritontui.course.progress import MENDED_PYTHON, OTHER_PYTHON, OWN_TRACE, Progress

COURSE = load_course()
LESSON = COURSE.lesson(2)
STEP = next(step for step in LESSON.steps if step.kind == "do")
SICK = next(step for step in LESSON.steps if step.task == "mended-python")
LAST = COURSE.lesson(10)
SCRIPT = next(step for step in LAST.steps if step.task == "own-trace")


def progress(home: Path) -> Progress:
    return Progress(home / "data" / "progress.sqlite")


def answered(home: Path) -> None:
    """The questions were answered an earlier time."""
    kept = progress(home)
    for lesson, step in ((LESSON, STEP), (LESSON, SICK), (LAST, SCRIPT)):
        for question in step.questions:
            kept.record_answer(lesson.id, step.id, question.id, "", True)
    kept.close()


async def looked(driver: Driver) -> None:
    await driver.workspace.look_at_disk()
    await driver.pilot.pause()


async def test_how_it_is_done_comes_after_the_questions(home: Path) -> None:
    async with opened(lesson=2) as driver:
        await driver.go(STEP.id)
        assert "--python" not in driver.lesson.plain
        assert "Waiting for the doctor" not in driver.lesson.plain


async def test_long_instructions_are_read_from_their_beginning(home: Path) -> None:
    async with opened((80, 24), lesson=10) as driver:
        await driver.go(SCRIPT.id)
        asking = driver.lesson.quiz
        assert asking is not None and asking.current is not None
        drawn = asking.current.drawn
        await driver.press(*["down"] * drawn.shown.index(str(drawn.solution())), "enter")
        view = driver.lesson
        shown = [view.render_line(y).text for y in range(view.size.height)]
        assert any("16,384 × 4,096" in row for row in shown), "the question that was answered"
        assert any("tritontui export mine" in row for row in shown)
        assert not any("Waiting" in row for row in shown)


async def test_the_doctor_in_another_terminal_is_noticed(home: Path) -> None:
    answered(home)
    async with opened(lesson=2) as driver:
        await driver.go(STEP.id)
        assert "tritontui doctor --python gpu" in driver.lesson.plain and "Waiting" in driver.lesson.plain
        await looked(driver)
        assert not driver.app.study.is_done(driver.app.study.step)
        kept = progress(home)
        kept.set_setting(OTHER_PYTHON, "/home/ada/gpu/bin/python")
        kept.close()
        await looked(driver)
        assert driver.app.study.is_done(driver.app.study.step)
        assert "/home/ada/gpu/bin/python" in driver.lesson.plain
        assert "do  ✓" in driver.line("#lesson-title")


async def test_whoever_cannot_is_shown_it_and_the_badge_says_so(home: Path) -> None:
    answered(home)
    async with opened(language="it", lesson=2) as driver:
        await driver.go(STEP.id)
        driver.lesson.focus()
        await driver.press("enter")
        assert "Saltato" in driver.lesson.plain and "PyTorch manca" in driver.lesson.plain
        assert driver.app.study.is_done(driver.app.study.step)
        assert "◇ saltato" in driver.line("#lesson-title")
    kept = progress(home)
    kept.set_setting(OTHER_PYTHON, "/home/ada/gpu/bin/python")
    kept.close()
    async with opened(lesson=2) as driver:
        await driver.go(STEP.id)
        assert "✓" in driver.line("#lesson-title"), "doing it later fills the badge"


async def test_what_one_would_have_seen_comes_into_view(home: Path) -> None:
    answered(home)
    async with opened((80, 24), lesson=2) as driver:
        await driver.go(STEP.id)
        view = driver.lesson
        view.focus()
        await driver.press(*["pagedown"] * 4, "enter")
        shown = "\n".join(view.render_line(y).text for y in range(view.size.height))
        assert "PyTorch is missing" in shown and "Then look at what you would see" in shown


async def test_a_trace_of_ones_own_script_is_noticed(home: Path) -> None:
    answered(home)
    async with opened(lesson=10) as driver:
        await driver.go(SCRIPT.id)
        assert "tritontui trace try_norm.py" in driver.lesson.plain and "Waiting for a trace" in driver.lesson.plain
        kept = progress(home)
        kept.set_setting(OTHER_PYTHON, "/home/ada/gpu/bin/python")
        kept.set_setting(OWN_TRACE, "/home/ada/try_norm.py")
        kept.close()
        await looked(driver)
        assert driver.app.study.is_done(driver.app.study.step)
        assert "/home/ada/try_norm.py" in driver.lesson.plain


async def test_a_mended_environment_is_noticed_and_another_is_not_taken_for_it(home: Path) -> None:
    answered(home)
    async with opened(lesson=2) as driver:
        await driver.go(SICK.id)
        assert "tritontui doctor --break sick" in driver.lesson.plain and "Waiting" in driver.lesson.plain
        for setting, done in ((OTHER_PYTHON, False), (MENDED_PYTHON, True)):
            kept = progress(home)
            kept.set_setting(setting, "/home/ada/sick/bin/python")
            kept.close()
            await looked(driver)
            assert driver.app.study.is_done(driver.app.study.step) == done
        assert "Mended" in driver.lesson.plain
