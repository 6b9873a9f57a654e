"""The little arithmetic of the course: numbers in questions, in what a learner types as an answer, and over figures.

Where figures are given, ``entry.figure[value, …]`` reads one of them: ``fused.us[2**20]``, ``card.copy_gbps``. A colon
stands for a whole axis: ``max(copy.gbps[:, 4])``, and ``argmax(copy.gbps[:, 4])`` is the axis's value at the greatest.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from tritontui.course.figures import AxisValue, Figures, FiguresError, Series

Number: TypeAlias = int | float
Value: TypeAlias = Number | str | Series

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
_COMPARISONS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "cdiv": _cdiv,
    "min": min,
    "max": max,
    "next_power_of_2": _next_power_of_2,
}
_SEARCHES: dict[str, Callable[[Number, Number], bool]] = {"argmax": operator.gt, "argmin": operator.lt}


def evaluate(
    expression: str, variables: Mapping[str, AxisValue] | None = None, figures: Figures | None = None
) -> Number:
    """Value of ``+ - * / // % **``, parentheses, ``cdiv``, ``min``, ``max``, ``next_power_of_2`` over the names given.

    With ``figures`` also of their entries. Raises ExpressionError.
    """
    value = measured(expression, variables, figures)
    if isinstance(value, Series):
        raise ExpressionError(f"'{expression}' is no number")
    return value


def measured(expression: str, variables: Mapping[str, AxisValue] | None, figures: Figures | None) -> Number | Series:
    """As ``evaluate``, or a whole series, such as ``add.gbps`` or ``copy.gbps[:, 4]``. Raises ExpressionError."""
    try:
        value = _Evaluation(variables or {}, figures).value(_parse(expression))
    except (ArithmeticError, TypeError, FiguresError) as error:
        raise ExpressionError(f"'{expression}' has no value: {error}") from error
    if isinstance(value, str):
        raise ExpressionError(f"'{expression}' is no number")
    return value


def holds(expression: str, variables: Mapping[str, AxisValue] | None = None, figures: Figures | None = None) -> bool:
    """Whether comparisons, joined by ``and``, ``or`` and ``not``, are true. Raises ExpressionError."""
    try:
        return _Evaluation(variables or {}, figures).truth(_parse(expression))
    except (ArithmeticError, TypeError, FiguresError) as error:
        raise ExpressionError(f"'{expression}' has no value: {error}") from error


def names(expression: str) -> frozenset[str]:
    """The variables and entries that ``expression`` reads. Raises ExpressionError."""
    found = {node.id for node in ast.walk(_parse(expression)) if isinstance(node, ast.Name)}
    return frozenset(found - _FUNCTIONS.keys() - _SEARCHES.keys())


def reads_figures(expression: str) -> bool:
    """Whether ``expression`` has no value before something was measured. Raises ExpressionError."""
    return any(isinstance(node, ast.Attribute) for node in ast.walk(_parse(expression)))


@lru_cache(maxsize=512)
def _parse(expression: str) -> ast.expr:
    if len(expression) > 200:
        raise ExpressionError("the expression is too long")
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"'{expression}' is no expression") from error


class _Evaluation(NamedTuple):
    variables: Mapping[str, AxisValue]
    figures: Figures | None

    def truth(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(part) for part in node.values]
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.truth(node.operand)
        if isinstance(node, ast.Compare):
            values = [self.number(part) for part in (node.left, *node.comparators)]
            compared = zip(node.ops, values, values[1:], strict=False)
            return all(self._comparison(op)(left, right) for op, left, right in compared)
        raise ExpressionError(f"'{ast.unparse(node)}' is neither true nor false")

    def number(self, node: ast.expr) -> Number:
        value = self.value(node)
        if isinstance(value, Series | str):
            raise ExpressionError(f"'{ast.unparse(node)}' is no number")
        return value

    def value(self, node: ast.expr) -> Value:
        result = self._raw(node)
        if isinstance(result, complex) or (not isinstance(result, str | Series) and abs(result) > LARGEST):
            raise ExpressionError("the value is out of range")
        return result

    def _raw(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value  # type: ignore[return-value]  # checked on the line above
        if isinstance(node, ast.Name):
            if node.id not in self.variables:
                raise ExpressionError(f"'{node.id}' is no variable here")
            return self.variables[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.number(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](self.number(node.left), self.number(node.right))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and self.figures is not None:
            series = self.figures.series(node.value.id, node.attr)
            return series if series.axes else series.figure()
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            return self._part(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func.id, node)
        raise ExpressionError(f"'{ast.unparse(node)}' is not understood here")

    def _part(self, node: ast.Subscript) -> Value:
        series = self.value(node.value)
        if not isinstance(series, Series):
            raise ExpressionError(f"'{ast.unparse(node.value)}' is one figure, without axes")
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        part = series.at([self._index(index) for index in indices])
        return part if part.axes else part.figure()

    def _index(self, node: ast.expr) -> AxisValue | slice:
        if isinstance(node, ast.Slice):
            if node.lower or node.upper or node.step:
                raise ExpressionError("a colon stands for a whole axis")
            return slice(None)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        value = self.value(node)
        if isinstance(value, Series):
            raise ExpressionError(f"'{ast.unparse(node)}' is no value of an axis")
        return value

    def _call(self, name: str, node: ast.Call) -> Number:
        if name in _SEARCHES and len(node.args) == 1:
            return self._search(_SEARCHES[name], node.args[0])
        function = _FUNCTIONS.get(name)
        if function is None:
            raise ExpressionError(f"'{ast.unparse(node)}' is not understood here")
        values = [self.value(argument) for argument in node.args]
        if len(values) == 1 and isinstance(values[0], Series) and name in ("min", "max"):
            return function(values[0].known())
        if any(isinstance(value, Series | str) for value in values):
            raise ExpressionError(f"'{ast.unparse(node)}' takes numbers")
        return function(*values)

    def _search(self, better: Callable[[Number, Number], bool], node: ast.expr) -> Number:
        series = self.value(node)
        if not isinstance(series, Series) or len(series.axes) != 1:
            raise ExpressionError(f"'{ast.unparse(node)}' is no series over one axis")
        series.known()
        best: tuple[AxisValue, float] | None = None
        for (at,), figure in series.points():
            if figure is not None and (best is None or better(figure, best[1])):
                best = at, figure
        assert best is not None
        if isinstance(best[0], str):
            raise ExpressionError(f"'{best[0]}' is no number")
        return best[0]

    @staticmethod
    def _comparison(op: ast.cmpop) -> Callable[[Number, Number], bool]:
        if type(op) not in _COMPARISONS:
            raise ExpressionError("only < <= > >= == != compare here")
        return _COMPARISONS[type(op)]
