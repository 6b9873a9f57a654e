"""Textual's private names: used where they are, done without where they are not."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest
from captured import CaptureDriver, Emulator
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.color import Color as TextualColor
from textual.geometry import Region, Size
from textual.pilot import Pilot
from textual.widgets import Static

from benchmarks.terminal.host import Host
from tritontui.ui.textual_compat.caches import KEPT, REMEMBERING, caches_of
from tritontui.ui.textual_compat.frames import DiffDisplay, Uncoloured
from tritontui.ui.textual_compat.leaving import Leavable
from tritontui.ui.textual_compat.text_area import can_repaint_lines

USE = """
import asyncio
from benchmarks.terminal.host import Host
from tritontui.ui.textual_compat import frames, text_area
from tritontui.ui.widgets.editor import Mark

async def main():
    app = Host("if x:")
    async with app.run_test(size=(100, 30)) as pilot:
        app.editor.set_marks([Mark(1, "error", "e")])
        await pilot.press("end", "enter", *"y = tl.load", "ctrl+z", "ctrl+y", "up", "ctrl+f", "x", "escape", "f7")
        await pilot.pause()
        assert app.editor.text == "if x:\\n    y = tl.load", app.editor.text
        assert "y = tl.load" in app.export_screenshot().replace("&#160;", " ")

asyncio.run(main())
"""


def in_another_textual(change: str, then: str = "") -> None:
    """Use the editor in a process whose Textual has been changed."""
    done = subprocess.run(
        [sys.executable, "-c", f"{change}\n{USE}\n{then}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["_build_highlight_map", "_rewrap_and_refresh_virtual_size"])
def test_an_editor_without_line_repaint_is_an_editor(name: str) -> None:
    """A TextArea that lacks a name the recipe stands on: everything works, with Textual's own repaint."""
    in_another_textual(
        "from textual.widgets import TextArea\n"
        f"TextArea.renamed = TextArea.{name}\n"
        "import inspect, textual.widgets._text_area as module\n"
        f"source = inspect.getsource(module).replace('{name}', 'renamed_since')\n"
        "exec(compile(source, module.__file__, 'exec'), module.__dict__)\n"
        "import textual.widgets, textual.widgets.text_area\n"
        "textual.widgets.TextArea = module.TextArea",
        "assert text_area.LineRepaint is text_area._StockRepaint",
    )


def test_a_textual_without_the_compositors_names_writes_its_own_frames() -> None:
    in_another_textual(
        "import inspect, textual._compositor as module\n"
        "source = inspect.getsource(module).replace('ChopsUpdate', 'RenamedSince')\n"
        "exec(compile(source, module.__file__, 'exec'), module.__dict__)\n"
        "del module.ChopsUpdate",
        "assert frames.CompositorUpdate is None",
    )


def test_this_textual_has_all_the_names() -> None:
    assert can_repaint_lines()


async def drawn(app: Host, pilot: Pilot[Any]) -> Emulator:
    await pilot.pause()
    await pilot.pause()
    screen = Emulator(100, 30)
    assert isinstance(app._driver, CaptureDriver)
    screen.feed(app._driver.take())
    return screen


async def test_an_update_of_unknown_shape_is_written_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> str:
        raise AttributeError("chops")

    monkeypatch.setattr(DiffDisplay, "_diff", unknown)
    app = Host("tl.load")
    app.driver_class = CaptureDriver
    async with app.run_test(headless=False, size=(100, 30)) as pilot:
        screen = await drawn(app, pilot)
        assert any("tl.load" in row for row in screen.screen.display)
        assert not app.frame_diff


async def test_a_resize_writes_the_screen_whole() -> None:
    app = Host("tl.load")
    app.driver_class = CaptureDriver
    async with app.run_test(headless=False, size=(100, 30)) as pilot:
        await drawn(app, pilot)
        app.post_message(events.Resize(Size(100, 30), Size(100, 30)))
        screen = await drawn(app, pilot)
        assert any("tl.load" in row for row in screen.screen.display)


async def test_the_diff_can_be_turned_off() -> None:
    sizes = {}
    for frame_diff in (True, False):
        app = Host("abc")
        app.driver_class = CaptureDriver
        app.frame_diff = frame_diff
        async with app.run_test(headless=False, size=(100, 30)) as pilot:
            await drawn(app, pilot)
            await pilot.press("right")
            await pilot.pause()
            assert isinstance(app._driver, CaptureDriver)
            sizes[frame_diff] = len(app._driver.take())
    assert sizes[True] < sizes[False] / 2


async def test_no_color_writes_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Host("tl.load  # note")
    app.driver_class = CaptureDriver
    async with app.run_test(headless=False, size=(100, 30)) as pilot:
        screen = await drawn(app, pilot)
        cells = [cell for row in screen.cells() for cell in row]
        assert {(cell[1], cell[2]) for cell in cells} == {("default", "default")}
        assert any(cell[7] for cell in cells), "the cursor is still to be seen"


def test_taking_colour_off_leaves_attributes() -> None:
    style = Style(color=Color.parse("red"), bgcolor=Color.parse("blue"), bold=True, reverse=True)
    [segment] = Uncoloured().apply([Segment("x", style)], TextualColor(0, 0, 0))
    assert segment.text == "x"
    assert segment.style == Style(bold=True, reverse=True)


async def test_widgets_that_are_gone_take_what_was_drawn_in_them_along() -> None:
    app, caches = DiffDisplay(), []
    async with app.run_test() as pilot:
        for number in range(6):
            widget = Static(f"drawn {number}")
            await app.mount(widget)
            await pilot.pause()
            assert widget._styles_cache._cache, "it was drawn"
            caches.append(weakref.ref(widget._styles_cache))
            await widget.remove()
            await pilot.pause()
        gc.collect()
        assert sum(cache() is not None for cache in caches) <= 1, "the last, to which names here still lead"


def test_no_method_of_textuals_goes_on_remembering_for_hours() -> None:
    DiffDisplay()
    caches = [cached for owner in REMEMBERING for _, _, cached in caches_of(owner)]
    assert {"Region.union", "Strip.render_ansi", "Style.parse"} <= {cached.__qualname__ for cached in caches}
    assert all(cached.cache_parameters()["maxsize"] <= KEPT for cached in caches)
    for x in range(2 * KEPT):
        assert Region(x, 0, 2, 2).union(Region(x + 1, 1, 2, 2)) == Region(x, 0, 3, 3)
    assert Region.union.cache_info().currsize == KEPT
    assert Style.parse("bold red") == Style(bold=True, color="red"), "a class's own method is one still"


class Late(Static):
    """Looks for its parts when the application has been told to leave."""

    def on_mount(self) -> None:
        self.app.exit(return_code=3)
        self.query_one("#never-made")


class LeftEarly(Leavable):
    def compose(self) -> ComposeResult:
        yield Late()


async def test_leaving_while_parts_are_still_made_is_no_error() -> None:
    app = LeftEarly()
    await app.run_async(headless=True)
    assert (app.return_code, app._exception) == (3, None)
