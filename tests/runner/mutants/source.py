"""A right solution as text and as a tree, and changes to it that keep every other character as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

Edit = tuple[int, int, str]
"""Replace the bytes from the first to the second offset by the text."""


@dataclass(frozen=True)
class Change:
    """One fault put into a solution. Lines count from 1, in the changed text."""

    edits: Sequence[Edit]
    """Not overlapping."""
    at: int
    """Byte offset of the fault in the solution: its line is the fault's."""
    names: frozenset[str] = frozenset()
    """Names of the kernel whose values are wrong now, besides those that the changed statement gives a value to."""
    also: Sequence[tuple[int, str]] = ()
    """Further lines of the solution that are right to blame, each with the reason."""
    inserted: int = 0
    """The fault stands so many lines below ``at``, in what was put in there."""
    shapes: bool = False
    """Shapes are wrong now, which shows only where two of them meet."""


class Solution:
    """Positions are byte offsets into ``data``, as ``ast`` counts columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode()
        self.tree = ast.parse(text)
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    # ------------------------------------------------------------ places

    def start(self, node: ast.AST) -> int:
        return self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def segment(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        """From the beginning of its first line to the end of its last."""
        return self._starts[statement.lineno - 1], self._starts[statement.end_lineno or statement.lineno]

    def line_of(self, offset: int) -> int:
        return self.data[:offset].count(b"\n") + 1

    # ------------------------------------------------------------ parts

    @cached_property
    def kernel(self) -> ast.FunctionDef:
        return next(node for node in self.tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list)

    @cached_property
    def host(self) -> ast.FunctionDef:
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list][-1]

    @cached_property
    def launch(self) -> ast.Call:
        """``kernel[grid](…)``"""
        return next(
            node
            for node in ast.walk(self.host)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript) and self.segment(node.func.value)
        )

    @cached_property
    def launches(self) -> bool:
        """Whether the host function launches a kernel; an exercise may be about the host alone."""
        try:
            return bool(self.kernel and self.launch)
        except StopIteration:
            return False

    @property
    def hosts(self) -> list[ast.FunctionDef]:
        """Functions that aren't kernels; the last is the one that is called."""
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]

    @cached_property
    def parameters(self) -> list[ast.arg]:
        return self.kernel.args.args

    @cached_property
    def pointers(self) -> list[str]:
        return [one.arg for one in self.parameters if one.arg.endswith("_ptr")]

    def statements(self, function: ast.FunctionDef) -> Iterator[ast.stmt]:
        """All statements inside, those of loops too, in order."""
        found = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
        yield from sorted(found, key=self.start)

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around ``node``."""
        place = self.start(node)
        around = [
            statement
            for statement in ast.walk(self.tree)
            if isinstance(statement, ast.stmt) and self.start(statement) <= place < self.end(statement)
        ]
        return max(around, key=self.start, default=None)

    def nodes(self, function: ast.FunctionDef, *kinds: type[ast.AST]) -> list[ast.AST]:
        """Nodes of these kinds in the body, in order."""
        found = [node for statement in function.body for node in ast.walk(statement) if isinstance(node, kinds)]
        return sorted(found, key=self.start)

    def calls(self, function: ast.FunctionDef, *names: str) -> list[ast.Call]:
        """Calls of ``tl.name`` (or any module's)."""
        return [
            node
            for node in self.nodes(function, ast.Call)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names
        ]

    # ------------------------------------------------------------ edits

    def replace(self, node: ast.AST, text: str) -> Edit:
        return self.start(node), self.end(node), text

    def without_keyword(self, call: ast.Call, name: str) -> Edit | None:
        """Takes ``, name=…`` away, with the comma before it."""
        for keyword in call.keywords:
            if keyword.arg == name:
                comma = self.data.rfind(b",", 0, self.start(keyword))
                return comma, self.end(keyword), ""
        return None

    def without(self, statement: ast.stmt) -> Edit:
        """Takes the whole lines of a statement away."""
        return (*self.whole_lines(statement), "")


@dataclass(frozen=True)
class Mutant:
    """A solution with one fault in it."""

    exercise: str
    kind: str
    text: str
    line: int
    """Of the fault, from 1."""
    also: dict[int, str] = field(default_factory=dict)
    """Other lines that are right to blame, and why."""
    before: str = ""
    after: str = ""
    """The first changed line, as it was and as it is."""

    @property
    def name(self) -> str:
        return f"{self.exercise}/{self.kind}:{self.line}"


def mutant(exercise: str, kind: str, solution: Solution, change: Change, also: dict[int, str]) -> Mutant:
    """``also``: lines of the solution."""
    edits = sorted(change.edits)
    data = solution.data
    for start, end, new in reversed(edits):
        data = data[:start] + new.encode() + data[end:]

    def moved(offset: int) -> int:
        """Where what stood at ``offset`` stands now."""
        return offset + sum(
            len(new.encode()) - (end - start) for start, end, new in edits if end <= offset and start < offset
        )

    def line(offset: int) -> int:
        return data[: moved(offset)].count(b"\n") + 1

    text = data.decode()
    starts = solution._starts
    own = line(change.at) + change.inserted
    lines = {line(starts[number - 1]): why for number, why in {**also, **dict(change.also)}.items()}
    lines.pop(own, None)
    old, new_lines = solution.text.splitlines(), text.splitlines()
    differing = next((i for i, (a, b) in enumerate(zip(old, new_lines, strict=False)) if a != b), len(new_lines) - 1)
    return Mutant(
        exercise, kind, text, own, lines, old[differing].strip(), new_lines[min(differing, len(new_lines) - 1)].strip()
    )
