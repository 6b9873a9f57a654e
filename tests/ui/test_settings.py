"""Settings: applied at once, remembered, and honest about what stands in their way."""

from pathlib import Path

import pytest
from driving import Driver, opened, solution
from fake_engine import FakeEngine

from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.engine.targets import DEFAULT_TARGET, TARGETS
from tritontui.i18n import LANGUAGES
from tritontui.ui.colours import system_theme
from tritontui.ui.screens.settings import SettingsSheet
from tritontui.ui.start.environment import Terminal
from tritontui.ui.theme import ANSI, DARK, LIGHT
from tritontui.ui.widgets.text_view import TextView


def shown(driver: Driver) -> str:
    return driver.app.screen.query_one(TextView).plain


async def test_what_is_set_is_there_at_once_and_the_next_time(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setenv("COLORFGBG", "15;0")
    async with opened(language=None) as driver:
        driver.workspace.show_pane("results")
        await driver.press("e")
        assert isinstance(driver.app.screen, SettingsSheet)
        paths = Paths.find()
        assert all(str(path) in shown(driver) for path in (paths.work, paths.progress, paths.keys))
        await driver.press("left")
        assert driver.app.language == "it" and "Italiano" in shown(driver) and "Colori" in shown(driver)
        await driver.press("down", "right", "right")
        assert driver.app.theme == LIGHT.name
        await driver.press("down", "enter")
        assert not driver.app.controller.live
        await driver.press("down", "right")
        target = driver.app.controller.target
        assert target in TARGETS and target != DEFAULT_TARGET and target in shown(driver)
        await driver.press("q")
        assert driver.app.screen is driver.workspace
        assert "passo" in driver.line("#title")
    async with opened(language=None) as driver:
        await driver.until(lambda: driver.app.engine_status.phase != "starting")
        app = driver.app
        assert (app.language, app.theme, app.controller.live) == ("it", LIGHT.name, False)
        assert app.controller.target == target
        app.apply_setting("language", "system")
        app.apply_setting("theme", "system")
        assert (app.language, app.theme) == ("en", DARK.name)


async def test_values_that_only_a_newer_version_knows_are_passed_over_and_kept(home: Path) -> None:
    newer = {"language": "tlh", "theme": "neon", "live": "sometimes", "target": "sm_999", "hints/vector_add": "a few"}
    newer |= {"gadget": "on", "position": "99-nowhere/at-all"}
    progress = Progress(Paths.find().progress)
    for name, value in newer.items():
        progress.set_setting(name, value)
    progress.close()
    async with opened(language=None, lesson=None, engine=FakeEngine()) as driver:
        app = driver.app
        assert (app.language in LANGUAGES, app.theme, app.controller.target) == (True, system_theme({}), None)
        assert (app.study.lesson.number, app.controller.live) == (1, True)
        exercise = app.study.desk.course.exercise("vector_add")
        assert app.study.history.hints(exercise) == 0
        (told,) = [one.message for one in app._notifications if one.title == app.translator("Settings")]
        assert all(f"“{newer[name]}”" in told for name in ("language", "theme", "live", "target")), told
        await driver.press("f1")
    async with opened(language="it", lesson=None, engine=FakeEngine()) as driver:
        assert not [one for one in driver.app._notifications if one.title == "Impostazioni"], "told once"
        driver.app.keep_setting("theme", "gold")
    async with opened(language="it", lesson=None, engine=FakeEngine()) as driver:
        (told,) = [one.message for one in driver.app._notifications if one.title == "Impostazioni"]
        assert "«gold»" in told and "più nuovo" in told
    newer["theme"] = "gold"
    progress = Progress(Paths.find().progress)
    assert {name: progress.setting(name) for name in newer} == newer
    progress.close()


async def test_the_chosen_target_is_the_one_compiled_for(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        driver.app.apply_setting("target", "sm_80")
        await driver.set_text(solution())
        await driver.judged()
        report = driver.app.controller.view.report
        assert report is not None and report.target == "sm_80"


async def test_with_few_colours_the_terminals_own_stay_and_it_is_said(home: Path) -> None:
    async with opened() as driver:
        driver.app.terminal = Terminal(colours="16", mouse=True, remote=False, frame_diff=True)
        driver.app.apply_setting("theme", DARK.name)
        assert driver.app.theme == ANSI.name
        await driver.workspace.run_action("settings")
        await driver.pilot.pause()
        assert "few colours" in shown(driver)


@pytest.mark.parametrize(
    ("value", "theme"), [("15;0", DARK), ("0;15", LIGHT), ("0;default;15", LIGHT), ("", DARK), ("rubbish", DARK)]
)
def test_the_background_decides_where_the_terminal_tells_it(value: str, theme: object) -> None:
    assert system_theme({"COLORFGBG": value}) == theme.name
