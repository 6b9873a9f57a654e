"""Where a learner's files live on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tritontui.course.storage import StorageError, make_private

HOME_VARIABLE = "TRITONTUI_HOME"


class Paths(NamedTuple):
    """Folders of one learner, none shared with another; all are made 0700."""

    data: Path
    """What the learner would miss: code, progress."""
    cache: Path
    """What can be made again: this GPU's measured ceilings, compiled kernels."""
    state: Path
    """Logs."""
    config: Path
    """What the learner writes by hand."""

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Paths:
        """The folders of this system (platformdirs), or those under ``TRITONTUI_HOME`` when it is set.

        Raises StorageError where the system doesn't know a home: no HOME, and a user without an entry in passwd.
        """
        home = environ.get(HOME_VARIABLE)
        try:
            return cls._under(Path(home).expanduser().absolute()) if home else cls._of_system()
        except RuntimeError as error:
            raise StorageError("homeless", Path(home or "~")) from error

    @classmethod
    def _under(cls, root: Path) -> Paths:
        return cls(root / "data", root / "cache", root / "state", root / "config")

    @classmethod
    def _of_system(cls) -> Paths:
        import platformdirs  # not needed under TRITONTUI_HOME, and not free

        folders = platformdirs.PlatformDirs("tritontui", appauthor=False)
        return cls(folders.user_data_path, folders.user_cache_path, folders.user_state_path, folders.user_config_path)

    def of_course(self, lessons: Path | None) -> Paths:
        """Those for lessons from elsewhere, whose exercises may be called as ours are; None: the lessons of here."""
        if lessons is None:
            return self
        from hashlib import sha256  # not for the lessons of here

        digest = sha256(str(lessons).encode()).hexdigest()[:8]
        return self._replace(data=self.data / "courses" / f"{lessons.name}-{digest}")

    @property
    def work(self) -> Path:
        """The learner's code, one ``.py`` an exercise."""
        return self.data / "work"

    @property
    def cards(self) -> Path:
        """What the learner made to be shown to others."""
        return self.data / "cards"

    @property
    def progress(self) -> Path:
        """The SQLite file of progress, attempts, measurements and settings."""
        return self.data / "progress.sqlite"

    @property
    def keys(self) -> Path:
        """The learner's own keys; there only if they wrote it."""
        return self.config / "keys.toml"

    @property
    def log(self) -> Path:
        return self.state / "tritontui.log"

    def create(self) -> None:
        """Make the folders. Raises StorageError."""
        for folder in (self.data, self.work, self.cache, self.state):
            make_private(folder)
