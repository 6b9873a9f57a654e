"""A learner's function as the makers of changes read it."""

from __future__ import annotations

import ast

from tritontui.diagnosis.edits.edit import Edit, Replacement, Source
from tritontui.diagnosis.names import Names
from tritontui.diagnosis.reading import FunctionDef, last_name

LONGEST_SHOWN = 60
"""Characters of an expression that a message quotes."""
_SHAPING = ("arange", "zeros", "full", "program_id", "num_programs", "reshape", "view", "cast")
"""Functions whose own arguments aren't tried: they decide shapes and types."""


class Function:
    """One function: its text, what its names stand for, and what stands around a node."""

    def __init__(self, source: Source, function: FunctionDef, tensors: frozenset[str] = frozenset()) -> None:
        """``tensors``: parameters that are known to be pointers."""
        self.source = source
        self.function = function
        self.names = Names(function, tensors)
        self.parents: dict[ast.AST, ast.AST] = {
            child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)
        }

    def edit(
        self, kind: str, node: ast.AST, text: str, likely: int, part: str = "", whole: ast.AST | None = None
    ) -> Edit:
        """``node`` becomes ``text``; ``whole`` is what the message quotes."""
        return Edit(kind, (Replacement(node, text),), self.quoted(whole or node), part, likely)

    def quoted(self, node: ast.AST) -> str:
        """``node`` on one line, as a message shows it."""
        quoted = " ".join(self.segment(node).split())
        return quoted if len(quoted) <= LONGEST_SHOWN else quoted[: LONGEST_SHOWN - 1] + "…"

    def segment(self, node: ast.AST) -> str:
        return self.source.segment(node)

    def sides(self, node: ast.BinOp) -> tuple[str, str]:
        return self.segment(node.left), self.segment(node.right)

    def around(self, node: ast.AST) -> ast.AST:
        """The expression or statement that a reader would look at."""
        parent = self.parents.get(node)
        while isinstance(parent, (ast.Subscript, ast.UnaryOp, ast.keyword)):
            parent = self.parents.get(parent)
        return parent if isinstance(parent, (ast.expr, ast.stmt)) else node

    def given_to(self, node: ast.AST) -> str:
        """The name that the statement around ``node`` gives a value to; a space where there is none."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            parent = self.parents.get(parent)
        named = isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name)
        return parent.targets[0].id if named else " "  # type: ignore[union-attr]

    def subscripted(self, node: ast.expr) -> ast.expr:
        parent = self.parents.get(node)
        return parent if isinstance(parent, ast.Subscript) and parent.value is node else node

    def in_address(self, node: ast.AST) -> bool:
        """Whether ``node`` takes part in an address, or moves one."""
        parent = self.parents.get(node)
        while isinstance(parent, (ast.BinOp, ast.Subscript)):
            if self.names.is_address(parent):
                return True
            parent = self.parents.get(parent)
        return isinstance(parent, ast.AugAssign) and self.names.is_address(parent.target)

    def is_stored(self, node: ast.Name) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and last_name(parent.func) == "store" and node in parent.args[1:2]

    def loop(self, node: ast.AST) -> ast.For | ast.While | None:
        """The innermost loop around ``node``."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, (ast.For, ast.While)):
            parent = self.parents.get(parent)
        return parent

    def is_fixed(self, node: ast.AST) -> bool:
        """Whether ``node`` stands among the arguments of a function that decides a shape or a type."""
        child, parent = node, self.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.Call) and last_name(parent.func) in _SHAPING and child is not parent.func:
                return last_name(parent.func) != "full" or child not in parent.args[1:2]
            child, parent = parent, self.parents.get(parent)
        return False
