"""What counts as a prediction, and what the board makes of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from test_between_lessons import add_lessons, replace_in
from test_loader import LESSON, course  # noqa: F401 - a fixture

from tritontui.course.loader import load_course
from tritontui.course.model import Course
from tritontui.course.records import AnswerRecord, PredictionRecord
from tritontui.course.scoreboard import LATELY, Tally, scoreboard

MORNING = datetime(2026, 12, 2, 9).timestamp()
DAY = 86_400.0


@pytest.fixture
def whole(course: Path) -> Course:  # noqa: F811
    replace_in(course / LESSON / "lesson.toml", 'id = "how-many"', 'id = "how-many"\ntopic = "grid"')
    add_lessons(course, 6)
    return load_course(course)


def answer(question: str, correct: bool, at: float = MORNING, step: str = "quiz", lesson: str = LESSON) -> AnswerRecord:
    return AnswerRecord(lesson, step, question, "3", correct, at)


def prediction(question: str, correct: bool | None, confidence: int | None = None) -> PredictionRecord:
    return PredictionRecord(LESSON, "work", question, "pass", {}, MORNING, correct, "pass", confidence=confidence)


def test_nothing_was_predicted(whole: Course) -> None:
    board = scoreboard(whole, [], [])
    assert (board.overall, board.topics, board.sureness, board.calibration, board.lately) == (None, {}, {}, None, ())


def test_the_first_answer_counts_and_no_later_one(whole: Course) -> None:
    answers = [answer("how-many", False), answer("how-many", True), answer("which", True)]
    board = scoreboard(whole, answers, [])
    assert board.overall == Tally(1, 2)
    assert board.topics == {"grid": Tally(0, 1), "reasons": Tally(1, 1)}


def test_an_opening_counts_each_question_once_a_day_under_its_own_topic(whole: Course) -> None:
    asked = f"{LESSON}/quiz/how-many"
    days = [(MORNING, False), (MORNING + 60, True), (MORNING + DAY, True)]
    board = scoreboard(whole, [answer(asked, right, at, "opening", "06-small") for at, right in days], [])
    assert board.topics == {"grid": Tally(1, 2)}
    assert {(one.lesson, one.step, one.question) for one in board.lately} == {(LESSON, "quiz", "how-many")}


def test_verdicts_count_once_they_are_known(whole: Course) -> None:
    said = [prediction("cold", True, 95), prediction("break/two", False, 95), prediction("closing", None)]
    board = scoreboard(whole, [], said)
    assert board.topics == {"verdicts": Tally(1, 2)}
    assert board.sureness == {95: Tally(1, 2)}
    assert board.calibration == pytest.approx(0.95 - 0.5)


def test_what_the_course_has_no_more_is_left_out(whole: Course) -> None:
    board = scoreboard(whole, [answer("gone", True), answer("which", True, lesson="99-gone")], [])
    assert board.overall is None


def test_the_newest_come_first_and_not_all_of_them(whole: Course) -> None:
    many = [prediction(f"break/{number}", number % 2 == 0) for number in range(LATELY + 3)]
    board = scoreboard(whole, [answer("which", True, MORNING + 1)], many)
    assert len(board.lately) == LATELY
    assert board.lately[0].question == "which"
