"""The editor in a real pseudo-terminal: the driver, the signals and the bytes are those of daily use."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from benchmarks.terminal.harness import PseudoTerminal

ROOT = Path(__file__).parents[2]
REDRAW, QUIT = b"\x1b[19~", b"\x11"


class Window:
    """The host application in a terminal window that shows what it writes."""

    def __init__(self, columns: int = 110, rows: int = 30, **environ: str) -> None:
        command = (sys.executable, "-m", "benchmarks.terminal.open_host")
        self.terminal = PseudoTerminal(command, columns, rows, {"PYTHONPATH": str(ROOT), **environ})
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.see("@triton.jit")

    def see(self, text: str) -> None:
        """Wait until ``text`` stands on the screen."""
        for chunk in self.terminal.chunks(limit=60):
            self.stream.feed(chunk.data)
            if text in self.shown:
                return
        pytest.fail(f"{text!r} never came:\n{self.shown}")

    def settle(self) -> None:
        """Take what is still being written."""
        self.stream.feed(self.terminal.read(quiet=0.4).data)

    def press(self, keys: bytes) -> None:
        """Type, and take the answer."""
        self.stream.feed(self.terminal.press(keys, quiet=0.4).data)

    @property
    def shown(self) -> str:
        return "\n".join(self.screen.display)


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window()
    yield window
    window.terminal.close()


def test_typing_pasting_and_resizing_leave_what_a_redraw_leaves(window: Window) -> None:
    window.settle()
    window.press(b"\x1b[B" * 9 + b"\x1b[F\r" + b"y = tl.load(p)")
    assert "y = tl.load(p)" in window.shown
    window.press(b"\x1b[200~if x:\r\t\tz\x1b[201~")
    window.terminal.resize(90, 24)
    window.screen.resize(24, 90)
    window.settle()
    before = window.shown
    assert "if x:" in before
    window.press(REDRAW)
    assert window.shown == before


def test_leaving_gives_the_terminal_back(window: Window) -> None:
    window.settle()
    window.terminal.send(QUIT)
    last = window.terminal.read(quiet=0.5, until=b"\x1b[?1049l").data
    assert b"\x1b[?1049l" in last
    assert b"\x1b[?25h" in last


@pytest.mark.parametrize(("environ", "colour"), [({"NO_COLOR": "1"}, False), ({"TERM": "xterm"}, True)])
def test_few_colours_and_none(environ: dict[str, str], colour: bool) -> None:
    window = Window(**environ)
    window.settle()
    colours = {cell.fg for row in window.screen.buffer.values() for cell in row.values()}
    assert (colours != {"default"}) == colour
    reversed_cells = [cell for row in window.screen.buffer.values() for cell in row.values() if cell.reverse]
    assert reversed_cells, "the cursor can be seen"
    window.terminal.close()


def test_garbage_from_elsewhere_is_gone_after_a_redraw(window: Window) -> None:
    window.settle()
    before = window.shown
    window.stream.feed(b"\x1b[5;5HBroadcast message from root")
    window.press(REDRAW)
    assert window.shown == before


def test_a_stop_and_a_continuation_draw_again(window: Window) -> None:
    window.settle()
    before = window.shown
    os.kill(window.terminal.pid, signal.SIGTSTP)  # Textual leaves the screen and stops itself
    window.stream.feed(window.terminal.read(quiet=1.0).data)
    os.kill(window.terminal.pid, signal.SIGCONT)
    window.screen.reset()
    window.see("@triton.jit")
    window.settle()
    assert window.shown == before
