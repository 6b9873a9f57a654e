"""Explorations: knobs turned from the keyboard, the kernel traced at every turn, no verdict."""

from pathlib import Path

import pytest
from driving import Driver, opened

from tritontui.ui.widgets.knob_bar import KnobBar


def knobs(driver: Driver) -> KnobBar:
    return driver.workspace.query_one(KnobBar)


async def traced_with(driver: Driver, **values: object) -> None:
    """Until the kernel has been traced with those knobs, and the map shows it."""
    view = lambda: driver.app.controller.view  # noqa: E731
    await driver.until(
        lambda: view().report is not None and values.items() <= dict(view().knobs).items() and not view().running
    )
    await driver.map.settled()
    await driver.pilot.pause()


async def test_every_turn_traces_the_kernel_again(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        assert driver.workspace.results.active == "map"
        await traced_with(driver, n=256, BLOCK=64)
        assert driver.map.access.programs == 4
        await driver.press("k")
        assert driver.app.focused is knobs(driver)
        await driver.press("down", "right")
        await traced_with(driver, n=256, BLOCK=128)
        assert driver.map.access.programs == 2
        assert "‹128›" in knobs(driver).plain and "of 2" in knobs(driver).plain
        await driver.press("end", "up", "end")
        await traced_with(driver, n=1000, BLOCK=256)
        assert driver.map.access.programs == 4
        await driver.press("right")
        assert driver.app.controller.knobs["n"] == 1000, "a knob stops at its last value"


async def test_the_last_knob_is_the_program_on_the_map(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await traced_with(driver, n=256)
        await driver.press("k", "down", "down", "right", "right")
        await driver.map.settled()
        assert driver.map.selection.program == 2
        assert "‹2›" in knobs(driver).plain
        await driver.press("end")
        assert driver.map.selection.program == 3


async def test_so_many_turns_complete_it_and_there_is_no_verdict(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await traced_with(driver, n=256)
        assert driver.app.controller.view.verdict is None
        driver.workspace.results.pick("verdict")
        assert "Nothing here is right or wrong" in driver.shown("verdict")
        await driver.press("k", "right")
        assert not driver.app.study.is_done(driver.app.study.step)
        await driver.press("left")
        assert driver.app.study.is_done(driver.app.study.step)
        await driver.press("f1")
        assert "traced again" in driver.app.screen.query_one("#sheet-text").plain


async def test_the_kernel_may_be_edited_and_what_is_wrong_is_told(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        text = driver.workspace.editor.text
        await driver.set_text(text.replace("(offs < n)", "").replace("x_ptr + offs, mask=mask", "x_ptr + offs"))
        await driver.press("k", "home")
        await traced_with(driver, n=100)
        await driver.judged()
        assert driver.app.controller.view.verdict == "fail"
        assert driver.app.controller.view.findings[0].id == "out-of-bounds-read"
        assert driver.app.controller.view.findings[0].params["size"] == 100


@pytest.mark.parametrize("width", [120, 80])
async def test_the_panes_are_cycled_through_with_the_knobs_before_the_editor(
    home: Path, small_course: Path, width: int
) -> None:
    async with opened((width, 24), lesson=1) as driver:
        assert "F7 turns" in knobs(driver).plain
        title = driver.workspace.query_one("#title").content_region
        assert knobs(driver).content_region.right == title.right - 1, "it ends where the titles do"
        await driver.press("ctrl+o")
        assert driver.app.focused is knobs(driver)
        assert "F7" not in knobs(driver).plain
        await driver.press("ctrl+o")
        assert driver.app.focused is driver.workspace.editor
        await driver.press("f7")
        assert driver.app.focused is knobs(driver)
        assert knobs(driver).size.height == 1 and "‹256›" in knobs(driver).plain
        await driver.go("ask")
        assert knobs(driver).display, "the kernel is still there to be tried"


async def test_without_an_exploration_there_is_no_bar(home: Path) -> None:
    async with opened(lesson=5) as driver:
        assert not knobs(driver).display
        await driver.press("k")
        assert driver.app.focused is not knobs(driver)


async def test_knobs_come_with_the_step_that_speaks_of_them(home: Path) -> None:
    async with opened(lesson=3) as driver:
        await driver.go("same-text-many-programs")
        await driver.until(lambda: driver.app.controller.view.report is not None)
        await driver.map.settled()
        assert not knobs(driver).display
        await driver.go("pid-explorer")
        await driver.map.settled()
        await driver.pilot.pause()
        assert knobs(driver).display
        assert "‹1000›" in knobs(driver).plain and "‹0› of 4" in knobs(driver).plain
        await driver.go("how-many-programs")
        assert knobs(driver).display, "its kernel is still on the desk"


async def test_what_is_to_be_foreseen_is_not_shown_beside_the_question(home: Path) -> None:
    async with opened(lesson=4) as driver:
        view = lambda: driver.app.controller.view  # noqa: E731
        for step in ("opening", "the-last-block"):
            await driver.go(step)
            assert view().exercise is not None and view().report is None and not view().running
        await driver.press("ctrl+r")
        assert view().report is None
        driver.workspace.results.pick("verdict")
        assert "Answer the questions of the lesson first" in driver.shown("verdict")
        await driver.answer()
        await driver.judged()
        await driver.go("opening")
        await driver.go("the-last-block")
        assert view().report is not None, "the answers are remembered"
