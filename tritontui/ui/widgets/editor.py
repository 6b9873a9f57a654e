"""The kernel editor: a TextArea that knows Triton, repaints little and marks the lines that findings speak of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.containers import Vertical
from textual.message import Message

from tritontui.diagnosis.finding import Severity
from tritontui.ui.textual_compat import LineRepaint


@dataclass(frozen=True)
class Mark:
    """A finding at its line (from 1): a glyph in the gutter, and its words in the line under the editor."""

    line: int
    severity: Severity
    text: str
    column: int | None = None


class KernelEditor(LineRepaint):
    """Edits one Python file with Triton kernels."""

    class Edited(Message):
        """The text has changed, by typing, pasting, undo or ``replace_text``. Posted at once; debounce where handled."""

        def __init__(self, editor: KernelEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> KernelEditor:
            """The editor, for ``@on``."""
            return self.editor

    def load(self, text: str) -> None:
        """Another file: its text, cursor at the top, an empty history, no marks. Posts no ``Edited``."""

    def replace_text(self, text: str) -> None:
        """Same file, new content (reset, reload from disk): undo brings the old one back. Posts ``Edited``."""

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Show these marks and no others. They move along with edits above; editing a marked line drops its mark."""

    def goto(self, line: int, column: int | None = None) -> None:
        """Put the cursor at ``line`` and ``column``, both from 1, and bring it into view."""

    def find(self, pattern: str, *, backwards: bool = False, from_start: bool = False) -> bool:
        """Select the next occurrence of ``pattern`` (case counts only if it has capitals); False if there is none."""
        raise NotImplementedError


class EditorPane(Vertical):
    """The editor, and one line under it that never moves the text.

    The line shows, first of all that apply: the find field, the mark of the cursor's line, the documentation of the
    name under the cursor, the first error. ``pane.editor`` is the ``KernelEditor``.
    """

    @property
    def editor(self) -> KernelEditor:
        """The editor in this pane."""
        return self.query_one(KernelEditor)
