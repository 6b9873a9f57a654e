"""The small template language of the texts: sentences that adapt to what is known.

========================  =====================================================================================
``{size}``                the value; numbers as the language writes them
``{size:raw}``            the same without separators of thousands, for code
``{size:bytes}``          as an amount of memory: ``4 KiB``
``{idle:percents}``       per cents without decimals: ``36%``; ``>99%`` where it isn't quite all
``{place:index}``         a list as it stands between square brackets: ``2, 3``
``{names:code}``          a list of names, each between backquotes
``{first..last}``         a range: ``1000–1023``, or ``1000`` when both are the same
``{count:lane|lanes}``    the number with the word that goes with it: ``1 lane``, ``24 lanes``;
                          for ranges the word first: ``lane 7``, ``lanes 232–255``
``{count#is|are}``        that word alone
``{masked?}``             writes nothing; holds when the value is true; ``{masked!}`` when it is known and false;
``{op=read?}``            when it equals ``read``
``[[a||b||c]]``           the first alternative whose fields are all known and whose conditions hold, else nothing
``{{``, ``}}``            braces
========================  =====================================================================================

A newline before ``||`` doesn't count. A whole text is such a group of alternatives too, of which one that comes out
blank doesn't count. Runs of spaces count as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from tritontui.diagnosis.values import is_known, plural_of, written
from tritontui.i18n import Language

_TOKEN = re.compile(r"\[\[|\]\]|\|\||\{\{|\}\}|\{[^{}]*\}")
_FIELD = re.compile(
    r"\{(?P<name>\w+(?:\.\.\w+)?)"
    r"(?:(?P<test>[?!])|=(?P<value>[^?]*)\?|(?P<form>[:#])(?P<words>.*))?\}"
)


class Field(NamedTuple):
    """A value, or a word that goes with it."""

    name: str
    form: str
    """``""``, ``:`` (value and word) or ``#`` (word alone)."""
    words: tuple[str, ...]


class Condition(NamedTuple):
    name: str
    value: str | None
    """Text that the value must equal; None: only its truth counts."""
    truth: bool


class Group(NamedTuple):
    alternatives: tuple[tuple[Part, ...], ...]


Part = str | Field | Condition | Group


def render(text: str, values: Mapping[str, Any], language: Language) -> str:
    """``text`` filled in from ``values``; empty when no alternative holds."""
    for alternative in parse(text).alternatives:
        if filled := " ".join((_alternative(alternative, values, language) or "").split()):
            return filled
    return ""


def fields(text: str) -> set[str]:
    """The names that ``text`` mentions."""
    return set(_names(parse(text)))


@cache
def parse(text: str) -> Group:
    """Raises ValueError, saying what is wrong, for a text that isn't well formed."""
    tokens = _tokens(text.replace("\n||", "||"))
    group, closed = _alternatives(tokens)
    if closed:
        raise ValueError(f"]] without [[ in {text!r}")
    return group


def _tokens(text: str) -> Iterator[str]:
    position = 0
    for match in _TOKEN.finditer(text):
        if match.start() > position:
            yield text[position : match.start()]
        yield match.group()
        position = match.end()
    if position < len(text):
        yield text[position:]


def _alternatives(tokens: Iterator[str]) -> tuple[Group, bool]:
    """The group up to its ``]]``, and whether that ``]]`` was there."""
    alternatives: list[tuple[Part, ...]] = []
    parts: list[Part] = []
    for token in tokens:
        if token == "||":
            alternatives.append(tuple(parts))
            parts = []
        elif token == "]]":
            return Group((*alternatives, tuple(parts))), True
        elif token == "[[":
            inner, closed = _alternatives(tokens)
            if not closed:
                raise ValueError("[[ without ]]")
            parts.append(inner)
        else:
            parts.append(_part(token))
    return Group((*alternatives, tuple(parts))), False


def _part(token: str) -> str | Field | Condition:
    if token in ("{{", "}}"):
        return token[0]
    if not token.startswith("{"):
        return token
    match = _FIELD.fullmatch(token)
    if match is None:
        raise ValueError(f"not a field: {token}")
    name, test, value, form, words = match.group("name", "test", "value", "form", "words")
    if test or value is not None:
        return Condition(name, value, test != "!")
    choices = tuple((words or "").split("|")) if form else ()
    if form and len(choices) != 2 and choices not in (("raw",), ("bytes",), ("percents",), ("index",), ("code",)):
        raise ValueError(f"one|many or a style expected: {token}")
    return Field(name, form or "", choices)


def _group(group: Group, values: Mapping[str, Any], language: Language) -> str:
    filled = (_alternative(alternative, values, language) for alternative in group.alternatives)
    return next((text for text in filled if text is not None), "")


def _alternative(parts: tuple[Part, ...], values: Mapping[str, Any], language: Language) -> str | None:
    pieces: list[str] = []
    for part in parts:
        piece = _piece(part, values, language)
        if piece is None:
            return None
        pieces.append(piece)
    return "".join(pieces)


def _piece(part: Part, values: Mapping[str, Any], language: Language) -> str | None:
    """The words of one part; None when its alternative doesn't hold."""
    if isinstance(part, str):
        return part
    if isinstance(part, Group):
        return _group(part, values, language)
    first, _, last = part.name.partition("..")
    value = _between(values.get(first), values.get(last)) if last else values.get(first)
    if isinstance(part, Condition):
        return "" if _holds(part, value) else None
    if not is_known(value):
        return None
    if len(part.words) < 2:
        return written(value, language, *part.words)
    word = part.words[plural_of(value)]
    if part.form == "#":
        return word
    number = written(value, language)
    return f"{word} {number}" if isinstance(value, (list, tuple)) else f"{number} {word}"


def _between(first: Any, last: Any) -> Any:
    return None if first is None or last is None else [[first, last]]


def _holds(condition: Condition, value: Any) -> bool:
    if value is None:
        return False
    if condition.value is not None:
        return str(value) == condition.value
    return bool(value) == condition.truth


def _names(group: Group) -> Iterator[str]:
    for alternative in group.alternatives:
        for part in alternative:
            if isinstance(part, Group):
                yield from _names(part)
            elif not isinstance(part, str):
                yield from part.name.split("..")
