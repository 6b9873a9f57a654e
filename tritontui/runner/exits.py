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

from tritontui.runner.session import LearnerExit

_getpid = os.getpid
_getpgrp = os.getpgrp
_getppid = os.getppid


def _always(*_: Any) -> bool:
    return True


def _kills_us(pid: int, *_: Any) -> bool:
    """This process, its group, everything that may be signalled, or the interface; a child of its own may be killed."""
    return pid in (_getpid(), 0, -_getpgrp(), -1, _getppid())


def _kills_our_group(group: int, *_: Any) -> bool:
    return group in (_getpgrp(), 0)


_WAYS_OUT: tuple[tuple[ModuleType, str, Callable[..., bool]], ...] = (
    (os, "_exit", _always),
    (os, "abort", _always),
    (os, "kill", _kills_us),
    (os, "killpg", _kills_our_group),
    (os, "execv", _always),
    (os, "execve", _always),
    (signal, "raise_signal", _always),
    (signal, "pthread_kill", _always),
)
"""Functions, and whether a call of theirs would end this process."""


@contextmanager
def closed_exits(learner_line: Callable[[Any], int | None]) -> Iterator[None]:
    """While active, a way out taken from a learner's frame raises LearnerExit; from elsewhere it works as ever.

    ``learner_line`` gives the innermost learner's line from a frame outwards. A fork of the process may still leave.
    """
    originals = [(module, name, getattr(module, name)) for module, name, _ in _WAYS_OUT]
    process = _getpid()

    def closed(call: str, original: Callable[..., Any], ends_us: Callable[..., bool]) -> Callable[..., Any]:
        def way_out(*arguments: Any) -> Any:
            line = learner_line(sys._getframe(1))
            if line is not None and _getpid() == process and ends_us(*arguments):
                raise LearnerExit(call, line, _status(call, arguments))
            return original(*arguments)

        return way_out

    for module, name, ends_us in _WAYS_OUT:
        setattr(module, name, closed(f"{module.__name__}.{name}", getattr(module, name), ends_us))
    try:
        yield
    finally:
        for module, name, original in originals:
            setattr(module, name, original)


def _status(call: str, arguments: Sequence[Any]) -> int:
    """What the shell would have seen, where the call says so."""
    if call == "os._exit" and arguments and isinstance(arguments[0], int):
        return arguments[0] & 0xFF
    return 1
