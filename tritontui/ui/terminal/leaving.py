"""Ends that nobody chose: SIGHUP when the line drops, SIGTERM, a terminal that is gone without a signal.

The text is saved and the terminal put back.
"""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

STDIN, STDOUT = 0, 1
GRACE_S = 3.0
"""For an orderly end; a terminal that isn't read any more would hold it up for good."""
SAVE_S = 30.0
"""For a disk that takes its time."""
Modes = list[Any]
"""As ``termios`` has them."""
SIGNALS = (signal.SIGHUP, signal.SIGTERM)
RESTORE = b"\x1b[?1049l\x1b[?7h\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[0m"
"""Leave the alternate screen, wrap long lines, show the cursor, stop mouse reports and bracketed paste."""


class Leaving:
    """``save`` runs at once, in the signal handler; ``leave`` asks the application to end; a watch ends it for sure.

    ``modes``: those of the terminal before the application touched it; None: those it has now.
    """

    def __init__(self, leave: Callable[[], object], save: Callable[[], None], modes: Modes | None = None) -> None:
        self._leave = leave
        self._save = save
        self._saved = threading.Event()
        self._modes = modes or modes_now()

    def install(self) -> None:
        """Handle the signals; only in the main thread, where Python lets handlers be set."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                signal.signal(number, self._handle)
            if self._modes is not None:
                threading.Thread(target=_watch_terminal, name="hang-up", daemon=True).start()

    def _handle(self, number: int, _frame: object) -> None:
        watch = threading.Timer(GRACE_S, self._end, [number])
        watch.daemon = True
        watch.start()
        try:
            self._save()
        finally:
            self._saved.set()
        with suppress(RuntimeError):  # the event loop has just been closed
            self._leave()

    def _end(self, number: int) -> None:
        """The orderly end didn't come: put the terminal back and go, but not before a slow disk has the text."""
        self._saved.wait(SAVE_S)
        with suppress(OSError, termios.error):  # the terminal may be gone
            os.set_blocking(STDOUT, False)
            os.write(STDOUT, RESTORE)
            if self._modes is not None:
                termios.tcsetattr(STDIN, termios.TCSANOW, self._modes)
        os._exit(128 + number)


def _watch_terminal() -> None:
    """Only a controlling terminal sends SIGHUP. From any other that is gone, reading would go on for ever."""
    poll = select.poll()
    poll.register(STDIN, 0)  # a hang-up is told whether asked for or not
    poll.poll()
    os.kill(os.getpid(), signal.SIGHUP)


def modes_now() -> Modes | None:
    """Those of the terminal that keys come from; None where they come from elsewhere."""
    try:
        return termios.tcgetattr(STDIN)
    except (termios.error, OSError):
        return None
