"""The texts of the lessons as the lesson pane shows them, to be searched in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.content import Content

from tritontui.course.model import LANGUAGES, Course, Language, Step
from tritontui.course.search import contains, excerpt, fold, words_of
from tritontui.ui.learner.desk import Place
from tritontui.ui.lesson.markdown import inline, markdown_blocks

SHORTEST = 3
"""Characters of a search worth making: fewer are in every text."""
MOST = 60
"""Hits shown; who gets more types another word."""


@dataclass(frozen=True)
class Passage:
    """A paragraph, a row of code, a question: what is found as one."""

    place: Place
    language: Language
    block: int
    """Index among the blocks of the step's text; a question comes after them all."""
    blocks: int
    """How many the text has."""
    text: str
    folded: str


@dataclass(frozen=True)
class Hit:
    """Where a search leads."""

    passage: Passage
    text: Content
    """The words found, with what stands around them."""


class LessonTexts:
    """Every passage of the course; reading them all takes a few tenths of a second."""

    def __init__(self, course: Course) -> None:
        self._passages = tuple(_passages(course))

    def find(self, query: str, first: Language) -> list[Hit]:
        """Passages with every word of ``query``, those in the language ``first`` first; at most ``MOST``."""
        words = words_of(query)
        if len("".join(words)) < SHORTEST:
            return []
        found = [passage for passage in self._passages if contains(passage.folded, words)]
        found.sort(key=lambda passage: passage.language != first)
        return [Hit(passage, _marked(passage.text, words)) for passage in _once(found)][:MOST]


def block_in(passage: Passage, blocks: int) -> int:
    """The block of a text of ``blocks`` blocks that says what ``passage`` says, be it the text of another language."""
    if passage.block >= passage.blocks:
        return blocks
    return passage.block if blocks == passage.blocks else passage.block * blocks // passage.blocks


def _passages(course: Course) -> Iterator[Passage]:
    for lesson_index, lesson in enumerate(course.lessons):
        for step_index, step in enumerate(lesson.steps):
            for language in LANGUAGES:
                texts = [block.text.plain for block in markdown_blocks(step.body[language], Content)]
                questions = [(len(texts), prompt) for prompt in _prompts(step, language)]
                for number, text in [*enumerate(texts), *questions]:
                    if text.strip():
                        yield Passage(Place(lesson_index, step_index), language, number, len(texts), text, fold(text))


def _prompts(step: Step, language: Language) -> Iterator[str]:
    """What is asked; what is answered isn't found, or searching would tell it."""
    for question in step.questions:
        yield inline(question.prompt[language].partition("\n\n")[0]).plain


def _once(found: Iterable[Passage]) -> Iterator[Passage]:
    """Code and formulas are the same in both languages: one of them is enough."""
    seen: set[tuple[Place, str]] = set()
    for passage in found:
        key = (passage.place, passage.folded)
        if key not in seen:
            seen.add(key)
            yield passage


def _marked(text: str, words: tuple[str, ...]) -> Content:
    piece = excerpt(text, words)
    content = Content(piece.text)
    for start, end in piece.spans:
        content = content.stylize("bold underline $accent", start, end)
    return content
