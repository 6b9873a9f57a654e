"""The modules that belong to a traced script: those of its project, which may be others by its next run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""One of these stands in a project's topmost folder."""
_INSTALLED = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True)
class Project:
    """``folders`` and all below them, but for what is installed there."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, script: Path, working_directory: Path) -> Project:
        """The project that ``script`` stands in, or else its folder; and the one it is run in."""
        beside = script.parent
        top = next((folder for folder in (beside, *beside.parents) if _is_top(folder)), beside)
        return cls(tuple(folder.resolve() for folder in (top, beside, working_directory)))

    def holds(self, file: str) -> bool:
        """Whether this file of code is the project's own; ``<frozen …>``, by which an import goes, is Python's."""
        path = Path(file).resolve()
        installed = (Path(prefix) for prefix in {sys.prefix, sys.base_prefix})
        return (
            not file.startswith("<frozen ")
            and any(map(path.is_relative_to, self.folders))
            and not any(map(path.is_relative_to, installed))
            and _INSTALLED.isdisjoint(path.parts)
        )

    @contextmanager
    def read_anew(self) -> Iterator[list[str]]:
        """What is imported of the project while this is active is forgotten at its end, so that it is read again the
        next time; the list then holds its files."""
        known, files, writes_bytecode = set(sys.modules), list[str](), sys.dont_write_bytecode
        sys.dont_write_bytecode = True  # it tells by the second whether a module has changed
        try:
            yield files
        finally:
            sys.dont_write_bytecode = writes_bytecode
            new = [name for name in sys.modules if name.partition(".")[0] not in known]
            own = {name: places for name in new if any(map(self.holds, places := _places(sys.modules[name])))}
            for name, places in own.items():
                files += (str(place) for one in places if (place := Path(one).resolve()).is_file())
                del sys.modules[name]
            importlib.invalidate_caches()


def _is_top(folder: Path) -> bool:
    return any((folder / mark).exists() for mark in _MARKS)


def _places(module: ModuleType) -> list[str]:
    """Its file; of a package that has none of its own, its folders."""
    file = getattr(module, "__file__", None)
    try:
        return [file] if isinstance(file, str) else [*getattr(module, "__path__", ())]
    except Exception:  # something's stand-in for a module
        return []
