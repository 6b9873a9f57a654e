"""Every exercise of the course and of this folder, under every kind of fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.runner.mutants import addressing, arithmetic, hosting, launching, python_faults
from tests.runner.mutants.registry import KINDS, OF_THE_HOST
from tests.runner.mutants.source import Change, Mutant, Solution, mutant
from tritontui.course.loader import load_course

HERE = Path(__file__).parent / "exercises"
MODULES = (addressing, arithmetic, python_faults, launching, hosting)
MOST = 2
"""Mutants of one kind in one exercise: there are ten names to misspell for each axis to swap."""
ACCESS = "its address or mask comes from the changed line"
USE = "it uses what the changed line makes"
SHAPES = "two shapes meet there"


@dataclass(frozen=True)
class Subject:
    """An exercise with a right solution."""

    name: str
    folder: Path
    solution: str


def subjects() -> list[Subject]:
    """Those of this folder, then those of the course."""
    own = [Subject(one.name, one, (one / "solution.py").read_text("utf-8")) for one in sorted(HERE.iterdir())]
    course = [
        Subject(f"course {step.exercise.id}", step.exercise.folder, step.exercise.solution.read_text("utf-8"))
        for lesson in load_course().lessons
        for step in lesson.steps
        if step.exercise is not None and step.exercise.solution.exists()  # a showcase asks for nothing
    ]
    return own + course


def mutants(subject: Subject, most: int = MOST) -> list[Mutant]:
    """At most ``most`` of each kind, spread over the solution."""
    by_kind: dict[str, list[Mutant]] = {}
    for one in every_mutant(subject):
        by_kind.setdefault(one.kind, []).append(one)
    return [one for found in by_kind.values() for one in spread(found, most)]


def spread(found: list[Mutant], most: int) -> list[Mutant]:
    return found if len(found) <= most else [found[i * len(found) // most] for i in range(most)]


def every_mutant(subject: Subject) -> Iterator[Mutant]:
    """Each once: two kinds may come to the same text."""
    solution = Solution(subject.solution)
    kinds = {name: make for name, make in KINDS.items() if solution.launches or name in OF_THE_HOST}
    seen = {subject.solution}
    for kind, make in kinds.items():
        for change in make(solution):
            one = mutant(subject.name, kind, solution, change, also(solution, change))
            if one.text not in seen:
                seen.add(one.text)
                yield one


def also(solution: Solution, change: Change) -> dict[int, str]:
    """Lines a fault in the kernel shows on: accesses that get their address or mask from it, and its direct uses."""
    if not solution.launches:
        return {}
    kernel = solution.kernel
    body = list(solution.statements(kernel))
    changed = next((one for one in body if own_part(solution, one, change.at)), None)
    names = set(change.names) | (bound(changed) if changed is not None else set())
    if not names:
        return {}
    tainted = flow(body, names, loads=change.shapes)
    lines = {one.lineno: USE for one in body if one is not changed and names & used(one)}
    if change.shapes:
        lines |= {one.lineno: SHAPES for one in body if one is not changed and tainted & used(one)}
    for call in solution.calls(kernel, *addressing.ACCESSES):
        deciding = [call.args[0], *(one.value for one in call.keywords if one.arg in ("mask", "other"))]
        if any(tainted & loaded(part) for part in deciding):
            lines[call.lineno] = ACCESS
    return lines


def own_part(solution: Solution, statement: ast.stmt, place: int) -> bool:
    """Whether ``place`` lies in the statement itself: in the head of a loop, not in its body."""
    end = solution.start(statement.body[0]) if isinstance(statement, ast.For) else solution.end(statement)
    return solution.start(statement) <= place < end


def flow(body: list[ast.stmt], names: set[str], *, loads: bool) -> set[str]:
    """What depends on ``names``: offsets, masks and pointers; with ``loads`` what is loaded through them too."""
    tainted = set(names)
    for _ in range(2):  # a loop carries names round once
        for statement in body:
            if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.For)):
                continue
            if ("tl.load" not in ast.unparse(statement) or loads) and used(statement) & tainted:
                tainted |= bound(statement)
    return tainted


def bound(statement: ast.stmt) -> set[str]:
    """Names that the statement itself gives a value to."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)}


def used(statement: ast.stmt) -> set[str]:
    """Names that the statement itself reads."""
    if isinstance(statement, ast.For):
        return loaded(statement.iter)
    return loaded(statement) | (bound(statement) if isinstance(statement, ast.AugAssign) else set())


def loaded(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
