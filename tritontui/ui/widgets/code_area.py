"""Code on the screen: coloured by Triton's names, numbered, marked where findings speak of a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets.text_area import Location, Selection

from tritontui.ui.bindings import bindings_of
from tritontui.ui.code import editing, highlight
from tritontui.ui.textual_compat.text_area import LineRepaint

if TYPE_CHECKING:
    from tritontui.diagnosis.finding import Severity

GLYPHS: dict[Severity, str] = {"error": "✗", "warning": "▲", "note": "•"}
_RANKS: tuple[Severity, ...] = ("error", "warning", "note")


class Mark(NamedTuple):
    """A finding at its line (from 1): a glyph in the gutter, and its words in the line under the editor."""

    line: int
    severity: Severity
    text: str
    column: int | None = None


class _Placed(NamedTuple):
    """A mark where it stands by now, and the line of code it speaks of."""

    mark: Mark
    code: str


class _Look(NamedTuple):
    """The styles of the moment."""

    base: Style
    gutter: Style
    current: Style
    pointer: Style
    selection: Style
    bracket: Style
    cursor: Style
    hint: Style
    marks: dict[Severity, Style]
    code: dict[highlight.Kind, Style]


UNDONE_MOST = 1000
"""Steps that can be taken back; Textual's 50 are typed in a few minutes."""


class CodeArea(LineRepaint):
    """Shows and holds one Python file, its marks, and the place of the cursor in it."""

    DEFAULT_CSS = """
    CodeArea {
        height: 1fr; border: none; padding: 0;
        overflow-x: hidden; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        &:focus { border: none; }
        & .code--error { color: $error; text-style: bold; }
        & .code--warning { color: $warning; text-style: bold; }
        & .code--note { color: $primary; }
        & .code--gutter { color: $gutter; }
        & .code--current { color: $foreground; text-style: bold; }
        & .code--pointer { color: $accent; text-style: bold; }
        & .code--hint { color: $foreground 55%; text-style: italic; }
        &:ansi .code--hint { color: ansi_bright_black; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "code--error",
        "code--warning",
        "code--note",
        "code--gutter",
        "code--current",
        "code--pointer",
        "code--hint",
    }

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("editor")

    class Edited(Message):
        """The text has changed (typing, pasting, undo, ``replace_text``). Posted at once; debounce where handled."""

        def __init__(self, editor: CodeArea) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> CodeArea:
            """The editor, for ``@on``."""
            return self.editor

    class Annotated(Message):
        """The marks or the names offered have changed: what is said about the cursor's line may differ."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        self._placed: dict[int, _Placed] = {}
        self._pointed: int | None = None
        self._look: _Look | None = None
        self._coloured = False
        self._highlighter = highlight.Highlighter(lambda: self.document.lines)
        super().__init__(
            editing.clean(text),
            soft_wrap=True,
            tab_behavior="indent",
            show_line_numbers=True,
            max_checkpoints=UNDONE_MOST,
            id=id,
            classes=classes,
        )
        self.cursor_blink = False

    # ------------------------------------------------------------ the text as a whole

    def load(self, text: str) -> None:
        """Another file: its text, cursor at the top, an empty history, no marks. Posts no ``Edited``."""
        self._placed = {}
        self._pointed = None
        self._highlighter = highlight.Highlighter(lambda: self.document.lines)
        self.load_text(editing.clean(text))
        self.post_message(self.Annotated())
        self.refresh()

    def replace_text(self, text: str) -> None:
        """Same file, new content (reset, reload from disk): undo brings the old one back. Posts ``Edited``."""
        old = self.document.text
        start, end, inserted = editing.difference(old, editing.clean(text))
        if start == end and not inserted:
            return
        self.history.checkpoint()
        self.replace(inserted, _location(old, start), _location(old, end))
        self.history.checkpoint()

    def document_changed(self, first: int, last: int, new_last: int) -> None:
        """Rows have changed: colours and marks follow."""
        if self._highlighter.edited(first, last, new_last):
            self.refresh()
        self._move_marks(first, last, new_last)
        self.post_message(self.Edited(self))

    def colour(self) -> None:
        """Show the code in colours from now on: what they take to import is there."""
        self._coloured = True
        self.refresh()

    # ------------------------------------------------------------ marks

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Show these marks and no others. They move along with the edits until they are set again."""
        before = self._placed
        self._placed = {}
        for mark in sorted(marks, key=lambda mark: _RANKS.index(mark.severity)):
            row = mark.line - 1
            if 0 <= row < self.document.line_count:
                self._placed.setdefault(row, _Placed(mark, self.document.get_line(row)))
        for row in before.keys() | self._placed.keys():
            if before.get(row) != self._placed.get(row):
                self.refresh_rows(row, row)
        if before != self._placed:
            self.post_message(self.Annotated())

    def mark_at(self, row: int) -> Mark | None:
        """The mark of document row ``row`` (from 0)."""
        placed = self._placed.get(row)
        return placed.mark if placed else None

    @property
    def worst_mark(self) -> tuple[int, Mark] | None:
        """Row (from 0) and mark of the first error, else the first warning, else the first note."""
        ranked = sorted(self._placed.items(), key=lambda item: (_RANKS.index(item[1].mark.severity), item[0]))
        return (ranked[0][0], ranked[0][1].mark) if ranked else None

    def point_at(self, line: int | None) -> None:
        """Point at a line (from 1) beside its number, and bring it into view; None: at no line. The cursor stays."""
        row = line - 1 if line is not None and 0 < line <= self.document.line_count else None
        before, self._pointed = self._pointed, row
        if row == before:
            return
        for changed in (before, row):
            if changed is not None and changed < self.document.line_count:
                self.refresh_rows(changed, changed)
        if row is not None and self.size.height:
            y = self.wrapped_document.location_to_offset((row, 0)).y
            top, height = self.scroll_offset.y, self.size.height
            if not top <= y < top + height:
                self.scroll_to(y=max(0, y - height // 2), animate=False)

    @property
    def pointed_line(self) -> int | None:
        """The line that is pointed at."""
        return None if self._pointed is None else self._pointed + 1

    def _move_marks(self, first: int, last: int, new_last: int) -> None:
        """Marks below an edit move with their lines. Within it they follow the line they speak of, if it is found.

        A mark on a line that is being typed stays until the next ``set_marks``: it would flicker with every key.
        """
        if not self._placed:
            return
        shift = new_last - last
        moved: dict[int, _Placed] = {}
        for row, placed in self._placed.items():
            if row < first:
                moved[row] = placed
            elif row > last:
                moved[row + shift] = placed
            else:
                near = [at for at in (row, row + shift) if first <= at <= new_last]
                same = [at for at in near if self.document.get_line(at) == placed.code]
                if same or near:
                    moved[(same or near)[0]] = placed
        if moved.keys() != self._placed.keys():
            self.post_message(self.Annotated())
        self._placed = moved

    # ------------------------------------------------------------ finding one's way

    def action_document_edge(self, last: int, select: bool = False) -> None:
        """The cursor to the beginning of the text, or to its end (``last``)."""
        self.move_cursor(self.document.end if last else self.document.start, select=select)

    def goto(self, line: int, column: int | None = None) -> None:
        """Put the cursor at ``line`` and ``column``, both from 1, and bring it into view."""
        row = min(max(line - 1, 0), self.document.line_count - 1)
        text = self.document.get_line(row)
        at = len(editing.indentation(text)) if column is None else min(max(column - 1, 0), len(text))
        self.move_cursor((row, at))
        top, height = self.scroll_offset.y, self.size.height
        y = self.wrapped_document.location_to_offset((row, at)).y
        if not top + 1 < y < top + height - 2:
            self.scroll_cursor_visible(center=True)

    def find(self, pattern: str, *, backwards: bool = False, from_start: bool = False) -> bool:
        """Select the next occurrence of ``pattern`` (case counts only if it has capitals); False if there is none.

        The search goes on from the selection and round the end; ``from_start`` lets the present selection match again.
        """
        text = self.document.text
        if pattern == pattern.lower():
            text = text.lower() if len(text.lower()) == len(text) else text
        begin, end = (_index(self.document.lines, place) for place in sorted(self.selection))
        if not pattern:
            return False
        if backwards:
            found = text.rfind(pattern, 0, begin)
            found = text.rfind(pattern) if found < 0 else found
        else:
            found = text.find(pattern, begin if from_start else max(end, begin))
            found = text.find(pattern) if found < 0 else found
        if found < 0:
            return False
        self.selection = Selection(_location(text, found), _location(text, found + len(pattern)))
        self.record_cursor_width()
        return True

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """The partner of ``bracket`` at ``search_from``, if it is near."""
        return editing.matching_bracket(self.document.lines, *search_from) if bracket else None

    # ------------------------------------------------------------ drawing

    @property
    def gutter_width(self) -> int:
        """Columns for the line number, the sign of a mark, and blanks between."""
        return self._number_width + 3

    @property
    def _number_width(self) -> int:
        return max(2, len(str(self.document.line_count)))

    def notify_style_update(self) -> None:
        """Theme, focus or classes have changed."""
        self._look = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Without TextArea's own theme, which is set up again for every line."""
        return ScrollView.render_lines(self, crop)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        look = self._look = self._look or self._make_look()
        width = self.scrollable_content_region.width
        offset = self.scroll_offset.y + y
        if not 0 <= offset < self.virtual_size.height:
            return Strip.blank(width, look.base)
        row, first, last = self.section_at(offset)
        segments = [*self._gutter(look, row, first), *self._code(look, row, first, last)]
        return Strip(segments).adjust_cell_length(width, look.base)

    def _gutter(self, look: _Look, row: int, first: int) -> Iterable[Segment]:
        if first:
            yield Segment(" " * self.gutter_width, look.base)
            return
        pointed = row == self._pointed
        style = look.pointer if pointed else look.current if row == self.cursor_location[0] else look.gutter
        yield Segment(f"{row + 1:>{self._number_width}}", style)
        yield Segment("▸" if pointed else " ", style)
        mark = self.mark_at(row)
        yield Segment(f"{GLYPHS[mark.severity]} " if mark else "  ", look.marks[mark.severity] if mark else look.base)

    def _code(self, look: _Look, row: int, first: int, last: int) -> Iterable[Segment]:
        """Columns ``first`` to ``last`` of a row, and after the end of a row the blank on which the cursor may rest."""
        line = self.document.get_line(row)
        paint = [look.base] * (len(line) + 1)
        for begin, end, kind in self._highlighter.spans(row) if self._coloured else ():
            paint[begin:end] = [look.code[kind]] * (end - begin)
        for begin, end, style in self._overlays(look, row, line):
            paint[begin:end] = [under + style for under in paint[begin:end]]
        at_end = last == len(line)
        shown = self._expanded(row, line + " ")[first : last + at_end]
        for style, cells in groupby(zip(shown, paint[first : last + at_end], strict=True), key=lambda cell: cell[1]):
            yield Segment("".join(text for text, _ in cells), style)
        if at_end and self.suggestion and row == self.cursor_location[0]:
            yield Segment(self.suggestion[1:], look.hint)

    def _overlays(self, look: _Look, row: int, line: str) -> Iterable[tuple[int, int, Style]]:
        """What lies over the colours of a row: selection, marked column, brackets, the offered name, the cursor."""
        start, end = sorted(self.selection)
        mark = self.mark_at(row)
        if mark and mark.column is not None and mark.column <= len(line):
            yield mark.column - 1, _word_end(line, mark.column - 1), Style(underline=True)
        if start != end and start[0] <= row <= end[0]:
            yield start[1] if row == start[0] else 0, end[1] if row == end[0] else len(line) + 1, look.selection
        cursor_row, cursor_column = self.cursor_location
        bracket = self.matching_bracket_location
        if bracket is not None and start == end and self.has_focus:
            for bracket_row, column in (bracket, self.cursor_location):
                if bracket_row == row:
                    yield column, column + 1, look.bracket
        if row == cursor_row and self.has_focus:
            yield cursor_column, cursor_column + 1, look.cursor

    def _expanded(self, row: int, line: str) -> Sequence[str]:
        """The characters of ``line``, tabs as the blanks they take and the first offered letter on the cursor."""
        if "\t" not in line and not self.suggestion:
            return line
        shown = list(line)
        widths = iter(self.wrapped_document.get_tab_widths(row))
        for column, character in enumerate(line):
            if character == "\t":
                shown[column] = " " * next(widths)
        if self.suggestion and row == self.cursor_location[0]:
            shown[-1] = self.suggestion[0]
        return shown

    def _make_look(self) -> _Look:
        base = self.rich_style
        colourless = self.app.no_color
        theme = self.app.current_theme
        palette: highlight.Palette = (
            "none" if colourless else "ansi" if self.app.native_ansi_color else "dark" if theme.dark else "light"
        )
        whole = self.get_component_rich_style
        reverse = Style(reverse=True)
        return _Look(
            base=base,
            gutter=whole("code--gutter"),
            current=whole("code--current"),
            pointer=whole("code--pointer"),
            selection=reverse if colourless else whole("text-area--selection", partial=True),
            bracket=Style(bold=True, underline=True) if colourless else whole("text-area--matching-bracket"),
            cursor=reverse,
            hint=whole("code--hint"),
            marks={severity: whole(f"code--{severity}") for severity in _RANKS},
            code={kind: base + style for kind, style in highlight.styles(palette).items()},
        )


def _index(lines: Sequence[str], location: Location) -> int:
    """Characters of the text before ``location``."""
    row, column = location
    return sum(len(line) + 1 for line in lines[:row]) + column


def _location(text: str, index: int) -> Location:
    """Row and column of character ``index`` of ``text``."""
    return text.count("\n", 0, index), index - (text.rfind("\n", 0, index) + 1)


def _word_end(line: str, start: int) -> int:
    """The column after the word at ``start``, at least one further."""
    end = start + 1
    while end < len(line) and (line[end].isalnum() or line[end] == "_"):
        end += 1
    return end
