"""What is wrong in a lesson's files, by file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple


class Problem(NamedTuple):
    path: Path
    line: int | None
    """From 1; None: the whole file."""
    message: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message}"


class CourseError(Exception):
    """Everything that is wrong in the lessons, at once."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: (str(problem.path), problem.line or 0, problem.message))
        super().__init__("\n".join(str(problem) for problem in self.problems))
