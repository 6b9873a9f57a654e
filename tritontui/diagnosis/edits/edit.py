"""One change to a learner's text, and the text it is made to."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, NamedTuple

NAMED, ODD, LIKELY, POSSIBLE, FAR_FETCHED = range(5)
"""How soon a change is tried: what the names suggest, what looks odd by itself (a name that nothing uses), the rest."""


class Replacement(NamedTuple):
    """``node``, of the learner's tree, becomes ``text``."""

    node: ast.AST
    text: str


@dataclass(frozen=True)
class Edit:
    """One change, at one place or at several that only help together."""

    kind: str
    """Id of the finding that it would mean."""
    replacements: tuple[Replacement, ...]
    """What the blame falls on comes first."""
    expression: str
    """What the message quotes: the expression around it."""
    part: str
    """What in it is at fault; ``""`` where the expression as a whole is."""
    likely: int
    """``NAMED``, ``ODD``, ``LIKELY``, ``POSSIBLE`` or ``FAR_FETCHED``: in this order they are tried."""

    in_kernel: bool = True

    @property
    def node(self) -> ast.AST:
        """What the blame falls on."""
        return self.replacements[0].node

    @property
    def line(self) -> int:
        """Line in the learner's file, from 1."""
        return int(getattr(self.node, "lineno", 1))

    @property
    def column(self) -> int:
        """Column in that line, from 1."""
        return int(getattr(self.node, "col_offset", 0)) + 1


class Source:
    """A text whose nodes can be cut out and replaced; offsets count bytes, as ``ast`` does."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        place: Any = node
        return int(self._starts[place.lineno - 1] + place.col_offset)

    def end(self, node: ast.AST) -> int:
        place: Any = node
        return int(self._starts[place.end_lineno - 1] + place.end_col_offset)

    def segment(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def changed(self, edit: Edit) -> str:
        """The text after ``edit``, with as many lines as before."""
        data = self.data
        for node, text in sorted(edit.replacements, key=lambda one: -self.start(one.node)):
            start, end = self.start(node), self.end(node)
            missing = data[start:end].count(b"\n") - text.count("\n")
            new = f"({text}{chr(10) * missing})" if missing > 0 else text
            data = data[:start] + new.encode() + data[end:]
        return data.decode()
