"""Keys of the learner's own: they work, they are the ones shown, and what can't be used is said."""

from pathlib import Path

import pytest
from driving import Driver, opened

from tritontui.i18n import Language, translator
from tritontui.keys.commands import COMMANDS, IN_COURSE, Command
from tritontui.keys.file import read_keys
from tritontui.ui.commands import command_offers, matching
from tritontui.ui.screens.palette import Palette
from tritontui.ui.widgets.find_bar import FindBar
from tritontui.ui.widgets.text_view import TextView


def own_keys(home: Path, text: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "keys.toml").write_text(text, encoding="utf-8")


def told(driver: Driver) -> str:
    """What the notifications say."""
    return "\n".join(notification.message for notification in driver.app._notifications)


async def test_own_keys_work_and_are_shown(home: Path) -> None:
    own_keys(
        home,
        """
        next-step = ["ctrl+k", "!"]
        cycle-panes = "f13"
        palette = "ctrl+e"
        zoom = []
        live = "f9"
        find = "ctrl+b"
        """,
    )
    async with opened((140, 40)) as driver:
        assert not told(driver)
        assert all(shown in driver.line("#keys") for shown in ("^T/^K", "F13", "^E", "^R"))
        assert "^N" not in driver.line("#keys") and "zoom" not in driver.line("#keys")
        await driver.press("ctrl+n", "n")
        assert driver.app.study.desk.place.step == 0
        await driver.press("ctrl+k", "exclamation_mark")
        assert driver.app.study.desk.place.step == 2
        await driver.press("f9")
        assert not driver.workspace.has_class("-zoomed") and not driver.app.controller.live
        await driver.press("f1")
        shown = driver.app.screen.query_one(TextView).plain
        assert "^K !" in shown and "F13" in shown
        await driver.press("f13")
        assert driver.app.screen is driver.workspace, "what leaves a pane closes a sheet"
        await driver.press("ctrl+e")
        assert isinstance(driver.app.screen, Palette)
        await driver.type("find a text")
        await driver.press("enter")
        assert driver.workspace.query(FindBar)
        await driver.press("ctrl+b")
        assert not driver.workspace.query(FindBar)
        assert driver.app.focused is driver.workspace.editor
        await driver.press("ctrl+b")
        assert driver.workspace.query(FindBar)


async def test_what_cannot_be_used_is_said_in_the_language(home: Path) -> None:
    own_keys(home, 'run = "ctrl+i"\nhint = "f13"\n')
    async with opened() as driver:
        assert "keys.toml:1: ctrl+i can't be told from Tab" in told(driver)
        assert "F13" in driver.line("#keys") and "^R" in driver.line("#keys")
    async with opened(language="it") as driver:
        assert "keys.toml:1:" in told(driver) and "Tab" in told(driver) and "can't" not in told(driver)


async def test_every_command_stands_in_the_palette_and_does_something(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.press("ctrl+p")
        offers = [block.target.does for block in driver.app.screen.query_one(TextView).blocks]
        every = [command for command in COMMANDS if command.scope != "trace"]
        assert [does for does in offers if isinstance(does, Command)] == [c for c in every if c.id != "palette"]
        await driver.press("ctrl+p")
        for command in every:
            if command.id not in ("palette", "quit", "external-editor"):
                await driver.workspace.perform(command)
                await driver.pilot.pause()
                if driver.app.screen is not driver.workspace:
                    await driver.press("f12" if command.id == "playground" else "escape")
                assert driver.app.screen is driver.workspace, command.id


@pytest.mark.parametrize(
    ("typed", "language", "found"),
    [
        ("speed", "en", "show-speed"),
        ("velocità", "it", "show-speed"),
        ("VELOCITA", "it", "show-speed"),
        ("map", "en", "show-map"),
        ("card", "en", "card"),
        ("size", "en", "sweep-sizes"),
    ],
)
def test_what_is_called_so_comes_first_in_the_palette(
    tmp_path: Path, typed: str, language: Language, found: str
) -> None:
    every = list(command_offers(IN_COURSE, read_keys(tmp_path / "none.toml"), translator(language)))
    first = matching(every, typed)[0].does
    assert isinstance(first, Command) and first.id == found
