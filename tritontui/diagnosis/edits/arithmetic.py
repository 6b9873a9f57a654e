"""Operators, numbers and comparisons."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping

from tritontui.diagnosis.edits.edit import LIKELY, ODD, POSSIBLE, Edit
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.reading import last_name

_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_OTHERS: Mapping[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*"),
    ast.Sub: ("+", "*"),
    ast.Mult: ("+", "/", "-"),
    ast.Div: ("*", "-", "//"),
    ast.FloorDiv: ("%",),
    ast.Mod: ("//",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
}
_EXCHANGED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
"""Operators for which the order of the operands counts."""
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_NEAR: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">", ">="),
    "<=": ("<", ">=", ">"),
    ">": (">=", "<", "<="),
    ">=": (">", "<=", "<"),
    "==": ("!=", "<=", ">="),
    "!=": ("==", "<", ">"),
}
_NUMBERS = (
    math.sqrt(0.5), math.sqrt(2), math.sqrt(2 / math.pi), 2 / math.sqrt(math.pi), math.log(2), math.log2(math.e),
    math.pi, math.e, 0.044715, 1.702,
)  # fmt: skip
"""Numbers that formulas know by heart, and learners nearly do."""
_DTYPES = ("float16", "bfloat16", "int8", "int16", "int32", "int64", "float64")


def operator(function: Function, node: ast.BinOp) -> Iterator[Edit]:
    left, right = function.sides(node)
    if function.names.is_address(node):
        return  # a pointer plus its offsets
    data = function.names.holds_data(node)
    likely = LIKELY if data else POSSIBLE
    written = _OPERATORS.get(type(node.op), "")
    for other in _OTHERS.get(type(node.op), ())[: None if data else 1]:
        text = f"(({left}) {other} ({right}))"
        yield function.edit("wrong-operator", node, text, likely, part=written, whole=node)
    if isinstance(node.op, ast.Mult) and data and isinstance(node.left, ast.Name) and isinstance(node.right, ast.Name):
        yield function.edit("wrong-operator", node, f"tl.dot({left}, {right})", ODD, written, node)
    if isinstance(node.op, _EXCHANGED):
        text = f"(({right}) {written} ({left}))"
        yield function.edit("wrong-operand", node, text, likely, whole=node)


def too_much(function: Function, node: ast.BinOp) -> Iterator[Edit]:
    likely = LIKELY if function.names.holds_data(node) else POSSIBLE
    if isinstance(node.right, ast.Constant) and isinstance(node.op, (ast.Add, ast.Sub)) and likely is POSSIBLE:
        likely = ODD  # ``n - 1``
    for side in (node.left, node.right):
        if not function.names.is_address(node) or function.names.is_address(side):
            yield function.edit("surplus-term", node, f"({function.segment(side)})", likely, whole=node)


def unreduced(function: Function, node: ast.BinOp) -> Iterator[Edit]:
    """``e / e`` for ``e / sum(e)``, and ``r * r / n`` for ``sum(r * r) / n``."""
    names = function.names
    if not isinstance(node.op, (ast.Div, ast.Sub)) or not names.holds_data(node.left):
        return
    reduction = "sum" if isinstance(node.op, ast.Div) else "max"
    side = node.right if names.holds_data(node.right) else node.left
    left, right = function.sides(node)
    text = f"tl.{reduction}({function.segment(side)}, axis=0)"
    yield function.edit("missing-term", side, text, ODD if left == right else POSSIBLE, whole=node)


def augmented(function: Function, node: ast.AugAssign) -> Iterator[Edit]:
    target, value = function.segment(node.target), function.segment(node.value)
    written = _OPERATORS.get(type(node.op), "")
    for other in _OTHERS.get(type(node.op), ()):
        yield function.edit("wrong-operator", node, f"{target} {other}= ({value})", LIKELY, f"{written}=", node)


def comparison(function: Function, node: ast.Compare) -> Iterator[Edit]:
    written = _COMPARISONS.get(type(node.ops[0]), "") if len(node.ops) == 1 else ""
    if not written:
        return
    one, other = function.segment(node.left), function.segment(node.comparators[0])
    for near in _NEAR[written][:2]:
        yield function.edit("wrong-operator", node, f"(({one}) {near} ({other}))", POSSIBLE, written, node)


def negated(function: Function, node: ast.UnaryOp) -> Iterator[Edit]:
    """``-x`` and ``~mask``."""
    if isinstance(node.op, (ast.USub, ast.Invert)) and not isinstance(node.operand, ast.Constant):
        yield function.edit("surplus-term", node, function.segment(node.operand), ODD, whole=node)


def narrow_type(function: Function, node: ast.Attribute) -> Iterator[Edit]:
    """``tl.int32`` where float32 would do."""
    if isinstance(node.value, ast.Name) and node.value.id == "tl" and node.attr in _DTYPES:
        yield function.edit("wrong-type", node, "tl.float32", LIKELY, f"tl.{node.attr}", function.around(node))


def _padding(function: Function, value: ast.expr) -> Iterator[Edit]:
    """``other=-1e9``: a number, with its sign."""
    keyword = function.parents.get(value)
    if not isinstance(keyword, ast.keyword) or keyword.arg != "other":
        return
    part = function.segment(value)
    for name in function.names.unused:
        yield function.edit("wrong-constant", value, name, ODD, part, keyword)
    for padding in ("0.0", '-float("inf")', 'float("inf")', "1.0"):
        yield function.edit("wrong-constant", value, f"({padding})", ODD, part, keyword)


def constant(function: Function, node: ast.Constant, value: float) -> Iterator[Edit]:
    parent = function.parents.get(node)
    yield from _padding(function, parent if isinstance(parent, ast.UnaryOp) else node)
    if isinstance(parent, (ast.Subscript, ast.Slice, ast.keyword, ast.Tuple)):
        return
    likely = LIKELY if parent is not None and function.names.holds_data(parent) else POSSIBLE
    if isinstance(parent, ast.Call) and last_name(parent.func) == "full":
        likely = ODD  # what a sum begins with
    near = [one for one in _NUMBERS if value / 4 < one < value * 4] if not float(value).is_integer() else []
    for other in (value + 1, value - 1, *near):
        yield function.edit("wrong-constant", node, f"({other!r})", likely, repr(value), function.around(node))
