"""Sums kept in 16 bits: where their dtype is decided, and the same sums in float32."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations

from tritontui.diagnosis.edits.edit import NAMED, Edit, Replacement
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.reading import first_name, last_name

KIND = "low-precision-accumulation"
_WIDE = "tl.float32"
_SUMS = ("sum", "cumsum")
_DTYPE_AT = {"zeros": 1, "full": 2, "to": 0, "cast": 1}
"""Position of the dtype among a call's arguments, the object of a method left out."""
_DTYPE_KEYWORDS = ("dtype", "out_dtype")
_MOST_PLACES = 5
"""Of one sum; every choice of them is tried."""


def widened(function: Function) -> list[list[Edit]]:
    """For each sum, every choice of the places that decide its dtype, those of fewest places first."""
    found = [list(_choices(function, name, places)) for name, places in _sums(function) if places]
    casts = [place for node in ast.walk(function.function) if _casts(node) for place in _dtypes(node)]
    if len(casts) > 1:
        found.append(_all_at_once(function, casts))
    return [edits for edits in found if edits]


def _casts(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("to", "cast")


def _all_at_once(function: Function, casts: list[Replacement]) -> list[Edit]:
    """All casts to 16 bits on one line, of which none alone would do; nothing where they stand on several."""
    line = {place.node.lineno for place in casts}  # type: ignore[attr-defined]
    if len(line) > 1:
        return []
    statement = _statement(function, casts[0].node)
    return [Edit("wrong-type", tuple(casts), function.quoted(statement), function.segment(casts[0].node), NAMED)]


def _choices(function: Function, name: str, places: Sequence[Replacement]) -> Iterator[Edit]:
    places = places[:_MOST_PLACES]
    for size in range(1, len(places) + 1):
        for chosen in combinations(places, size):
            yield Edit(KIND, chosen, function.quoted(_statement(function, chosen[0].node)), name, NAMED)


def _sums(function: Function) -> Iterator[tuple[str, list[Replacement]]]:
    """The name of each sum, and where its dtype is decided: accumulators of loops, and reductions outside of them."""
    in_loops: set[ast.AST] = set()
    for loop in ast.walk(function.function):
        if isinstance(loop, (ast.For, ast.While)) and function.loop(loop) is None:
            for name in _carried(function, loop):
                places = [*_begun(function, name, loop), *_added(function, loop)]
                in_loops.update(place.node for place in places)
                yield name, places
    for node in ast.walk(function.function):
        if isinstance(node, ast.Call):
            places = [place for place in (*_dtypes(node), *_reduced(function, node)) if _adds_up(node)]
            if places and not in_loops.intersection(place.node for place in places):
                yield function.given_to(node).strip(), places


def _adds_up(node: ast.Call) -> bool:
    return last_name(node.func) in (*_SUMS, "dot")


def _carried(function: Function, loop: ast.For | ast.While) -> list[str]:
    """Names to which the loop adds, in the order of their first addition."""
    found: dict[str, None] = {}
    for node in ast.walk(loop):
        target = _sum_of(function, node)
        if target is not None and not function.names.is_address(target):
            found.setdefault(target.id)
    return list(found)


def _sum_of(function: Function, node: ast.AST) -> ast.Name | None:
    """``acc`` of ``acc += …`` and ``acc = acc + …``."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
        return node.target if isinstance(node.target, ast.Name) else None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0] if node.targets[0].id in function.names.used_by(node.value) else None
    return None


def _begun(function: Function, name: str, loop: ast.For | ast.While) -> Iterator[Replacement]:
    """The dtype with which ``name`` comes into the loop."""
    before = [
        node
        for node in ast.walk(function.function)
        if isinstance(node, ast.Assign)
        and node.lineno < loop.lineno
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    for node in before[-1:]:
        places = [place for part in ast.walk(node.value) for place in _dtypes(part)]
        told = any(True for part in ast.walk(node.value) for _ in _told(part))
        if not told and not isinstance(node.value, ast.Constant):
            places = [Replacement(node.value, f"({function.segment(node.value)}).to({_WIDE})")]
        yield from places


def _added(function: Function, loop: ast.For | ast.While) -> Iterator[Replacement]:
    """The dtypes of what the loop adds."""
    for node in ast.walk(loop):
        in_sum = isinstance(node, ast.Call) and (_adds_up(node) or _casts_a_sum(node))
        if in_sum or _sum_of(function, _statement(function, node)) is not None:
            yield from _dtypes(node)
        if isinstance(node, ast.Call):
            yield from _reduced(function, node)


def _casts_a_sum(node: ast.Call) -> bool:
    """``tl.dot(a, b).to(…)``"""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return last_name(node.func) == "to" and isinstance(inner, ast.Call) and _adds_up(inner)


def _reduced(function: Function, node: ast.Call) -> Iterator[Replacement]:
    """What ``tl.sum(x)`` or ``x.sum()`` adds up."""
    if last_name(node.func) in _SUMS and isinstance(node.func, ast.Attribute):
        inner = node.args[0] if first_name(node.func) == "tl" and node.args else node.func.value
        if isinstance(inner, ast.expr) and last_name(inner) != "tl":
            yield Replacement(inner, f"({function.segment(inner)}).to({_WIDE})")


def _dtypes(node: ast.AST) -> Iterator[Replacement]:
    """The dtype that a call is told, unless it is 32 bits wide or more, or a type of integers."""
    for dtype in _told(node):
        if not last_name(dtype).startswith(("float32", "float64", "int", "uint")):
            yield Replacement(dtype, _WIDE)


def _told(node: ast.AST) -> list[ast.expr]:
    """What a call is told as a dtype."""
    if not isinstance(node, ast.Call):
        return []
    at = _DTYPE_AT.get(last_name(node.func), len(node.args))
    return [*node.args[at : at + 1], *(one.value for one in node.keywords if one.arg in _DTYPE_KEYWORDS)]


def _statement(function: Function, node: ast.AST) -> ast.AST:
    while not isinstance(node, ast.stmt) and node in function.parents:
        node = function.parents[node]
    return node
