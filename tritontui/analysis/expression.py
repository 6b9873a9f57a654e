"""The learner's address expressions, evaluated for one program and written out with its numbers.

Only what address arithmetic is made of is understood: names, integers, ``+ - * // %``, comparisons, program ids,
``tl.arange``, new axes, casts and a few functions. Anything else raises ``Unknown`` and the caller falls back on the
recorded offsets: nothing is ever guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.source import Source, argument, called_name

Array = NDArray[Any]


class Unknown(Exception):
    """The expression holds something that isn't known from the text and the launch alone."""


@dataclass(frozen=True)
class Term:
    """A value with the way it is written: ``text(lane)`` gives it with numbers in place."""

    value: Array
    """One program's block; shape () for a scalar."""
    render: Callable[[tuple[int, ...]], str]
    """Text at a lane of the block (an index per axis)."""
    binding: int
    """How tightly the text binds: 3 atom, 2 product, 1 sum, 0 anything looser."""

    def at(self, lane: tuple[int, ...]) -> int:
        return int(self.value[self.clip(lane)])

    def clip(self, lane: tuple[int, ...]) -> tuple[int, ...]:
        """The lane's place in this block, when the block is broadcast to the lane's shape."""
        own = lane[len(lane) - self.value.ndim :]
        return tuple(0 if size == 1 else index for index, size in zip(own, self.value.shape, strict=True))


@dataclass
class Evaluator:
    """Evaluates expressions of ``function`` as they stand at ``line``, in one execution of one program."""

    source: Source
    function: ast.FunctionDef
    line: int
    program: tuple[int, ...]
    grid: tuple[int, ...]
    scalars: Mapping[str, Any]
    pointers: frozenset[str]
    """Parameters that are tensors: address arithmetic counts from them, so they are worth 0 and aren't written."""
    iteration: tuple[int, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """Scalars of the learner that were met on the way, with their values."""

    def evaluate(self, node: ast.expr) -> Term:
        """Raises Unknown."""
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise Unknown(type(node).__name__)
        term: Term = handler(node)
        return term

    # ------------------------------------------------------------ leaves

    def _constant(self, node: ast.Constant) -> Term:
        if not isinstance(node.value, (int, bool)):
            raise Unknown("constant")
        return _number(int(node.value))

    def _name(self, node: ast.Name) -> Term:
        if node.id in self.pointers and not self._assigned(node.id):
            return Term(np.zeros((), np.int64), lambda lane: "", 3)
        statements = self._assigned(node.id)
        if not statements:
            return self._parameter(node.id)
        term = self._given(node.id, statements)
        if term.value.ndim == 0 and node.id not in self.pointers and term.render(()):
            self.names[node.id] = str(int(term.value))
            return _number(int(term.value)) if not self._has_pointer(term) else term
        return term

    def _has_pointer(self, term: Term) -> bool:
        return term.render(()) == ""

    def _parameter(self, name: str) -> Term:
        value = self.scalars.get(name)
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise Unknown(name)
        self.names[name] = str(int(value))
        return _number(int(value))

    # ------------------------------------------------------------ names with a history

    def _assigned(self, name: str) -> list[tuple[ast.stmt, tuple[ast.For | ast.While, ...]]]:
        """Statements before ``line`` (or in a loop around it) that give ``name`` a value, with the loops around each."""
        found: list[tuple[ast.stmt, tuple[ast.For | ast.While, ...]]] = []

        def visit(body: list[ast.stmt], loops: tuple[ast.For | ast.While, ...]) -> None:
            for statement in body:
                if isinstance(statement, (ast.For, ast.While)):
                    inside = (*loops, statement)
                    if isinstance(statement, ast.For) and _is_name(statement.target, name):
                        found.append((statement, inside))
                    visit(statement.body, inside)
                elif isinstance(statement, (ast.If, ast.With)):
                    if isinstance(statement, ast.If) and (
                        _assigns(statement.body, name) or _assigns(statement.orelse, name)
                    ):
                        found.append((statement, loops))
                elif _assigns([statement], name):
                    found.append((statement, loops))

        visit(self.function.body, ())
        around = self._loops_around(self.line)
        return [
            (statement, loops)
            for statement, loops in found
            if statement.lineno <= self.line or any(loop in around for loop in loops)
        ]

    def _loops_around(self, line: int) -> tuple[ast.For | ast.While, ...]:
        loops = [
            node
            for node in ast.walk(self.function)
            if isinstance(node, (ast.For, ast.While)) and node.body[0].lineno <= line <= (node.end_lineno or line)
        ]
        return tuple(sorted(loops, key=lambda loop: loop.lineno))

    def _given(self, name: str, statements: list[tuple[ast.stmt, tuple[ast.For | ast.While, ...]]]) -> Term:
        around = self._loops_around(self.line)
        steps = [
            (statement, loops)
            for statement, loops in statements
            if _steps(statement, name) and loops and loops[-1] in around
        ]
        plain = [
            (statement, loops) for statement, loops in statements if statement.lineno < self.line or statement in around
        ]
        plain = [item for item in plain if item not in steps]
        if not plain:
            raise Unknown(name)
        statement, loops = plain[-1]
        if any(loop not in around for loop in loops):
            raise Unknown(name)
        start = self._value_of(statement, name)
        for step, loops in steps:
            start = self._stepped(start, step, loops, around)
        return start

    def _value_of(self, statement: ast.stmt, name: str) -> Term:
        if isinstance(statement, ast.For):
            return self._loop_value(statement)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            value = self._unpack(statement, name)
            inner = Evaluator(**{**self.__dict__, "line": statement.lineno})
            return inner.evaluate(value)
        if isinstance(statement, ast.AugAssign):
            inner = Evaluator(**{**self.__dict__, "line": statement.lineno})
            left = inner.evaluate(ast.Name(name, ast.Load()))
            return self._join(type(statement.op), left, inner.evaluate(statement.value))
        raise Unknown(name)

    def _unpack(self, statement: ast.Assign | ast.AnnAssign, name: str) -> ast.expr:
        """The part of the value that goes to ``name`` (``a, b = x, y``)."""
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        value = statement.value
        assert value is not None
        for target in targets:
            if _is_name(target, name):
                return value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                for part, given in zip(target.elts, value.elts, strict=True):
                    if _is_name(part, name):
                        return given
        raise Unknown(name)

    def _loop_value(self, loop: ast.For) -> Term:
        """Value of a ``range`` loop's variable in the present round."""
        call = loop.iter
        if not isinstance(call, ast.Call) or called_name(call) not in ("range", "static_range"):
            raise Unknown("loop")
        bounds = [self.evaluate(arg) for arg in call.args]
        first = int(bounds[0].value) if len(bounds) > 1 else 0
        step = int(bounds[2].value) if len(bounds) > 2 else 1
        value = first + step * self._round(loop)
        self.names[ast.unparse(loop.target)] = str(value)
        return _number(value)

    def _round(self, loop: ast.For | ast.While) -> int:
        around = self._loops_around(self.line)
        depth = around.index(loop) if loop in around else -1
        if not 0 <= depth < len(self.iteration):
            raise Unknown("loop")
        return self.iteration[depth]

    def _stepped(
        self,
        start: Term,
        statement: ast.stmt,
        loops: tuple[ast.For | ast.While, ...],
        around: tuple[ast.For | ast.While, ...],
    ) -> Term:
        """``start`` after the ``name += step`` that earlier rounds of the innermost loop did."""
        assert isinstance(statement, ast.AugAssign)
        if loops != around[: len(loops)] or len(loops) != 1:
            raise Unknown("step")
        rounds = self._round(loops[0]) + (1 if statement.lineno < self.line else 0)
        step = self.evaluate(statement.value)
        return start if rounds == 0 else self._join(ast.Add, start, self._join(ast.Mult, _number(rounds), step))

    # ------------------------------------------------------------ operations

    def _binop(self, node: ast.BinOp) -> Term:
        return self._join(type(node.op), self.evaluate(node.left), self.evaluate(node.right))

    def _join(self, operator: type[ast.operator], left: Term, right: Term) -> Term:
        if operator not in _OPERATORS:
            raise Unknown(operator.__name__)
        sign, binding, function = _OPERATORS[operator]
        if operator in (ast.FloorDiv, ast.Mod) and (np.asarray(right.value) == 0).any():
            raise Unknown("division by zero")
        with np.errstate(over="ignore"):
            value = np.asarray(function(left.value, right.value))

        def render(lane: tuple[int, ...]) -> str:
            one, other = left.render(left.clip(lane)), right.render(right.clip(lane))
            if not one or not other:  # a pointer: counted from, not written
                return one or other
            tight = binding + 1 if operator in (ast.Sub, ast.FloorDiv, ast.Mod) else binding
            return f"{_wrap(one, left.binding, binding)}{sign}{_wrap(other, right.binding, tight)}"

        if left.binding == 3 and not left.value.ndim and not left.render(()):
            binding = right.binding
        elif right.binding == 3 and not right.value.ndim and not right.render(()):
            binding = left.binding
        return Term(value, render, binding)

    def _unaryop(self, node: ast.UnaryOp) -> Term:
        operand = self.evaluate(node.operand)
        if not isinstance(node.op, ast.USub):
            raise Unknown("unary")
        return Term(-operand.value, lambda lane: f"-{_wrap(operand.render(operand.clip(lane)), operand.binding, 2)}", 1)

    def _subscript(self, node: ast.Subscript) -> Term:
        """``[:, None]`` and its like."""
        block = self.evaluate(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        index: list[Any] = []
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is None:
                index.append(None)
            elif isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None:
                index.append(slice(None))
            else:
                raise Unknown("index")
        kept = [axis for axis, part in enumerate(index) if part is not None]
        value = block.value[tuple(index)]
        return Term(value, lambda lane: block.render(tuple(lane[axis] for axis in kept)), block.binding)

    def _call(self, node: ast.Call) -> Term:
        name = called_name(node)
        if name in ("program_id", "num_programs"):
            return _number(self._grid_value(node, name))
        if name == "arange":
            return self._arange(node)
        if name == "cdiv":
            left, right = self._two(node)
            return _number(-(-int(left.value) // int(right.value)))
        if name in ("minimum", "maximum", "min", "max"):
            left, right = self._two(node)
            return _opaque((np.minimum if name.startswith("min") else np.maximum)(left.value, right.value))
        if name in ("to", "multiple_of", "max_contiguous", "cast", "int64", "int32"):
            first = node.func.value if name == "to" and isinstance(node.func, ast.Attribute) else node.args[0]
            return self.evaluate(first)
        raise Unknown(name)

    def _two(self, node: ast.Call) -> tuple[Term, Term]:
        if len(node.args) != 2:
            raise Unknown("arguments")
        return self.evaluate(node.args[0]), self.evaluate(node.args[1])

    def _grid_value(self, node: ast.Call, name: str) -> int:
        axis = argument(node, 0, "axis")
        number = 0 if axis is None else int(self.evaluate(axis).value)
        per_axis = self.program if name == "program_id" else self.grid
        if not 0 <= number < 3:
            raise Unknown("axis")
        return per_axis[number] if number < len(per_axis) else (0 if name == "program_id" else 1)

    def _arange(self, node: ast.Call) -> Term:
        first, end = (int(term.value) for term in self._two(node))
        return Term(np.arange(first, end, dtype=np.int64), lambda lane: str(first + lane[-1]), 3)


_OPERATORS: dict[type[ast.operator], tuple[str, int, Callable[[Any, Any], Any]]] = {
    ast.Add: (" + ", 1, np.add),
    ast.Sub: (" − ", 1, np.subtract),
    ast.Mult: ("·", 2, np.multiply),
    ast.FloorDiv: (" // ", 2, np.floor_divide),
    ast.Mod: (" % ", 2, np.remainder),
}


def _number(value: int) -> Term:
    return Term(np.asarray(value, np.int64), lambda lane: str(value), 3 if value >= 0 else 1)


def _opaque(value: Array) -> Term:
    """A value that is written as its result."""
    return Term(value, lambda lane: str(int(value[lane])) if value.ndim else str(int(value)), 3)


def _wrap(text: str, binding: int, least: int) -> str:
    return text if binding >= least else f"({text})"


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _assigns(body: list[ast.stmt], name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for statement in body
        for node in ast.walk(statement)
    )


def _steps(statement: ast.stmt, name: str) -> bool:
    """``name += something``."""
    return (
        isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add) and _is_name(statement.target, name)
    )
