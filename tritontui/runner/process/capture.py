"""What the learner's program prints, from Python or from C, read from a pipe of its own and sent on as Output."""

from __future__ import annotations

import array
import codecs
import contextlib
import ctypes
import fcntl
import os
import select
import sys
import termios
import threading
import time
from collections.abc import Callable
from typing import TextIO

from tritontui.engine.limits import OUTPUT_BYTES
from tritontui.engine.messages import Output

_CHUNK = 256 * 1024
_GATHER_SECONDS = 0.01
"""Many small prints make one frame."""
_DRAIN_SECONDS = 1.0

_sleep = time.sleep  # the learner may patch the module


class Capture:
    """Owns fds 1 and 2 of the process. Prints outside a run are dropped."""

    def __init__(self, source: int, sink: int, send: Callable[[Output], None]) -> None:
        self._source = source
        self._sink = sink
        self._send = send
        self._limit = OUTPUT_BYTES
        self._state = threading.Condition()
        self._run: int | None = None
        self._kept = 0
        self._dropped = 0
        self._consumed = 0
        self._decoder = _decoder()

    @classmethod
    def take_over(cls, send: Callable[[Output], None]) -> Capture:
        """Point fds 1 and 2 at a pipe and start the thread that reads it."""
        capture = cls(*os.pipe(), send)
        capture.connect()
        threading.Thread(target=capture.read_on, name="capture", daemon=True).start()
        return capture

    def connect(self) -> None:
        """Point fds 1 and 2 and Python's streams at the pipe, whatever an earlier program did to them."""
        for descriptor in (1, 2):
            os.dup2(self._sink, descriptor)
        sys.stdout = sys.__stdout__ = _stream(1)  # type: ignore[misc, assignment]
        sys.stderr = sys.__stderr__ = _stream(2)  # type: ignore[misc, assignment]

    @property
    def dropped(self) -> int:
        """Bytes of this run over the cap so far."""
        return self._dropped

    def begin(self, run: int, limit: int = OUTPUT_BYTES) -> None:
        """What is printed from now on belongs to ``run``, of which ``limit`` bytes are sent on."""
        self.drain()
        self.connect()
        with self._state:
            self._run, self._kept, self._dropped, self._decoder = run, 0, 0, _decoder()
            self._limit = limit

    def finish(self) -> None:
        """Send what ``run`` has printed and how much was dropped; later prints belong to no run."""
        self.drain()
        with self._state:
            run, dropped, self._run = self._run, self._dropped, None
            rest = self._decoder.decode(b"", final=True)
        if run is not None and (rest or dropped):
            self._send(Output(run, rest, dropped))

    def drain(self) -> None:
        """Return when all that was written before this call has been read (or a second has passed)."""
        _flush_streams()
        with self._state:
            target = self._consumed + _waiting_bytes(self._source)
            self._state.wait_for(lambda: self._consumed >= target, timeout=_DRAIN_SECONDS)

    def read_on(self) -> None:
        """The reading thread's work, until every writer of the pipe is gone."""
        while True:
            select.select([self._source], [], [])
            if self._kept < self._limit:
                _sleep(_GATHER_SECONDS)
            with self._state:
                data = os.read(self._source, _CHUNK)
                text = self._accept(data)
                run = self._run
                if text and run is not None:
                    self._send(Output(run, text))
                self._consumed += len(data)
                self._state.notify_all()
            if not data:
                return

    def _accept(self, data: bytes) -> str:
        if self._run is None:
            return ""
        room = max(0, self._limit - self._kept)
        self._dropped += max(0, len(data) - room)
        self._kept += min(len(data), room)
        return self._decoder.decode(data[:room])


def _stream(descriptor: int) -> TextIO:
    """Closing it leaves the descriptor open."""
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")


def _waiting_bytes(descriptor: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


_libc = ctypes.CDLL(None)


def _flush_streams() -> None:
    """Python's buffers, then C's, where CUDA puts what kernels print."""
    for stream in (sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):
            if stream is not None:
                stream.flush()
    _libc.fflush(None)
