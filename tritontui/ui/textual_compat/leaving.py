"""An end that comes while parts of the application are still being made."""

from __future__ import annotations

from typing import Any

from textual.app import App, ScreenError
from textual.css.query import QueryError
from textual.widget import WidgetError

_GONE = (QueryError, ScreenError, WidgetError)
"""What is said of widgets and screens that aren't there any more, or never will be."""


class Leavable(App[None]):
    """Once it was told to leave, nothing that is under way goes on among widgets that are being taken down.

    Textual would print a traceback over the terminal that was given back.
    """

    _told_to_leave = False

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        """``message``: a Rich renderable, printed on the terminal as it was before."""
        self._told_to_leave = True
        self.workers.cancel_all()
        super().exit(result, return_code, message)

    def _handle_exception(self, error: Exception) -> None:
        if not (self._told_to_leave and isinstance(error, _GONE)):
            super()._handle_exception(error)
