"""The processes that a learner's code leaves behind: found by their environment, whatever else they changed."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

MARK = "TRITONTUI_RUNNER"
"""Variable in a child's environment; its value is the child's alone, and goes on to whatever that starts."""

_PASSES = 5
"""Something may start the next one while this one is killed."""


def end_offspring(mark: str, proc: Path = Path("/proc")) -> None:
    """SIGKILL to every process that was started under ``mark``, also those with a session of their own.

    Where there is no ``/proc`` only the child's own group can be ended, and ``Child`` does that.
    """
    for _ in range(_PASSES):
        found = list(_marked(f"{MARK}={mark}\0".encode(), proc))
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def _marked(entry: bytes, proc: Path) -> Iterator[int]:
    for environment in proc.glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # somebody else's, or gone by now
            if entry in environment.read_bytes():  # empty for a zombie
                yield int(environment.parent.name)
