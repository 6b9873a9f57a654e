"""The bottom line: the keys that matter where the learner is."""

from __future__ import annotations

from itertools import chain

from textual.content import Content
from textual.widget import Widget

from tritontui.ui.views.key_hints import Hints, fitting


class KeyLine(Widget):
    """Draws as many ``key label`` pairs as fit."""

    DEFAULT_CSS = """
    KeyLine { height: 1; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hints: Hints = ()

    def show(self, hints: Hints) -> None:
        """Show these (key, label) pairs, the most useful first."""
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render(self) -> Content:
        shown = fitting(self.hints, self.size.width)
        pairs = (((key, "bold $secondary"), (f" {label}  ", "$muted")) for key, label in shown)
        return Content.assemble(*chain.from_iterable(pairs))
