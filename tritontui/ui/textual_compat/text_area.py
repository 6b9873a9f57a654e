"""A TextArea that repaints the lines that changed, where this Textual allows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual.document._document import Document
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset, Size
from textual.reactive import Reactive, reactive
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection

_TEXT_AREA_NAMES = (
    "_watch_selection",
    "_build_highlight_map",
    "_refresh_size",
    "_rewrap_and_refresh_virtual_size",
    "_undo_batch",
    "_redo_batch",
    "_scroll_update",
)


class _StockRepaint(TextArea):
    """A TextArea as Textual has it, with the hooks of ``LineRepaint`` called as well as public names allow."""

    def refresh_rows(self, first: int, last: int) -> None:  # noqa: ARG002
        self.refresh()

    def refresh_from(self, first: int) -> None:  # noqa: ARG002
        self.refresh()

    def section_at(self, offset: int) -> tuple[int, int, int]:
        """What stands ``offset`` lines from the top: row of the document, first column, column after the last."""
        row, column = self.wrapped_document.offset_to_location(Offset(0, offset))
        edges = [0, *self.wrapped_document.get_offsets(row), len(self.document.get_line(row))]
        section = max(i for i, edge in enumerate(edges[:-1]) if edge <= column)
        return row, edges[section], edges[section + 1]

    def document_changed(self, first: int, last: int, new_last: int) -> None:
        """Hook: rows ``first``…``last`` have become ``first``…``new_last`` (an edit, an undo, a redo)."""

    def on_text_area_changed(self) -> None:
        last = self.document.line_count - 1
        self.document_changed(0, last, last)


class _LineRepaint(TextArea):
    """A TextArea that repaints the lines an edit or a cursor move touched, not itself whole.

    Three things make the stock one costly: its ``selection`` repaints the widget, its ``virtual_size`` lays the whole
    screen out again, and undo, redo and a new wrapping bypass ``edit``.
    """

    selection: Reactive[Selection] = reactive(Selection(), init=False, always_update=True, repaint=False)
    suggestion: Reactive[str] = reactive("", repaint=False)

    def refresh_rows(self, first: int, last: int) -> None:
        """Repaint document rows ``first`` to ``last``, both included, counted from 0."""
        top, _ = self._offsets_of(first)
        _, bottom = self._offsets_of(last)
        self.refresh_lines(top, bottom - top + 1)

    def refresh_from(self, first: int) -> None:
        """Repaint row ``first`` and all below it."""
        top, _ = self._offsets_of(first)
        self.refresh_lines(top, max(1, self.scroll_offset.y + self.size.height - top))

    def section_at(self, offset: int) -> tuple[int, int, int]:
        """What stands ``offset`` lines from the top: row of the document, first column, column after the last."""
        row, section = self.wrapped_document._offset_to_line_info[offset]
        edges = [0, *self.wrapped_document.get_offsets(row), len(self.document.get_line(row))]
        return row, edges[section], edges[section + 1]

    def document_changed(self, first: int, last: int, new_last: int) -> None:
        """Hook: rows ``first``…``last`` have become ``first``…``new_last`` (an edit, an undo, a redo)."""

    def edit(self, edit: Edit) -> EditResult:
        """Perform ``edit`` and repaint what it touched."""
        first, last = edit.top[0], edit.bottom[0]
        height = self.wrapped_document.height
        result = super().edit(edit)
        self.document_changed(first, last, result.end_location[0])
        if self.wrapped_document.height == height:
            self.refresh_rows(first, result.end_location[0])
        else:
            self.refresh_from(first)
            self._follow_cursor()
        return result

    def _follow_cursor(self) -> None:
        """The cursor into view, once it is known how far one can scroll: Textual has tried before it knew."""
        if self.is_mounted and self.container_size:
            self.scroll_cursor_visible()

    def _offsets_of(self, row: int) -> tuple[int, int]:
        """First and last line on screen of document row ``row``, before scrolling."""
        row = max(0, min(row, self.document.line_count - 1))
        locate = self.wrapped_document.location_to_offset
        return locate((row, 0)).y, locate((row, len(self.document.get_line(row)))).y

    def _undo_batch(self, edits: Any) -> None:
        last = self.document.line_count - 1
        super()._undo_batch(edits)
        self._batch_done(edits, last)

    def _redo_batch(self, edits: Any) -> None:
        last = self.document.line_count - 1
        super()._redo_batch(edits)
        self._batch_done(edits, last)

    def _batch_done(self, edits: Iterable[Edit], last: int) -> None:
        tops = [edit.top[0] for edit in edits]
        if tops:
            self.document_changed(min(tops), last, self.document.line_count - 1)
            self.refresh()
            self._follow_cursor()

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Bring the cursor into view. In the middle of an undo it may stand beyond a text that has shrunk already."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset(0, 0)
        return super().scroll_cursor_visible(center, animate)

    def _rewrap_and_refresh_virtual_size(self) -> None:
        super()._rewrap_and_refresh_virtual_size()
        self.refresh()

    def _watch_suggestion(self) -> None:
        row = self.cursor_location[0]
        self.refresh_rows(row, row)

    def _watch_selection(self, previous: Selection, selection: Selection) -> None:
        if not self.is_mounted:
            return
        bracket = self.matching_bracket_location
        super()._watch_selection(previous, selection)
        rows = {previous.end[0], selection.end[0]}
        if previous.start != previous.end or selection.start != selection.end:
            rows |= {previous.start[0], selection.start[0]}
            self.refresh_rows(min(rows), max(rows))
        else:
            for row in rows:
                self.refresh_rows(row, row)
        if bracket != self.matching_bracket_location:
            for location in (bracket, self.matching_bracket_location):
                if location is not None:
                    self.refresh_rows(location[0], location[0])

    def _build_highlight_map(self) -> None:
        """Nothing is highlighted by Textual here."""

    def _refresh_size(self) -> None:
        """Set the virtual size without laying the screen out again: only the scrollbar depends on it."""
        if self.soft_wrap:
            size = Size(0, self.wrapped_document.height)
        else:
            width, height = self.document.get_size(self.indent_width)
            size = Size(width + self.gutter_width + 1, height)
        if size == self.virtual_size:
            return
        self.set_reactive(Widget.virtual_size, size)
        if self.is_mounted and self.container_size:
            self._scroll_update(size)


def can_repaint_lines(text_area: type[TextArea] = TextArea, wrapped: type[WrappedDocument] = WrappedDocument) -> bool:
    """Has this Textual every private name that the line repaint stands on?"""
    return all(hasattr(text_area, name) for name in _TEXT_AREA_NAMES) and hasattr(
        wrapped(Document("")), "_offset_to_line_info"
    )


if TYPE_CHECKING:
    LineRepaint = _LineRepaint
else:
    LineRepaint = _LineRepaint if can_repaint_lines() else _StockRepaint
