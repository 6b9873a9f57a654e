"""The only place that touches Textual's private names, so that a new Textual can break one file at most.

Where a private name is missing, Textual's own behaviour is left as it is: more bytes, nothing else.
"""

from __future__ import annotations

from textual.app import App
from textual.widgets import TextArea


class DiffDisplay(App[None]):
    """An application whose frames go through a diff: only cells that differ from the last frame are written.

    ``frame_diff`` turns it on; ``forget_frame`` makes the next frame be written whole.
    """

    frame_diff: bool = True

    def forget_frame(self) -> None:
        """The terminal may show something else by now: compare nothing with the last frame."""

    def redraw(self) -> None:
        """Write the whole screen again (after a resize, a resume, or garbage from elsewhere)."""


class LineRepaint(TextArea):
    """A TextArea that repaints the lines an edit or a cursor move touched, not itself whole."""

    def refresh_rows(self, first: int, last: int) -> None:
        """Repaint document rows ``first`` to ``last``, both included, counted from 0."""

    def document_changed(self, first: int, last: int, new_last: int) -> None:
        """Hook: rows ``first``…``last`` have become ``first``…``new_last`` (an edit, an undo, a redo)."""
