"""What the palette offers: every command by name, and every step of the course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritontui.course.model import Course, Language
from tritontui.i18n import Translator
from tritontui.keys.commands import COMMANDS, IN_COURSE, Command, Scope
from tritontui.keys.file import Keys
from tritontui.ui.desk import Place


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


def command_offers(scopes: tuple[Scope, ...], keys: Keys, tr: Translator, *more: str) -> Iterator[Offer]:
    """Every command of ``scopes`` and of the editor, and those with the ids ``more``."""
    for command in COMMANDS:
        if command.id != "palette" and (command.scope in (*scopes, "editor") or command.id in more):
            yield Offer(tr(command.help_in(scopes)), keys.shown(command.id), command)


def offers(course: Course, keys: Keys, language: Language, tr: Translator) -> Iterator[Offer]:
    """Commands first, then steps."""
    yield from command_offers(IN_COURSE, keys, tr)
    for lesson_index, lesson in enumerate(course.lessons):
        for step_index, step in enumerate(lesson.steps):
            title = step.title[language].replace("`", "")
            yield Offer(f"{lesson.number} {lesson.title[language]}: {title}", "", Place(lesson_index, step_index))


def matching(every: Sequence[Offer], typed: str) -> list[Offer]:
    """Those that contain every typed word, in any order; those where a word of theirs begins with it come first."""
    words = typed.casefold().split()

    def begins(offer: Offer) -> bool:
        own = offer.words.casefold().split()
        return all(any(word.startswith(typed_word) for word in own) for typed_word in words)

    found = [offer for offer in every if all(word in offer.words.casefold() for word in words)]
    return sorted(found, key=lambda offer: not begins(offer))
