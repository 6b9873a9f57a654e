"""Loops: how far they go, what they carry from round to round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritontui.diagnosis.edits.edit import LIKELY, ODD, Edit
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.names import Role


def overwritten(function: Function, node: ast.Assign) -> Iterator[Edit]:
    """``acc = x`` where ``acc`` has a value already: in a loop, or of data."""
    target = node.targets[0]
    if not isinstance(target, ast.Name) or target.id in function.names.used_by(node.value):
        return
    if function.names.set_before(target.id, node):
        text = f"{target.id} += ({function.segment(node.value)})"
        if function.loop(node):
            yield function.edit("accumulator-overwritten", node, text, ODD, target.id, node)
        elif function.names.role(target.id) is Role.DATA:
            yield function.edit("missing-term", node, text, LIKELY, "", node)


def bounds(function: Function, call: ast.Call) -> Iterator[Edit]:
    step = function.segment(call.args[2]) if len(call.args) == 3 else "1"
    for bound in call.args[:2]:
        written = function.segment(bound)
        for change in dict.fromkeys((f"+ {step}", f"- {step}", "+ 1", "- 1")):
            text = f"(({written}) {change})"
            yield function.edit("loop-bound", bound, text, LIKELY, written, whole=call)
    if len(call.args) < 3:
        first, last = [function.segment(one) for one in call.args] if len(call.args) == 2 else ("0", "")
        last = last or function.segment(call.args[0])
        for constant in function.names.constants:
            text = f"{function.segment(call.func)}({first}, {last}, {constant})"
            yield function.edit("loop-bound", call, text, ODD, whole=call)


def same_each_round(function: Function, access: ast.Call) -> Iterator[Edit]:
    """``tl.load(a_ptrs)`` in a loop in which nothing moves ``a_ptrs``."""
    address = access.args[0]
    loop = function.loop(address)
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or not isinstance(address, ast.Name):
        return
    if address.id in function.names.set_in(loop) or function.names.role(address.id) is not Role.POINTER:
        return
    round_ = loop.target.id
    for constant in ("1", *function.names.constants):
        for stride in ("1", *function.names.alike(Role.SCALAR, address)):
            text = f"({address.id} + {round_} * {constant} * {stride})"
            yield function.edit("same-each-round", address, text, ODD, address.id, function.around(address))
