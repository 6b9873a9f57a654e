"""The results pane: one row of tabs over the views of the last run."""

from __future__ import annotations

from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tritontui.i18n import N_
from tritontui.ui.runs.controller import View
from tritontui.ui.speaking import Speaking
from tritontui.ui.views.status import verdict_sign
from tritontui.ui.widgets.tab_line import Tab, TabLine

NAMES = {
    "verdict": N_("Verdict"),
    "findings": N_("Findings"),
    "map": N_("Map"),
    "steps": N_("Steps"),
    "speed": N_("Speed"),
    "compiler": N_("Compiler"),
    "output": N_("Output"),
    "figures": N_("Figures"),
}
"""Ids of the views in the order of the tabs, and their names."""


class Shows(Protocol):
    """What each view of the results can do."""

    def show(self, view: View) -> None:
        """Show this run; called for the visible view only."""


class ResultsPane(Speaking, Vertical):
    """Draws only the view that is visible; the others catch up when they are."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", show=False),
        Binding("shift+tab", "turn(-1)", show=False),
        *(Binding(str(n), f"pick({n})", show=False) for n in range(1, len(NAMES))),
    ]

    class Turned(Message):
        """Another view is visible."""

    def __init__(self, views: dict[str, Widget], *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.views = views
        self.active = self._first = next(iter(views))
        self.view = View()
        self._hidden = {"figures"}
        """Views that the step has no use for."""
        self._drawn: dict[str, View] = {}

    def compose(self) -> ComposeResult:
        yield TabLine(id="results-tabs")
        for name, widget in self.views.items():
            widget.add_class("view")
            widget.set_class(name == self.active, "-shown")
            yield widget

    def on_mount(self) -> None:
        self._show_tabs()

    def show(self, view: View) -> None:
        """A new view of the run."""
        self.view = view
        self._show_tabs()
        self._draw_active()

    def pick(self, name: str) -> None:
        """Make that view the visible one; the focus follows when it was in the old one."""
        if name == self.active or name in self._hidden:
            return
        had_focus = self.has_focus_within
        self.views[self.active].remove_class("-shown")
        self.active = name
        self.views[name].add_class("-shown")
        self._show_tabs()
        self._draw_active()
        if had_focus:
            self.views[name].focus()
        self.post_message(self.Turned())

    def offer(self, name: str, offered: bool) -> None:
        """Whether the step has a use for that view."""
        (self._hidden.discard if offered else self._hidden.add)(name)
        if self.active in self._hidden:
            self.pick(self._first)
        self._show_tabs()

    @property
    def offered(self) -> list[str]:
        """Names of the views that there are, in order."""
        return [name for name in self.views if name not in self._hidden]

    @property
    def shown(self) -> Widget:
        """The visible view."""
        return self.views[self.active]

    @property
    def shows_findings(self) -> bool:
        """Whether the visible view is the one that says what is wrong: the first."""
        return self.active == self._first

    def action_pick(self, number: int) -> None:
        """A digit: that tab, if there is one."""
        if number <= len(self.offered):
            self.pick(self.offered[number - 1])

    def action_turn(self, step: int) -> None:
        """The tab beside."""
        names = self.offered
        self.pick(names[(names.index(self.active) + step) % len(names)])

    def on_descendant_focus(self) -> None:
        self.call_later(self._show_tabs)

    def on_descendant_blur(self) -> None:
        self.call_later(self._show_tabs)

    @on(TabLine.Picked)
    def _picked(self, event: TabLine.Picked) -> None:
        event.stop()
        self.pick(event.tab)
        self.shown.focus()

    def retranslate(self) -> None:
        self._drawn.clear()
        self._show_tabs()
        self._draw_active()

    def _draw_active(self) -> None:
        if self._drawn.get(self.active) is not self.view:
            self._drawn[self.active] = self.view
            shows: Shows = self.shown  # type: ignore[assignment]
            shows.show(self.view)

    def _show_tabs(self) -> None:
        sign, style = verdict_sign(self.view)
        tabs = tuple(
            Tab(name, self.tr(NAMES[name]), *((sign, style) if name == self._first else ())) for name in self.offered
        )
        aside = ""
        if self.view.stale and self.view.report is not None:
            aside = self.tr("of an earlier text")
        elif self.view.running:
            aside = self.tr("running")
        bar = Content.styled("▌", "$primary") if self.has_focus_within else Content(" ")
        self.query_one(TabLine).show(tabs, self.active, Content.styled(aside, "italic $muted"), before=bar)
