"""Screens that close once, however many keys of a burst ask for it."""

from __future__ import annotations

from typing import Any, cast

from textual.await_complete import AwaitComplete
from textual.screen import Screen


class ClosesOnce:
    """Mixed into screens that are dismissed.

    Textual's ``dismiss`` takes the topmost screen away, whichever that is: after the first of two Enters that arrived
    together, the second took away the workspace beneath, and nothing was left that takes keys.
    """

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """As Textual's, while this screen is on top; else nothing."""
        screen = cast("Screen[Any]", self)
        return Screen.dismiss(screen, result) if screen.app.screen is screen else AwaitComplete()
