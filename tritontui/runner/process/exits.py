"""Ways out of the process, closed while the learner's code runs: each becomes an exception with the line that took it.

What can't be wrapped (a wild pointer in ctypes, a raw system call) still ends the process; the engine then says so.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from tritontui.runner.replaced import replaced
from tritontui.runner.session import LearnerExit

_getpid = os.getpid
_getpgrp = os.getpgrp
_getppid = os.getppid


_SIGNALLED = 128
"""A shell's exit code of a process that a signal ended is this and the signal's number."""
_SIGNALLING = frozenset({"os.kill", "os.killpg", "signal.raise_signal", "signal.pthread_kill"})
_HARMLESS = frozenset({signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH})
"""Signals that do nothing by default."""


def _always(*_: Any) -> bool:
    return True


def _ends_by(number: int) -> bool:
    """Whether that signal would end or stop this process, as its handlers stand."""
    if number == 0 or number in _HARMLESS or number not in signal.valid_signals():
        return False
    return signal.getsignal(number) in (signal.SIG_DFL, None)


def _kills_us(pid: int, number: int) -> bool:
    """This process, its group, everything that may be signalled, or the interface; a child of its own may be killed."""
    if pid == _getppid():
        return number != 0
    return pid in (_getpid(), 0, -_getpgrp(), -1) and _ends_by(number)


def _kills_our_group(group: int, number: int) -> bool:
    return group in (_getpgrp(), 0) and _ends_by(number)


def _kills_a_thread(_: int, number: int) -> bool:
    return _ends_by(number)


_WAYS_OUT: tuple[tuple[ModuleType, str, Callable[..., bool]], ...] = (
    (os, "_exit", _always),
    (os, "abort", _always),
    (os, "kill", _kills_us),
    (os, "killpg", _kills_our_group),
    (os, "execv", _always),
    (os, "execve", _always),
    (signal, "raise_signal", _ends_by),
    (signal, "pthread_kill", _kills_a_thread),
)
"""Functions, and whether a call of theirs would end this process."""


@contextmanager
def closed_exits(learner_line: Callable[[Any], int | None]) -> Iterator[None]:
    """While active, a way out taken from a learner's frame raises LearnerExit; from elsewhere it works as ever.

    ``learner_line`` gives the innermost learner's line from a frame outwards. A fork of the process may still leave.
    """
    process = _getpid()

    def closed(call: str, original: Callable[..., Any], ends_us: Callable[..., bool]) -> Callable[..., Any]:
        def way_out(*arguments: Any) -> Any:
            line = learner_line(sys._getframe(1))
            if line is not None and _getpid() == process and ends_us(*arguments):
                raise LearnerExit(call, line, _status(call, arguments))
            return original(*arguments)

        return way_out

    ways = (
        (module, name, closed(f"{module.__name__}.{name}", getattr(module, name), ends_us))
        for module, name, ends_us in _WAYS_OUT
    )
    with replaced(*ways):
        yield


def _status(call: str, arguments: Sequence[Any]) -> int:
    """What the shell would have seen."""
    last = arguments[-1] if arguments else None
    if call == "os.abort":
        return _SIGNALLED + signal.SIGABRT
    if call == "os._exit" and isinstance(last, int):
        return last & 0xFF
    return _SIGNALLED + last if call in _SIGNALLING and isinstance(last, int) else 1
