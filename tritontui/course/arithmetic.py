"""The little arithmetic of the course: numbers in questions, and in what a learner types as an answer."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

Number = int | float

LARGEST = 2**128
"""A bound on every intermediate value: nobody's grid is larger, and ``9**9**9`` must not hang the interface."""


class ExpressionError(ValueError):
    """Not an expression over the known names, or one without a value; ``str()`` says why."""


def _cdiv(a: Number, b: Number) -> Number:
    return -(-a // b)


def _next_power_of_2(n: Number) -> Number:
    if n != int(n) or n < 1:
        raise ExpressionError("next_power_of_2 takes a whole number from 1 on")
    return int(1 << (int(n) - 1).bit_length())


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > 128:
        raise ExpressionError("the exponent is too large")
    result: Number = base**exponent
    return result


_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "cdiv": _cdiv,
    "min": min,
    "max": max,
    "next_power_of_2": _next_power_of_2,
}


def evaluate(expression: str, variables: Mapping[str, int] | None = None) -> Number:
    """Value of ``+ - * / // % **``, parentheses, ``cdiv``, ``min``, ``max``, ``next_power_of_2`` over the names given.

    Raises ExpressionError.
    """
    try:
        return _value(_parse(expression), variables or {})
    except (ArithmeticError, TypeError) as error:
        raise ExpressionError(f"'{expression}' has no value: {error}") from error


def names(expression: str) -> frozenset[str]:
    """The variables that ``expression`` reads. Raises ExpressionError."""
    found = {node.id for node in ast.walk(_parse(expression)) if isinstance(node, ast.Name)}
    return frozenset(found - _FUNCTIONS.keys())


@lru_cache(maxsize=512)
def _parse(expression: str) -> ast.expr:
    if len(expression) > 200:
        raise ExpressionError("the expression is too long")
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"'{expression}' is no expression") from error


def _value(node: ast.expr, variables: Mapping[str, int]) -> Number:
    result = _raw_value(node, variables)
    if isinstance(result, complex) or abs(result) > LARGEST:
        raise ExpressionError("the value is out of range")
    return result


def _raw_value(node: ast.expr, variables: Mapping[str, int]) -> Number:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]  # checked on the line above
    if isinstance(node, ast.Name):
        if node.id not in variables:
            raise ExpressionError(f"'{node.id}' is no variable here")
        return variables[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        operand = _value(node.operand, variables)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, variables), _value(node.right, variables))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            return function(*[_value(argument, variables) for argument in node.args])
    raise ExpressionError(f"'{ast.unparse(node)}' is not understood here")
