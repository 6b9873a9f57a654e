"""The two languages of a text held side by side: the same sections, code, names and figures, each in its own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from tritontui.course import markdown
from tritontui.course.faults import Problem
from tritontui.course.markdown import Section
from tritontui.course.model import LANGUAGES, Text

CODE_COLUMNS = 38
"""What a lesson pane of 44 columns has for code."""

KEPT = (
    *("kernel", "host", "device", "wrapper", "stride", "offset", "tile", "tiling", "warp", "thread", "lane", "pid"),
    *("dtype", "broadcast", "benchmark", "autotuning", "overflow", "roofline", "cache", "padding", "throughput"),
    "spill",
)
"""Terms that Italian keeps, with the same plural: *gli stride*, *le lane*."""

_FENCE = re.compile(r"\s{0,3}(```+|~~~+)(.*)")
_INLINE = re.compile(r"`[^`\n]*`")
_FIELD = re.compile(r"\{[^{}\n]*\}")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SEPARATOR = re.compile(r"[.,](?=\d)")
_PLURAL = re.compile(rf"\b({'|'.join(KEPT)})(?:s|es)\b", re.IGNORECASE)
_WRONG_ITALIAN = re.compile(r"memorizz\w*|\bquì\b|perchè|programm[ao] istanza", re.IGNORECASE)


def check(folder: Path, stem: str = "") -> list[Problem]:
    """What differs between ``{stem}en.md`` and ``{stem}it.md``, and what breaks the rules of either."""
    paths = folder / f"{stem}en.md", folder / f"{stem}it.md"
    try:
        texts = [path.read_text(encoding="utf-8") for path in paths]
    except (OSError, UnicodeDecodeError):
        return []  # who loads the lesson says so
    return list(_Twins(*paths).check(*map(markdown.split, texts)))


def check_words(path: Path, line: int, text: Text) -> list[Problem]:
    """The same for a text without sections that stands in both languages near a line of ``path``."""
    english, italian = (Section("", 1, text[language], line) for language in LANGUAGES)
    return list(_Twins(path, path).pair(english, italian))


class _Twins:
    def __init__(self, english: Path, italian: Path) -> None:
        self._english = english
        self._italian = italian

    def check(self, english: Section, italian: Section) -> Iterator[Problem]:
        yield from self.pair(english, italian)
        known, kept = _prose(english), _prose(italian)
        for term in KEPT:
            word = re.compile(rf"\b{term}s?\b", re.IGNORECASE)
            if word.search(known) and not re.search(rf"\b{term}\b", kept, re.IGNORECASE):
                yield Problem(self._italian, 1, f"the term '{term}' stays English, and never stands here")

    def pair(self, english: Section, italian: Section) -> Iterator[Problem]:
        yield from _rules(english, self._english)
        yield from _rules(italian, self._italian)
        yield from self._italian_rules(italian)
        yield from self._code(english, italian)
        for what, find in (("code in the text", _names), ("numbers", _numbers), ("fields", _fields)):
            only = [sorted(set(find(one) - find(other))) for one, other in ((english, italian), (italian, english))]
            if any(only):
                where = f"{what} differ from {self._english.name}:{english.line}: "
                said = f"only there {', '.join(only[0]) or 'nothing'}; only here {', '.join(only[1]) or 'nothing'}"
                yield Problem(self._italian, italian.line, where + said)
        for one, other in zip_longest(english.sections, italian.sections):
            if one is None or other is None or one.id != other.id:
                line = other.line if other is not None else italian.line
                missing = f"'{one.title}'" if one is not None else "nothing"
                yield Problem(self._italian, line, f"{self._english.name} has {missing} at this place")
                return
            yield from self.pair(one, other)

    def _code(self, english: Section, italian: Section) -> Iterator[Problem]:
        ours, theirs = _blocks(english), _blocks(italian)
        if len(ours) != len(theirs):
            said = f"{len(theirs)} code blocks, where {self._english.name}:{english.line} has {len(ours)}"
            yield Problem(self._italian, italian.line, said)
            return
        for one, other in zip(ours, theirs, strict=True):
            exact = one.language == "python" and "…" not in "".join(one.code)
            if one.code != other.code if exact else len(one.code) != len(other.code):
                yield Problem(self._italian, other.line, f"this code block isn't the one of {self._english.name}")

    def _italian_rules(self, section: Section) -> Iterator[Problem]:
        for number, line in _prose_lines(section):
            for wrong in _WRONG_ITALIAN.findall(line):
                yield Problem(self._italian, number, f"'{wrong}' isn't said so in this course")
            for match in _PLURAL.finditer(line):
                yield Problem(self._italian, number, f"'{match[0]}': the plural of a kept term has no s in Italian")


def _rules(section: Section, path: Path) -> Iterator[Problem]:
    """What holds in both languages."""
    for block in _blocks(section):
        for number, row in enumerate(block.code, block.line + 1):
            if len(row) > CODE_COLUMNS:
                said = f"{len(row)} columns of code, where the lesson pane has {CODE_COLUMNS}"
                yield Problem(path, number, said)
    for number, line in _prose_lines(section):
        if "!" in line.replace("!=", ""):
            yield Problem(path, number, "an exclamation mark")


class _Block(NamedTuple):
    line: int
    """Of its first fence."""
    language: str
    code: list[str]


def _split(section: Section) -> tuple[list[tuple[int, str]], list[_Block]]:
    """The section's lines of text with their numbers, its heading first, and its code blocks."""
    text = [(section.line, section.title)]
    blocks: list[_Block] = []
    fence: str | None = None
    for number, line in enumerate(section.lines, section.line + (section.level > 0)):
        mark = _FENCE.match(line)
        if fence is None and mark is not None:
            fence = mark[1]
            blocks.append(_Block(number, mark[2].strip(), []))
        elif fence is None:
            text.append((number, line))
        elif mark is not None and mark[1].startswith(fence):
            fence = None
        else:
            blocks[-1].code.append(line)
    return text, blocks


def _blocks(section: Section) -> list[_Block]:
    return _split(section)[1]


def _prose_lines(section: Section) -> Iterator[tuple[int, str]]:
    """Heading and text without code, by line."""
    for number, line in _split(section)[0]:
        yield number, _FIELD.sub("", _INLINE.sub("", line))


def _texts(section: Section) -> list[str]:
    """Heading and text, inline code included, code blocks not."""
    return [line for _, line in _split(section)[0]]


def _prose(section: Section) -> str:
    """All of it, down to the last option."""
    own = "\n".join(line for _, line in _prose_lines(section))
    return "\n".join([own, *map(_prose, section.sections)])


def _names(section: Section) -> Counter[str]:
    """Each once: how often a sentence says a name is its own affair."""
    return Counter({name: 1 for text in _texts(section) for name in _INLINE.findall(text)})


def _fields(section: Section) -> Counter[str]:
    return Counter({field: 1 for text in _texts(section) for field in _FIELD.findall(text)})


def _numbers(section: Section) -> Counter[str]:
    """Thousands and decimals are written each language's own way; the digits are the same, and as often."""
    return Counter(_SEPARATOR.sub("", number) for text in _texts(section) for number in _NUMBER.findall(text))
