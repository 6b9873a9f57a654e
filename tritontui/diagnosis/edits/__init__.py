"""Small changes to a learner's function, one at a time, each of which undoes a kind of slip.

Nothing here knows whether a change helps: ``runner/explaining/repair.py`` tries them. A change keeps the number of
lines, so that everything else stays where the learner sees it. A kind of change is a function from a node to edits,
in the module of what it is about; ``_kinds`` says which nodes it looks at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tritontui.diagnosis.edits import accumulators, arithmetic, calls, loops, operands, places, strides
from tritontui.diagnosis.edits.edit import NAMED, POSSIBLE, Edit, Source
from tritontui.diagnosis.edits.function import Function
from tritontui.diagnosis.reading import FunctionDef, last_name

__all__ = ["NAMED", "Edit", "Source", "exchanged_strides", "host_edits", "kernel_edits", "wider_sums"]


def kernel_edits(source: Source, function: FunctionDef, tensors: Iterable[str] = ()) -> list[Edit]:
    """Changes to a kernel, the likeliest first. ``tensors``: those of its parameters that are pointers."""
    return _edits(Function(source, function, frozenset(tensors)))


def host_edits(source: Source, function: FunctionDef) -> list[Edit]:
    """Changes to what a host function reckons, the likeliest first; never to what it allocates or returns."""
    kinds = ("wrong-operator", "surplus-term", "wrong-constant")
    found = [edit for edit in _edits(Function(source, function)) if edit.kind in kinds and not _divides(edit.node)]
    return [replace(edit, in_kernel=False, likely=min(edit.likely, POSSIBLE)) for edit in found]


def wider_sums(source: Source, function: FunctionDef) -> list[list[Edit]]:
    """For each sum of a kernel, changes that keep it in float32: at the fewest places first, at all of them last."""
    return accumulators.widened(Function(source, function))


def exchanged_strides(source: Source, function: FunctionDef, tensors: Iterable[str] = ()) -> list[Edit]:
    """Changes that give each of two strides the other's place."""
    return strides.exchanged(Function(source, function, frozenset(tensors)))


def _edits(function: Function) -> list[Edit]:
    found = [edit for statement in function.function.body for edit in _of_statement(function, statement)]
    for block in _blocks(function.function):
        found += [*places.once(function, block), *places.later(function, block)]
    return sorted(found, key=lambda edit: edit.likely)


def _blocks(function: FunctionDef) -> Iterator[list[ast.stmt]]:
    """The statements of the function, and of each loop and branch in it."""
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            if isinstance(block := getattr(node, name, None), list):
                yield block


def _of_statement(function: Function, statement: ast.stmt) -> Iterator[Edit]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) or not function.is_fixed(node):
            yield from _kinds(function, node)
    if isinstance(statement, (ast.Assign, ast.Expr)):
        yield from operands.missing(function, statement)


def _kinds(function: Function, node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.BinOp():
            yield from arithmetic.operator(function, node)
            yield from arithmetic.too_much(function, node)
            yield from arithmetic.unreduced(function, node)
        case ast.AugAssign():
            yield from arithmetic.augmented(function, node)
        case ast.Assign():
            yield from loops.overwritten(function, node)
        case ast.UnaryOp():
            yield from arithmetic.negated(function, node)
        case ast.Attribute():
            yield from arithmetic.narrow_type(function, node)
        case ast.Compare():
            yield from arithmetic.comparison(function, node)
        case ast.Call():
            yield from calls.call(function, node)
            if last_name(node.func) in ("load", "store") and node.args:
                yield from operands.bare_address(function, node)
                yield from loops.same_each_round(function, node)
                yield from operands.along_the_other_axis(function, node)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, (bool, complex)):
            yield from arithmetic.constant(function, node, value)
        case ast.Name(ctx=ast.Load()):
            yield from operands.name(function, node)
        case ast.Subscript(ctx=ast.Load()):
            yield from calls.axes(function, node)
        case ast.For(iter=ast.Call(args=[_, *_]) as call) if last_name(call.func) in ("range", "static_range"):
            yield from loops.bounds(function, call)


def _divides(node: ast.AST) -> bool:
    """Whether ``node`` is a division, which a host function does to count blocks: without it there are too many."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv))
