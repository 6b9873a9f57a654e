"""A terminal driver that comes through being stopped by others: ``kill -STOP``, a debugger, an editor that suspends."""

from __future__ import annotations

import termios
import tty
from typing import Any

from textual.driver import Driver

EMPTY = "\x1b[0m\x1b[H\x1b[J"
"""Takes everything off the screen. GNU screen and the Linux console have no alternate one to leave: what stood there
would stay, and the shell would go on in the midst of it."""


def steady(driver: type[Driver]) -> type[Driver]:
    """``driver``, but a SIGCONT that follows no Ctrl-Z of its own puts the terminal's modes back and nothing else.

    Textual takes every SIGCONT for the end of a suspension that it had prepared: after a plain SIGSTOP it would start
    a second thread that reads keys, and take its own modes for those to be restored at the end.

    At the end it takes its picture off the screen, and restores the application's ``modes_before`` where there are any.
    """
    names = ("_sigcont_application", "_patch_lflag", "_patch_iflag", "_enable_mouse_support", "_enable_bracketed_paste")
    if not all(hasattr(driver, name) for name in names):
        return driver  # another system's, or another Textual's: left as it is

    class Steady(driver):  # type: ignore[misc, valid-type]
        def stop_application_mode(self) -> None:
            self.write(EMPTY)
            super().stop_application_mode()

        def start_application_mode(self) -> None:
            super().start_application_mode()
            if (modes := getattr(self._app, "modes_before", None)) is not None:
                self.attrs_before = modes

        def _sigcont_application(self, *arguments: Any) -> None:
            if getattr(self, "_must_signal_resume", True) or not self._auto_restart:
                super()._sigcont_application(*arguments)
            elif self._writer_thread is not None:
                self._loop.call_soon_threadsafe(self._come_back)  # a handler may hold up the very lock it waits for

        def _come_back(self) -> None:
            """Whoever had the terminal meanwhile may have left anything in it. In the background this stops again."""
            try:
                modes = termios.tcgetattr(self.fileno)
                modes[tty.LFLAG] = self._patch_lflag(modes[tty.LFLAG])
                modes[tty.IFLAG] = self._patch_iflag(modes[tty.IFLAG])
                termios.tcsetattr(self.fileno, termios.TCSANOW, modes)
            except termios.error:
                return
            for sequence in ("\x1b[?1049h", "\x1b[?25l", "\x1b[?1004h"):  # as at the start: screen, cursor, focus
                self.write(sequence)
            self._enable_mouse_support()
            self._enable_bracketed_paste()
            self.flush()
            self._app.post_message(self.SignalResume())

    Steady.__name__ = driver.__name__
    return Steady
