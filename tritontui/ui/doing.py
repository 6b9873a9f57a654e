"""What a do step says under its text: whether it is done, and the way out for those who can't do it here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content

from tritontui.ui.markdown import markdown_blocks
from tritontui.ui.study import Study
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line


@dataclass(frozen=True)
class Skip:
    """The row for those who have no network, or no room."""


class DoAside(Aside):
    """The doctor, run in another terminal, tells when it is done."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def after(self, view: LessonView) -> Iterator[Block]:
        if view.quiz is not None and not view.quiz.done:
            return
        study, tr = self._study, view.tr
        python = study.other_python()
        yield BLANK
        yield from markdown_blocks(study.step.doing[view.language], view.triton.code)
        yield BLANK
        if python is not None:
            yield line((tr("Done: the doctor found all well in"), "$success"))
            yield Block(Content(python), first=Content("  "), rest=Content("  "), fold=True)
        elif study.is_skipped(study.lesson, study.step):
            yield from markdown_blocks(study.step.skipped[view.language], view.triton.code)
            yield BLANK
            yield line((tr("Skipped. Do it when you can: the badge fills by itself."), "$warning"))
        else:
            yield line((tr("Waiting for the doctor. It is noticed here when all is well."), "$muted"))
            words = Content.styled(tr("I can't do it here: show me"), "bold $primary")
            yield Block(words, first=Content("  › "), rest=Content("    "), target=Skip())
