"""Several versions of a function compiled as one: ``_L.variant`` says which of them runs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from tritontui.runner.lockstep.options import Variant
from tritontui.runner.lockstep.syntax import RUNTIME, Node

Choice = TypeVar("Choice", ast.IfExp, ast.If)
_Span = tuple[int, int, int, int]
_Numbered = tuple[int, ast.expr | ast.stmt]


def with_variants(function: ast.FunctionDef, variants: Sequence[Variant], lines_before: int, indent: int) -> None:
    """Make each node that a variant replaces a choice between the two; in place.

    ``lines_before`` and ``indent``: where the function stands in its file, of which ``variants`` give places. What
    stands in other functions, or doesn't parse, has no effect.
    """
    expressions: dict[_Span, list[_Numbered]] = {}
    statements: dict[_Span, list[_Numbered]] = {}
    numbered = [(number, one) for number, variant in enumerate(variants, 1) for one in variant]
    for number, one in numbered:
        span = (one.line - lines_before, one.column - indent, one.end_line - lines_before, one.end_column - indent)
        parsed = _parsed(one.text)
        if parsed is not None:
            found = expressions if isinstance(parsed, ast.expr) else statements
            found.setdefault(span, []).append((number, parsed))
    _Chooser(expressions, statements).visit(function)


def _parsed(text: str) -> ast.expr | ast.stmt | None:
    try:
        return ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError):
        pass
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    return statement


class _Chooser(ast.NodeTransformer):
    """Inner nodes first, so that the original in an outer choice still holds the choices inside it."""

    def __init__(self, expressions: dict[_Span, list[_Numbered]], statements: dict[_Span, list[_Numbered]]) -> None:
        self.expressions = expressions
        self.statements = statements

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            chosen: ast.expr = node
            for number, other in self.expressions.get(_span(node), ()):
                assert isinstance(other, ast.expr)
                chosen = _placed(ast.IfExp(_is(number), other, chosen), other, node)
            return chosen
        if isinstance(node, ast.stmt):
            choice: ast.stmt = node
            for number, other in self.statements.get(_span(node), ()):
                assert isinstance(other, ast.stmt)
                choice = _placed(ast.If(_is(number), [other], [choice]), other, node)
            return choice
        return node


def _is(number: int) -> ast.expr:
    variant = ast.Attribute(ast.Name(RUNTIME, ast.Load()), "variant", ast.Load())
    return ast.Compare(variant, [ast.Eq()], [ast.Constant(number)])


def stands_for(made: Node, original: ast.AST) -> Node:
    """Note of which of the learner's nodes ``made`` takes the place: it has no end of its own."""
    made.__dict__["span"] = _span(original)
    return made


def _span(node: ast.AST) -> _Span:
    if (noted := node.__dict__.get("span")) is not None:
        return noted  # type: ignore[no-any-return]
    return (
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", None) or 0,
        getattr(node, "end_col_offset", None) or 0,
    )


def _placed(choice: Choice, other: ast.AST, original: ast.AST) -> Choice:
    """All new nodes get the place of what they stand for."""
    for part in (choice, *ast.walk(choice.test), *ast.walk(other)):
        if "lineno" in part._attributes:
            ast.copy_location(part, original)
    return choice
