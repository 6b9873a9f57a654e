"""Ways out of the process, closed while the learner's code runs: each becomes an exception with the line that took it.

What can't be wrapped (a wild pointer in ctypes, a raw system call) still ends the process; the engine then says so.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NoReturn

from tritontui.runner.session import LearnerExit

_WAYS_OUT: tuple[tuple[ModuleType, str], ...] = (
    (os, "_exit"),
    (os, "abort"),
    (os, "kill"),
    (os, "killpg"),
    (os, "execv"),
    (os, "execve"),
    (signal, "raise_signal"),
    (signal, "pthread_kill"),
)
_getpid = os.getpid


@contextmanager
def closed_exits(learner_line: Callable[[Any], int | None]) -> Iterator[None]:
    """While active, a way out taken from a learner's frame raises LearnerExit; from elsewhere it works as ever.

    ``learner_line`` gives the innermost learner's line from a frame outwards. A fork of the process may still leave.
    """
    originals = [(module, name, getattr(module, name)) for module, name in _WAYS_OUT]
    process = _getpid()
    for module, name, original in originals:
        setattr(module, name, _closed(module, name, original, process, learner_line))
    try:
        yield
    finally:
        for module, name, original in originals:
            setattr(module, name, original)


def _closed(
    module: ModuleType,
    name: str,
    original: Callable[..., Any],
    process: int,
    learner_line: Callable[[Any], int | None],
) -> Callable[..., Any]:
    def way_out(*arguments: Any) -> Any:
        line = learner_line(sys._getframe(1))
        if line is None or _getpid() != process:
            return original(*arguments)
        return _refuse(f"{module.__name__}.{name}", line)

    way_out.__name__ = name
    return way_out


def _refuse(call: str, line: int) -> NoReturn:
    raise LearnerExit(call, line)
