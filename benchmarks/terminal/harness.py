"""An application in a pseudo-terminal: keys go in, bytes come out, with the moment they came."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_FOREIGN = (
    "PYTHONDONTWRITEBYTECODE",
    "COLORTERM",
    "NO_COLOR",
    "TMUX",
    "STY",
    "TERM_PROGRAM",
    "SSH_CONNECTION",
    "SSH_TTY",
    "SSH_CLIENT",
    "COLUMNS",
    "LINES",
)
"""What would make a measurement depend on where it is started from; an installed application has its bytecode, and a
size in the environment, as xdist sets one, would count for more than the terminal's own."""

_FRAME_BEGINS = b"\x1b[?2026h"


class Chunk(NamedTuple):
    """Bytes that were read together."""

    seconds: float
    """Since the moment that the output counts from."""
    processor_s: float
    """Processor time the application had used since its start; on a busy machine it says more than the clock."""
    data: bytes


@dataclass
class Output:
    """What an application wrote from some moment on."""

    chunks: list[Chunk] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(chunk.data for chunk in self.chunks)

    @property
    def first(self) -> Chunk | None:
        """The first chunk that draws something."""
        return next((chunk for chunk in self.chunks if len(chunk.data) > len(_FRAME_BEGINS)), None)


class PseudoTerminal:
    """Runs ``command`` in a terminal of ``columns`` × ``rows`` with 256 colours.

    It answers, as today's terminals do, that it can hold output back until a frame is complete (mode 2026): with the
    marks around each frame the bytes counted are rather too many than too few.
    """

    def __init__(
        self, command: Sequence[str], columns: int = 120, rows: int = 40, environ: Mapping[str, str] | None = None
    ) -> None:
        env = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"} | dict(environ or {})
        self.started = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            # The size must be there before the application asks for it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(command[0], list(command), env)
        self.columns, self.rows = columns, rows
        self._status: int | None = None

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, keys: bytes | str) -> None:
        """Type ``keys``."""
        os.write(self._fd, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as when a window is dragged."""
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def take(self, seconds: float) -> Chunk | None:
        """What is there, or comes within ``seconds``; None when nothing does, or nobody writes any more."""
        if not select.select([self._fd], [], [], max(seconds, 0.0))[0]:
            return None
        return self._chunk(self.started)

    def read(
        self,
        quiet: float = 0.1,
        limit: float = 10.0,
        until: bytes | None = None,
        since: float | None = None,
        patience: float | None = None,
    ) -> Output:
        """What is written from now on, until nothing has come for ``quiet`` seconds (after ``until``, if given).

        The first byte may take ``patience`` seconds, by default ``quiet`` too.
        """
        begin = time.perf_counter()
        since = begin if since is None else since
        output = Output()
        while time.perf_counter() - begin < limit:
            wait = quiet if output.chunks or patience is None else patience
            ready, _, _ = select.select([self._fd], [], [], wait)
            if not ready:
                if until is None or until in output.data:
                    break
                continue
            chunk = self._chunk(since)
            if chunk is None:
                break
            output.chunks.append(chunk)
        return output

    def chunks(self, limit: float = 30.0) -> Iterator[Chunk]:
        """What is written, as it comes, counted from the start of the application."""
        while time.perf_counter() - self.started < limit:
            ready, _, _ = select.select([self._fd], [], [], 0.1)
            if ready:
                chunk = self._chunk(self.started)
                if chunk is None:
                    return
                yield chunk

    def _chunk(self, since: float) -> Chunk | None:
        """What is there to read; None if the application has ended."""
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            return None
        if not data:
            return None
        if b"\x1b[?2026$p" in data:
            self.send(b"\x1b[?2026;2$y")
        return Chunk(time.perf_counter() - since, self.processor_s, data)

    def press(self, keys: bytes | str, quiet: float = 0.06) -> Output:
        """Type ``keys`` and read what they cause; times count from the key."""
        begin = time.perf_counter()
        self.send(keys)
        return self.read(quiet, since=begin, patience=max(quiet, 0.5))

    @property
    def resident_mb(self) -> float:
        """Resident memory of the application's own process."""
        with Path(f"/proc/{self.pid}/status").open() as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    @property
    def processor_s(self) -> float:
        """Processor time that all threads of the application's own process have used."""
        nanoseconds = 0
        for task in Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            with suppress(OSError):  # a thread that has just ended
                nanoseconds += int(task.read_text().split()[0])
        return nanoseconds / 1e9

    @property
    def exit_status(self) -> int | None:
        """As subprocess has it: negative for a signal; None while the application runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    @property
    def modes(self) -> list[object]:
        """The line discipline as it is now."""
        return termios.tcgetattr(self._fd)

    def hang_up(self) -> None:
        """The line drops: the terminal is there no more."""
        os.close(self._fd)
        self._fd = os.open(os.devnull, os.O_RDWR)

    def close(self) -> None:
        """End the application and whatever it started in its session."""
        for end in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                end(self.pid, signal.SIGKILL)
        if self._status is None:
            os.waitpid(self.pid, 0)
        os.close(self._fd)
