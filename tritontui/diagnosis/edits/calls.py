"""Calls of ``tl``: functions taken for one another, their axes, their masks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritontui.diagnosis.edits.edit import LIKELY, ODD, POSSIBLE, Edit
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.names import Role
from tritontui.diagnosis.reading import last_name

_FAMILIES: Sequence[tuple[str, ...]] = (
    ("max", "min", "sum"),
    ("argmax", "argmin"),
    ("cumsum", "cumprod"),
    ("maximum", "minimum"),
    ("exp", "exp2"),
    ("log", "log2"),
    ("sqrt", "rsqrt"),
    ("sin", "cos"),
    ("floor", "ceil"),
    ("atomic_add", "atomic_max", "atomic_min"),
)
"""Functions of ``tl`` that are taken for one another."""
UNARY = ("trans", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs", "sigmoid", "floor", "ceil")
LANE_BY_LANE = {"max": "maximum", "min": "minimum"}
"""What joins two values lane by lane, by the reduction that is taken for it: ``tl.max(y, 0)`` takes 0 for the axis."""
_REDUCTIONS = ("max", "min", "sum", "argmax", "argmin", "cumsum", "cumprod", "xor_sum", "reduce")


def call(function: Function, node: ast.Call) -> Iterator[Edit]:
    name = last_name(node.func)
    yield from _family(function, node, name)
    if name == "arange":
        yield from _range_from(function, node)
    if name == "dot" and len(node.args) >= 2:
        yield from _exchanged_factors(function, node)
    if name in _REDUCTIONS:
        yield from _reduced_axis(function, node)
    elif len(node.args) == 1 and not node.keywords and name in UNARY:
        likely = LIKELY if name == "trans" else POSSIBLE
        yield function.edit("surplus-term", node, f"({function.segment(node.args[0])})", likely, whole=node)
    if name == "store" or name.startswith("atomic_"):
        yield from _unmasked(function, node)
        yield from _not_turned(function, node)
        yield from _comparison_stored(function, node)


def _family(function: Function, node: ast.Call, name: str) -> Iterator[Edit]:
    """``tl.exp2`` for ``tl.exp``."""
    if isinstance(node.func, ast.Attribute):
        others = [one for family in _FAMILIES if name in family for one in family if one != name]
        if name in LANE_BY_LANE and len(node.args) == 2:
            others.append(LANE_BY_LANE[name])
        for other in others:
            text = f"{function.segment(node.func.value)}.{other}"
            yield function.edit("wrong-function", node.func, text, LIKELY, f"tl.{name}", node)
        block = function.segment(node.func.value)
        if name in LANE_BY_LANE and len(node.args) == 1 and not node.keywords and block != "tl":
            text = f"tl.{LANE_BY_LANE[name]}({block}, {function.segment(node.args[0])})"
            yield function.edit("wrong-function", node, text, LIKELY, f".{name}")


def _range_from(function: Function, node: ast.Call) -> Iterator[Edit]:
    """``tl.arange(1, …)``"""
    if len(node.args) == 2 and getattr(node.args[0], "value", 0) != 0:
        first, last = (function.segment(one) for one in node.args)
        text = f"{function.segment(node.func)}(0, ({last}) - ({first}))"
        yield function.edit("wrong-constant", node, text, ODD, first, node)


def _exchanged_factors(function: Function, node: ast.Call) -> Iterator[Edit]:
    """``tl.dot(b, a)``"""
    arguments = [*node.args[1::-1], *node.args[2:], *node.keywords]
    text = f"{function.segment(node.func)}({', '.join(map(function.segment, arguments))})"
    yield function.edit("wrong-operand", node, text, LIKELY, whole=node)


def _reduced_axis(function: Function, node: ast.Call) -> Iterator[Edit]:
    for argument in (*node.args[1:2], *(one.value for one in node.keywords if one.arg == "axis")):
        if isinstance(argument, ast.Constant) and argument.value in (0, 1):
            other = "1" if argument.value == 0 else "0"
            yield function.edit("wrong-axis", argument, other, LIKELY, f"axis={argument.value}", node)


def axes(function: Function, node: ast.Subscript) -> Iterator[Edit]:
    """``[:, None]`` for ``[None, :]``."""
    if text := other_axis(function, node):
        yield function.edit("wrong-axis", node, text, LIKELY, function.segment(node), node)


def other_axis(function: Function, node: ast.Subscript) -> str:
    """``x[:, None]`` of ``x[None, :]``, and the other way round; "" of any other subscript."""
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2 or not isinstance(node.ctx, ast.Load):
        return ""
    first, second = node.slice.elts
    if {type(first), type(second)} != {ast.Slice, ast.Constant}:
        return ""
    return function.segment(node.value) + ("[None, :]" if isinstance(first, ast.Slice) else "[:, None]")


def _unmasked(function: Function, node: ast.Call) -> Iterator[Edit]:
    """A store without a mask beside loads that have one."""
    if any(keyword.arg == "mask" for keyword in node.keywords) or len(node.args) != 2:
        return
    for mask in function.names.alike(Role.MASK, node):
        address, value = (function.segment(one) for one in node.args)
        text = f"{function.segment(node.func)}({address}, {value}, mask={mask})"
        yield function.edit("missing-mask", node, text, ODD, "", node)


def _not_turned(function: Function, node: ast.Call) -> Iterator[Edit]:
    """``tl.store(out_ptr + c[:, None] * rows + r[None, :], x)`` of an ``x`` whose rows are those of ``r``.

    Only where two indices are laid out both ways, as a kernel does that turns a tile.
    """
    laid_out = {function.segment(one) for one in ast.walk(function.function) if isinstance(one, ast.Subscript)}
    turned = [one for one in laid_out if one.endswith("[:, None]") and one.replace(":, None", "None, :") in laid_out]
    if len(turned) > 1 and len(node.args) > 1 and isinstance(value := node.args[1], ast.Name):
        yield function.edit("wrong-axis", value, f"tl.trans({value.id})", LIKELY, value.id, node)


def _comparison_stored(function: Function, node: ast.Call) -> Iterator[Edit]:
    """``tl.store(out_ptr + offs, offs < n, …)``"""
    if len(node.args) > 1 and isinstance(value := node.args[1], ast.Compare):
        for other in (*function.names.alike(Role.DATA, node), *function.names.alike(Role.INDEX, node)):
            yield function.edit("wrong-operand", value, other, LIKELY, function.segment(value), node)
