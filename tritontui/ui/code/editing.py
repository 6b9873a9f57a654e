"""What an editor for Python does to text, as plain functions on strings and lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

INDENT = 4

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")


def clean(text: str) -> str:
    """``text`` as the editor keeps it: lines end in ``\\n``, and nothing in it can steer a terminal or hide code.

    Terminal sequences, control characters, bidirectional overrides and lone surrogates go; tabs stay.
    """
    return _UNWANTED.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))


def clean_paste(text: str) -> str:
    """``clean``, and tabs become spaces, for pasted code seldom indents as this file does."""
    return "\n".join(line.expandtabs(INDENT) for line in clean(text).split("\n"))


# ------------------------------------------------------------------------------------------------ indentation

_ENDS_BLOCK = re.compile(r"\s*(?:return|pass|break|continue|raise)\b")
_STRING_OR_COMMENT = re.compile(r"""#.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")


def indentation(line: str) -> str:
    """The blanks ``line`` begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def next_indentation(line: str) -> str:
    """The blanks for a line that follows ``line``: deeper after a colon or an open bracket, back after ``return``."""
    own = indentation(line)
    code = _STRING_OR_COMMENT.sub("", line).rstrip()
    if code.endswith((":", "(", "[", "{")):
        return own + " " * INDENT
    if _ENDS_BLOCK.match(code) and _depth(code) == 0:
        return own[:-INDENT] if own.endswith(" " * INDENT) else own
    return own


def _depth(code: str) -> int:
    return sum(code.count(bracket) for bracket in "([{") - sum(code.count(bracket) for bracket in ")]}")


def indent(lines: Sequence[str]) -> list[str]:
    """Every line that isn't blank, one level deeper."""
    return [" " * INDENT + line if line.strip() else line for line in lines]


def dedent(lines: Sequence[str]) -> list[str]:
    """Every line one level back, as far as it has blanks to lose."""
    return [line[_removable(line) :] for line in lines]


def _removable(line: str) -> int:
    """Leading characters that make up the last, perhaps partial, level of indentation."""
    if line.startswith("\t"):
        return 1
    width = len(line) - len(line.lstrip(" "))
    return (width - 1) % INDENT + 1 if width else 0


def backspace_width(before: str) -> int:
    """Characters that backspace takes away after ``before``: back to the tab stop within indentation, else one."""
    if before and not before.strip(" "):
        return (len(before) - 1) % INDENT + 1
    return 1


# ------------------------------------------------------------------------------------------------ comments, brackets


def toggle_comment(lines: Sequence[str]) -> list[str]:
    """Comment the lines out, at their common indentation; or, if all of them are comments, back in."""
    full = [line for line in lines if line.strip()]
    if full and all(line.lstrip().startswith("#") for line in full):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    column = min((len(indentation(line)) for line in full), default=0)
    return [f"{line[:column]}# {line[column:]}" if line.strip() or not full else line for line in lines]


_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_OPENERS = {closing: opening for opening, closing in _BRACKETS.items()}
_FARTHEST_ROWS = 400
"""Rows that are searched for the other bracket: more than fit on a screen, and soon done."""


def matching_bracket(lines: Sequence[str], row: int, column: int) -> tuple[int, int] | None:
    """Where the partner of the bracket at ``row``, ``column`` is, if it has one nearby. Only its own kind counts."""
    here = lines[row][column : column + 1]
    if here in _BRACKETS:
        return _search(lines, row, column, here, _BRACKETS[here], 1)
    if here in _OPENERS:
        return _search(lines, row, column, here, _OPENERS[here], -1)
    return None


def _search(lines: Sequence[str], row: int, column: int, own: str, other: str, step: int) -> tuple[int, int] | None:
    pattern = re.compile(f"[{re.escape(own + other)}]")
    depth = 0
    rows = (
        range(row, min(len(lines), row + _FARTHEST_ROWS)) if step > 0 else range(row, max(-1, row - _FARTHEST_ROWS), -1)
    )
    for at in rows:
        found = [match.start() for match in pattern.finditer(lines[at])]
        for place in found if step > 0 else reversed(found):
            if at == row and (place - column) * step < 0:
                continue
            depth += 1 if lines[at][place] == own else -1
            if depth == 0:
                return at, place
    return None


# ------------------------------------------------------------------------------------------------ differences


def difference(old: str, new: str) -> tuple[int, int, str]:
    """The one replacement that makes ``new`` of ``old``: from, to (characters of ``old``), and what comes there."""
    shortest = min(len(old), len(new))
    start = _common(old, new, shortest)
    end = _common(old[: start - 1 if start else None : -1], new[: start - 1 if start else None : -1], shortest - start)
    return start, len(old) - end, new[start : len(new) - end]


def _common(one: str, other: str, longest: int) -> int:
    """Characters that both begin with, found by halving: comparing slices is fast, comparing characters is not."""
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
