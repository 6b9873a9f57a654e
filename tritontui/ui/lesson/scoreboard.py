"""The scoreboard's sheet: how often the learner's predictions were right."""

from __future__ import annotations

from collections.abc import Iterator

from tritontui.course.model import Course, Language, Topic
from tritontui.course.records import Position
from tritontui.course.scoreboard import Scoreboard, Tally, Try
from tritontui.i18n import N_, Translator, percents
from tritontui.ui.learner.desk import find
from tritontui.ui.lesson.expectations import CONFIDENCE, sure_question
from tritontui.ui.widgets.text_view import BLANK, Block, line

TOPICS: dict[Topic, str] = {
    "grid": N_("how many programs"),
    "offsets": N_("which elements"),
    "bytes": N_("bytes"),
    "figures": N_("times and bandwidths"),
    "verdicts": N_("what a kernel will do"),
    "reasons": N_("reasons"),
}
CELLS = 10
MARGIN = 0.1
"""Confidence and success further apart than this are told."""
ENOUGH = 5
"""Predictions from which on calibration says something."""


def scoreboard_blocks(board: Scoreboard, course: Course, language: Language, tr: Translator) -> Iterator[Block]:
    """Everything that is on the board; the last predictions lead to their steps."""
    if board.overall is None:
        yield line(
            tr("Nothing yet. Each first answer counts, and each word on a verdict or a figure before it is there.")
        )
        return
    yield line((tr("{right} of {total} right", right=board.overall.right, total=board.overall.total), "bold"))
    yield line((tr("The first answer counts, and what you say of a verdict or a figure before it is there."), "$muted"))
    yield BLANK
    for topic, tally in board.topics.items():
        yield _row(tr(TOPICS[topic]), tally)
    if board.sureness:
        yield BLANK
        yield line((tr("How sure you were"), "bold $primary"))
        words = {CONFIDENCE[option.id]: option.text[language] for option in sure_question().options}
        for sure, tally in board.sureness.items():
            yield _row(f"{words.get(sure, '')} ({percents(sure)})".strip(), tally)
        said = _calibration(board, tr)
        if said:
            yield line((said, "$secondary"), indent=2)
    yield BLANK
    yield line((tr("Lately"), "bold $primary"))
    for one in board.lately:
        yield _lately(one, course, language, tr)


def _row(words: str, tally: Tally) -> Block:
    full = round(tally.share * CELLS)
    bar = ("━" * full, "$primary"), ("─" * (CELLS - full), "$faint")
    return line(f"{words:<26}", *bar, (f" {tally.right}/{tally.total}", "bold"), indent=2)


def _calibration(board: Scoreboard, tr: Translator) -> str:
    surer = board.calibration
    if surer is None or sum(tally.total for tally in board.sureness.values()) < ENOUGH:
        return ""
    if surer > MARGIN:
        return tr("You are surer than you are right: look twice where you would bet.")
    if surer < -MARGIN:
        return tr("You are right more often than you think.")
    return tr("You know what you know: as sure as you are right.")


def _lately(one: Try, course: Course, language: Language, tr: Translator) -> Block:
    place = find(course, Position(one.lesson, one.step))
    sign = ("✓ ", "$success") if one.correct else ("✗ ", "$error")
    words = one.question
    if place is not None:
        lesson = course.lessons[place.lesson]
        title = lesson.steps[place.step].title[language].replace("`", "")
        words = f"{lesson.number} · {title}"
    return line(sign, words, (f"  {tr(TOPICS[one.topic])}", "$muted"), target=place, indent=2)
