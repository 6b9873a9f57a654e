"""What a learner expects of a kernel before it is judged: the questions, and how it came out. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from tritontui.course.breaking import PASS
from tritontui.course.model import Break, Option, Question, Text
from tritontui.i18n import LANGUAGES, N_, translator
from tritontui.ui.learner.predictions import Prediction
from tritontui.ui.learner.study import COLD
from tritontui.ui.lesson.quiz import Guesses

if TYPE_CHECKING:
    from tritontui.engine.report import Report

SURE = "sure"
"""Id of the question how sure one is of it."""
CONFIDENCE = {"guess": 40, "rather": 70, "certain": 95}
"""Percent, by option."""
BREAK = "break/"
"""Before a break's id: the id of its question among a step's predictions."""

OUTSIDE = frozenset({"out-of-bounds-read", "out-of-bounds-write", "outside-view", "canary-overwritten", "gpu-fault"})
"""Findings of a kernel that leaves its tensors."""


def bilingual(words: str) -> Text:
    """``words`` of the catalogue in every language."""
    return {language: translator(language)(words) for language in LANGUAGES}


def _choice(identifier: str, prompt: str, options: dict[str, str]) -> Question:
    nothing = dict.fromkeys(LANGUAGES, "")
    made = tuple(Option(option, bilingual(words), nothing) for option, words in options.items())
    return Question(identifier, "choice", bilingual(prompt), made, "", nothing, topic="verdicts", recall=False)


def cold_question() -> Question:
    """What the verdict on a kernel will be; the options are what ``came_out`` gives."""
    return _choice(
        COLD,
        N_("What will the judge say of your kernel?"),
        {
            PASS: N_("It passes: every case is right"),
            "wrong": N_("It stays inside its tensors, but leaves something wrong"),
            "outside": N_("Some lane leaves a tensor: × on the map"),
            "refused": N_("Python or the compiler refuses it"),
        },
    )


def sure_question() -> Question:
    """How sure the learner is; for the scoreboard's calibration."""
    return _choice(
        SURE,
        N_("How sure are you?"),
        {"guess": N_("It's a guess"), "rather": N_("Rather sure"), "certain": N_("I'd bet on it")},
    )


def cold_guesses(given: dict[str, str]) -> Guesses:
    """What is asked before a cold exercise is judged."""
    return Guesses([cold_question(), sure_question()], given, head=N_("Before you know"))


def shuffled(question: Question) -> Question:
    """Its options in an order that doesn't tell the answer, and is always the same."""
    options = Random(question.id).sample(question.options, len(question.options))
    return question._replace(options=tuple(options))


def came_out(report: Report) -> str | None:
    """The option of ``cold_question`` that is right by a finished report; None where there is no verdict."""
    if report.verdict in (None, "error"):
        return None
    if report.verdict == PASS:
        return PASS
    first = next((finding.id for finding in report.findings if finding.severity == "error"), "")
    if first in OUTSIDE:
        return "outside"
    refused = report.skipped.get("cases") == "not-legal" or not (report.launches or report.cases)
    return "refused" if refused else "wrong"


@dataclass
class Breaking:
    """A break under way: the learner says what it will show, makes the change, and asks for the verdict."""

    chosen: Break
    number: int
    """From 1, of ``total``."""
    total: int
    guesses: Guesses = field(init=False)
    asked: str | None = None
    """The text that was handed to the judge."""
    found: str | None = None
    """What the judge said of it: an option, once it is one; else an id that nobody foresaw."""

    def __post_init__(self) -> None:
        self.guesses = Guesses(
            [shuffled(self.chosen.question), sure_question()],
            {},
            head=N_("Before you do it: what will the judge find?"),
        )

    @property
    def question(self) -> str:
        """Its id among the step's predictions."""
        return BREAK + self.chosen.id

    @property
    def guess(self) -> str:
        """The option the learner expects."""
        return self.guesses.given[self.chosen.id]

    @property
    def foreseen(self) -> bool:
        """Whether what the judge said is one of the options: then the guess is right or wrong."""
        return self.found in {option.id for option in self.chosen.question.options}


def said(prediction: Prediction) -> dict[str, str]:
    """What was answered, by question, when that prediction was made."""
    sure = {percent: option for option, percent in CONFIDENCE.items()}
    given = {COLD: prediction.given}
    return given if prediction.confidence is None else {**given, SURE: sure[prediction.confidence]}


def confidence(guesses: Guesses) -> int | None:
    """Percent, once it was said."""
    return CONFIDENCE.get(guesses.given.get(SURE, ""))
