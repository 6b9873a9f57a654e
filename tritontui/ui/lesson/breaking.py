"""What the lesson says around a verdict that was predicted: how it came out, and what may be broken next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritontui.course.model import Break, Step
from tritontui.i18n import N_
from tritontui.ui.learner.predictions import Prediction
from tritontui.ui.learner.study import COLD, Study
from tritontui.ui.lesson.expectations import Breaking, bilingual, cold_question
from tritontui.ui.lesson.markdown import inline, markdown_blocks
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line

if TYPE_CHECKING:
    from tritontui.ui.lesson.quiz import Guesses


@dataclass(frozen=True)
class BreakIt:
    """The row that begins the next break."""


@dataclass(frozen=True)
class PutBack:
    """The row that puts the learner's kernel back."""


Offered = tuple[Break, int, int]
"""A break, its number from 1, and how many there are."""


class ExerciseAside(Aside):
    """Around a step with an exercise: whether it is judged cold and how that came out; what may be broken."""

    def __init__(self, study: Study, offered: Callable[[], Offered | None], guesses: Guesses | None) -> None:
        self._study = study
        self._offered = offered
        self._guesses = guesses
        """About a verdict that is still to come."""

    def before(self, view: LessonView) -> Iterator[Block]:
        if self._guesses is not None:
            yield BLANK
            words = view.tr(
                "Judged cold: no verdict and no map while you write. Say what you expect, then {key} judges.",
                key=view.key_of("run"),
            )
            yield line((words, "$secondary"))

    def after(self, view: LessonView) -> Iterator[Block]:
        prediction = self._study.prediction(COLD)
        if prediction is not None and prediction.correct is not None:
            yield BLANK
            yield from _outcome(prediction, view)
        elif self._guesses is not None and self._guesses.done:
            yield BLANK
            yield line(
                (view.tr("Write on as long as you like; {key} judges.", key=view.key_of("run")), "bold $success")
            )
        offered = self._offered()
        if offered is not None:
            chosen, number, total = offered
            yield BLANK
            yield line((view.tr("Break it on purpose"), "bold $accent"), (f"  {number}/{total}", "$muted"))
            yield line((view.tr("It passes. Change one thing, and say first what the judge will find."), ""))
            yield _row(_title(chosen, view), BreakIt())


def _outcome(prediction: Prediction, view: LessonView) -> Iterator[Block]:
    said = cold_question().option(prediction.figure or "").text[view.language]
    if prediction.correct:
        yield line(("✓ ", "bold $success"), (view.tr("As you said."), "$success"))
    else:
        yield line(("✗ ", "bold $error"), (view.tr("It came out otherwise:"), "$error"))
        yield line(said, indent=2)


def breaking_step(breaking: Breaking, step: Step) -> Step:
    """What stands in the place of the step while its kernel is being broken."""
    title = bilingual(N_("Break it on purpose"))
    numbered = {language: f"{words} · {breaking.number}/{breaking.total}" for language, words in title.items()}
    body = bilingual(N_("Your kernel is kept as it passed; what you do here takes nothing away."))
    return step._replace(title=numbered, body=body, exercise=None, questions=())


class BreakingAside(Aside):
    """Around the question what a break will show."""

    def __init__(self, breaking: Breaking) -> None:
        self._breaking = breaking

    def after(self, view: LessonView) -> Iterator[Block]:
        breaking, tr = self._breaking, view.tr
        yield BLANK
        if breaking.found is not None:
            yield from self._found(view)
        elif breaking.guesses.done:
            yield line((tr("Make the change in the editor, then {key}.", key=view.key_of("run")), "bold $success"))
        if breaking.guesses.done:
            yield BLANK
        if breaking.found is not None and breaking.foreseen and breaking.number < breaking.total:
            yield _row(tr("Put it back, and break something else"), BreakIt())
        yield _row(tr("Put my kernel back"), PutBack(), key=view.key_of("break"))

    def _found(self, view: LessonView) -> Iterator[Block]:
        breaking, tr, language = self._breaking, view.tr, view.language
        question = breaking.chosen.question
        if not breaking.foreseen:
            words = tr(
                "The judge finds something else: that isn't the change that was asked for. Look again, then {key}.",
                key=view.key_of("run"),
            )
            yield line(("! ", "bold $warning"), (words, "$warning"))
            return
        assert breaking.found is not None
        option = question.option(breaking.found)
        if breaking.found == breaking.guess:
            yield line(("✓ ", "bold $success"), (tr("As you said."), "$success"))
        else:
            guessed = question.option(breaking.guess or "")
            yield Block(inline(guessed.text[language]).stylize("$error"), first=inline("✗ ").stylize("bold $error"))
            yield from markdown_blocks(guessed.explanation[language], view.triton.code)
            yield BLANK
            yield line((tr("It came out otherwise:"), "$error"))
            yield Block(inline(option.text[language]), first=inline("  "), rest=inline("  "))
        yield from markdown_blocks(option.explanation[language], view.triton.code)


def _title(chosen: Break, view: LessonView) -> str:
    return chosen.question.prompt[view.language].partition("\n\n")[0]


def _row(words: str, target: object, key: str = "") -> Block:
    tail = inline(f"  {key}").stylize("bold $secondary") if key else inline("")
    return Block(
        inline(words).stylize("bold $primary") + tail, first=inline("  › "), rest=inline("    "), target=target
    )
