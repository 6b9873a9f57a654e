"""Broken kernels: questions before anything is judged or changed, then a repair in a few lines."""

from pathlib import Path

from driving import opened

BROKEN, RIGHT = "offs <= n", "offs < n"


async def test_nothing_is_judged_or_changed_before_the_questions_are_answered(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await driver.go("mend")
        assert driver.app.focused is driver.lesson
        assert driver.workspace.editor.read_only
        driver.workspace.results.pick("verdict")
        assert "answer the lesson's questions" in driver.shown("verdict")
        await driver.press("ctrl+r")
        assert driver.app.controller.view.report is None and not driver.app.controller.view.running
        await driver.answer()
        await driver.judged()
        assert not driver.workspace.editor.read_only
        said = driver.lesson.plain
        assert "the editor is open" in said and "Go on whenever" not in said
        assert driver.app.controller.view.findings[0].id == "out-of-bounds-read"
        assert not driver.app.study.is_done(driver.app.study.step), "it isn't mended yet"
    async with opened(lesson=1) as driver:
        assert not driver.app.controller.view.sealed, "the answers are remembered"


async def test_it_is_done_when_mended_within_the_lines_allowed(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await driver.go("mend")
        await driver.answer()
        assert "0 of 2 lines changed" in driver.line("#editor-title")
        mended = driver.workspace.editor.text.replace(BROKEN, RIGHT)
        await driver.set_text(mended.replace(" x =", " value =").replace("2 * x", "2 * value"))
        assert "3 of 2 lines changed" in driver.line("#editor-title")
        await driver.judged()
        [finding] = [found for found in driver.app.controller.view.findings if found.severity == "error"]
        assert (finding.id, finding.line) == ("too-many-changes", 11)
        assert not driver.app.study.is_done(driver.app.study.step)
        await driver.set_text("# mended\n" + mended)
        await driver.judged()
        assert driver.app.controller.view.verdict == "pass"
        assert driver.app.study.is_done(driver.app.study.step)


async def test_the_original_message_unfolds(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await driver.go("mend")
        assert "canary" not in driver.lesson.plain
        await driver.press("enter")
        assert "canary behind `out` was overwritten" in driver.lesson.plain
        await driver.press("enter")
        assert "canary" not in driver.lesson.plain
