"""What a do step says under its text: whether it is done, and the way out for those who can't do it here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from textual.content import Content

from tritontui.course.model import Task
from tritontui.i18n import N_
from tritontui.ui.learner.study import Study
from tritontui.ui.lesson.markdown import markdown_blocks
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line


class Said(NamedTuple):
    """What is said of a task, marked for the catalogue."""

    done: str
    """With what, follows."""
    waiting: str


SAID: dict[Task, Said] = {
    "another-python": Said(
        N_("Done: the doctor found all well in"),
        N_("Waiting for the doctor. It is noticed here when all is well."),
    ),
    "mended-python": Said(
        N_("Mended: the doctor found all well in"),
        N_("Waiting for the doctor. It is noticed here when all is well."),
    ),
    "own-trace": Said(
        N_("Done: no error in any launch of"),
        N_("Waiting for a trace without errors. It is noticed here by itself."),
    ),
}


@dataclass(frozen=True)
class Skip:
    """The row for those who have no network, or no room."""


class DoAside(Aside):
    """What another terminal ran, the doctor or a trace, tells when it is done."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def after(self, view: LessonView) -> Iterator[Block]:
        if view.quiz is not None and not view.quiz.done:
            return
        study, tr = self._study, view.tr
        if study.step.task is None:
            return
        said, done_with = SAID[study.step.task], study.done_outside(study.step)
        yield BLANK
        yield from markdown_blocks(study.step.doing[view.language], view.triton.code)
        yield BLANK
        if done_with is not None:
            yield line((tr(said.done), "$success"))
            yield Block(Content(done_with), first=Content("  "), rest=Content("  "), fold=True)
        elif study.is_skipped(study.lesson, study.step):
            yield from markdown_blocks(study.step.skipped[view.language], view.triton.code)
            yield BLANK
            yield line((tr("Skipped. Do it when you can: the badge fills by itself."), "$warning"))
        else:
            yield line((tr(said.waiting), "$muted"))
            words = Content.styled(tr("I can't do it here: show me"), "bold $primary")
            yield Block(words, first=Content("  › "), rest=Content("    "), target=Skip())
