"""The engine's folder of temporary files, and those of engines that were killed before anything watched over them."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_PREFIX = "tritontui-engine-"
_YOUNG_S = 60.0
"""One that has just been made may not be held yet."""


class Scratch:
    """A fresh folder, for its owner alone; it is held by a lock, so that others see that somebody uses it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _held(self.path)

    def close(self) -> None:
        """Remove it and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove_abandoned(self) -> None:
        """Remove the folders beside it that are one's own, older than a minute, and held by nobody."""
        for folder in self.path.parent.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                status = folder.lstat()
                if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _YOUNG_S:
                    _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    lock = _held(folder)
    if lock is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _held(folder: Path) -> int | None:
    """A descriptor that holds the lock of ``folder``; None when somebody else does, or it is no folder of ours."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
