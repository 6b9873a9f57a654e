"""The only place that touches Textual's private names, so that a new Textual can break one file at most.

Where a private name is missing, Textual's own behaviour is left as it is: more bytes, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.color import Color
from textual.document._document import Document
from textual.document._wrapped_document import WrappedDocument
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Offset, Size
from textual.reactive import Reactive, reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection

from tritontui.ui.frame import Frame

if TYPE_CHECKING:
    from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
else:
    try:
        from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
    except ImportError:  # another Textual: frames are written as it writes them
        CompositorUpdate = None

# ------------------------------------------------------------------------------------------------ frames


class DiffDisplay(App[None]):
    """An application whose frames go through a diff: only cells that differ from the last frame are written.

    ``frame_diff`` turns it on; ``forget_frame`` makes the next frame be written whole. Under NO_COLOR, colour is
    taken off altogether (Textual would show greys) and attributes such as reverse are left.
    """

    frame_diff: bool = True
    _frame: Frame | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.no_color:
            _take_colour_off(self)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.redraw())
        # A focused Input keeps its cursor in the old theme's colours until it is drawn again.
        self.theme_changed_signal.subscribe(self, lambda _: self.call_after_refresh(self.redraw))

    def on_resize(self, _: events.Resize) -> None:
        self.redraw()

    def forget_frame(self) -> None:
        """The terminal may show something else by now: compare nothing with the last frame."""
        self._frame = None

    def redraw(self) -> None:
        """Write the whole screen again (after a resize, a resume, or garbage from elsewhere)."""
        self.forget_frame()
        if self.screen_stack:
            self.screen.refresh()

    def _display(self, screen: Any, renderable: Any) -> None:
        if CompositorUpdate is not None and self.frame_diff and isinstance(renderable, CompositorUpdate):
            if self._writes_now():
                renderable = self._diffed(renderable)
        elif renderable is not None:
            self.forget_frame()
        super()._display(screen, renderable)

    def _writes_now(self) -> bool:
        """Will Textual really write a frame that it is given now? One that is never written must not be believed."""
        return bool(
            not getattr(self, "_batch_count", 0)
            and getattr(self, "_running", True)
            and not getattr(self, "_closed", False)
            and not self.is_headless
        )

    def _diffed(self, update: CompositorUpdate) -> CompositorUpdate | None:
        """An update that writes the difference; None if there is none and the cursor stays where it is."""
        try:
            written = self._diff(update, self.console)
        except (AttributeError, TypeError, ValueError, KeyError):
            self.frame_diff = False  # an update of another shape than this Textual's: leave frames alone from now on
            return update
        if not written and getattr(self, "_previous_cursor_position", None) == self.cursor_position:
            return None
        return _Written(written)

    def _diff(self, update: CompositorUpdate, console: Console) -> str:
        if isinstance(update, LayoutUpdate):
            region = update.region
            frame = self._frame_of(console, region.right, region.bottom)
            for y, strips in enumerate(update.strips, region.y):
                frame.place(y, region.x, [segment for strip in strips for segment in strip])
        elif isinstance(update, ChopsUpdate):
            frame = self._frame_of(console, self.size.width, self.size.height)
            for y, first, last in update.spans:
                # Only inside the spans are chops fresh.
                for (x, strip), end in zip(update.chops[y].items(), update.chop_ends[y], strict=True):
                    if strip is not None and x < last and end > first:
                        frame.place(y, x, strip, max(first, x), min(last, end))
        else:
            self.forget_frame()
            return update.render_segments(console)
        return frame.flush()

    def _frame_of(self, console: Console, width: int, height: int) -> Frame:
        """The frame so far; a new one, of which nothing is known, when the terminal has another size."""
        frame = self._frame
        if frame is None or (frame.width, frame.height) != (width, height):
            frame = self._frame = Frame(width, height, pens(console))
        return frame


if TYPE_CHECKING or CompositorUpdate is not None:

    class _Written(CompositorUpdate):
        """An update whose sequences are known already."""

        def __init__(self, sequences: str) -> None:
            self._sequences = sequences

        def render_segments(self, console: Console) -> str:  # noqa: ARG002
            return self._sequences


_COLOUR_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


def pens(console: Console) -> Callable[[Style | None], str]:
    """What turns a style into the sequence that selects it on ``console``. Links are left out: they are shown only."""
    system = _COLOUR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)

    @lru_cache(maxsize=4096)
    def pen(style: Style | None) -> str:
        if style is None:
            return ""
        unlinked = style.update_link(None) if style.link else style
        return Strip.render_style(unlinked, "\0", system).partition("\0")[0]

    return pen


class Uncoloured(LineFilter):
    """Takes every colour off and leaves bold, underline and reverse."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same texts, without colour."""
        return [
            Segment(text, None if style is None else style.without_color, control) for text, style, control in segments
        ]


def _take_colour_off(app: App[Any]) -> None:
    """Put ``Uncoloured`` in the place of Textual's own filter for NO_COLOR, which makes greys."""
    filters = getattr(app, "_filters", None)
    if isinstance(filters, list):
        filters[:] = [Uncoloured() if isinstance(each, Monochrome | NoColor) else each for each in filters]


# ------------------------------------------------------------------------------------------------ keys


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Run the binding that ``widget`` itself has for a key, at once.

    Textual runs bindings when the key has bubbled up to the application, while typed characters are inserted on
    arrival. So in a burst (a slow line, a held key) characters overtake the arrow keys typed before them.
    """
    bindings = getattr(widget, "_bindings", None)
    if bindings is None:
        return False
    if keymap := getattr(widget.app, "_keymap", None):
        bindings = bindings.copy()
        bindings.apply_keymap(keymap)
    for binding in bindings.key_to_bindings.get(event.key, ()):
        if not binding.priority and await widget.app.run_action(binding.action, widget):
            event.prevent_default()
            event.stop()
            return True
    return False


# ------------------------------------------------------------------------------------------------ text areas

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
        return result

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
