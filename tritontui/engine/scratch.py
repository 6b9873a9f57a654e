"""The engine's folder of temporary files, and those of engines that were killed before anything watched over them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_PREFIX = "tritontui-engine-"
_YOUNG_S = 60.0
"""One that has just been made may not be held yet."""
_KEEPER = 'read -r line && exit; rm -rf -- "$1"'
"""Its stdin, a pipe from this process, ended without a line: this process is dead. Remove folder $1."""


class Scratch:
    """A fresh folder, for its owner alone; it is held by a lock, so that others see that somebody uses it.

    From the beginning a process of its own waits for the end of this one, to remove it: this one may be killed before a
    child is watched over, or between two.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._keeper = _keeper(self.path)
        self._lock = _held(self.path)

    def close(self) -> None:
        """Remove it and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._keeper is not None:
            with suppress(OSError):
                self._keeper.communicate(b"done\n")
            self._keeper = None
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


def _keeper(folder: Path) -> subprocess.Popen[bytes] | None:
    """None where no process can be started: the folder is removed by the next start."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "tritontui-watcher", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


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
