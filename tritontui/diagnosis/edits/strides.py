"""Strides that have changed places: in a sum of indices, and in the step by which a loop moves a pointer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from tritontui.diagnosis.edits.edit import NAMED, Edit, Replacement
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.names import Role
from tritontui.diagnosis.reading import last_name

KIND = "strides-exchanged"


def exchanged(function: Function) -> list[Edit]:
    """Each pair of strides of one address the other way round; ``part`` is the pointer that they belong to.

    First of all a ``tl.trans`` left out, which the same would undo.
    """
    found = [
        function.edit("surplus-term", node, f"({function.segment(node.args[0])})", NAMED, whole=node)
        for node in ast.walk(function.function)
        if isinstance(node, ast.Call) and last_name(node.func) == "trans" and len(node.args) == 1
    ]
    for node in ast.walk(function.function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _is_added(function, node):
            found += _pairs(function, node)
        elif isinstance(node, ast.AugAssign) and function.names.is_address(node.target):
            found += _steps(function, node)
    return found


def _is_added(function: Function, node: ast.BinOp) -> bool:
    parent = function.parents.get(node)
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)


def _pairs(function: Function, whole: ast.BinOp) -> Iterator[Edit]:
    """``r * s + c * t``, and ``r * s + c``."""
    terms = [term for term in _terms(whole) if not function.names.is_address(term)]
    split = [(term, *_split(function, term)) for term in terms]
    for (one, index, stride), (other, second, step) in combinations(split, 2):
        if stride != step and _counts(function, index) and _counts(function, second):
            texts = [_product(function, index, step), _product(function, second, stride)]
            replaced = (Replacement(one, texts[0]), Replacement(other, texts[1]))
            yield Edit(KIND, replaced, function.quoted(whole), _pointer(function, whole), NAMED)


def _terms(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _terms(node.left)
        yield from _terms(node.right)
    else:
        yield node


def _split(function: Function, term: ast.expr) -> tuple[ast.expr, str]:
    """Index and stride of a term; the stride is "" where it is 1."""
    if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
        for index, factor in ((term.left, term.right), (term.right, term.left)):
            if isinstance(factor, ast.Name) and _is_stride(function, factor):
                return index, factor.id
    return term, ""


def _is_stride(function: Function, name: ast.Name) -> bool:
    return function.names.role(name.id) is Role.SCALAR and name.id not in function.names.constants


def _counts(function: Function, index: ast.expr) -> bool:
    """Whether ``index`` counts elements: it comes of an id or a range, and of nothing else."""
    names = function.names.used_by(index)
    return any(function.names.role(name) is Role.INDEX for name in names) and not function.names.holds_data(index)


def _product(function: Function, index: ast.expr, stride: str) -> str:
    text = function.segment(index)
    return f"(({text}) * {stride})" if stride else f"({text})"


def _pointer(function: Function, whole: ast.BinOp) -> str:
    """The pointer that the sum is added to, perhaps by way of a name."""
    for name in function.names.used_by(whole):
        if function.names.role(name) is Role.POINTER:
            return name
    target = function.given_to(whole)
    for node in ast.walk(function.function):
        match node:
            case ast.BinOp(left=ast.Name(id=pointer), right=ast.Name(id=added)) if added == target:
                if function.names.role(pointer) is Role.POINTER:
                    return pointer
    return ""


def _steps(function: Function, node: ast.AugAssign) -> Iterator[Edit]:
    """``b_ptrs += BK * stride_bn`` where the pointer began with ``stride_bk`` too."""
    target = node.target.id if isinstance(node.target, ast.Name) else ""
    begun = [
        name.id
        for statement in ast.walk(function.function)
        if isinstance(statement, ast.Assign) and target in {getattr(one, "id", "") for one in statement.targets}
        for name in ast.walk(statement.value)
        if isinstance(name, ast.Name) and _is_stride(function, name)
    ]
    for name in ast.walk(node.value):
        if isinstance(name, ast.Name) and _is_stride(function, name):
            for other in dict.fromkeys(begun):
                if other != name.id:
                    yield Edit("wrong-operand", (Replacement(name, other),), function.quoted(node), name.id, NAMED)
