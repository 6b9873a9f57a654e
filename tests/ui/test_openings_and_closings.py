"""An opening asks about earlier lessons and blocks nothing; a closing takes a guess that the next opening answers."""

from datetime import date
from pathlib import Path

import pytest
from driving import Driver, opened

from tritontui.i18n import Language


async def choose(driver: Driver, option: str) -> None:
    """The option with that id, in the lesson pane, from wherever the cursor is."""
    targets = [driver.lesson.blocks[index].target for index in driver.lesson.targets]
    wanted = [getattr(target, "option", None) for target in targets].index(option)
    await driver.press(*["up"] * len(targets), *["down"] * wanted, "enter")


async def test_an_opening_asks_three_questions_and_blocks_nothing(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        study = driver.app.study
        assert study.step.kind == "opening" and driver.app.focused is driver.lesson
        assert driver.lesson.quiz is not None and len(driver.lesson.quiz.asked) == 2, "one lesson with two to recall"
        asked = [found.question.id for found in driver.lesson.quiz.asked]
        assert all(identifier.startswith("01-small/ask/") for identifier in asked)
        await driver.press("n")
        assert study.step.id == "opposite" and "opening" not in study.done(study.lesson)
        await driver.press("ctrl+t")
        await driver.answer()
        assert "opening" in study.done(study.lesson)
        assert {record.question for record in study.progress.answers()} <= set(asked)
    async with opened(lesson=2) as driver:
        await driver.go("opening")
        quiz = driver.lesson.quiz
        assert quiz is not None and quiz.done, "the day's questions are remembered"


async def test_the_questions_of_another_day_are_new(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        await driver.answer()
    async with opened(lesson=2) as driver:
        driver.app.study.day = date(2999, 1, 1)
        driver.app.study._recalled.clear()
        driver.app.study._answered.clear()
        await driver.go("opening")
        assert driver.lesson.quiz is not None and not driver.lesson.quiz.done
        assert "opening" in driver.app.study.done(driver.app.study.lesson), "what was done stays done"


async def test_a_wrong_answer_is_explained_and_leads_to_the_step_that_taught_it(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        quiz = driver.lesson.quiz
        assert quiz is not None
        while quiz.current is not None and quiz.current.question.kind == "number":
            await driver.type(quiz.current.drawn.solution())
            await driver.press("enter")
        await choose(driver, "by-id")
        assert "Nothing promises it." in driver.lesson.plain
        assert "↩ 1 · Ask" in driver.lesson.plain
        await driver.press(*["down"] * 5, "enter")
        assert (driver.app.study.lesson.number, driver.app.study.step.id) == (1, "ask")


@pytest.mark.parametrize(
    ("language", "said", "unknown", "kept"),
    [
        ("en", ("You said: Every one", "The answer: Not one"), "You haven't made a guess yet", "Kept."),
        (
            "it",
            ("Hai detto: Tutti", "La risposta: Nessuno"),
            "Non hai ancora azzardato una risposta",
            "Messa da parte.",
        ),
    ],
)
async def test_a_guess_is_kept_and_answered_by_the_next_opening(
    home: Path, small_course: Path, language: Language, said: tuple[str, ...], unknown: str, kept: str
) -> None:
    async with opened(lesson=2, language=language) as driver:
        assert unknown in driver.lesson.plain and said[1] not in driver.lesson.plain, "nothing is given away"
        await driver.press(*["up"] * 9, "enter")
        study = driver.app.study
        assert (study.lesson.number, study.step.kind) == (1, "closing"), "the way leads to the question"
        assert not study.is_done(study.step)
        await choose(driver, "all")
        assert study.is_done(study.step)
        assert kept in driver.lesson.plain and said[1] not in driver.lesson.plain
        await driver.press("n")
        assert all(words in driver.lesson.plain for words in said)
    async with opened(lesson=2, language=language) as driver:
        await driver.go("opening")
        assert all(words in driver.lesson.plain for words in said)


async def test_a_number_may_be_guessed(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        await driver.go("closing")
        await driver.type("3,")
        await driver.press("enter")
        assert not driver.app.study.is_done(driver.app.study.step)
        assert "can't be read as a number" in driver.lesson.plain
        await driver.press("backspace")
        await driver.type("*1000")
        await driver.press("enter")
        guess = driver.app.study.guess(driver.app.study.lesson)
        assert guess is not None and guess.given == "3000" and guess.correct is None


async def test_the_guess_after_the_last_lesson_is_answered_at_once(home: Path) -> None:
    async with opened(lesson=10) as driver:
        await driver.go("closing")
        assert "The answer:" not in driver.lesson.plain
        await choose(driver, "kernel")
        assert driver.app.study.is_done(driver.app.study.step)
        assert "You said: The kernel" in driver.lesson.plain and "The answer: The validator" in driver.lesson.plain
        assert "next lesson" not in driver.lesson.plain
