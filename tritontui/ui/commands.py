"""What the palette offers: every command by name, and every step of the course."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritontui.course.model import Course, Language
from tritontui.i18n import Translator
from tritontui.keys.commands import COMMANDS, IN_COURSE, Command, Scope
from tritontui.keys.file import Keys
from tritontui.ui.learner.desk import Place


@dataclass(frozen=True)
class Search:
    """To look for words in the texts of the lessons."""

    query: str


@dataclass(frozen=True)
class Offer:
    """One row of the palette; ``does`` is a command, a place to go to, a search, or the number of a launch."""

    words: str
    key: str
    does: Command | Place | Search | int
    name: str = ""
    """What it is called in short; who types that means this one."""


def command_offers(scopes: tuple[Scope, ...], keys: Keys, tr: Translator, *more: str) -> Iterator[Offer]:
    """Every command of ``scopes`` and of the editor, and those with the ids ``more``."""
    for command in COMMANDS:
        if command.id != "palette" and (command.scope in (*scopes, "editor") or command.id in more):
            yield Offer(tr(command.help_in(scopes)), keys.shown(command.id), command, tr(command.label))


def offers(course: Course, keys: Keys, language: Language, tr: Translator) -> Iterator[Offer]:
    """Commands first, then steps."""
    yield from command_offers(IN_COURSE, keys, tr)
    for lesson_index, lesson in enumerate(course.lessons):
        for step_index, step in enumerate(lesson.steps):
            title = step.title[language].replace("`", "")
            yield Offer(f"{lesson.number} {lesson.title[language]}: {title}", "", Place(lesson_index, step_index))


def matching(every: Sequence[Offer], typed: str) -> list[Offer]:
    """Those that contain every typed word, in any order, with accents or without.

    First what is called so, then what is called something that begins so, then where a word of theirs does.
    """
    wanted = _folded(typed)
    words = wanted.split()

    def rank(offer: Offer) -> int:
        name, own = _folded(offer.name), _folded(offer.words).split()
        if words and name == wanted.strip():
            return 0
        if words and name.startswith(wanted.strip()):
            return 1
        return 2 if all(any(word.startswith(typed_word) for word in own) for typed_word in words) else 3

    found = [offer for offer in every if all(word in _folded(f"{offer.name} {offer.words}") for word in words)]
    return sorted(found, key=rank)


def _folded(text: str) -> str:
    """Without capitals and accents."""
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))
