"""The application in a terminal of its own: a pty that pyte reads, as a person would."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from struct import pack

import pyte

CODE = """
from tritontui.ui.app import Options, run
raise SystemExit(run(Options(device="cpu", language="en", lesson=5)))
"""


class Terminal:
    """A child process on a pty of ``columns`` × ``rows``, and the screen it has drawn."""

    def __init__(self, home: Path, columns: int = 120, rows: int = 40, command: tuple[str, ...] = ("-c", CODE)) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._main, terminal = pty.openpty()
        ioctl(terminal, termios.TIOCSWINSZ, pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(terminal)
        # a size in the environment would count for more than the terminal's own
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        environment |= {"TERM": "xterm-256color", "TRITONTUI_HOME": str(home)}
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment,
            start_new_session=True,
        )
        self._terminal = terminal
        self._gone = False
        self.raw = b""
        """Everything written so far."""

    @property
    def modes(self) -> list[object]:
        """The line discipline as it is now."""
        return termios.tcgetattr(self._terminal)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def send(self, keys: bytes) -> None:
        os.write(self._main, keys)

    def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        """Read what comes until ``condition`` holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            assert left > 0, self.text
            self.read(left)

    def read(self, seconds: float) -> None:
        """Take in what has been written, waiting at most ``seconds`` for something."""
        if select.select([self._main], [], [], seconds)[0]:
            data = os.read(self._main, 65536)
            self.raw += data
            self._stream.feed(data)

    def end(self, seconds: float = 20.0) -> int:
        """Read on until the process has ended; its exit status."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text
            self.read(0.05)
        while select.select([self._main], [], [], 0)[0]:
            self.read(0)
        return self.process.returncode

    def vanish(self) -> None:
        """The terminal is there no more, and no signal tells so."""
        os.close(self._terminal)
        os.close(self._main)
        self._gone = True

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if not self._gone:
            self.vanish()


@contextmanager
def terminal(
    home: Path, columns: int = 120, rows: int = 40, command: tuple[str, ...] = ("-c", CODE)
) -> Iterator[Terminal]:
    """A terminal with the application in it, or what Python makes of ``command``; killed at the end."""
    made = Terminal(home, columns, rows, command)
    try:
        yield made
    finally:
        made.close()
