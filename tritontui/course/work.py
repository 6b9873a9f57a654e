"""The learner's code: plain ``.py`` files, never lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from tritontui.course.model import ExerciseFolder
from tritontui.course.storage import StorageError, make_folder, read_learners, remove_strays, write_atomically

VERSIONS_KEPT = 20
VERSION_NAME = "%Y-%m-%d_%H-%M-%S-%f"
"""UTC, so that names sort by age through a change of the clock in autumn."""
VERSION_INTERVAL_S = 120.0
"""Typing saves every half second; a version is worth keeping when the newest is at least this old."""


Stamp = tuple[int, int, int]
"""Of a file: when it was written (ns), its length, and its inode, for editors that put another file in its place."""


class Version(NamedTuple):
    """An earlier text of an exercise."""

    path: Path

    @property
    def saved(self) -> float:
        """When it was kept, in seconds since 1970."""
        return datetime.strptime(self.path.stem, VERSION_NAME).replace(tzinfo=timezone.utc).timestamp()

    def read(self) -> str:
        return read_learners(self.path)


class Work:
    """One folder with ``<exercise>.py`` each, and ``versions/<exercise>/<time>.py`` for earlier texts."""

    def __init__(
        self, folder: Path, clock: Callable[[], float] = time.time, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        """``clock`` may be set back and forth; ``elapsed`` may not."""
        self.folder = folder
        self._clock = clock
        self._elapsed = elapsed
        self._kept: dict[str, float] = {}
        """By exercise when its newest version was kept here, by ``elapsed``."""
        self._known: dict[str, str | None] = {}
        """Each exercise's text as it was last read or written here."""
        self._swept = False

    def path(self, exercise: str) -> Path:
        """The file of ``exercise``, whether or not it is there yet: any editor may open it."""
        return self.folder / f"{exercise}.py"

    def read(self, exercise: str) -> str | None:
        """The learner's text, or None when nothing was written yet. Raises StorageError."""
        try:
            text = read_learners(self.path(exercise))
        except StorageError as error:
            if error.fault != "missing":
                raise
            text = None
        self._known[exercise] = text
        return text

    def open(self, exercise: ExerciseFolder) -> str:
        """The learner's text, or the starter's when there is none yet (nothing is written). Raises StorageError."""
        text = self.read(exercise.id)
        return read_learners(exercise.starter) if text is None else text

    def save(self, exercise: str, text: str) -> bool:
        """Write ``text``; True when it takes the place of what another program wrote meanwhile.

        What others wrote always becomes a version, earlier text of our own now and then. Raises StorageError; the
        file then holds what it held before.
        """
        known = self._known.get(exercise)
        old = self.read(exercise)
        if old == text:
            return False
        make_folder(self.folder)
        if not self._swept:
            remove_strays(self.folder, self._clock())
            self._swept = True
        foreign = old is not None and known is not None and old != known
        if old is not None and (foreign or self._version_is_due(exercise)):
            self._keep(exercise, old)
        write_atomically(Path(os.path.realpath(self.path(exercise))), text)  # it may be a link into a repository
        self._known[exercise] = text
        return foreign

    def keep(self, exercise: str) -> None:
        """Keep the text as it stands as a version (a run that passed, an export). Raises StorageError."""
        text = self.read(exercise)
        newest = next(iter(self.versions(exercise)), None)
        if text is not None and (newest is None or newest.read() != text):
            self._keep(exercise, text)

    def reset(self, exercise: ExerciseFolder) -> str:
        """Back to the starter, whose text is given back; the old text is kept as a version. Raises StorageError."""
        starter = read_learners(exercise.starter)
        self.put_back(exercise.id)
        self.keep(exercise.id)
        self.save(exercise.id, starter)
        return starter

    def set_aside(self, exercise: str, text: str) -> None:
        """Keep ``text`` in a place of its own while the exercise's is broken on purpose. Raises StorageError."""
        make_folder(self._aside(exercise).parent)
        write_atomically(self._aside(exercise), text)

    def put_back(self, exercise: str) -> str | None:
        """Make the text that was set aside the exercise's again; None when there is none. Raises StorageError."""
        aside = self._aside(exercise)
        if not aside.exists():
            return None
        text = read_learners(aside)
        self.save(exercise, text)
        aside.unlink(missing_ok=True)
        return text

    def _aside(self, exercise: str) -> Path:
        return self.folder / "aside" / f"{exercise}.py"

    def stamp(self, exercise: str) -> Stamp | None:
        """What changes when another editor writes the file; None when there is none. Raises StorageError."""
        path = self.path(exercise)
        try:
            status = path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError.from_os(error, path, reading=True) from error
        return status.st_mtime_ns, status.st_size, status.st_ino

    def versions(self, exercise: str) -> list[Version]:
        """Earlier texts, newest first."""
        return [Version(path) for path in sorted(self._versions_folder(exercise).glob("[0-9]*.py"), reverse=True)]

    def exercises(self) -> list[str]:
        """Ids of the exercises that the learner has written something for."""
        return sorted(path.stem for path in self.folder.glob("*.py"))

    def _versions_folder(self, exercise: str) -> Path:
        return self.folder / "versions" / exercise

    def _version_is_due(self, exercise: str) -> bool:
        if exercise in self._kept:
            return self._elapsed() - self._kept[exercise] >= VERSION_INTERVAL_S
        newest = next(iter(self.versions(exercise)), None)
        return newest is None or not 0 <= self._clock() - newest.saved < VERSION_INTERVAL_S

    def _keep(self, exercise: str, text: str) -> None:
        folder = self._versions_folder(exercise)
        make_folder(folder)
        newest = next(iter(self.versions(exercise)), None)
        now = datetime.fromtimestamp(self._clock(), timezone.utc)
        if newest is not None:  # a clock that was set back would make the newest text the first to be dropped
            now = max(now, datetime.fromtimestamp(newest.saved, timezone.utc) + timedelta(microseconds=1))
        write_atomically(folder / f"{now.strftime(VERSION_NAME)}.py", text)
        self._kept[exercise] = self._elapsed()
        for old in self.versions(exercise)[VERSIONS_KEPT:]:
            old.path.unlink(missing_ok=True)
