"""The bottom line: the keys that matter where the learner is."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class KeyLine(Widget):
    """Draws as many ``key label`` pairs as fit."""

    DEFAULT_CSS = """
    KeyLine { height: 1; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hints: tuple[tuple[str, str], ...] = ()

    def show(self, hints: tuple[tuple[str, str], ...]) -> None:
        """Show these (key, label) pairs, the most useful first."""
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render(self) -> Content:
        parts: list[tuple[str, str]] = []
        room = self.size.width
        for key, label in self.hints:
            width = len(key) + len(label) + 3
            if width > room + 2:
                break
            parts += [(key, "bold $secondary"), (f" {label}  ", "$muted")]
            room -= width
        return Content.assemble(*parts)
