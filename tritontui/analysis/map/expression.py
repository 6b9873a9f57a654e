"""The learner's address expressions, evaluated for one program and written out with its numbers.

Only what address arithmetic is made of is understood: names, integers, ``+ - * // %``, comparisons, program ids,
``tl.arange``, new axes, casts and a few functions. Anything else raises ``UnknownError``, and the caller falls back
on the recorded offsets: nothing is ever guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.source import Source, argument, called_name

Array = NDArray[Any]


class UnknownError(Exception):
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

    @property
    def silent(self) -> bool:
        """A bare pointer: counted from, not written."""
        return not self.value.ndim and not self.render(())

    def clip(self, lane: tuple[int, ...]) -> tuple[int, ...]:
        """The lane's place in this block, when the block is broadcast to the lane's shape."""
        own = lane[len(lane) - self.value.ndim :]
        return tuple(0 if size == 1 else index for index, size in zip(own, self.value.shape, strict=True))


Loops = tuple["ast.For | ast.While", ...]
"""Loops around a statement, outermost first."""


@dataclass(frozen=True)
class Setting:
    """A statement that gives a name a value. An ``if`` stands for all that its branches may set."""

    statement: ast.stmt
    loops: Loops

    def steps(self, name: str) -> bool:
        """``name += something``."""
        adds = isinstance(self.statement, ast.AugAssign) and isinstance(self.statement.op, ast.Add)
        return adds and _is_name(self.statement.target, name)  # type: ignore[attr-defined]


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
    steps: dict[tuple[str, tuple[int, ...]], str] | None = None
    """Where a dict is given, blocks that have a name are written as their value, and how each came about stands here:
    ``rm = 3·16 + 5 = 53`` for ("rm", (5,)), inner ones first. Filled while rendering."""

    def evaluate(self, node: ast.expr) -> Term:
        """Raises UnknownError."""
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise UnknownError(type(node).__name__)
        term: Term = handler(node)
        return term

    # ------------------------------------------------------------ leaves

    def _constant(self, node: ast.Constant) -> Term:
        if not isinstance(node.value, (int, bool)):
            raise UnknownError("constant")
        return _number(int(node.value))

    def _name(self, node: ast.Name) -> Term:
        settings = self._settings(node.id)
        if not settings:
            return POINTER if node.id in self.pointers else self._parameter(node.id)
        term = self._set(node.id, settings)
        if term.value.ndim:
            return term if self.steps is None else self._folded(node.id, term, self.steps)
        if node.id in self.pointers or term.silent:
            return term
        self.names[node.id] = str(int(term.value))
        return _number(int(term.value))

    @staticmethod
    def _folded(name: str, term: Term, steps: dict[tuple[str, tuple[int, ...]], str]) -> Term:
        """``term`` written as its value; rendering it puts down the step that made it."""

        def render(lane: tuple[int, ...]) -> str:
            text, value = term.render(lane), str(int(term.value[lane]))
            steps[name, lane] = f"{name} = {value}" if text == value else f"{name} = {text} = {value}"
            return value

        return Term(term.value, render, 3)

    def _parameter(self, name: str) -> Term:
        value = self.scalars.get(name)
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise UnknownError(name)
        self.names[name] = str(int(value))
        return _number(int(value))

    # ------------------------------------------------------------ names with a history

    def _settings(self, name: str) -> list[Setting]:
        """Statements before ``line``, or in a loop around it, that give ``name`` a value."""
        around = self._loops_around()
        return [
            setting
            for setting in _all_settings(self.function.body, name, ())
            if setting.statement.lineno <= self.line or any(loop in around for loop in setting.loops)
        ]

    def _loops_around(self) -> Loops:
        """Loops whose body holds ``line``, outermost first."""
        loops = [
            node
            for node in ast.walk(self.function)
            if isinstance(node, (ast.For, ast.While)) and node.body[0].lineno <= self.line <= (node.end_lineno or 0)
        ]
        return tuple(sorted(loops, key=lambda loop: loop.lineno))

    def _set(self, name: str, settings: list[Setting]) -> Term:
        """Value of ``name``: what the last plain setting gave, and what the rounds of the loops since have added."""
        around = self._loops_around()
        steps = [one for one in settings if one.steps(name) and one.loops and one.loops[-1] in around]
        plain = [
            one
            for one in settings
            if one not in steps and (one.statement.lineno < self.line or one.statement in around)
        ]
        if not plain or any(loop not in around for loop in plain[-1].loops):
            raise UnknownError(name)
        term = self._value_of(plain[-1].statement, name)
        for step in steps:
            term = self._stepped(term, step, around)
        return term

    def _value_of(self, statement: ast.stmt, name: str) -> Term:
        if isinstance(statement, ast.For):
            return self._loop_value(statement)
        there = replace(self, line=statement.lineno)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            return there.evaluate(self._unpack(statement, name))
        if isinstance(statement, ast.AugAssign):
            left = there.evaluate(ast.Name(name, ast.Load()))
            return self._join(type(statement.op), left, there.evaluate(statement.value))
        raise UnknownError(name)

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
        raise UnknownError(name)

    def _loop_value(self, loop: ast.For) -> Term:
        """Value of a ``range`` loop's variable in the present round."""
        call = loop.iter
        if not isinstance(call, ast.Call) or called_name(call) not in ("range", "static_range"):
            raise UnknownError("loop")
        bounds = [self.evaluate(arg) for arg in call.args]
        first = int(bounds[0].value) if len(bounds) > 1 else 0
        step = int(bounds[2].value) if len(bounds) > 2 else 1
        value = first + step * self._round(loop)
        self.names[ast.unparse(loop.target)] = str(value)
        return _number(value)

    def _round(self, loop: ast.For | ast.While) -> int:
        around = self._loops_around()
        depth = around.index(loop) if loop in around else -1
        if not 0 <= depth < len(self.iteration):
            raise UnknownError("loop")
        return self.iteration[depth]

    def _stepped(self, start: Term, step: Setting, around: Loops) -> Term:
        """``start`` after the ``name += step`` that the rounds so far of the one loop around it did."""
        if step.loops != around[:1] or not isinstance(step.statement, ast.AugAssign):
            raise UnknownError("step")
        rounds = self._round(around[0]) + (1 if step.statement.lineno < self.line else 0)
        if not rounds:
            return start
        return self._join(ast.Add, start, self._join(ast.Mult, _number(rounds), self.evaluate(step.statement.value)))

    # ------------------------------------------------------------ operations

    def _binop(self, node: ast.BinOp) -> Term:
        return self._join(type(node.op), self.evaluate(node.left), self.evaluate(node.right))

    def _join(self, operator: type[ast.operator], left: Term, right: Term) -> Term:
        if operator not in _OPERATORS:
            raise UnknownError(operator.__name__)
        sign, binding, function = _OPERATORS[operator]
        if operator in (ast.FloorDiv, ast.Mod) and (np.asarray(right.value) == 0).any():
            raise UnknownError("division by zero")
        with np.errstate(over="ignore"):
            value = np.asarray(function(left.value, right.value))

        def render(lane: tuple[int, ...]) -> str:
            one, other = left.render(left.clip(lane)), right.render(right.clip(lane))
            if not one or not other:  # a pointer: counted from, not written
                return one or other
            tight = binding + 1 if operator in (ast.Sub, ast.FloorDiv, ast.Mod) else binding
            return f"{_wrap(one, left.binding, binding)}{sign}{_wrap(other, right.binding, tight)}"

        if left.silent or right.silent:
            binding = right.binding if left.silent else left.binding
        return Term(value, render, binding)

    def _unaryop(self, node: ast.UnaryOp) -> Term:
        operand = self.evaluate(node.operand)
        if not isinstance(node.op, ast.USub):
            raise UnknownError("unary")
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
                raise UnknownError("index")
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
        raise UnknownError(name)

    def _two(self, node: ast.Call) -> tuple[Term, Term]:
        if len(node.args) != 2:
            raise UnknownError("arguments")
        return self.evaluate(node.args[0]), self.evaluate(node.args[1])

    def _grid_value(self, node: ast.Call, name: str) -> int:
        axis = argument(node, 0, "axis")
        number = 0 if axis is None else int(self.evaluate(axis).value)
        per_axis = self.program if name == "program_id" else self.grid
        if not 0 <= number < 3:
            raise UnknownError("axis")
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


POINTER = Term(np.zeros((), np.int64), lambda _: "", 3)


def _number(value: int) -> Term:
    return Term(np.asarray(value, np.int64), lambda _: str(value), 3 if value >= 0 else 1)


def _opaque(value: Array) -> Term:
    """A value that is written as its result."""
    return Term(value, lambda lane: str(int(value[lane])) if value.ndim else str(int(value)), 3)


def _wrap(text: str, binding: int, least: int) -> str:
    return text if binding >= least else f"({text})"


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _sets(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(statement)
    )


def _all_settings(body: list[ast.stmt], name: str, loops: Loops) -> Iterator[Setting]:
    for statement in body:
        if isinstance(statement, (ast.For, ast.While)):
            inside = (*loops, statement)
            if isinstance(statement, ast.For) and _is_name(statement.target, name):
                yield Setting(statement, inside)
            yield from _all_settings(statement.body, name, inside)
        elif _sets(statement, name):
            yield Setting(statement, loops)
