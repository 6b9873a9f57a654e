"""The learner's text, looked up by the line of a memory access."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from tritontui.analysis.trace import Site

_CALLS = {
    "load": ("load",),
    "store": ("store",),
    "atomic": tuple(f"atomic_{name}" for name in ("add", "max", "min", "and", "or", "xor", "xchg", "cas")),
}
LONGEST_ACCESS = 60
"""Characters; a longer access is shown by its pointer alone."""


class Source:
    """A parsed file. An unparsable or unknown text answers every question with "nothing known"."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines()
        try:
            self.tree: ast.Module = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module(body=[], type_ignores=[])
        self._functions: list[ast.FunctionDef] = []
        self._calls: dict[str, list[ast.Call]] = {op: [] for op in _CALLS}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                self._functions.append(node)
            elif isinstance(node, ast.Call):
                for op, names in _CALLS.items():
                    if called_name(node) in names:
                        self._calls[op].append(node)

    def segment(self, node: ast.AST) -> str:
        """Source text of a node, on one line."""
        return " ".join((ast.get_source_segment(self.text, node) or "").split())

    def function_at(self, line: int) -> ast.FunctionDef | None:
        """The innermost function whose body holds ``line``."""
        around = [node for node in self._functions if node.lineno <= line <= (node.end_lineno or node.lineno)]
        return max(around, key=lambda node: node.lineno, default=None)

    def call_of(self, site: Site) -> ast.Call | None:
        """The call behind ``site``; the column decides between several on a line."""
        found = [call for call in self._calls[site.op] if _covers(call, site.line)]
        exact = [call for call in found if call.lineno == site.line] or found
        if len(exact) > 1:
            exact.sort(key=lambda call: abs(call.col_offset + 1 - site.column))
        return exact[0] if exact else None

    def access_text(self, site: Site) -> str:
        """``tl.load(x_ptr + offs)``, its other arguments shortened to an ellipsis; "" when unknown."""
        call = self.call_of(site)
        if call is None:
            return ""
        pointer = pointer_of(call)
        if pointer is None:
            return self.segment(call)
        rest = len(call.args) + len(call.keywords) > 1
        short = f"{self.segment(call.func)}({self.segment(pointer)}{', …' if rest else ''})"
        return short if len(short) <= LONGEST_ACCESS else self.segment(pointer)


def address_of(source: Source, site: Site) -> ast.expr | None:
    """The sum of products behind the access's pointer, looked up behind names; None when there is none."""
    call, function = source.call_of(site), source.function_at(site.line)
    pointer = pointer_of(call) if call is not None else None
    waiting = [pointer] if pointer is not None else []
    seen = set[str]()
    while waiting and function is not None:
        expression = waiting.pop(0)
        if any(isinstance(node, ast.Mult) for node in ast.walk(expression)):
            return expression
        for name in sorted({node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - seen):
            seen.add(name)
            waiting += [one.value for one in assignments(function, name, site.line)[-1:] if one.value is not None]
    return None


def lane_lines(source: Source, site: Site) -> list[int]:
    """Lines of the ``tl.arange``s behind the access's pointer, ascending; of the access itself when there is none."""
    return sorted(line for expression, line in _behind_pointer(source, site) if _calls(expression, "arange")) or [
        site.line
    ]


def goes_where_data_says(source: Source, site: Site) -> bool:
    """Whether something that was loaded is behind the access's pointer."""
    return any(_calls(expression, "load") for expression, _ in _behind_pointer(source, site))


def _calls(expression: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Call) and called_name(node) == name for node in ast.walk(expression))


def _behind_pointer(source: Source, site: Site) -> Iterator[tuple[ast.expr, int]]:
    """The access's pointer, and what its variables were last given, each with its line."""
    call, function = source.call_of(site), source.function_at(site.line)
    pointer = pointer_of(call) if call is not None else None
    if pointer is None or function is None:
        return
    waiting, seen = [(pointer, site.line)], set[str]()
    while waiting:
        expression, line = waiting.pop(0)
        yield expression, line
        for name in sorted({node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - seen):
            seen.add(name)
            given = assignments(function, name, line)
            if given and given[-1].value is not None:
                waiting.append((given[-1].value, given[-1].lineno))


def ids_of_programs(function: ast.FunctionDef) -> set[str]:
    """Names that are given a value made with ``tl.program_id``, directly or by way of another such name."""
    names: set[str] = set()
    for node in sorted(
        (one for one in ast.walk(function) if isinstance(one, ast.Assign)), key=lambda statement: statement.lineno
    ):
        parts = list(ast.walk(node.value))
        asks = any(isinstance(one, ast.Call) and called_name(one) == "program_id" for one in parts)
        if asks or names & {one.id for one in parts if isinstance(one, ast.Name)}:
            names |= {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return names


def along_rows(function: ast.FunctionDef) -> set[str]:
    """Names of vectors that are laid along the last axis of a tile: ``name[None, :]``."""
    return {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and _is_row(node.slice)
    }


def _is_row(index: ast.expr) -> bool:
    axes = index.elts if isinstance(index, ast.Tuple) else []
    return len(axes) > 1 and isinstance(axes[-1], ast.Slice) and isinstance(axes[-2], ast.Constant)


@lru_cache(maxsize=16)
def axes_asked_for(source: Source) -> dict[int, int]:
    """Axes that the text asks ``tl.program_id`` for, each with its first line."""
    axes: dict[int, int] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and called_name(node) == "program_id":
            axis = argument(node, 0, "axis")
            if isinstance(axis, ast.Constant) and isinstance(axis.value, int):
                axes[axis.value] = min(node.lineno, axes.get(axis.value, node.lineno))
    return axes


def grid_parameters(source: Source, line: int | None) -> set[int]:
    """Axes of the grid, in the launch on ``line``, whose length is a bare parameter of the host function around it."""
    function = source.function_at(line) if line is not None else None
    if function is None:
        return set()
    names = {one.arg for one in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and node.lineno == line and isinstance(node.slice, ast.Tuple):
            lengths = enumerate(node.slice.elts)
            return {axis for axis, length in lengths if isinstance(length, ast.Name) and length.id in names}
    return set()


def called_name(call: ast.Call) -> str:
    """``load`` for both ``tl.load(…)`` and ``load(…)``; "" for anything that has no name."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def pointer_of(call: ast.Call) -> ast.expr | None:
    """First argument of a memory access (``pointer``)."""
    return argument(call, 0, "pointer")


def mask_of(call: ast.Call) -> ast.expr | None:
    """The mask of a load (second argument) or of a store or an atomic (third)."""
    return argument(call, 1 if called_name(call) == "load" else 2, "mask")


def other_of(call: ast.Call) -> ast.expr | None:
    """The padding of a load."""
    return argument(call, 2, "other")


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument given by position or by keyword."""
    if len(call.args) > position and not any(isinstance(arg, ast.Starred) for arg in call.args[: position + 1]):
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def assignments(function: ast.FunctionDef, name: str, before: int) -> list[ast.Assign | ast.AnnAssign | ast.AugAssign]:
    """Statements of ``function`` that give ``name`` a value, up to line ``before``, in order."""
    found: list[ast.Assign | ast.AnnAssign | ast.AugAssign] = []
    for node in ast.walk(function):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or node.lineno > before:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(leaf, ast.Name) and leaf.id == name for target in targets for leaf in ast.walk(target)):
            found.append(node)
    return sorted(found, key=lambda node: node.lineno)


@lru_cache(maxsize=16)
def parse(text: str) -> Source:
    """``Source(text)``, parsed once."""
    return Source(text)


def _covers(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
