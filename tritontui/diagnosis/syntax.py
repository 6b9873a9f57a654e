"""Python's own grammar, checked in the time of a keystroke."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding

_MESSAGES: tuple[tuple[str, str], ...] = (
    (r"expected ':'", "missing-colon"),
    (r"'(?P<bracket>[(\[{])' was never closed", "unclosed"),
    (r"unmatched '(?P<bracket>[)\]}])'", "unmatched"),
    (
        r"closing parenthesis '(?P<bracket>.)' does not match opening parenthesis '(?P<opener>.)'"
        r"(?: on line (?P<opened_line>\d+))?",
        "wrong-bracket",
    ),
    (r"unterminated (?:f-|t-)?(?:string )?triple-quoted", "unterminated-text"),
    (r"unterminated triple-quoted", "unterminated-text"),
    (r"unterminated .*(?:string|literal)", "unterminated-string"),
    (r"inconsistent use of tabs and spaces", "mixed-tabs"),
    (r"expected an indented block(?: after (?P<after>.+?) on line \d+)?", "missing-indent"),
    (r"unexpected indent", "unexpected-indent"),
    (r"unindent does not match|unexpected unindent|inconsistent dedent", "wrong-dedent"),
    (r"Maybe you meant '==' or ':='", "assignment"),
    (r"cannot assign to (?P<what>.+?)(?: here)?(?:\. Maybe you meant '==' instead of '='\?)?$", "assign-to"),
    (r"Perhaps you forgot a comma", "missing-comma"),
    (
        r"invalid (?:non-printable )?character(?: '(?P<character>.)')?(?: ?\(?(?P<code>U\+[0-9A-F]+)\)?)?",
        "invalid-character",
    ),
    (r"null bytes?", "null-byte"),
    (r"too many nested|too many statically nested|too many levels|recursion depth|s_push|too complex", "too-deep"),
    (r"unexpected EOF", "unfinished"),
    (r"keyword argument repeated(?:: (?P<what>\w+))?", "repeated-keyword"),
    (r"positional argument follows keyword argument", "late-positional"),
    (r"'(?P<what>return|yield|await)' outside function", "outside-function"),
    (r"'(?P<what>break)' outside loop|'(?P<other>continue)' not properly in loop", "outside-loop"),
)
"""What CPython 3.10 to 3.14 say, and which of the catalogue's problems it is."""

_OPENERS = {
    "function definition": "def",
    "class definition": "class",
}
_BLOCK = re.compile(r"\s*(?:async )?(?:def|class|if|elif|else|for|while|with|try|except|finally)\b")
_CONDITION = re.compile(r"\s*(?:if|elif|while)\b")


def check_syntax(source: str) -> Finding | None:
    """A ``syntax-error`` with line and column, or None when ``source`` parses. Never raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would be written over the screen
            ast.parse(source)
    except SyntaxError as error:
        return syntax_error(source, error.msg or "", error.lineno, error.offset)
    except (RecursionError, MemoryError):
        return syntax_error(source, "too many nested parentheses", None, None)
    except UnicodeError as error:
        bad = getattr(error, "object", "")[getattr(error, "start", 0) :][:1]
        return syntax_error(source, "invalid character", *_place_of(source, bad))
    except ValueError as error:
        return syntax_error(source, str(error), *_place_of(source, "\0"))
    return None


def syntax_error(source: str, message: str, line: int | None, column: int | None) -> Finding:
    """The finding for Python's own ``message``; ``line`` and ``column`` as a SyntaxError has them."""
    lines = source.splitlines() or [""]
    at = lines[min(line or 1, len(lines)) - 1]
    if "null byte" in message:
        line, column = _place_of(source, "\0")
    problem, params = _problem(message, at, column)
    if problem in ("unclosed", "unterminated-text"):
        params = {**params, "opened_line": line}
    return Finding(
        id="syntax-error",
        severity=entry("syntax-error").severity,
        line=min(line, len(lines)) if line else None,
        column=column if column and column > 0 else None,
        params={"problem": problem, "python": message, **params},
        original=f"SyntaxError: {message}" + (f" (line {line})" if line else ""),
    )


def _problem(message: str, at: str, column: int | None) -> tuple[str, Mapping[str, Any]]:
    if re.match(r"\s*else if\b", at):
        return "else-if", {}
    if "<<<" in at and message == "invalid syntax":
        return "cuda-launch", {}
    for pattern, problem in _MESSAGES:
        if match := re.search(pattern, message):
            return _refined(problem, match, at)
    ends = column is not None and column > len(at.rstrip())
    if ends and _BLOCK.match(at) and not at.rstrip().endswith(":"):
        return "missing-colon", {}
    return ("unfinished" if ends and message == "invalid syntax" else "other"), {}


def _refined(problem: str, match: re.Match[str], at: str) -> tuple[str, Mapping[str, Any]]:
    found = {name: text for name, text in match.groupdict().items() if text}
    if problem == "assign-to" and _CONDITION.match(at):
        return "assignment", {}
    if problem == "missing-indent" and "after" in found:
        quoted = re.match(r"'(\w+)'", found["after"])
        return problem, {"after": quoted[1] if quoted else _OPENERS.get(found["after"], "")}
    if problem == "outside-loop":
        return problem, {"what": found.get("what") or found.get("other", "")}
    if problem == "wrong-bracket" and "opened_line" in found:
        return problem, {**found, "opened_line": int(found["opened_line"])}
    if problem == "invalid-character":
        return problem, {"character": found.get("character") or found.get("code", "")}
    return problem, found


def _place_of(source: str, text: str) -> tuple[int | None, int | None]:
    """Line and column of the first ``text``, from 1."""
    position = source.find(text) if text else -1
    if position < 0:
        return None, None
    before = source[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
