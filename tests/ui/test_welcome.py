"""The welcome: once, on one screen of any size, honest about the GPU."""

from pathlib import Path

import pytest
from driving import Driver, opened
from fake_engine import FakeEngine

from tritontui.engine.status import EngineStatus
from tritontui.i18n import translator
from tritontui.ui.screens.welcome import Welcome, gpu_words
from tritontui.ui.widgets.text_view import TextView


async def greeted(driver: Driver) -> Welcome:
    await driver.until(lambda: isinstance(driver.app.screen, Welcome))
    await driver.pilot.pause()
    screen = driver.app.screen
    assert isinstance(screen, Welcome)
    return screen


@pytest.mark.parametrize(("size", "gpu"), [((60, 18), False), ((60, 18), True), ((80, 24), False), ((200, 60), True)])
async def test_it_fits_on_one_screen_in_both_languages(home: Path, size: tuple[int, int], gpu: bool) -> None:
    async with opened(size, lesson=None, welcome=True, engine=FakeEngine(gpu=gpu)) as driver:
        screen = await greeted(driver)
        for language in ("en", "it"):
            assert driver.app.language == language
            view = screen.query_one(TextView)
            assert view.max_scroll_y == 0, "nothing is cut off"
            assert all(shown in view.plain for shown in ("English", "Italiano", "^O", "^N", "^R", "^P", "F1", "GPU"))
            start = screen.query_one("#welcome-start")
            assert start.region.bottom <= size[1] and start.size.height == 1
            await driver.press("right")
        await driver.press("enter")
        assert driver.app.screen is driver.workspace


async def test_it_comes_once(home: Path) -> None:
    async with opened(lesson=None, welcome=True) as driver:
        await greeted(driver)
    async with opened(lesson=None, welcome=True) as driver:
        assert driver.app.screen is driver.workspace
        await driver.workspace.run_action("welcome")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, Welcome)
        await driver.press("q")
        assert driver.app.screen is driver.workspace


async def test_who_is_sent_to_a_lesson_or_was_here_before_is_not_greeted(home: Path) -> None:
    async with opened(lesson=5, welcome=True) as driver:
        assert driver.app.screen is driver.workspace
        await driver.press("ctrl+n")
    async with opened(lesson=None, welcome=True) as driver:
        assert driver.app.screen is driver.workspace


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (EngineStatus("CPU", cpu="starting"), "looking for one"),
        (EngineStatus("CPU", cpu="ready"), "none in use"),
        (EngineStatus("H200", cpu="starting", gpu="starting"), "H200: runs and measures"),
    ],
)
def test_what_is_said_of_the_gpu_is_what_is_known(status: EngineStatus, words: str) -> None:
    assert words in gpu_words(status, translator("en"))
