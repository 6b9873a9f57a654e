"""A field to type into whose cursor stands still: one that blinks writes to the terminal twice a second, for ever."""

from __future__ import annotations

from typing import Any

from textual.widgets import Input


class Field(Input):
    """Textual's, without the blinking."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cursor_blink = False
