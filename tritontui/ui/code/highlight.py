"""Colours for Triton code, line by line. No Textual in here: plain Rich styles and Pygments tokens.

A line is lexed by itself, given the triple-quoted string it starts in, if any. So an edit costs the lexing of the
edited lines alone, and lines that nobody looks at are never lexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Palette = Literal["dark", "light", "ansi", "none"]

Kind = Literal[
    "keyword", "string", "escape", "number", "comment", "function", "decorator", "builtin", "constant",
    "module", "triton", "dtype", "constexpr",
]  # fmt: skip
"""What a piece of code is, as far as colours tell; the last four are Triton's."""

Span = tuple[int, int, Kind]
"""First character, character after the last, kind."""

_COLOURS: dict[Kind, tuple[str, str, str, str]] = {
    # kind: dark, light, the terminal's own sixteen, no colour at all
    "keyword": ("#c9a2e0", "#7a3fa0", "magenta", "bold"),
    "string": ("#a5c98b", "#3f6a1f", "green", ""),
    "escape": ("#7fc7a8", "#1f6b57", "bright_green", ""),
    "number": ("#e0a878", "#964a10", "yellow", ""),
    "comment": ("#8490a2 italic", "#666e79 italic", "bright_black italic", "italic"),
    "function": ("#8cc4ea", "#12568c", "bright_blue", ""),
    "decorator": ("#e3c06f", "#7d5600", "bright_yellow", ""),
    "builtin": ("#8cc4ea", "#12568c", "bright_blue", ""),
    "constant": ("#e0a878", "#964a10", "yellow", ""),
    "module": ("#9fb4c7", "#4a6072", "cyan", ""),
    "triton": ("#5fd0c5", "#006a6a", "bright_cyan", ""),
    "dtype": ("#d9c27a", "#6f5a00", "bright_yellow", ""),
    "constexpr": ("#f2a0b4", "#a3264f", "bright_magenta", ""),
}
_PALETTES: tuple[Palette, ...] = ("dark", "light", "ansi", "none")

_LONGEST_LEXED = 1_000
"""Characters of a line that are lexed; nobody reads on, and a pasted line of a megabyte must not hold the editor up."""

_DTYPE = re.compile(
    r"u?int(?:1|8|16|32|64)|b?float(?:8\w*|16|32|64)|constexpr|dtype|tensor|(?:pointer|block|function)_type"
)


def styles(palette: Palette) -> dict[Kind, Style]:
    """The style of each kind in ``palette``."""
    column = _PALETTES.index(palette)
    return {kind: Style.parse(colours[column]) for kind, colours in _COLOURS.items()}


def code_text(source: str, palette: Palette) -> Text:
    """``source`` (a snippet of a lesson, say) as styled text."""
    lines = source.split("\n")
    highlighter = Highlighter(lambda: lines)
    style_of = styles(palette)
    text = Text(no_wrap=True, end="")
    for row, line in enumerate(lines):
        shown = Text(line if row == len(lines) - 1 else line + "\n")
        for first, last, kind in highlighter.spans(row):
            shown.stylize(style_of[kind], first, last)
        text.append_text(shown)
    return text


class Highlighter:
    """Spans for the rows of a document that changes. ``lines`` gives the document as it is at the moment."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        self._lines = lines
        self._states = [""]  # the triple quote each row starts in, or ""; rows beyond are not known yet
        self._constexprs: frozenset[str] | None = None

    def spans(self, row: int) -> tuple[Span, ...]:
        """The pieces of row ``row`` that have a colour, in order."""
        return _spans(self._lines()[row], self._state(row), self.constexprs)

    @property
    def constexprs(self) -> frozenset[str]:
        """Names declared ``tl.constexpr`` anywhere in the document."""
        if self._constexprs is None:
            self._constexprs = _constexprs(self._lines())
        return self._constexprs

    def edited(self, first: int, last: int, new_last: int) -> bool:
        """Rows ``first``…``last`` have become ``first``…``new_last``: does anything else look otherwise now?"""
        before = self._constexprs
        self._constexprs = _constexprs(self._lines())
        return self._splice(first, last, new_last) or before != self._constexprs

    def _splice(self, first: int, last: int, new_last: int) -> bool:
        """Bring the states of the edited rows up to date; True if the row after them starts in another one."""
        if last + 1 >= len(self._states):
            del self._states[first + 1 :]
            self._states = self._states or [""]
            return False
        below = self._states[last + 1]
        fresh = []
        state = self._states[first]
        for line in self._lines()[first : new_last + 1]:
            state = _state_after(line, state)
            fresh.append(state)
        self._states[first + 1 : last + 2] = fresh
        if state != below:
            del self._states[new_last + 2 :]
        return state != below

    def _state(self, row: int) -> str:
        states = self._states
        if row >= len(states):
            for line in self._lines()[len(states) - 1 : row]:
                states.append(_state_after(line, states[-1]))
        return states[row]


# ------------------------------------------------------------------------------------------------ strings over lines

_PIECE = re.compile(r"""#.*|(\"\"\"|''')|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")
_CLOSING = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}") for quote in ('"""', "'''")}


def _state_after(line: str, state: str) -> str:
    """The triple quote that is open at the end of ``line``, which starts in ``state``."""
    if not state and '"""' not in line and "'''" not in line:
        return ""
    position = 0
    while True:
        if state:
            closing = _CLOSING[state].match(line, position)
            if closing is None:
                return state
            position, state = closing.end(), ""
        piece = _PIECE.search(line, position)
        if piece is None:
            return ""
        position, state = piece.end(), piece[1] or ""


# ------------------------------------------------------------------------------------------------ one line

_CONSTEXPR = re.compile(r"(\w+)\s*:\s*(?:tl|triton\.language)\.constexpr\b")


def _constexprs(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(name for line in lines if "constexpr" in line for name in _CONSTEXPR.findall(line))


@lru_cache(maxsize=1024)
def _spans(line: str, state: str, constexprs: frozenset[str]) -> tuple[Span, ...]:
    line = line[:_LONGEST_LEXED]
    start = 0
    spans: list[Span] = []
    if state:
        closing = _CLOSING[state].match(line)
        start = closing.end() if closing else len(line)
        if start:
            spans.append((0, start, "string"))
    if start < len(line):
        spans += _joined((start + first, start + last, kind) for first, last, kind in _kinds(line[start:], constexprs))
    return tuple(spans)


def _joined(spans: Iterator[Span]) -> Iterator[Span]:
    """Neighbours of one kind as one span: a string comes as many tokens."""
    held: Span | None = None
    for span in spans:
        if held and held[1] == span[0] and held[2] == span[2]:
            held = (held[0], span[1], span[2])
            continue
        if held:
            yield held
        held = span
    if held:
        yield held


def _kinds(code: str, constexprs: frozenset[str]) -> Iterator[Span]:
    """Tokens of ``code`` that have a kind, with Triton's own names told from the rest."""
    kind_of, names, lexer = _pygments()
    chain: Kind | None = None  # the kind of what follows the dots of tl.… or @triton.…
    dot = False
    for position, token, value in lexer.get_tokens_unprocessed(code):
        kind: Kind | None = kind_of(token)
        if value in ("tl", "triton") and token in names and not dot:
            kind, chain = "module", "triton"
        elif value == "@triton":
            chain = "decorator"
        elif chain and dot and token in names:
            kind = "dtype" if _DTYPE.fullmatch(value) else chain
        elif value != ".":
            chain = None
        if kind is None and value in constexprs and token in names and not dot:
            kind = "constexpr"
        dot = value == "."
        if kind:
            yield position, position + len(value), kind


@lru_cache(maxsize=1)
def _pygments() -> tuple[Callable[[Any], Kind | None], Any, Lexer]:
    """Kind of a token, the token of names, the lexer. Imported when first needed: the first frame comes without."""
    from pygments.lexers.python import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    table: dict[Any, Kind] = {
        Keyword: "keyword",
        Keyword.Constant: "constant",
        Operator.Word: "keyword",
        String: "string",
        String.Escape: "escape",
        String.Interpol: "escape",
        Number: "number",
        Comment: "comment",
        Name.Function: "function",
        Name.Class: "function",
        Name.Decorator: "decorator",
        Name.Builtin: "builtin",
        Name.Builtin.Pseudo: "constant",
        Name.Exception: "builtin",
    }

    return kinds_by_ancestry(table), Name, PythonLexer(stripnl=False, ensurenl=False)


def kinds_by_ancestry(table: Mapping[Any, Kind]) -> Callable[[Any], Kind | None]:
    """A function that gives the kind of a Pygments token: that of the nearest type above it which ``table`` has."""

    @lru_cache(maxsize=256)
    def kind_of(token: Any) -> Kind | None:
        while token is not None and token not in table:
            token = token.parent
        return None if token is None else table[token]

    return kind_of


def warm_up() -> None:
    """Import Pygments and lex a line, so that the first key does not wait for it."""
    _spans("import triton", "", frozenset())
