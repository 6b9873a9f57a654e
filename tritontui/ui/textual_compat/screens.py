"""Screens when much comes at once: they close once, and take the last of several sizes."""

from __future__ import annotations

from typing import Any, cast

from textual import events
from textual.await_complete import AwaitComplete
from textual.message_pump import MessagePump
from textual.screen import Screen


class AtLastSize(MessagePump):
    """Mixed into screens: they pass over every size but the terminal's own. No DOMNode, as ``Speaking``.

    A layout posts the new size to the screen itself. Where another has come meanwhile, Textual lays out for each by
    turns, and each layout posts its size again: without an end.
    """

    async def on_event(self, event: events.Event) -> None:
        is_stale = isinstance(event, events.Resize) and event.size != self.app.size
        if not is_stale:
            await super().on_event(event)


class ClosesOnce(AtLastSize):
    """Mixed into screens that are dismissed.

    Textual's ``dismiss`` takes the topmost screen away, whichever that is: after the first of two Enters that arrived
    together, the second took away the workspace beneath, and nothing was left that takes keys.
    """

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """As Textual's, while this screen is on top; else nothing."""
        screen = cast("Screen[Any]", self)
        return Screen.dismiss(screen, result) if screen.app.screen is screen else AwaitComplete()
