"""Colours for the compiler's listings, one line at a time; Pygments is imported when a listing is first drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tritontui.ui.code.highlight import Kind, Palette, kinds_by_ancestry, styles

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 1_000
"""Characters of a line that are lexed: nobody reads on."""

Span = tuple[int, int, Kind]


def code_line(listing: str, line: str, palette: Palette) -> Text:
    """One line of the listing ``listing`` (``ptx``, ``sass``…) as styled text."""
    text = Text(line, no_wrap=True, end="")
    style_of = _styles(palette)
    for first, last, kind in spans(listing, line):
        text.stylize(style_of[kind], first, last)
    return text


@lru_cache(maxsize=8192)
def spans(listing: str, line: str) -> tuple[Span, ...]:
    """First character, character after the last, and kind of each piece of the line that has a colour."""
    kind_of, lexers = _pygments()
    found = []
    for start, token, value in lexers[listing].get_tokens_unprocessed(line[:LONGEST]):
        kind = kind_of(token)
        if kind is not None:
            found.append((start, start + len(value), kind))
    return tuple(found)


_styles = lru_cache(maxsize=8)(styles)


@lru_cache(maxsize=1)
def _pygments() -> tuple[Callable[[Any], Kind | None], dict[str, Lexer]]:
    """Kind of a token, and the lexer of each listing."""
    from pygments.lexer import RegexLexer
    from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token, Whitespace

    class Mlir(RegexLexer):  # type: ignore[misc]
        """Triton's IRs: ``%x = tt.load %p : tensor<256xf32>``."""

        tokens = {  # noqa: RUF012
            "root": [
                (r"//.*", Comment),
                (r'"[^"]*"', String),
                (r"%[\w#:.]+", Name.Variable),
                (r"[@^]\w+", Name.Label),
                (r"#\w[\w.]*", Name.Decorator),
                (
                    r"(?:tensor|memref|vector|!\w+(?:\.\w+)*)<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>",
                    Keyword.Type,
                ),
                (r"\b(?:[fiu]\d+|bf16|index)\b", Keyword.Type),
                (r"\b[a-z_]\w*\.[\w.]+", Name.Function),
                (r"\b(?:module|attributes|iter_args|to|step|else|loc|true|false)\b", Keyword),
                (r"\b-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|0x[0-9a-fA-F]+", Number),
                (r"\w+", Token.Text),
                (r"\s+", Whitespace),
                (r".", Operator),
            ]
        }

    class Machine(RegexLexer):  # type: ignore[misc]
        """SASS and AMD's assembly: an address, a predicate, an instruction, operands."""

        tokens = {  # noqa: RUF012
            "root": [
                (r"/\*[0-9a-f]+\*/", Comment),
                (r";.*", Comment),
                (r"[.$\w]+:$", Name.Label),
                (r"@!?\w+", Name.Decorator),
                (r"\s+", Whitespace),
                (r"\.\w[\w.]*", Keyword, "operands"),
                (r"[A-Za-z_][\w.]*", Name.Function, "operands"),
                (r".", Operator),
            ],
            "operands": [
                (r";.*", Comment),
                (r"\b(?:U?R\d+|U?P\d+|[RP]Z|URZ|PT|UPT)\b|\b[vs](?:\d+|\[[\d:]+\])", Name.Variable),
                (r"`\([^)]*\)|\.?L\w+", Name.Label),
                (r"\b(?:desc|c|SR_[\w.]+|vcc|exec|vmcnt|lgkmcnt)\b", Keyword.Type),
                (r"-?\b(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b", Number),
                (r"[\w.]+", Token.Text),
                (r"\s+", Whitespace),
                (r".", Operator),
            ],
        }

    class Ptx(RegexLexer):  # type: ignore[misc]
        """``@%p1 ld.global.v4.b32 {%r1}, [%rd1 + 0];``"""

        tokens = {  # noqa: RUF012
            "root": [
                (r"//.*", Comment),
                (r"\$?[\w$]+:$", Name.Label),
                (r"@!?%\w+", Name.Decorator),
                (r"%[\w.]+", Name.Variable),
                (r"\.[a-zA-Z]\w*", Keyword.Type),
                (r"\b[a-z]\w*(?:\.[\w:]+)+", Name.Function),
                (r"\b(?:ret|exit|bra)\b", Name.Function),
                (r"-?\b(?:0[xfdFD][0-9a-fA-F]+|\d+(?:\.\d+)?)\b", Number),
                (r"[\w$]+", Token.Text),
                (r"\s+", Whitespace),
                (r".", Operator),
            ]
        }

    from pygments.lexers.asm import LlvmLexer

    mlir, machine = Mlir(), Machine()
    lexers = {"ttir": mlir, "ttgir": mlir, "llir": LlvmLexer(), "ptx": Ptx(), "amdgcn": machine, "sass": machine}
    table: dict[Any, Kind] = {
        Comment: "comment",
        String: "string",
        Keyword: "keyword",
        Keyword.Type: "dtype",
        Name.Function: "triton",
        Name.Builtin: "triton",
        Name.Label: "function",
        Name.Decorator: "decorator",
        Number: "number",
    }

    return kinds_by_ancestry(table), lexers
