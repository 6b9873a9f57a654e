"""Random use, replayed: the bytes written leave on a terminal exactly what writing the whole screen would leave."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from captured import CaptureDriver, Cells, Emulator
from driving import opened, solution
from fake_engine import FakeEngine
from textual import events
from textual.geometry import Size
from textual.pilot import Pilot

from benchmarks.terminal.host import KERNEL, Host
from tritontui.ui.widgets.editor import Mark

KEYS = [
    *"ab(=#\"'.: ",
    *["enter", "tab", "shift+tab", "backspace", "delete", "left", "right", "up", "down", "home", "end"],
    *["pageup", "pagedown", "ctrl+home", "shift+down", "shift+right", "ctrl+z", "ctrl+y", "ctrl+underscore", "ctrl+k"],
    *["ctrl+f", "escape", "f7", "ctrl+x", "ctrl+v", "ctrl+@", "ctrl+w"],
]
PASTES = [
    'x = """one\r\ntwo',
    "\ttl.load(p)\r" * 40,
    "日本語 = '👩\u200d🔬'  # e\u0301",
    "y" * 300,
    "B: tl.constexpr",
    "\x1b[2J\x1b[31mred",
    "'''",
]
SIZES = [(110, 30), (80, 24), (61, 18), (140, 40)]
THEMES = ["tritontui-dark", "tritontui-light"]


async def written(pilot: Pilot[Any]) -> str:
    """What is written until everything has been handled and drawn."""
    driver = pilot.app._driver
    assert isinstance(driver, CaptureDriver)
    data = ""
    quiet = 0
    while quiet < 2:
        await pilot.pause()
        more = driver.take()
        data += more
        quiet = 0 if more else quiet + 1
    return data


def differences(one: Cells, other: Cells) -> list[str]:
    """The rows that differ, as text, with the first cell that does."""
    rows = []
    for y, (before, after) in enumerate(zip(one, other, strict=True)):
        if before != after:
            x = next(x for x in range(len(before)) if before[x] != after[x])
            texts = ["".join(str(cell[0]) for cell in row) for row in (before, after)]
            rows.append(f"row {y}, column {x}: {before[x]} / {after[x]}\n{texts[0]}\n{texts[1]}")
    return rows


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)


async def act(pilot: Pilot[Any], rng: random.Random, screen: Emulator) -> str:
    """Do something at random; what it was."""
    app = pilot.app
    assert isinstance(app, Host)
    choice = rng.random()
    if choice < 0.78:
        key = rng.choice(KEYS)
        await pilot.press(key)
        return key
    if choice < 0.86:
        text = rng.choice(PASTES)
        app.editor.post_message(events.Paste(text))
        return f"paste {text!r}"
    if choice < 0.90:
        app.theme = rng.choice(THEMES)
        return app.theme
    if choice < 0.94:
        lines = [rng.randrange(1, 30) for _ in range(rng.randrange(4))]
        app.editor.set_marks(
            [Mark(line, rng.choice(["error", "warning", "note"]), f"words 日 {line}") for line in lines]
        )
        return f"marks {lines}"
    if choice < 0.97:
        app.editor.replace_text(rng.choice([KERNEL, "", "日本\n" * 50]))
        return "replace"
    size = rng.choice(SIZES)
    screen.resize(*size)
    app.post_message(events.Resize(Size(*size), Size(*size)))
    return f"resize {size}"


@pytest.mark.parametrize("seed", range(6))
async def test_random_use_leaves_what_a_redraw_leaves(seed: int) -> None:
    rng = random.Random(seed)
    app = Host(KERNEL)
    app.driver_class = CaptureDriver
    screen = Emulator(110, 30)
    async with app.run_test(headless=False, size=(110, 30)) as pilot:
        done: list[str] = []
        for _ in range(20):
            done += [await act(pilot, rng, screen) for _ in range(rng.randrange(1, 5))]
            screen.feed(await written(pilot))
            diffed = screen.cells()
            app.redraw()
            whole = await written(pilot)
            assert len(whole) > 500, "the redraw has to write the whole screen"
            screen.feed(whole)
            assert not differences(diffed, screen.cells()), "\n".join(done[-12:])
            assert app.frame_diff, "the diff has been given up"


@pytest.mark.parametrize("seed", range(2))
async def test_the_diff_leaves_what_textual_itself_leaves(seed: int) -> None:
    """The same use twice, with the diff and without: the screens agree (for text of undisputed width)."""
    screens = []
    for frame_diff in (True, False):
        rng = random.Random(seed)
        app = Host(KERNEL)
        app.driver_class = CaptureDriver
        app.frame_diff = frame_diff
        screen = Emulator(110, 30)
        async with app.run_test(headless=False, size=(110, 30)) as pilot:
            await app.workers.wait_for_complete()
            for _ in range(60):
                await pilot.press(rng.choice(KEYS[:-1]))
            screen.feed(await written(pilot))
            screens.append(screen.cells())
    assert not differences(*screens)


ANYWHERE = [
    *[
        "ctrl+o",
        "f9",
        "ctrl+n",
        "ctrl+n",
        "ctrl+t",
        "f6",
        "tab",
        "1",
        "2",
        "3",
        "4",
        "5",
        "up",
        "down",
        "left",
        "right",
    ],
    *["pageup", "pagedown", "plus", "x", "enter", "ctrl+r", "ctrl+l", "ctrl+p", "f1", "escape", "ctrl+g"],
]


async def test_the_whole_application_leaves_what_a_redraw_leaves(home: Path) -> None:
    """Resized while it is judged and typed into, from every pane: no error, and no cell that a redraw would change."""
    rng = random.Random(11)
    screen = Emulator(120, 40)
    async with opened(engine=FakeEngine(), captured=True) as driver:
        await driver.go("write-it")
        await driver.set_text(solution())
        app, pilot = driver.app, driver.pilot
        app.controller.live = False  # nothing changes by itself between what is compared
        for _ in range(15):
            size = (rng.randrange(40, 201), rng.randrange(10, 61))
            screen.resize(*size)
            await pilot.resize_terminal(*size)
            pressed = rng.choices(ANYWHERE, k=4)
            await driver.press(*pressed)
            await driver.until(lambda: not app.controller.view.running and not app.study.saver.pending)
            screen.feed(await written(pilot))
            diffed = screen.cells()
            app.redraw()
            screen.feed(await written(pilot))
            assert not differences(diffed, screen.cells()), (size, pressed)
            assert app.frame_diff and app.is_running
