"""Where the learner stands: beside what they said, the outcomes that they have reached, rung by rung."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.content import Content

from tritontui.course.evidence import BELOW, RUNG, lacking, taken
from tritontui.course.model import Course, Lesson, Outcome, Rung
from tritontui.course.outcomes import missing
from tritontui.course.records import Position
from tritontui.ui.learner.desk import find
from tritontui.ui.learner.study import Study
from tritontui.ui.lesson.course_rows import NOT_REACHED, REACHED
from tritontui.ui.lesson.markdown import inline, markdown_blocks
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line

WAYS = 5
"""So many of the outcomes that are lacking are named: those to begin with."""


class EvidenceAside(Aside):
    """How much of each rung was reached, once the learner has said on which they stand; then the way on from there."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def after(self, view: LessonView) -> Iterator[Block]:
        if self._study.prediction(RUNG) is None:
            return
        [question, *_] = self._study.step.questions
        reached, stands = self._study.reached(), self._study.standing()
        yield BLANK
        yield line((view.tr("What you have shown"), "bold $accent"))
        course, rungs = self._study.desk.course, self._study.step.rungs
        for rung in rungs:
            yield _count(question.option(rung.id).text[view.language], rung, course, reached)
        wanting: Sequence[tuple[Lesson, Outcome]] = next(filter(None, (lacking(r, course, reached) for r in rungs)), ())
        for lesson, outcome in wanting[:WAYS]:
            yield self._way(lesson, outcome, view)
        if (more := len(wanting) - WAYS) > 0:
            yield line((view.tr.plural("and one more", "and {n} more", more), "$muted"), indent=4)
        yield BLANK
        title = question.option(stands).text[view.language]
        words = title if stands == BELOW else view.tr("You stand on: {rung}", rung=title)
        yield Block(inline(words).stylize("bold $success"))
        yield from markdown_blocks(question.option(stands).explanation[view.language], view.triton.code)

    def _way(self, lesson: Lesson, outcome: Outcome, view: LessonView) -> Block:
        """An outcome that leads to its first step that is to be done yet."""
        step = next(iter(missing(lesson, outcome, self._study.done(lesson))))
        place = find(self._study.desk.course, Position(lesson.id, step.id))
        words = inline(f"{outcome.id} {outcome.text[view.language]}").stylize("$primary")
        return Block(words, first=Content("  ↩ "), rest=Content("    "), target=place)


def _count(title: str, rung: Rung, course: Course, reached: Collection[str]) -> Block:
    total, left = len(list(taken(rung, course))), len(lacking(rung, course, reached))
    sign, style = NOT_REACHED if left else REACHED
    return line((f"{sign} ", style), (f"{title}  ", "bold"), (f"{total - left}/{total}", "$muted"))
