"""The kernel editor: what typing does, and the names of Triton that it completes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets.text_area import Selection

from tritontui.keys.file import Keys
from tritontui.ui.bindings import command_bindings
from tritontui.ui.code import editing
from tritontui.ui.textual_compat.keys import pass_on, run_own_binding
from tritontui.ui.widgets.code_area import CodeArea

if TYPE_CHECKING:
    from tritontui.ui.code.completion import Name, Names

_Rewrite = Callable[[Sequence[str]], list[str]]


class KernelEditor(CodeArea):
    """Edits one Python file with Triton kernels. ``find`` opens the search; the focus has moved when it returns."""

    BINDINGS: ClassVar[list[BindingType]] = [*command_bindings(Keys(), "editor")]

    class Asked(Message):
        """The learner wants to read about a name."""

        def __init__(self, name: Name) -> None:
            super().__init__()
            self.name = name

    def __init__(
        self, text: str = "", *, find: Callable[[], Awaitable[None]], id: str | None = None, classes: str | None = None
    ) -> None:
        self._find = find
        self._offers: Sequence[str] = ()
        self.names: Names | None = None
        """The names that can be completed and explained, once they have been read."""
        super().__init__(text, id=id, classes=classes)

    # ------------------------------------------------------------ typing

    async def on_key(self, event: events.Key) -> None:
        """Enter, tab and Esc are the editor's own; everything else is as in any text area."""
        if pass_on(self, event):
            return
        handler = {"enter": self._enter, "tab": self._tab}.get(event.key)
        if event.key == "escape":
            event.prevent_default()  # TextArea would give the focus away
            self.suggestion = ""
        elif handler is not None and not self.read_only:
            event.prevent_default()
            event.stop()
            handler()
        elif not event.is_printable:
            await run_own_binding(self, event)

    def _enter(self) -> None:
        start, end = sorted(self.selection)
        before = self.document.get_line(start[0])[: start[1]]
        after = self.document.get_line(end[0])[end[1] :]
        blanks = editing.next_indentation(before) if before.strip() else before
        swallowed = len(editing.indentation(after))
        self.replace("\n" + blanks, start, (end[0], end[1] + swallowed), maintain_selection_offset=False)

    def _tab(self) -> None:
        start, end = sorted(self.selection)
        if self.suggestion:
            self.insert(self.suggestion)
        elif start[0] != end[0]:
            self._rewrite_lines(editing.indent)
        else:
            width = editing.INDENT - self.get_column_width(*start) % editing.INDENT
            self.replace(" " * width, start, end, maintain_selection_offset=False)

    async def on_paste(self, event: events.Paste) -> None:
        """Pasted text comes with ``\\r``, tabs and whatever a terminal had in it."""
        event.prevent_default()
        event.stop()
        self._insert_foreign(event.text)

    def action_paste(self) -> None:
        """Paste what was cut or copied here."""
        self._insert_foreign(self.app.clipboard)

    def _insert_foreign(self, text: str) -> None:
        if text and not self.read_only:
            self.replace(editing.clean_paste(text), *self.selection, maintain_selection_offset=False)

    def action_delete_left(self) -> None:
        """Delete a character; within indentation, back to the tab stop."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if self.read_only or not self.selection.is_empty or not before:
            super().action_delete_left()
            return
        width = editing.backspace_width(before)
        if width == 1:
            super().action_delete_left()
        else:
            self.replace("", (row, column - width), (row, column), maintain_selection_offset=False)

    async def action_find(self) -> None:
        """Open what one types the sought text into."""
        await self._find()

    def action_dedent(self) -> None:
        """Take the lines of the selection one level back."""
        self._rewrite_lines(editing.dedent)

    def action_toggle_comment(self) -> None:
        """Comment the lines of the selection out, or back in."""
        self._rewrite_lines(editing.toggle_comment)

    def _rewrite_lines(self, rewrite: _Rewrite) -> None:
        """Put other lines in the place of the selected ones, keeping the selection on the same code."""
        if self.read_only:
            return
        (first, _), (last, last_column) = sorted(self.selection)
        if last > first and last_column == 0:
            last -= 1  # the selection only touches that line
        old = self.document.lines[first : last + 1]
        new = rewrite(old)
        if new == list(old):
            return
        places = [
            (row, max(0, column + len(new[row - first]) - len(old[row - first])))
            if first <= row <= last
            else (row, column)
            for row, column in self.selection
        ]
        self.replace("\n".join(new), (first, 0), (last, len(old[-1])))
        self.selection = Selection(*places)

    # ------------------------------------------------------------ completion

    def update_suggestion(self) -> None:
        """After an edit: offer the rest of a ``tl.`` or ``triton.`` name that is being typed at the end of a line."""
        typed = self._typed_name()
        self._offer(self.names.complete(typed) if self.names and typed and not typed.endswith(".") else ())

    def action_complete(self) -> None:
        """Offer a name; when one is offered already, the next; on a whole name, ask for its documentation."""
        known = self.names.get(self.name_at_cursor) if self.names else None
        if self._offers and self.suggestion:
            self._offer([*self._offers[1:], self._offers[0]])
        elif known is not None:
            self.post_message(self.Asked(known))
        elif self.names and (typed := self._typed_name()):
            self._offer(self.names.complete(typed))

    def watch_selection(self) -> None:
        """An offer stands only where it was made. That the cursor has moved is told by ``SelectionChanged``."""
        if self._offers or self.suggestion:
            self._offer(())

    def _offer(self, names: Sequence[str]) -> None:
        typed = self._typed_name()
        self._offers = names
        self.suggestion = names[0][len(typed) :] if names and names[0] != typed else ""
        self.post_message(self.Annotated())

    def _typed_name(self) -> str:
        """The dotted name that ends at the cursor, if nothing follows it on the line."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        return _dotted_name(line, column, column) if column == len(line) and self.selection.is_empty else ""

    @property
    def name_at_cursor(self) -> str:
        """The dotted name that is offered or that the cursor touches, such as ``tl.load``; "" if there is none."""
        if self.suggestion and self._offers:
            return self._offers[0]
        row, column = self.cursor_location
        line = self.document.get_line(row)
        end = column
        while end < len(line) and (line[end].isalnum() or line[end] == "_"):
            end += 1
        return _dotted_name(line, end, column)


def _dotted_name(line: str, end: int, cursor: int) -> str:
    """The name like ``a.b.c`` that ends before column ``end`` and reaches back to ``cursor`` at least."""
    begin = end
    while begin and (line[begin - 1].isalnum() or line[begin - 1] in "_."):
        begin -= 1
    return line[begin:end] if begin <= cursor else ""
