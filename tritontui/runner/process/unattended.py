"""Debuggers while the learner's code runs: nobody sits before the child, so what would stop and ask ends there."""

from __future__ import annotations

import bdb
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


@contextmanager
def unattended() -> Iterator[None]:
    """While active, ``breakpoint()`` and ``set_trace`` of Python's debugger, and of those built on it, raise BdbQuit.

    On their own line, and without a prompt; left to themselves they would read the end of stdin, and raise it a line
    later.
    """
    hook, stop = sys.breakpointhook, bdb.Bdb.set_trace
    sys.breakpointhook = bdb.Bdb.set_trace = _quit  # type: ignore[method-assign]
    try:
        yield
    finally:
        sys.breakpointhook, bdb.Bdb.set_trace = hook, stop  # type: ignore[method-assign]


def _quit(*_: Any, **__: Any) -> NoReturn:
    raise bdb.BdbQuit("nobody is there to talk to a debugger")
