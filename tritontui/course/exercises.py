"""What stands beside ``exercise.py`` in an exercise's folder: graded hints, and recorded wrong attempts."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from tritontui.course.breaking import read_breaks
from tritontui.course.faults import CourseError, Problem
from tritontui.course.model import LANGUAGES, Attempt, Language, StepKind

FILES = ("exercise.py", "starter.py", "solution.py")
EXPLORED = ("exercise.py", "starter.py")
"""What is explored has no solution, no hints, and no wrong attempts."""
MARKER = re.compile(r"#\s*expect:\s*(?P<diagnosis>\S*)\s*$")
"""Ends the faulty line of an attempt; alone on the first line it stands for the whole file."""

_DIAGNOSIS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HINT = re.compile(r"^# .+$", re.MULTILINE)


def read_hints(folder: Path) -> dict[Language, tuple[str, ...]]:
    """Hints of ``hints.en.md`` and ``hints.it.md``, each with the ``# heading`` that begins it.

    Raises CourseError.
    """
    problems: list[Problem] = []
    hints = {language: _hints(folder / f"hints.{language}.md", problems) for language in LANGUAGES}
    if not problems and len({len(found) for found in hints.values()}) > 1:
        counts = ", ".join(f"{language}: {len(found)}" for language, found in hints.items())
        problems.append(Problem(folder / f"hints.{LANGUAGES[0]}.md", None, f"hints differ in number ({counts})"))
    if problems:
        raise CourseError(problems)
    return hints


def read_attempts(folder: Path) -> tuple[Attempt, ...]:
    """``attempts/*.py`` with their markers. Raises CourseError."""
    problems: list[Problem] = []
    attempts = [_attempt(path, problems) for path in sorted((folder / "attempts").glob("*.py"))]
    if problems:
        raise CourseError(problems)
    return tuple(attempt for attempt in attempts if attempt is not None)


def check_files(folder: Path, kind: StepKind) -> list[Problem]:
    """Every problem in the files of a ``kind`` step's exercise, without importing any."""
    read_all = partial(read_breaks, thorough=True)
    needed, readers = (EXPLORED, ()) if kind == "explore" else (FILES, (read_hints, read_attempts, read_all))
    problems = [Problem(folder / name, None, "is missing") for name in needed if not (folder / name).is_file()]
    for read in readers:
        try:
            read(folder)
        except CourseError as error:
            problems.extend(error.problems)
    return problems


def _hints(path: Path, problems: list[Problem]) -> tuple[str, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        problems.append(Problem(path, None, "is missing"))
        return ()
    starts = [match.start() for match in _HINT.finditer(text)]
    if not starts:
        problems.append(Problem(path, 1, "holds no hint: each begins with a line such as '# Where to begin'"))
        return ()
    hints = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        hint = text[start:end].strip()
        if "\n" not in hint:
            problems.append(Problem(path, text.count("\n", 0, start) + 1, "this hint has a heading and nothing else"))
        hints.append(hint)
    return tuple(hints)


def _attempt(path: Path, problems: list[Problem]) -> Attempt | None:
    found: list[tuple[int, str, bool]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = MARKER.search(line)
        if match is not None:
            found.append((number, match["diagnosis"], match.start() == 0))
    if not found:
        problems.append(Problem(path, None, "no line ends with '# expect: diagnosis'"))
        return None
    if len(found) > 1:
        problems.append(Problem(path, found[1][0], "a second '# expect:' (an attempt has one diagnosis)"))
        return None
    [(number, diagnosis, alone)] = found
    if _DIAGNOSIS.fullmatch(diagnosis) is None:
        problems.append(Problem(path, number, f"'{diagnosis}' is no diagnosis id"))
        return None
    if alone and number != 1:
        problems.append(Problem(path, number, "'# expect:' alone on a line belongs on line 1 (the whole file)"))
        return None
    return Attempt(path, diagnosis, None if alone else number)
