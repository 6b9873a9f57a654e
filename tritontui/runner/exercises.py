"""An exercise's specification, read from the ``exercise.py`` in its folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritontui.runner.spec import Exercise


class BrokenExerciseError(Exception):
    """``exercise.py`` is missing, raises, or declares no ``EXERCISE``: the lesson's fault, never the learner's."""


@dataclass(frozen=True)
class _Version:
    modified: int
    size: int


def load_exercise(folder: Path, cache: MutableMapping[Hashable, Any]) -> Exercise:
    """The ``EXERCISE`` of ``folder/exercise.py``, read again only when the file has changed.

    Raises BrokenExerciseError, with the original error as its cause.
    """
    path = folder / "exercise.py"
    try:
        facts = path.stat()
    except OSError as error:
        raise BrokenExerciseError(f"{path}: {error.strerror}") from error
    version = _Version(facts.st_mtime_ns, facts.st_size)
    key = ("exercise", path)
    if key in cache and cache[key][0] == version:
        return cache[key][1]  # type: ignore[no-any-return]
    exercise = _read(path)
    cache[key] = (version, exercise)
    return exercise


def _read(path: Path) -> Exercise:
    spec = importlib.util.spec_from_file_location(f"tritontui_exercise_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None  # a .py file always has both
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BrokenExerciseError(f"{path}: {type(error).__name__}: {error}") from error
    exercise = getattr(module, "EXERCISE", None)
    if not isinstance(exercise, Exercise):
        raise BrokenExerciseError(f"{path}: no EXERCISE of type Exercise")
    return exercise
