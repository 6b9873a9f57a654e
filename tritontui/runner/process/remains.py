"""What a run leaves going on in this process: threads, and processes it has started. Either would disturb the next."""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import time
from pathlib import Path
from threading import Lock
from typing import NamedTuple

_STEP_SECONDS = 0.01
_LAST_STEPS = 20
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER, Linux 3.4 (``linux/prctl.h``)."""

_thread_count = _thread._count  # threads started behind threading's back, too
_sleep = time.sleep  # the learner may patch the module


def adopt_orphans() -> None:
    """Let what the learner's processes start become this one's when they end: a daemon is seen, too."""
    with contextlib.suppress(AttributeError, OSError):  # another system
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


class Remains(NamedTuple):
    """As counted before a run."""

    threads: int
    processes: frozenset[str]

    @classmethod
    def now(cls) -> Remains:
        return cls(_thread_count(), _living())

    def settled(self, ours: Lock) -> bool:
        """Whether nothing more goes on than before; what is about to end gets a moment.

        ``ours`` is held while this process starts others on its own account.
        """
        for _ in range(_LAST_STEPS):
            if _thread_count() <= self.threads and _living() <= self.processes:
                return True
            _sleep(_STEP_SECONDS)
        with ours:
            return _thread_count() <= self.threads and _living() <= self.processes


def _living() -> frozenset[str]:
    """Ids of the processes this one has started or adopted, but for those that have ended. Empty off Linux."""
    started = [pid for task in Path("/proc/self/task").glob("*/children") for pid in _text(task).split()]
    return frozenset(pid for pid in started if _lives(pid))


def _lives(pid: str) -> bool:
    state = _text(Path(f"/proc/{pid}/stat")).rpartition(") ")[2][:1]
    return state not in ("", "Z", "X")


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has just ended
        return ""
