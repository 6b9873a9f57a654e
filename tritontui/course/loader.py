"""Reads lessons: one folder ``NN-name`` each; ``lesson.toml`` has the structure, ``en.md`` and ``it.md`` the words."""

from __future__ import annotations

from pathlib import Path

from tritontui.course.faults import CourseError, Problem
from tritontui.course.model import Course

__all__ = ["CourseError", "Problem", "load_course"]


def load_course(folder: Path | None = None, *, thorough: bool = False) -> Course:
    """Every lesson under ``folder``, by number; None: those that came with this installation.

    ``thorough`` also checks what the first screen doesn't need: hints, attempts, and each question under all its draws.
    Raises CourseError with every problem found.
    """
    raise NotImplementedError
