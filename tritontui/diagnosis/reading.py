"""Questions about the learner's file that tell apart faults which Triton or Python word alike.

Lines and columns count from 1. Every question has an answer for a file that doesn't parse: nothing found.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)
FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef
Callable = FunctionDef | ast.Lambda


class Reading:
    """One file, parsed."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def tree(self) -> ast.Module:
        try:
            return ast.parse(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module(body=[], type_ignores=[])

    # ------------------------------------------------------------ nodes at a place

    def at(self, line: int | None, *kinds: type[Node]) -> Iterator[Node]:
        """Nodes of these kinds that reach over ``line``, outermost first."""
        for node in ast.walk(self.tree):
            if line and isinstance(node, kinds) and _start(node)[0] <= line <= (getattr(node, "end_lineno", 0) or 0):
                yield node

    def function(self, line: int | None) -> FunctionDef | None:
        """The innermost function around ``line``."""
        found: list[FunctionDef] = [*self.at(line, ast.FunctionDef), *self.at(line, ast.AsyncFunctionDef)]
        return max(found, key=lambda function: function.lineno, default=None)

    def call(self, line: int | None, column: int | None = None, *names: str) -> ast.Call | None:
        """A call on the line, of one of the functions ``names`` (last part of the name) when given."""
        calls = list(self.at(line, ast.Call))
        if names:
            calls = [call for call in calls if last_name(call.func) in names]
        exact = [call for call in calls if _start(call) == (line, column)]
        return next(iter(exact or calls), None)

    def subscript(self, line: int | None, column: int | None = None) -> ast.Subscript | None:
        """A subscript on the line that isn't the grid of a launch."""
        launched = {id(node.func) for node in self.at(line, ast.Call)}
        found = [node for node in self.at(line, ast.Subscript) if id(node) not in launched]
        exact = [node for node in found if _start(node) == (line, column)]
        return next(iter(exact or found), None)

    def asked(self, line: int | None, key: str) -> Iterator[ast.expr]:
        """What the line looks ``key`` up in: ``meta`` of ``meta["key"]``."""
        for node in self.at(line, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and node.slice.value == key:
                yield node.value

    def launch(self, line: int | None) -> ast.Subscript | None:
        """``kernel[grid]`` of a ``kernel[grid](…)`` on the line."""
        for node in self.at(line, ast.Call):
            if isinstance(node.func, ast.Subscript):
                return node.func
        return None

    def grids(self) -> list[Callable]:
        """Functions that launches of this file take their grid from: written in place, or named."""
        nodes = list(ast.walk(self.tree))
        given = [
            node.func.slice for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)
        ]
        names = {grid.id for grid in given if isinstance(grid, ast.Name)}
        named = [node for node in nodes if isinstance(node, FunctionDef) and node.name in names]
        assigned = [node.value for node in nodes if isinstance(node, ast.Assign) and names.intersection(_bound(node))]
        return [node for node in (*given, *named, *assigned) if isinstance(node, Callable)]

    # ------------------------------------------------------------ names

    def defined(self, name: str) -> FunctionDef | None:
        """The function of that name, wherever it is defined."""
        for node in ast.walk(self.tree):
            if isinstance(node, FunctionDef) and node.name == name:
                return node
        return None

    def kernels(self) -> Iterator[FunctionDef]:
        """Functions decorated with ``jit``."""
        for node in ast.walk(self.tree):
            if isinstance(node, FunctionDef) and any(_is_jit(mark) for mark in node.decorator_list):
                yield node

    def comes_back(self, function: FunctionDef) -> bool:
        """Whether it calls itself, or reaches one of this text's functions that does, by way of others or not."""
        return any(
            one.name in self._reached(one)
            for name in {function.name, *self._reached(function)}
            if (one := self.defined(name))
        )

    def _reached(self, function: FunctionDef) -> set[str]:
        """Names of this text's functions that are called from it, directly or by way of others."""
        reached, waiting = set[str](), [function]
        while waiting:
            for node in ast.walk(waiting.pop()):
                name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                called = self.defined(name) if name and name not in reached else None
                if called is not None:
                    reached.add(name)
                    waiting.append(called)
        return reached

    def attribute_line(self, name: str) -> int | None:
        """The first line of a kernel that says ``.name``: some failures come without a line."""
        lines = [
            node.lineno
            for kernel in self.kernels()
            for node in ast.walk(kernel)
            if isinstance(node, ast.Attribute) and node.attr == name
        ]
        return min(lines, default=None)

    def names(self, function: FunctionDef | None) -> set[str]:
        """Names that code in ``function`` can use: its own, and those of the file."""
        outer = {name for node in self.tree.body for name in _bound(node)}
        inner = {name for node in ast.walk(function) for name in _bound(node)} if function else set()
        return outer | inner | (set(parameters(function)) if function else set())

    def assignments(self, within: ast.AST, name: str) -> list[ast.stmt]:
        """Statements inside ``within`` that give ``name`` a value, in order of lines."""
        statements = [
            node
            for node in ast.walk(within)
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)) and name in _bound(node)
        ]
        return sorted(statements, key=lambda node: node.lineno)

    def block_around(self, statement: ast.stmt, function: FunctionDef) -> str:
        """``if``, ``for`` or ``while``: the innermost block of ``function`` that holds ``statement``; else ``""``."""
        keywords = {ast.If: "if", ast.For: "for", ast.While: "while"}
        found = [
            keywords[type(node)]
            for node in ast.walk(function)
            if type(node) in keywords and node is not statement and any(inner is statement for inner in ast.walk(node))
        ]
        return found[-1] if found else ("for" if isinstance(statement, ast.For) else "")


def text(node: ast.AST | None) -> str:
    """The source text of an expression; empty for None."""
    return ast.unparse(node) if node is not None else ""


def last_name(node: ast.AST | None) -> str:
    """``load`` of ``tl.load``; empty for what has no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def first_name(node: ast.AST | None) -> str:
    """``tl`` of ``tl.math.exp``, ``x`` of ``x[0].y``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def parameters(function: Callable) -> dict[str, bool]:
    """The parameters in order, each with whether it is annotated ``constexpr``."""
    declared = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return {one.arg: last_name(one.annotation) == "constexpr" for one in declared}


def integer(node: ast.AST | None, values: dict[str, object]) -> int | None:
    """The whole number that an expression of literals, known names and + - * // comes to; None when it doesn't."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        value = values.get(node.id)
        return value if type(value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = integer(node.operand, values)
        return -value if value is not None else None
    if isinstance(node, ast.BinOp):
        left, right = integer(node.left, values), integer(node.right, values)
        if left is None or right is None:
            return None
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv() if right:
                return left // right
    return None


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1


def _is_jit(decorator: ast.expr) -> bool:
    return last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) == "jit"


def _bound(node: ast.AST) -> list[str]:
    """The names that one statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [node.target]
    names = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]


def interpreter_set_late(source: str) -> tuple[int, str] | None:
    """The line that asks for Triton's interpreter in a file that has imported Triton before it, and what it sets:
    TRITON_INTERPRET or the knob."""
    tree = Reading(source).tree
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and _is_triton(node)]
    first = min((node.lineno for node in imports), default=None)
    late = [(line, name) for line, name in _interpreter_set(tree) if first is not None and line > first]
    return min(late, default=None)


def _is_triton(node: ast.Import | ast.ImportFrom) -> bool:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return any(module.split(".")[0] == "triton" for module in modules)


def _interpreter_set(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines that set it to something that Triton takes for yes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            places, value = [text(target) for target in node.targets], node.value
        elif isinstance(node, ast.Call) and last_name(node.func) in ("setdefault", "putenv") and len(node.args) == 2:
            places, value = [text(node.args[0])], node.args[1]
        else:
            continue
        if isinstance(value, ast.Constant) and str(value.value).lower() in ("1", "true", "on", "yes", "y"):
            for place in places:
                if "TRITON_INTERPRET" in place:
                    yield node.lineno, "TRITON_INTERPRET"
                elif place.endswith("runtime.interpret"):
                    yield node.lineno, place
