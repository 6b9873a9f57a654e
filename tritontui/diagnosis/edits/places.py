"""Statements in the wrong place: inside a loop though one round is like another, or ahead of the step they build on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tritontui.diagnosis.edits.edit import ODD, Edit, Replacement
from tritontui.diagnosis.edits.function import Function

FARTHEST = 3
"""Statements of one block by which a step may come too early."""


def once(function: Function, statements: Sequence[ast.stmt]) -> Iterator[Edit]:
    """What a loop does anew in every round to what it carries, done once behind the loop: all of it, or one of it."""
    for loop, behind in pairwise(statements):
        if not isinstance(loop, ast.For) or not _is_simple(behind):
            continue
        same = [one for one in loop.body if _changes_what_it_has(function, one) and _is_the_same(function, loop, one)]
        for moved in [same, *([one] for one in same)] if len(same) > 1 else [same][: len(same)]:
            text = "; ".join(function.segment(one) for one in (*_needed(function, loop, moved), *moved, behind))
            replaced = (*(Replacement(one, "pass") for one in moved), Replacement(behind, f"if True: {text}"))
            yield Edit("same-work-each-round", replaced, function.quoted(moved[0]), "", ODD)


def _needed(function: Function, loop: ast.For, moved: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements of the loop that give what is ``moved`` its values: what only a loop sets is unknown behind it."""
    needed: list[ast.stmt] = []
    wanted = set().union(*(function.names.used_by(one) for one in moved))
    for one in reversed(loop.body):
        if isinstance(one, ast.Assign) and _target(one) in wanted and not _changes_what_it_has(function, one):
            needed.insert(0, one)
            wanted |= function.names.used_by(one)
    return needed


def later(function: Function, statements: Sequence[ast.stmt]) -> Iterator[Edit]:
    """``y = f(y)`` behind ``y += b`` instead of ahead of it, ``old = new`` behind what still needs the old."""
    for number, early in enumerate(statements):
        changes, hands_on = _changes_what_it_has(function, early), _hands_on(early)
        if not (changes or hands_on):
            continue
        for late in statements[number + 1 : number + 1 + FARTHEST]:
            again = changes and _changes_what_it_has(function, late) and _target(early) == _target(late)
            if again or (hands_on and _is_simple(late) and _target(early) in function.names.used_by(late)):
                text = f"if True: {function.segment(late)}; {function.segment(early)}"
                replaced = (Replacement(early, "pass"), Replacement(late, text))
                yield Edit("step-too-early", replaced, function.quoted(early), function.quoted(late), ODD)


def _is_simple(statement: ast.stmt) -> bool:
    """Whether others may stand before it on its line."""
    return isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr))


def _target(statement: ast.stmt) -> str:
    """The one name that the statement gives a value to; "" where there is none."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def _hands_on(statement: ast.stmt) -> bool:
    """``old = new``"""
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name) and bool(_target(statement))


def _changes_what_it_has(function: Function, statement: ast.stmt) -> bool:
    """``y += b`` and ``y = f(y)`` of data, not of an address."""
    name = _target(statement)
    if not name or function.names.is_address(ast.Name(name, ast.Load())):
        return False
    return isinstance(statement, ast.AugAssign) or name in function.names.used_by(statement)


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_the_same(function: Function, loop: ast.For, statement: ast.stmt) -> bool:
    """Whether nothing that changes from round to round goes into the statement, but for the name that it changes."""
    changing = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    for _ in range(len(loop.body)):
        for one in loop.body:
            inner = function.names.used_by(one)
            if inner & changing or isinstance(one, ast.AugAssign) or _target(one) in inner:
                changing |= {part.id for part in ast.walk(one) if isinstance(part, ast.Name) and _is_set(part)}
    return not (function.names.used_by(statement) - {_target(statement)}) & changing
