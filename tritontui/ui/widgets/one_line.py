"""A row with something at its left end and something at its right end."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class OneLine(Widget):
    """Shows ``left`` and, where there is room, ``right``; repaints only when one of them differs."""

    DEFAULT_CSS = """
    OneLine { height: 1; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.left = Content("")
        self.right = Content("")

    def show(self, left: Content, right: Content | None = None) -> None:
        """Show these two."""
        right = right or Content("")
        if not (left.is_same(self.left) and right.is_same(self.right)):
            self.left, self.right = left, right
            self.refresh()

    def render(self) -> Content:
        width = self.size.width
        gap = width - self.left.cell_length - self.right.cell_length
        if gap >= 1:
            return Content.assemble(self.left, " " * gap, self.right)
        return self.left.truncate(max(1, width), ellipsis=True)
