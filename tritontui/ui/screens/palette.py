"""The palette: type a part of a name, Enter does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from tritontui.ui.bindings import closing_binding
from tritontui.ui.commands import Offer, Search, matching
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.field import Field
from tritontui.ui.widgets.text_view import Block, TextView, line


class Palette(Speaking, ClosesOnce, ModalScreen[Offer | None]):
    """Ends with the chosen offer, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    def __init__(self, offers: Sequence[Offer], *, searches: bool = True) -> None:
        """``searches``: what is typed may also be looked for in the lessons."""
        super().__init__()
        self._searches = searches
        self._offers = tuple(offers)

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Field(placeholder=self.tr("What do you want to do?"), id="palette-input", select_on_focus=False)
            yield TextView(id="sheet-text")

    def on_mount(self) -> None:
        give_bindings(self, [closing_binding(self.triton.keys, typing=True)])
        self.view.can_focus = False
        self.set_focus(self.query_one(Input))  # at once: the next key may be waiting already
        self._show()

    @property
    def view(self) -> TextView:
        """The list."""
        return self.query_one(TextView)

    @on(Input.Changed)
    def _show(self) -> None:
        self.view.cursor = None
        self.view.show_blocks(self._blocks(), keep_scroll=False)

    def _blocks(self) -> Iterator[Block]:
        typed = self.query_one(Input).value.strip()
        found = matching(self._offers, typed)
        if not found:
            yield Block(Content.styled(self.tr("Nothing is called that."), "$muted"))
        if typed and self._searches:
            found.append(Offer(self.tr("Search the lessons for “{words}”", words=typed), "", Search(typed)))
        for offer in found:
            yield line((f"{offer.key:<5}", "bold $secondary"), offer.words, target=offer)

    @on(TextView.Chosen)
    def _chosen(self, event: TextView.Chosen) -> None:
        event.stop()
        if isinstance(event.target, Offer):
            self.dismiss(event.target)

    def action_move(self, step: int) -> None:
        """Up, down."""
        self.view.action_move(step)

    def action_page(self, direction: int) -> None:
        """Ten rows up or down."""
        for _ in range(10):
            self.view.action_move(direction)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        """Enter, after whatever was typed before it."""
        self.view.action_choose()

    def action_leave(self) -> None:
        """Close without choosing."""
        self.dismiss(None)
