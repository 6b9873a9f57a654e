"""The scoreboard in the application: from what was answered and foreseen to the rows of its sheet."""

from pathlib import Path

import pytest
from driving import Driver, opened
from test_expecting import passed

from tritontui.i18n import Language
from tritontui.ui.learner.desk import Place
from tritontui.ui.widgets.text_view import TextView


def sheet(driver: Driver) -> str:
    return driver.app.screen.query_one("#sheet-text", TextView).plain


@pytest.mark.parametrize(
    ("language", "nothing", "right", "bet"),
    [
        ("en", "Nothing yet.", "1 of 2 right", "I'd bet on it (95%)"),
        ("it", "Ancora niente.", "1 giuste su 2", "Ci scommetterei (95%)"),
    ],
)
async def test_predictions_are_counted_and_lead_to_their_steps(
    home: Path, small_course: Path, language: Language, nothing: str, right: str, bet: str
) -> None:
    async with opened(lesson=1, language=language) as driver:
        await driver.workspace.action_scoreboard()
        await driver.pilot.pause()
        assert nothing in sheet(driver)
        await driver.press("q")
        await driver.go("ask")
        await driver.type("99")
        await driver.press("enter")
        driver.workspace.go(Place(1, 1))
        await passed(driver, small_course)
        await driver.workspace.action_scoreboard()
        await driver.pilot.pause()
        assert right in sheet(driver) and bet in sheet(driver)
        await driver.press("down", "enter")
        assert (driver.app.study.lesson.number, driver.app.study.step.id) == (1, "ask")


async def test_it_is_found_in_the_palette(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await driver.go("ask")
        await driver.type("99")
        await driver.press("enter")
        await driver.press("ctrl+p")
        await driver.type("predictions")
        await driver.press("enter")
        assert "0 of 1 right" in sheet(driver)


async def test_the_course_map_has_the_sum_of_it(home: Path, small_course: Path) -> None:
    async with opened(lesson=1, size=(80, 24), language="it") as driver:
        await driver.go("ask")
        await driver.type("99")
        await driver.press("enter")
        driver.app.study.ledger.written()
        await driver.workspace.action_course()
        await driver.pilot.pause()
        assert "0/1 previsioni" in str(driver.app.screen.query_one("#map-title").render())
