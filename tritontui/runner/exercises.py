"""What an author's file declares: an exercise's specification, an experiment's entries."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tritontui.runner.spec import Exercise, Experiment

_T = TypeVar("_T")


class BrokenExerciseError(Exception):
    """The file is missing, raises, or declares nothing of the kind: the lesson's fault, never the learner's."""


@dataclass(frozen=True)
class _Version:
    modified: int
    size: int


def load_exercise(folder: Path, cache: MutableMapping[Hashable, Any]) -> Exercise:
    """The ``EXERCISE`` of ``folder/exercise.py``, read again only when the file has changed.

    Raises BrokenExerciseError, with the original error as its cause.
    """
    return _load(folder / "exercise.py", "EXERCISE", Exercise, cache)


def load_experiment(folder: Path, cache: MutableMapping[Hashable, Any]) -> Experiment:
    """The ``EXPERIMENT`` of ``folder/experiment.py``; as ``load_exercise``."""
    return _load(folder / "experiment.py", "EXPERIMENT", Experiment, cache)


def _load(path: Path, name: str, kind: type[_T], cache: MutableMapping[Hashable, Any]) -> _T:
    try:
        facts = path.stat()
    except OSError as error:
        raise BrokenExerciseError(f"{path}: {error.strerror}") from error
    version = _Version(facts.st_mtime_ns, facts.st_size)
    key = (name, path)
    if key in cache and cache[key][0] == version:
        return cache[key][1]  # type: ignore[no-any-return]
    declared = _read(path, name, kind)
    cache[key] = (version, declared)
    return declared


def _read(path: Path, name: str, kind: type[_T]) -> _T:
    spec = importlib.util.spec_from_file_location(f"tritontui_{path.stem}_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None  # a .py file always has both
    module = importlib.util.module_from_spec(spec)
    try:  # compiled anew: Python's own cache can't tell two texts of one length and one second apart
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        raise BrokenExerciseError(f"{path}: {type(error).__name__}: {error}") from error
    declared = getattr(module, name, None)
    if not isinstance(declared, kind):
        raise BrokenExerciseError(f"{path}: no {name} of type {kind.__name__}")
    return declared
