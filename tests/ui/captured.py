"""A driver that keeps what is written, so that a test can look at the terminal an application thinks it draws on."""

from __future__ import annotations

import pyte
from textual.drivers.headless_driver import HeadlessDriver

Cells = list[list[tuple[object, ...]]]


class CaptureDriver(HeadlessDriver):
    """Like the one of Textual's own tests, but the application believes that somebody is looking."""

    written: list[str]

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.__dict__.setdefault("written", []).append(data)

    def take(self) -> str:
        """What has been written since the last call."""
        data = "".join(self.__dict__.get("written", []))
        self.written = []
        return data


class Emulator:
    """A terminal emulator of a given size."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.feed("\x1b[?7l")  # as Textual sets it: nothing wraps at the right edge

    def feed(self, data: str) -> None:
        """Take what an application has written."""
        self._stream.feed(data)

    def cells(self) -> Cells:
        """Every cell with its colours and attributes."""
        screen = self.screen
        return [
            [tuple(screen.buffer[y].get(x, screen.default_char)) for x in range(screen.columns)]
            for y in range(screen.lines)
        ]

    def resize(self, columns: int, rows: int) -> None:
        """Another size; what a terminal shows then is anybody's guess, so it is filled with rubbish."""
        self.screen.resize(rows, columns)
        self.feed("".join(f"\x1b[{row + 1};1H" + "?" * columns for row in range(rows)))
