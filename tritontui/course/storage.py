"""Writing to the learner's disk, with words for what can go wrong there."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Literal

from tritontui.i18n import N_

StorageFault = Literal[
    "full", "read-only", "denied", "missing", "file", "foreign", "folder", "special", "busy", "damaged", "unreadable",
    "homeless", "other",
]  # fmt: skip

_FAULT_OF_ERRNO: dict[int, StorageFault] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.ENOENT: "missing",
    errno.ENOTDIR: "file",
    errno.EISDIR: "folder",
}

MESSAGES: dict[StorageFault, str] = {
    "full": N_("There is no room left on the disk that holds {path}."),
    "read-only": N_("The disk that holds {path} is read-only."),
    "denied": N_("You may not write to {path}."),
    "missing": N_("{path} is not there any more."),
    "busy": N_("Another program has kept {path} locked for too long."),
    "file": N_("A file stands where a folder above {path} should be."),
    "foreign": N_("{path} belongs to somebody else."),
    "folder": N_("A folder stands where {path} should be."),
    "special": N_("A pipe or a device stands where {path} should be."),
    "unreadable": N_("{path} can't be read: {reason}."),
    "damaged": N_("{path} can't be read."),
    "homeless": N_("Nobody knows which folder {path} is. Set HOME, or set TRITONTUI_HOME to a folder of your own."),
    "other": N_("{path} could not be written: {reason}."),
}
"""Templates in English, to be translated where they are shown."""


class StorageError(Exception):
    """A file of the learner could not be read or written; nothing that was on the disk is lost.

    ``message`` is a template of MESSAGES and ``values`` its fields, so that it can be said in any language;
    ``str()`` gives it in English.
    """

    def __init__(self, fault: StorageFault, path: Path, reason: str = "") -> None:
        self.fault: StorageFault = fault
        self.path = path
        self.message = MESSAGES[fault]
        self.values = {"path": str(path), "reason": reason}
        super().__init__(self.message.format(**self.values))

    @classmethod
    def from_os(cls, error: OSError, path: Path, *, reading: bool = False) -> StorageError:
        fault = _FAULT_OF_ERRNO.get(error.errno or 0, "other")
        if reading and fault not in ("missing", "folder"):
            fault = "unreadable"
        return cls(fault, path, error.strerror or str(error))

    @classmethod
    def from_sqlite(cls, error: sqlite3.Error, path: Path) -> StorageError:
        """SQLite says what failed in its words alone (``sqlite_errorcode`` needs Python 3.11)."""
        words = str(error)
        fault: StorageFault = "other"
        for sign, known in _FAULT_OF_SQLITE:
            if sign in words:
                fault = known
                break
        return cls(fault, path, words)


_FAULT_OF_SQLITE: tuple[tuple[str, StorageFault], ...] = (
    ("disk is full", "full"),
    ("readonly", "read-only"),
    ("locked", "busy"),
    ("unable to open", "denied"),
    ("malformed", "damaged"),
    ("not a database", "damaged"),
)


_NEW = ".new"
"""Ends the names of files that are being written."""


def make_folder(folder: Path) -> None:
    """Create ``folder`` and what is missing above it, for its owner alone (0700). Raises StorageError."""
    try:
        for each in (*reversed(folder.parents), folder):
            if not each.exists():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StorageError.from_os(error, folder) from error


def make_private(folder: Path) -> None:
    """``make_folder``, and one that is there already is closed to others. Raises StorageError for somebody else's."""
    make_folder(folder)
    try:
        status = folder.stat()
        if status.st_uid != os.geteuid() != 0:  # whoever made it could change what is in it
            raise StorageError("foreign", folder)
        if status.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise StorageError.from_os(error, folder) from error


def read_learners(path: Path) -> str:
    """The text of a learner's file, as UTF-8 without a byte order mark, its lines ended by ``\\n`` alone.

    Bytes that are no text are replaced, so that a strange file can still be opened and mended. Raises StorageError; of
    a pipe nothing is waited for.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StorageError("special", path)
            return file.read().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    except OSError as error:
        raise StorageError.from_os(error, path, reading=True) from error


STRAY_S = 3600.0
"""A write takes seconds at most; a file of one that is as old as this was left behind."""


def remove_strays(folder: Path, now: float) -> None:
    """Remove what writes that were killed in the middle left in ``folder`` and below; ``now``: seconds since 1970."""
    for stray in folder.rglob(f".*{_NEW}"):
        with suppress(OSError):
            if now - stray.stat().st_mtime > STRAY_S:
                stray.unlink()


def write_atomically(path: Path, text: str) -> None:
    """Replace ``path`` by ``text`` so that a reader, a crash or a full disk sees the old text or the new one, whole.

    The new text goes to a temporary file beside it, reaches the disk (fsync) and takes the name. Raises StorageError.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_NEW)
    except OSError as error:
        raise StorageError.from_os(error, path) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError.from_os(error, path) from error
        raise
