"""Names: one taken for another, one that is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritontui.diagnosis.edits.calls import UNARY, other_axis
from tritontui.diagnosis.edits.edit import FAR_FETCHED, LIKELY, NAMED, ODD, POSSIBLE, Edit, Replacement
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.names import Role
from tritontui.diagnosis.reading import last_name, parameters


def name(function: Function, node: ast.Name) -> Iterator[Edit]:
    names, around = function.names, function.around(node)
    role = Role.DATA if function.is_stored(node) else names.role(node.id)
    if function.is_stored(node) and names.role(node.id) is Role.MASK:
        for other in names.alike(Role.INDEX, node):
            yield function.edit("wrong-operand", node, other, LIKELY, node.id, around)
    if role is None or isinstance(function.parents.get(node), ast.Attribute):
        return
    if isinstance(function.parents.get(node), ast.Call) and function.parents[node].func is node:  # type: ignore[attr-defined]
        return
    compared = isinstance(function.parents.get(node), ast.Compare)
    telling = compared or function.in_address(node)
    for other in names.alike(role, node):
        if role is Role.SCALAR and other in names.unused and not telling:
            continue
        fitting = POSSIBLE if role is Role.DATA or telling else FAR_FETCHED
        likely = ODD if other in names.unused else fitting
        if likely == ODD and role is Role.POINTER and other.startswith(f"{function.given_to(node)}_"):
            likely = NAMED  # ``x = tl.load(y_ptr)``
        yield function.edit("wrong-operand", node, other, likely, node.id, around)
    if role in (Role.INDEX, Role.SCALAR) and function.in_address(node):
        yield from _unscaled(function, node)


def _unscaled(function: Function, node: ast.Name) -> Iterator[Edit]:
    """An index in an address without the stride it needs."""
    whole = function.subscripted(node)
    parent = function.parents.get(whole)
    multiplied = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult)
    for other in function.names.alike(Role.SCALAR, node):
        unused = other in function.names.unused
        if unused or not multiplied:
            text = f"({function.segment(whole)} * {other})"
            part = other if unused else ""
            yield function.edit("missing-term", whole, text, ODD if unused else LIKELY, part, function.around(whole))


def missing(function: Function, statement: ast.Assign | ast.Expr) -> Iterator[Edit]:
    """``y = x`` where ``bias``, which was loaded, goes into nothing; a sum or a cast that isn't there."""
    value: ast.expr = statement.value
    if isinstance(value, ast.Call) and last_name(value.func) == "store" and len(value.args) > 1:
        value = value.args[1]
        if isinstance(value, ast.Name) and value.id in function.names.reckoned:
            return  # it is missing where that name got its value
    elif isinstance(statement, ast.Expr):
        return
    if not function.names.holds_data(value):
        return
    own = function.segment(value)
    if isinstance(value, ast.Call) and last_name(value.func) == "load":
        yield function.edit("wrong-type", value, f"({own}).to(tl.float32)", LIKELY, "", value)
        return
    if isinstance(value, ast.Name):
        for reduction in ("sum", "max"):
            yield function.edit("missing-term", value, f"tl.{reduction}({own}, axis=0)", LIKELY, "", statement)
    if isinstance(value, ast.Call) and last_name(value.func) in UNARY:
        value = value.args[0] if value.args else value
        own = function.segment(value)
    elif isinstance(value, ast.Call):
        return
    yield from _joined(function, value, own)


def _joined(function: Function, value: ast.expr, own: str) -> Iterator[Edit]:
    """``value`` and another name, by each operator."""
    named = function.names.used_by(value)
    for other in function.names.alike(Role.DATA, value):
        unused = other in function.names.unused
        if other in named and not unused:
            continue
        shapes = (other, f"{other}[None, :]", f"{other}[:, None]") if unused else (other,)
        for shaped in shapes:
            for operator in ("+", "-", "*", "/"):
                likely = ODD if unused else FAR_FETCHED
                text = f"(({own}) {operator} {shaped})"
                yield function.edit("missing-term", value, text, likely, other if unused else "", value)


def bare_address(function: Function, access: ast.Call) -> Iterator[Edit]:
    """``tl.load(x_ptr)`` where offsets were worked out."""
    address = access.args[0]
    if isinstance(address, ast.Name) and address.id in parameters(function.function):
        for other in function.names.alike(Role.INDEX, address):
            yield function.edit("missing-term", address, f"({address.id} + {other})", ODD, "", function.around(address))


def along_the_other_axis(function: Function, access: ast.Call) -> Iterator[Edit]:
    """``b = tl.load(b_ptr + rows, mask=rows < M)`` for columns, and then ``b[None, :]`` for ``b[:, None]``."""
    address, target = access.args[0], function.given_to(access)
    if not isinstance(address, ast.BinOp) or not isinstance(address.right, ast.Name):
        return
    index = address.right
    uses = [node for node in ast.walk(function.function) if isinstance(node, ast.Subscript) and _is(node.value, target)]
    if not uses or function.names.role(index.id) is not Role.INDEX:
        return
    turned = [Replacement(node, text) for node in uses if (text := other_axis(function, node))]
    lengths = dict(_lengths(function))
    for other in function.names.alike(Role.INDEX, index):
        masks = [node for node in ast.walk(access) if isinstance(node, ast.Compare) and _is(node.left, index.id)]
        if not masks or other in lengths:
            bounded = [Replacement(node, f"({other} < {lengths[other]})") for node in masks]
            replaced = (Replacement(index, other), *bounded, *turned)
            yield Edit("wrong-axis", replaced, function.quoted(access), index.id, LIKELY)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _lengths(function: Function) -> Iterator[tuple[str, str]]:
    """With what each index is compared: ``("cols", "N")`` for ``cols < N`` and ``cols[None, :] < N``."""
    for node in ast.walk(function.function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Lt):
            left = node.left.value if isinstance(node.left, ast.Subscript) else node.left
            if isinstance(left, ast.Name):
                yield left.id, function.segment(node.comparators[0])
