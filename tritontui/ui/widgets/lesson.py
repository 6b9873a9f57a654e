"""The lesson pane: the step's text, its questions, the hints asked for so far."""

from __future__ import annotations

from textual.content import Content

from tritontui.ui.widgets.text_view import Block, TextView


class LessonView(TextView):
    """Shows one step."""

    def show_plain(self, text: str) -> None:
        """The text as it is, for the first frame."""
        self.show_blocks([Block(Content(row)) for row in text.splitlines()], keep_scroll=False)
