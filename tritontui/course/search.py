"""Finding words in texts: accents and case don't count, and every word must be there."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

CONTEXT = 60
"""Characters shown around what was found."""


def fold(text: str) -> str:
    """``text`` without case and accents, character for character: ``È`` becomes ``e``."""
    return "".join(map(_folded, text))


def _folded(character: str) -> str:
    if character.isascii():
        return character.lower()
    plain = unicodedata.normalize("NFKD", character)[0].casefold()
    return plain[0] if plain else character


def words_of(query: str) -> tuple[str, ...]:
    """The folded words that a text must contain."""
    return tuple(fold(query).split())


def contains(folded: str, words: tuple[str, ...]) -> bool:
    """Whether a folded text contains every word, as a part of a word or whole."""
    return all(word in folded for word in words)


@dataclass(frozen=True)
class Excerpt:
    """A piece of a text, and where in it the found words stand."""

    text: str
    spans: tuple[tuple[int, int], ...]


def excerpt(text: str, words: tuple[str, ...], context: int = CONTEXT) -> Excerpt:
    """Around the first of ``words`` in ``text``, cut between words, with ``…`` where something was left out."""
    folded = fold(text)
    first = min((at for word in words if (at := folded.find(word)) >= 0), default=0)
    start, end = max(0, first - context // 3), min(len(text), first + context)
    if start:
        start = text.find(" ", start, first) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", first, end), first + len(words[0]) if words else end)
    before, after = "… " if start else "", " …" if end < len(text) else ""
    piece, shift = text[start:end], len(before) - start
    spans = []
    for word in words:
        at = folded.find(word, start, end)
        while at >= 0:
            spans.append((at + shift, at + shift + len(word)))
            at = folded.find(word, at + len(word), end)
    return Excerpt(f"{before}{piece}{after}", tuple(sorted(spans)))
