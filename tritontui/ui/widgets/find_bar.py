"""The field that text is looked for in, under the editor while the search is on."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from tritontui.ui.code import editing
from tritontui.ui.textual_compat.keys import pass_on, run_own_binding
from tritontui.ui.widgets.field import Field

Seek = Callable[[bool, bool], None]
"""Called with whether to go backwards, and whether the present selection may match again."""


class FindField(Field):
    """Where the text to look for is typed; Enter goes to the next place, up to the one before.

    It calls back at once instead of posting messages, so that the keys of one burst do what they would do singly.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "step(False)", "Next", show=False),
        Binding("up", "step(True)", "Previous", show=False),
        Binding("escape", "leave", "Close", show=False),
    ]

    def __init__(self, value: str, placeholder: str, seek: Seek, leave: Callable[[], None]) -> None:
        super().__init__(value, placeholder, compact=True, select_on_focus=True)
        self._seek = seek
        self._leave = leave

    async def on_key(self, event: events.Key) -> None:
        """Keys that don't type do what they do at once, in the order they came."""
        if not pass_on(self, event) and not event.is_printable:
            await run_own_binding(self, event)

    def watch_value(self) -> None:
        """What is sought has changed: seek from where the selection is."""
        self._seek(False, True)

    def action_paste(self) -> None:
        """Paste the first line of what was cut or copied: the field has only one."""
        lines = editing.clean_paste(self.app.clipboard).split("\n")
        self.replace(lines[0], *self.selection)

    def action_step(self, backwards: bool) -> None:
        """To the next place, or to the one before."""
        self._seek(backwards, False)

    def action_leave(self) -> None:
        """Back to the editor."""
        self._leave()


class FindBar(Horizontal):
    """The field, and before it a sign that says whether the text was found."""

    DEFAULT_CSS = """
    FindBar {
        height: 1; padding: 0 1;
        & > Static { width: 2; color: $accent; text-style: bold; }
        & > FindField { width: 1fr; height: 1; border: none; padding: 0; }
        &.-missing > Static { color: $error; }
    }
    """

    def __init__(self, field: FindField) -> None:
        super().__init__()
        self.field = field
        self._sign = Static("›", markup=False)

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self.field

    def say(self, found: bool) -> None:
        """Found, or not."""
        self.set_class(not found, "-missing")
        self._sign.update("›" if found else "✗")
