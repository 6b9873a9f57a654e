"""The child's end of the protocol: stdin and stdout moved out of the learner's reach."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from tritontui.engine.frames import encode, request_decoder
from tritontui.engine.messages import Reply, Request

_READ_BYTES = 64 * 1024
_exit, _getpid, _write = os._exit, os.getpid, os.write  # the learner's code may run while these are patched


class Wire:
    """Reads requests and writes replies on two private file descriptors. ``send`` may be called from any thread."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies
        self._lock = threading.Lock()
        self._process = os.getpid()
        os.register_at_fork(after_in_child=self._hang_up)

    @classmethod
    def take_over(cls) -> Wire:
        """Move fds 0 and 1 to high numbers that programs the learner starts don't inherit; fd 0 becomes /dev/null."""
        requests, replies = (_moved(descriptor) for descriptor in (0, 1))
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.close(null)
        return cls(requests, replies)

    def receive(self) -> Iterator[Request]:
        """Requests until the engine hangs up. Raises FrameError on anything else."""
        decoder = request_decoder()
        while data := os.read(self._requests, _READ_BYTES):
            yield from decoder.feed(data)

    def send(self, reply: Reply) -> None:
        """Write one reply whole. Ends the process when nobody can hear it any more."""
        if _getpid() != self._process:
            _exit(0)  # a fork made by the learner came back into our code
        frame = memoryview(encode(reply))
        try:
            with self._lock:
                while frame:
                    frame = frame[_write(self._replies, frame) :]
        except OSError:
            _exit(os.EX_IOERR)

    def _hang_up(self) -> None:
        for descriptor in (self._requests, self._replies):
            with contextlib.suppress(OSError):  # a fork of a fork
                os.close(descriptor)


def _moved(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)
