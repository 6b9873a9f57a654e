"""What an opening and a closing say beside their questions: the guess and its answer, and where a thing was taught."""

from __future__ import annotations

from collections.abc import Iterator

from tritontui.course.model import Lesson, Question
from tritontui.course.records import Position
from tritontui.ui.learner.desk import find
from tritontui.ui.learner.study import Study
from tritontui.ui.lesson.markdown import inline, markdown_blocks
from tritontui.ui.lesson.quiz import Asked
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line


class OpeningAside(Aside):
    """The answer to the question with which the lesson before has closed, and the way back to each question's step."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def before(self, view: LessonView) -> Iterator[Block]:
        lesson = self._study.desk.lesson_before
        if lesson is None or lesson.closing is None:
            return
        tr, language, closing = view.tr, view.language, lesson.closing
        yield BLANK
        yield line((tr("At the end of lesson {number} you were asked", number=lesson.number), "bold $accent"))
        yield Block(inline(closing.prompt[language]).stylize("bold"))
        guess = self._study.guess(lesson)
        if guess is None:
            yield line((tr("You haven't made a guess yet. The answer comes after it."), "$muted"))
            yield self._way(lesson, "closing", view)
            return
        yield from _answer(closing, guess.given, view)

    def under(self, asked: Asked, view: LessonView) -> Iterator[Block]:
        lesson_id, step, _ = asked.question.id.split("/")
        lesson = next((lesson for lesson in self._study.desk.course.lessons if lesson.id == lesson_id), None)
        if lesson is not None:
            yield self._way(lesson, step, view)

    def _way(self, lesson: Lesson, step_id: str, view: LessonView) -> Block:
        """The row that leads to a step."""
        step = next(step for step in lesson.steps if step.id == step_id)
        title = inline(f"{lesson.number} · {step.title[view.language]}").stylize("$primary")
        place = find(self._study.desk.course, Position(lesson.id, step_id))
        return Block(title, first=inline("  ↩ "), rest=inline("    "), target=place)


class ClosingAside(Aside):
    """Says who will answer; after the last lesson nobody else does."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def after(self, view: LessonView) -> Iterator[Block]:
        lesson, guess = self._study.lesson, self._study.guess(self._study.lesson)
        if guess is None or lesson.closing is None:
            return
        yield BLANK
        if lesson is self._study.desk.course.lessons[-1]:
            yield from _answer(lesson.closing, guess.given, view)
        else:
            yield line((view.tr("Kept. The next lesson opens with the answer."), "$success"))


def _answer(closing: Question, given: str, view: LessonView) -> Iterator[Block]:
    """What was guessed, the answer, and what there is to say of it."""
    said, right = (_words(closing, words, view) for words in (given, str(closing.answer)))
    yield line((view.tr("You said:"), "$muted"), " ", (said, "$accent"), indent=2)
    yield line((view.tr("The answer:"), "$muted"), " ", (right, "bold"), indent=2)
    yield from markdown_blocks(closing.explanation[view.language], view.triton.code)


def _words(question: Question, given: str, view: LessonView) -> str:
    """A guess or an answer as it is said: an option's text, or the number itself."""
    if question.kind == "number":
        return given
    return question.option(given).text[view.language] if given in {o.id for o in question.options} else given
