"""Tabs in one row, one widget, no animation."""

from __future__ import annotations

from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

NOTHING = Content("")


class Tab(NamedTuple):
    """``id`` for the program, ``label`` for the eye, ``mark`` a sign after it such as ✗."""

    id: str
    label: str
    mark: str = ""
    mark_style: str = ""


class TabLine(Widget):
    """Draws ``Verdict [Map] Speed``: brackets and weight mark the active one, so that it holds without colour."""

    DEFAULT_CSS = """
    TabLine { height: 1; }
    """

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, line: TabLine, tab: str) -> None:
            super().__init__()
            self.line = line
            self.tab = tab

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs: tuple[Tab, ...] = ()
        self.active = ""
        self.before = NOTHING
        """Stands at the left end."""
        self.aside = NOTHING
        """Stands at the right end."""
        self._spans: list[tuple[int, int, str]] = []

    def show(self, tabs: tuple[Tab, ...], active: str, aside: Content = NOTHING, before: Content = NOTHING) -> None:
        """Show these tabs between ``before`` and ``aside``; repaints only when something differs."""
        same = (tabs, active) == (self.tabs, self.active)
        if not (same and aside.is_same(self.aside) and before.is_same(self.before)):
            self.tabs, self.active, self.aside, self.before = tabs, active, aside, before
            self.refresh()

    def render(self) -> Content:
        parts: list[str | tuple[str, str] | Content] = [self.before]
        self._spans = []
        at = self.before.cell_length
        for tab in self.tabs:
            active = tab.id == self.active
            style = "bold $primary" if active else "$muted"
            opened, closed = ("[", "]") if active else (" ", " ")
            mark = f" {tab.mark}" if tab.mark else ""
            parts += [(opened + tab.label, style), (mark, tab.mark_style), (closed, style)]
            width = Content(opened + tab.label + mark + closed).cell_length
            self._spans.append((at, at + width, tab.id))
            at += width
        room = self.size.width - at - 1
        aside = self.aside.truncate(max(1, room), ellipsis=True)
        parts.append(aside.pad_left(max(0, room + 1 - aside.cell_length)))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        for start, end, tab in self._spans:
            if start <= event.x < end:
                self.post_message(self.Picked(self, tab))
