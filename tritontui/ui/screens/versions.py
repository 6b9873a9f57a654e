"""Earlier versions of the text: looked at beside the present one, and put back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tritontui.ui.bindings import closing_binding
from tritontui.ui.learner.versions import Earlier, difference_blocks, version_blocks
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.text_view import TextView


class Versions(OfTheCourse, ClosesOnce, ModalScreen[Earlier | None]):
    """Ends with the version to put back, or with None."""

    CSS_PATH = "versions.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown,space", "page(1)", show=False, priority=True),
    ]

    def __init__(self, versions: Sequence[Earlier], now: str) -> None:
        super().__init__()
        self._versions = versions
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield OneLine(id="sheet-title")
            yield TextView(id="versions-list")
            yield OneLine(id="versions-legend")
            yield TextView(id="versions-difference")

    def on_mount(self) -> None:
        give_bindings(self, [closing_binding(self.triton.keys, typing=False, also=("versions",))])
        tr = self.tr
        self.query_one("#sheet-title", OneLine).show(
            Content.styled(tr("Earlier versions"), "bold $primary"),
            Content.styled(tr("↑ ↓ choose, Enter puts it back, q closes"), "$muted"),
        )
        legend = Content.assemble(("− ", "$error"), tr("in your text now"), ("   + ", "$success"), tr("then"))
        self.query_one("#versions-legend", OneLine).show(legend, Content.styled(tr("PgUp PgDn scroll"), "$muted"))
        self.rows.show_blocks(version_blocks(self._versions, self._now))
        self.difference.can_focus = False
        self.set_focus(self.rows)
        self._show_difference()

    @property
    def rows(self) -> TextView:
        """The versions, newest first."""
        return self.query_one("#versions-list", TextView)

    @property
    def difference(self) -> TextView:
        """What the chosen one would change."""
        return self.query_one("#versions-difference", TextView)

    def _show_difference(self) -> None:
        version = self.rows.target
        if isinstance(version, Earlier):
            self.difference.show_blocks(difference_blocks(self._now, version.text, self.tr), keep_scroll=False)

    def action_move(self, step: int) -> None:
        """A newer one, an older one."""
        self.rows.action_move(step)
        self._show_difference()

    def action_page(self, direction: int) -> None:
        """Scroll the difference."""
        self.difference.action_page(direction)

    @on(TextView.Chosen)
    def _chosen(self, event: TextView.Chosen) -> None:
        event.stop()
        if isinstance(event.target, Earlier):
            self.dismiss(event.target)

    def action_leave(self) -> None:
        """Close, and leave the text as it is."""
        self.dismiss(None)
