"""``breaks.toml`` beside an exercise, with ``breaks.en.md`` and ``breaks.it.md``: what to break once it passes."""

from __future__ import annotations

from pathlib import Path

from tritontui.course.asking import QuestionReader
from tritontui.course.faults import CourseError, Problem
from tritontui.course.model import Break
from tritontui.course.structure import Table, read_toml
from tritontui.course.words import Words

FILE = "breaks.toml"
PASS = "pass"
"""The option that says: nothing is wrong with it even so."""


def read_breaks(folder: Path, *, thorough: bool = False) -> tuple[Break, ...]:
    """The breaks of the exercise in ``folder``, in order; none without the file. Raises CourseError."""
    if not (folder / FILE).exists():
        return ()
    problems: list[Problem] = []
    table = read_toml(folder / FILE, problems)
    words = Words(folder, problems, stem="breaks.", holds="break")
    breaks: list[Break] = []
    if table is not None:
        reader = QuestionReader(words, thorough)
        solution = _solution(folder)
        breaks = [_break(entry, words, reader, solution) for entry in table.tables("breaks")]
        table.finish()
        words.check_order(words.roots, [found.id for found in breaks])
    if problems:
        raise CourseError(problems)
    return tuple(breaks)


def _solution(folder: Path) -> str:
    path = folder / "solution.py"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _break(table: Table, words: Words, reader: QuestionReader, solution: str) -> Break:
    replaces, by = table.string("replaces"), table.string("by")
    if replaces and solution.count(replaces) != 1:
        table.fault(f"stands {solution.count(replaces)} times in solution.py, where once is wanted", "replaces")
    if replaces == by:
        table.fault("nothing is changed by it", "by")
    question = reader.read(table, words.roots, recall=False, default_kind="choice")
    if question.kind != "choice":
        table.fault("a break asks a choice: its options are ids of findings, or 'pass'", "kind")
    return Break(question, replaces, by)
