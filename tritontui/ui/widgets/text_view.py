"""A pane of styled text: wrapped to its width, scrolled, drawn line by line, with targets that Enter chooses.

Lesson, verdict, speed, compiler and output are all made of it. It is a single widget: nothing is laid out when
its text changes, and a scroll or a moved cursor repaints the rows it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from tritontui.ui.speaking import Speaking

NOTHING = Content("")


class Block(NamedTuple):
    """A paragraph, a list item, a line of code: text that wraps on its own."""

    text: Content
    first: Content = NOTHING
    """Stands before the first row."""
    rest: Content = NOTHING
    """Stands before the rows that follow from wrapping."""
    fill: str = ""
    """Style of the whole row, text or not."""
    fold: bool = False
    """Cut at the width instead of between words, as code is."""
    target: object | None = None
    """What Enter on this block chooses."""
    items: tuple[Content, ...] = ()
    """Instead of ``text``: short pieces set in columns, each kept whole."""
    shorter: Content | None = None
    """Instead of ``text`` where that doesn't fit into one row."""


BLANK = Block(NOTHING)


def line(*parts: str | Content | tuple[str, str], target: object | None = None, indent: int = 0) -> Block:
    """A block from parts, each plain text or (text, style); rows from wrapping are indented alike."""
    pad = Content(" " * indent)
    return Block(Content.assemble(*parts), first=pad, rest=pad, target=target)


class Row(NamedTuple):
    """One row as drawn: its text and the block it came from."""

    text: Content
    block: int


def lay_out(blocks: Sequence[Block], width: int) -> list[Row]:
    """The rows of ``blocks`` at ``width`` cells."""
    rows: list[Row] = []
    for index, block in enumerate(blocks):
        indent = max(block.first.cell_length, block.rest.cell_length)
        room = max(4, width - indent)
        text = block.text if block.shorter is None or block.text.cell_length <= room else block.shorter
        if block.items:
            pieces = _columns(block.items, room)
        else:
            pieces = fold_code(text, room) if block.fold else text.wrap(room)
        for piece_index, piece in enumerate(pieces or [Content("")]):
            prefix = block.rest if piece_index else block.first
            rows.append(Row(prefix + piece.rstrip() if prefix else piece.rstrip(), index))
    return rows


def under_cursor(text: Content) -> Content:
    """A row with a sign in its first cell, for a colour alone would be lost where there are few colours, or none."""
    if text.plain[:1].strip():
        return text.stylize("reverse", 0, 1)
    return Content.styled("▸", "bold $primary") + text[1:]


def fold_code(text: Content, room: int) -> list[Content]:
    """Cut a line of code at ``room`` cells, after a space or a comma where there is one in the second half."""
    pieces = []
    while text.cell_length > room:
        plain = text.fold(room)[0].plain
        cut = max(plain.rfind(" "), plain.rfind(","), plain.rfind("(")) + 1
        cut = cut if cut > len(plain) // 2 else len(plain)
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]


def _columns(items: Sequence[Content], room: int) -> list[Content]:
    """``items`` in as many equal columns as fit."""
    width = max(item.cell_length for item in items) + 3
    count = max(1, (room + 3) // width)
    padded = [item.pad_right(width - item.cell_length) for item in items]
    return [Content("").join(padded[start : start + count]) for start in range(0, len(padded), count)]


class TextView(Speaking, ScrollView, can_focus=True):
    """Shows blocks. With targets, up and down move between them; without, they scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    DEFAULT_CSS = """
    TextView { overflow-x: hidden; scrollbar-gutter: stable; padding: 0 0 0 1; }
    """

    class Chosen(Message):
        """Enter on a target."""

        def __init__(self, view: TextView, target: object) -> None:
            super().__init__()
            self.view = view
            self.target = target

        @property
        def control(self) -> TextView:
            return self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.blocks: tuple[Block, ...] = ()
        self.cursor: int | None = None
        """Index of the block under the cursor, when there are targets."""
        self._rows: list[Row] = []
        self._rows_width = -1
        self._strips: dict[int, Strip] = {}

    # ------------------------------------------------------------ content

    def show_blocks(self, blocks: Iterable[Block], *, keep_scroll: bool = True) -> None:
        """Show these blocks; the cursor stays on an equal target, or goes to the first."""
        wanted = self._target_at(self.cursor)
        self.blocks = tuple(blocks)
        targets = self.targets
        self.cursor = next((i for i in targets if self.blocks[i].target == wanted), targets[0] if targets else None)
        self._rows_width = -1
        self._measure()
        if not keep_scroll:
            self.scroll_to(0, 0, animate=False)
        self.refresh()

    @property
    def targets(self) -> list[int]:
        """Indices of the blocks that can be chosen."""
        return [index for index, block in enumerate(self.blocks) if block.target is not None]

    @property
    def plain(self) -> str:
        """The text of all blocks, unwrapped: what a test or a search reads."""
        return "\n".join((block.first + block.text).plain for block in self.blocks)

    @property
    def target(self) -> object | None:
        """What the cursor is on."""
        return self._target_at(self.cursor)

    def _target_at(self, index: int | None) -> object | None:
        return self.blocks[index].target if index is not None and index < len(self.blocks) else None

    # ------------------------------------------------------------ drawing

    @property
    def text_width(self) -> int:
        """Columns that text may take: one stays free before the scrollbar. 0 before the first layout."""
        return max(0, self.scrollable_content_region.width - 1)

    def _measure(self) -> None:
        width = self.text_width
        if width <= 0 or width == self._rows_width:
            return
        self._rows_width = width
        self._rows = lay_out(self.blocks, width)
        self._strips.clear()
        self.virtual_size = Size(width, len(self._rows))

    def on_resize(self) -> None:
        self._measure()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        self._measure()
        index = y + self.scroll_offset.y
        strip = self._strips.get(index)
        if strip is None:
            strip = self._strips[index] = self._draw(index)
        return strip

    def _draw(self, index: int) -> Strip:
        width = self.size.width
        base = self.visual_style
        if index >= len(self._rows):
            return Strip.blank(width, base.rich_style)
        row = self._rows[index]
        block = self.blocks[row.block]
        style = base + Style.parse(block.fill) if block.fill else base
        text = row.text
        if row.block == self.cursor and (self.has_focus or not self.can_focus):
            style = style + Style.parse("on $panel")
            if index == 0 or self._rows[index - 1].block != row.block:
                text = under_cursor(text)
        return Strip(text.render_segments(style)).adjust_cell_length(width, style.rich_style)

    def _redraw_block(self, index: int | None) -> None:
        for row_index, row in enumerate(self._rows):
            if row.block == index:
                self._strips.pop(row_index, None)
                self.refresh_lines(row_index)

    # ------------------------------------------------------------ moving

    def on_focus(self) -> None:
        self._redraw_block(self.cursor)

    def on_blur(self) -> None:
        self._redraw_block(self.cursor)

    def move_cursor(self, index: int) -> None:
        """Put the cursor on that block and bring it into view."""
        old, self.cursor = self.cursor, index
        self._redraw_block(old)
        self._redraw_block(index)
        self._scroll_to_block(index)

    def _scroll_to_block(self, index: int) -> None:
        rows = [number for number, row in enumerate(self._rows) if row.block == index]
        if not rows:
            return
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        # forced: a text that has just outgrown the pane has no scrollbar before the next layout, and wouldn't scroll
        if rows[0] < top:
            self.scroll_to(y=rows[0], animate=False, force=True)
        elif rows[-1] >= top + height:
            self.scroll_to(y=rows[-1] - height + 1, animate=False, force=True)

    def bring_into_view(self, first: int, last: int) -> None:
        """Scroll down to the end of block ``last``, but not past the beginning of block ``first``."""
        rows = [number for number, row in enumerate(self._rows) if first <= row.block <= last]
        if rows:
            wanted = min(rows[0], rows[-1] - self.scrollable_content_region.height + 1)
            if wanted > self.scroll_offset.y:
                self.scroll_to(y=wanted, animate=False, force=True)

    def scroll_to_block(self, index: int) -> None:
        """Bring the first row of that block to the top, with one row above it; the last block if there are fewer."""
        rows = [number for number, row in enumerate(self._rows) if row.block >= index]
        self.scroll_to(y=max(0, (rows[0] if rows else len(self._rows)) - 1), animate=False)

    def action_move(self, step: int) -> None:
        """To the next target that way, or scroll when there is none in reach."""
        targets = self.targets
        if self.cursor in targets:
            position = targets.index(self.cursor) + step
            if 0 <= position < len(targets):
                self.move_cursor(targets[position])
                return
        self.scroll_relative(y=step, animate=False)

    def action_page(self, direction: int) -> None:
        """A page up or down, one row kept."""
        self.scroll_relative(y=direction * max(1, self.scrollable_content_region.height - 1), animate=False)

    def action_edge(self, bottom: int) -> None:
        """To the first or the last row."""
        self.scroll_to(y=self.max_scroll_y if bottom else 0, animate=False)

    def action_choose(self) -> None:
        """Enter: choose the target under the cursor."""
        if self.target is not None:
            self.post_message(self.Chosen(self, self.target))

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if 0 <= row < len(self._rows):
            block = self._rows[row].block
            if self.blocks[block].target is not None:
                self.move_cursor(block)
                self.action_choose()
