"""The verdict's words, from reports made by hand."""

from pathlib import Path

from driving import Driver, opened

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseDone, CaseResult, Done, Found, Mismatch
from tritontui.engine.report import Report
from tritontui.ui.controller import View


async def show(driver: Driver, *, written: bool = True, finding: str = "value-mismatch") -> str:
    """The verdict on one wrong case."""
    wrong = Mismatch(index=[768], expected="3", got="nan", difference="+nan", wrong=232, total=1000, written=written)
    report = Report("vector_add", stages=("cases",))
    result = CaseResult(name="n = 1000", passed=False, milliseconds=1.0, first_mismatch=wrong)
    report.add(CaseDone(1, "cpu", result, 0, 1))
    report.add(Found(1, "cases", [Finding(id=finding, severity="error")]))
    report.add(Done(1))
    driver.app.controller.live = False
    driver.workspace.results.show(View(driver.app.study.exercise, report, driver.workspace.editor.text))
    await driver.pilot.pause()
    return driver.shown("verdict")


async def test_an_element_that_is_never_written_has_no_value(home: Path) -> None:
    async with opened() as driver:
        shown = await show(driver, written=False)
        assert "never written" in shown and "nan" not in shown
        assert "nan" in await show(driver)
        await driver.press("f6")
        assert "mai scritto" in await show(driver, written=False)


async def test_the_lesson_that_explains_it_may_be_this_one(home: Path) -> None:
    async with opened(lesson=5) as driver:
        assert "This lesson explains it." in await show(driver)
        assert "Lesson 8 explains it." in await show(driver, finding="nan-born")
        await driver.press("f6")
        assert "questa lezione" in await show(driver)
