"""A sheet over the workspace: a title, some text, perhaps things to choose."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tritontui.ui.bindings import closing_binding
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.text_view import Block, TextView


class Sheet(Speaking, ClosesOnce, ModalScreen[object]):
    """Ends with the chosen target, or with None."""

    def __init__(self, title: str, blocks: Sequence[Block], *, at: object | None = None) -> None:
        super().__init__()
        self._title = title
        self._blocks = tuple(blocks)
        self._at = at

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield OneLine(id="sheet-title")
            yield TextView(id="sheet-text")

    def on_mount(self) -> None:
        give_bindings(self, [closing_binding(self.triton.keys, typing=False)])
        closes = Content.styled(self.tr("q closes"), "$muted")
        self.query_one(OneLine).show(Content.styled(self._title, "bold $primary"), closes)
        view = self.query_one(TextView)
        view.show_blocks(self._blocks)
        self.set_focus(view)  # at once: the next key may be waiting already
        self.call_after_refresh(self._go_to_start)

    def _go_to_start(self) -> None:
        view = self.query_one(TextView)
        for index in view.targets:
            if view.blocks[index].target == self._at:
                view.move_cursor(index)

    @on(TextView.Chosen)
    def _chosen(self, event: TextView.Chosen) -> None:
        event.stop()
        self.dismiss(event.target)

    def action_leave(self) -> None:
        """Close without choosing."""
        self.dismiss(None)
