"""Markdown as blocks of a text view: paragraphs, lists, quotes, tables and highlighted code, at home in 44 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from textual.content import Content

from tritontui.ui.widgets.text_view import BLANK, Block

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Highlight = Callable[[str], Content]
"""Styled Python source."""

EMPTY = Content("")
CODE = "$accent"
CODE_FILL = "on $code"
BULLETS = ("•", "◦", "▪")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 25 ms to import: the first frame does without

    return MarkdownIt("commonmark").enable("table")


def markdown_blocks(text: str, highlight: Highlight) -> list[Block]:
    """The blocks of a text; one blank row between them."""
    return _Renderer(highlight).render(_parser().parse(text))


def inline(text: str) -> Content:
    """One paragraph's worth of Markdown as a single line of styled text."""
    tokens = _parser().parseInline(text)
    return _inline(tokens[0].children or [])


def _inline(tokens: list[Token]) -> Content:
    parts: list[tuple[str, str]] = []
    styles: list[str] = []
    link = ""
    for token in tokens:
        style = " ".join(styles)
        if token.type == "text":
            parts.append((token.content, style))
        elif token.type == "code_inline":
            parts.append((token.content, f"{style} {CODE}".strip()))
        elif token.type == "softbreak":
            parts.append((" ", style))
        elif token.type == "hardbreak":
            parts.append(("\n", style))
        elif token.type in ("strong_open", "em_open"):
            styles.append("bold" if token.type == "strong_open" else "italic")
        elif token.type in ("strong_close", "em_close"):
            styles.pop()
        elif token.type == "link_open":
            link = str(token.attrs.get("href", ""))
            styles.append("underline")
        elif token.type == "link_close":
            styles.pop()
            if link:
                parts.append((f" ({link})", "$muted"))  # shown, never opened: the browser is on another machine
    return Content.assemble(*parts)


class _Renderer:
    """Walks the token stream once; ``_indent`` is what stands before each row at the present depth."""

    def __init__(self, highlight: Highlight) -> None:
        self._highlight = highlight
        self._blocks: list[Block] = []
        self._indent = EMPTY
        self._first: Content | None = None
        self._counters: list[int | None] = []
        self._tight = 0

    def render(self, tokens: list[Token]) -> list[Block]:
        stream = iter(tokens)
        for token in stream:
            self._token(token, stream)
        while self._blocks and self._blocks[-1] is BLANK:
            self._blocks.pop()
        return self._blocks

    def _token(self, token: Token, stream: Iterator[Token]) -> None:
        kind = token.type
        if kind == "inline":
            self._add(_inline(token.children or []))
        elif kind == "heading_open":
            self._heading(next(stream))
        elif kind in ("paragraph_close", "heading_close") and not token.hidden:
            self._gap()
        elif kind in ("fence", "code_block"):
            self._code(token.content, token.info.strip())
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._counters.append(int(token.attrs.get("start", 1)) if kind.startswith("ordered") else None)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._counters.pop()
            if not self._counters:
                self._gap()
        elif kind == "list_item_open":
            self._item()
        elif kind == "list_item_close":
            self._indent = self._indent[: -self._item_width()]
        elif kind == "blockquote_open":
            self._indent += Content.styled("▏ ", "$primary")
        elif kind == "blockquote_close":
            self._indent = self._indent[:-2]
        elif kind == "hr":
            self._add(Content.styled("─" * 12, "$line"))
            self._gap()
        elif kind == "table_open":
            self._table(stream)

    def _add(self, text: Content) -> None:
        self._blocks.append(Block(text, first=self._first or self._indent, rest=self._indent))
        self._first = None

    def _gap(self) -> None:
        if self._blocks and self._blocks[-1] is not BLANK:
            self._blocks.append(BLANK)

    def _heading(self, token: Token) -> None:
        self._add(Content.styled(_inline(token.children or []).plain, "bold $primary"))

    def _item_width(self) -> int:
        return 2 if self._counters[-1] is None else 3

    def _item(self) -> None:
        counter = self._counters[-1]
        if counter is None:
            sign = BULLETS[min(len(self._counters), len(BULLETS)) - 1] + " "
        else:
            sign = f"{counter}. "
            self._counters[-1] = counter + 1
        width = self._item_width()
        self._first = self._indent + Content.styled(sign.ljust(width), "$primary")
        self._indent += " " * width

    def _code(self, source: str, language: str) -> None:
        text = source.rstrip("\n")
        styled = self._highlight(text) if language in ("python", "py", "triton") else Content(text)
        for row in styled.split("\n", allow_blank=True):
            self._blocks.append(Block(row, first=self._indent, rest=self._indent + "  ", fill=CODE_FILL, fold=True))
        self._gap()

    def _table(self, stream: Iterator[Token]) -> None:
        rows: list[list[Content]] = []
        for token in stream:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(_inline(token.children or []))
            elif token.type == "table_close":
                break
        widths = [max(cell.cell_length for cell in column) for column in zip(*rows, strict=True)]
        for number, row in enumerate(rows):
            cells = [cell.pad_right(width - cell.cell_length + 2) for cell, width in zip(row, widths, strict=True)]
            joined = Content("").join(cells)
            self._add(joined.stylize("bold $secondary") if number == 0 else joined)
        self._gap()
