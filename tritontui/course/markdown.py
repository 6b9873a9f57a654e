"""Splits a lesson's text into the sections that its headings name: ``# Title {#id}``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"(?P<marks>#{1,3}) (?P<title>.*?)\s*(?:\{#(?P<id>[\w.-]+)\})?\s*$")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")


@dataclass
class Section:
    """A heading and what stands under it, down to the next named heading of its level or above."""

    id: str
    level: int
    """0 is the text before the first heading."""
    title: str
    line: int
    lines: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")

    @property
    def fences(self) -> int:
        """Code blocks in the section's own text."""
        return sum(1 for line in self.lines if _FENCE.match(line)) // 2

    def find(self, identifier: str) -> Section | None:
        return next((section for section in self.sections if section.id == identifier), None)


def split(text: str) -> Section:
    """The whole text as a section of level 0: it holds steps (``#``), they questions (``##``), those options (``###``).

    A ``##`` or ``###`` heading without an id is part of the text it stands in. Headings inside code blocks are code.
    """
    root = Section("", 0, "", 1)
    stack = [root]
    fence: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if mark is not None and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        heading = _HEADING.match(line) if fence is None and mark is None else None
        level = len(heading["marks"]) if heading else 0
        if heading is None or (heading["id"] is None and level > 1):
            stack[-1].lines.append(line)
            continue
        while stack[-1].level >= level:
            stack.pop()
        section = Section(heading["id"] or "", level, heading["title"], number)
        stack[-1].sections.append(section)
        stack.append(section)
    return root
