"""Small questions to a kernel's syntax tree, and small pieces of one: what the rewriting is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)

RUNTIME = "_L"
"""What the runtime (``control.Control``) is called in rewritten functions."""

_OWN_SCOPE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
"""What they assign is theirs."""


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    """Its parameters of every kind, those that take what is left over last."""
    args = function.args
    optional = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *optional]


def returns_in(statements: list[ast.stmt]) -> Iterator[ast.Return]:
    """Every return among ``statements`` and inside them."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            yield statement
        for inner in ("body", "orelse"):  # of all statements that aren't rejected
            yield from returns_in(getattr(statement, inner, []))
        for case in getattr(statement, "cases", []):
            yield from returns_in(case.body)


def names_tuple(names: list[str], context: ast.expr_context) -> ast.Tuple:
    """``(x, y)``, to be read or assigned."""
    return ast.Tuple([ast.Name(name, type(context)()) for name in names], context)


def runtime_call(method: str, arguments: list[ast.expr], on: str = RUNTIME) -> ast.Call:
    """``_L.method(arguments)``, or a call on what the runtime gave for one construct: ``_b0``."""
    return ast.Call(ast.Attribute(ast.Name(on, ast.Load()), method, ast.Load()), arguments, [])


def stored_names(node: ast.AST) -> list[str]:
    """Names that a statement assigns, or a field of which it assigns."""
    names: dict[str, None] = {}
    stack = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, _OWN_SCOPE):
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(inner))))
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names[inner.id] = None
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            base: ast.expr = inner.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name):
                names[base.id] = None
    return list(names)


def only_reads(value: ast.expr | None) -> bool:
    """Is it just what a load or an atomic reads, perhaps converted?"""
    while isinstance(value, ast.Call):
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name != "to" or not isinstance(function, ast.Attribute):
            return name == "load" or name.startswith("atomic_")
        value = function.value
    return False


def loaded_names(nodes: list[ast.expr]) -> set[str]:
    """Names that are read in ``nodes``."""
    return {
        inner.id
        for node in nodes
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def located(made: Node, original: ast.AST) -> Node:
    """Give ``made`` and the new nodes in it the place of ``original``; nodes that have a place keep it."""
    stack: list[ast.AST] = [made]
    while stack:
        node = stack.pop()
        if not hasattr(node, "lineno") and "lineno" in node._attributes:
            _place(node, original)
            stack.extend(ast.iter_child_nodes(node))
        elif "lineno" not in node._attributes:
            stack.extend(ast.iter_child_nodes(node))
    return made


def _place(node: ast.AST, original: ast.AST) -> None:
    """Where ``original`` begins; were it to end on another line, Python would count a method call to that one."""
    line, column = original.lineno, original.col_offset  # type: ignore[attr-defined]
    node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    node.col_offset = node.end_col_offset = column  # type: ignore[attr-defined]
