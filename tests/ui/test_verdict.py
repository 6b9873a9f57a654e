"""The verdict's words, from reports made by hand."""

from pathlib import Path

from driving import Driver, opened
from msgspec.structs import replace

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseDone, CaseResult, Done, Found, Mismatch, Traced
from tritontui.engine.report import Report
from tritontui.ui.runs.controller import View


async def show(driver: Driver, *, written: bool = True, finding: str = "value-mismatch") -> str:
    """The verdict on one wrong case."""
    wrong = Mismatch(index=[768], expected="3", got="nan", difference="nan", wrong=232, total=1000, written=written)
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


async def test_what_another_case_shows_is_not_sought_on_the_map_of_this_one(home: Path) -> None:
    wrong = Mismatch(index=[7], expected="3", got="nan", difference="nan", wrong=1, total=9, program=2, lane=7)
    results = [
        CaseResult(name="n = 1", passed=False, milliseconds=1.0, first_mismatch=replace(wrong, program=None)),
        CaseResult(name="n = 9", passed=False, milliseconds=1.0, first_mismatch=wrong),
        CaseResult(name="n = 1000", passed=True, milliseconds=1.0),
    ]
    born = Finding(id="nan-born", severity="error", line=9, program=2, case="n = 9")

    def report(traced: str) -> Report:
        made = Report("vector_add", stages=("trace", "cases"))
        for reply in (Traced(1, [], traced), Found(1, "cases", [born])):
            made.add(reply)
        for index, result in enumerate(results):
            made.add(CaseDone(1, "cpu", result, index, len(results)))
        made.add(Done(1))
        return made

    async with opened() as driver:
        driver.app.controller.live = False

        async def shown(traced: str) -> str:
            view = View(driver.app.study.exercise, report(traced), driver.workspace.editor.text)
            driver.workspace.results.show(view)
            await driver.pilot.pause()
            return " ".join(driver.shown("verdict").split())

        there = await shown("n = 1000")
        assert "in the case n = 9; Map and Steps show the case n = 1000" in there
        assert "First difference: n = 9" in there, "the first one of which more is known"
        assert "show it on the map" not in there
        assert "show it on the map" in await shown("n = 9")
