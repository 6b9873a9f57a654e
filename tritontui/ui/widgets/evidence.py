"""Two lines that say the verdict and its first reason, for layouts that have no room for the results."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class EvidenceStrip(Widget):
    """Draws up to two rows of text under a rule."""

    DEFAULT_CSS = """
    EvidenceStrip { height: 3; padding: 0 1; border-top: solid $line; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: tuple[Content, Content] = (Content(""), Content(""))

    def show(self, first: Content, second: Content | None = None) -> None:
        """Show these two rows."""
        rows = (first, second or Content(""))
        if not all(new.is_same(old) for new, old in zip(rows, self.rows, strict=True)):
            self.rows = rows
            self.refresh()

    def render(self) -> Content:
        width = max(1, self.size.width)
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in self.rows)
