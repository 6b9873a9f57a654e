"""The terminal from the first frame on until Textual has it: nothing typed meanwhile is echoed, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from tritontui.ui.terminal.leaving import RESTORE, SIGNALS, STDIN, Modes, modes_now

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H"
"""The alternate screen, no cursor, no line that goes on in the next row."""
IFLAG, LFLAG, CC = 0, 3, 6
"""Places in the modes, https://docs.python.org/3/library/termios.html."""


class Threshold:
    """Within it the terminal may be drawn on; at its end the terminal is as it was, whatever came between.

    Where keys or frames go elsewhere (no terminal, a browser, a job in the background) it does nothing.
    """

    modes: Modes | None = None
    """Those of the terminal before; None where it was left alone."""

    def __enter__(self) -> Threshold:
        if _is_ours():
            self.modes = modes_now()
        if self.modes is not None:
            for number in SIGNALS:
                signal.signal(number, _end)
            termios.tcsetattr(STDIN, termios.TCSANOW, _for_keys(self.modes))
        return self

    def show(self, drawn: Callable[[int, int], str]) -> None:
        """Write what ``drawn`` gives for the terminal's columns and rows."""
        if self.modes is not None and sys.__stderr__ is not None:
            sys.__stderr__.write(ENTER + drawn(*shutil.get_terminal_size()))
            sys.__stderr__.flush()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.modes is None:
            return
        with suppress(OSError, termios.error):  # the terminal may be gone
            if error is not None:  # else the application has left the screen
                os.write(sys.__stderr__.fileno(), RESTORE)  # type: ignore[union-attr]
            termios.tcsetattr(STDIN, termios.TCSANOW, self.modes)


def _is_ours() -> bool:
    """Whether this process is the one that talks to the user of a terminal, through Textual's driver for terminals."""
    if "TEXTUAL_DRIVER" in os.environ or sys.__stderr__ is None or not sys.__stderr__.isatty():
        return False
    if not os.isatty(STDIN):
        return False
    try:
        return os.tcgetpgrp(STDIN) == os.getpgrp()
    except OSError:  # no terminal of this session: nothing stops those who draw on it from the background
        return True


def _for_keys(modes: Modes) -> Modes:
    """As Textual will set them, but that Ctrl-C still ends the process."""
    iflag, lflag, signs = modes[IFLAG], modes[LFLAG], list(modes[CC])
    iflag &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    lflag &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    signs[termios.VMIN], signs[termios.VTIME] = 1, 0
    for sign in (termios.VSUSP, termios.VQUIT):
        signs[sign] = b"\0"
    changed: Modes = list(modes)
    changed[IFLAG], changed[LFLAG], changed[CC] = iflag, lflag, signs
    return changed


def _end(number: int, _frame: Any) -> None:
    raise SystemExit(128 + number)
