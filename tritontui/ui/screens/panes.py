"""Three panes at every size of terminal: which are visible, how wide, and where the focus is."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tritontui.ui.layout import MIN_HEIGHT, MIN_WIDTH, SIZES, Pane, is_too_small, left_width, size_class
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.screens import AtLastSize
from tritontui.ui.widgets.editor import EditorPane
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.tab_line import TabLine


class PanesScreen(Speaking, AtLastSize, Screen[None]):
    """Something on the left, the editor, the results; subclasses fill them and say what their main widgets are."""

    HORIZONTAL_BREAKPOINTS = [*SIZES]  # noqa: RUF012 - Textual declares it without ClassVar
    AUTO_FOCUS = ""

    panes: ClassVar[tuple[Pane, ...]]
    """From the left: one of the subclass's own, ``editor``, ``results``."""
    pane: Pane
    """The one that has the focus, or is shown alone."""

    def __init__(self, pane: Pane) -> None:
        # With the classes that its size and focus will give it, nothing is styled twice.
        super().__init__(classes=f"-in-{pane} {size_class(self.app.size.width)}")
        self.pane = pane
        self._fitted: Size | None = None

    def compose(self) -> ComposeResult:
        yield TabLine(id="title")
        yield from self.compose_above()
        with Horizontal(id="body"):
            with Vertical(id=f"{self.panes[0]}-pane", classes="pane left-pane"):
                yield OneLine(id=f"{self.panes[0]}-title", classes="pane-title")
                yield from self.compose_left()
            with Vertical(id="editor-pane", classes="pane"):
                yield OneLine(id="editor-title", classes="pane-title")
                yield EditorPane()
            with Vertical(id="results-pane", classes="pane"):
                yield from self.compose_results()
        yield EvidenceStrip(id="evidence")
        yield OneLine(id="status")
        yield KeyLine(id="keys")
        yield Static(id="too-small", markup=False)

    # ------------------------------------------------------------ for subclasses

    def compose_above(self) -> ComposeResult:
        """Hook: rows over the panes."""
        yield from ()

    def compose_left(self) -> ComposeResult:
        """What stands in the pane on the left, under its title."""
        raise NotImplementedError

    def compose_results(self) -> ComposeResult:
        """Hook: what stands in the results' pane from the beginning."""
        yield from ()

    def main_widget(self, pane: Pane) -> Widget | None:
        """The widget of ``pane`` that takes the focus; None while it isn't there yet."""
        raise NotImplementedError

    def panes_changed(self) -> None:
        """Hook: another pane has the focus, or the size has changed."""
        self.say_first_error_once()

    def shows_findings(self) -> bool:
        """Hook: whether the results, where they are in view, say what is wrong."""
        return False

    # ------------------------------------------------------------ layout

    @property
    def one_at_a_time(self) -> bool:
        """Whether only one pane is visible."""
        return self.has_class("-narrow") or self.has_class("-zoomed")

    @property
    def results_in_view(self) -> bool:
        """Whether the results are visible; the evidence strip stands for them where they aren't."""
        if self.one_at_a_time:
            return self.pane == "results"
        return self.has_class("-wide") or self.has_class("-drawer")

    def say_first_error_once(self) -> None:
        """Under the editor only where neither the results nor the evidence strip say it."""
        said = self.shows_findings() if self.results_in_view else not self.has_class("-zoomed")
        self.query_one(EditorPane).leave_first_error(said)

    def on_mount(self) -> None:
        self._fit(self.app.size)  # before it is drawn, or all would be laid out and drawn twice

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)
        self.call_after_refresh(self.panes_changed)

    def _fit(self, size: Size) -> None:
        if size == self._fitted:
            return
        self._fitted = size
        width, height = size
        self.set_class(is_too_small(width, height), "-tiny")
        self.query_one("#body").styles.grid_columns = f"{left_width(width)} 1fr"
        self.query_one("#too-small", Static).update(
            self.tr(
                "{width}×{height} is too small.\nAt least {least_width}×{least_height} is needed.",
                width=width,
                height=height,
                least_width=MIN_WIDTH,
                least_height=MIN_HEIGHT,
            )
        )

    def show_pane(self, pane: Pane, *, focus: bool = True) -> None:
        """Make ``pane`` the current one."""
        self.pane = pane
        for name in self.panes:
            self.set_class(name == pane, f"-in-{name}")
        if pane == "results":
            self.add_class("-drawer")
        widget = self.main_widget(pane) if focus else None
        if widget is not None:
            widget.focus(scroll_visible=False)
        self.panes_changed()

    def action_show_pane(self, pane: Pane) -> None:
        """To that pane."""
        self.show_pane(pane)

    def on_descendant_focus(self) -> None:
        for name in self.panes:
            if name != self.pane and self.query_one(f"#{name}-pane").has_focus_within:
                self.show_pane(name, focus=False)
        self.call_later(self.panes_changed)

    def action_cycle_panes(self) -> None:
        """The next pane; from the results, where they are a drawer, this closes it."""
        if self.pane == "results":
            self.remove_class("-drawer")
        self.show_pane(self.panes[(self.panes.index(self.pane) + 1) % len(self.panes)])

    def action_zoom(self) -> None:
        """This pane alone on the screen, or all as before."""
        self.toggle_class("-zoomed")
        self.show_pane(self.pane)
