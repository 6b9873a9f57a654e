"""Questions answered from the keyboard: explanations of wrong answers, numbers redrawn, nothing given away."""

from pathlib import Path
from random import Random

import pytest
from driving import opened
from textual.content import Content

from tritontui.course.loader import load_course
from tritontui.course.model import Question
from tritontui.i18n import translator
from tritontui.ui.lesson.question_blocks import QuestionBlocks
from tritontui.ui.lesson.quiz import Quiz


def question(identifier: str) -> Question:
    for lesson in load_course().lessons:
        for step in lesson.steps:
            for found in step.questions:
                if found.id == identifier:
                    return found
    raise KeyError(identifier)


def quiz(*identifiers: str, seed: int = 1) -> Quiz:
    return Quiz([question(identifier) for identifier in identifiers], random=Random(seed))


def type_in(asking: Quiz, text: str) -> None:
    for character in text:
        assert asking.type(character)


def test_a_wrong_number_is_explained_and_asked_again_with_other_numbers() -> None:
    asking = quiz("programs")
    before = dict(asking.current.drawn.variables)
    type_in(asking, str(before["n"] // before["BLOCK"]))
    assert asking.answer() == ("programs", str(before["n"] // before["BLOCK"]), False)
    asked = asking.current
    assert asked is not None and not asked.done and asked.typed == ""
    assert f"{before['n'] - 1:,}" in asked.judged.explanations[0]["en"]
    assert dict(asked.drawn.variables) != before


@pytest.mark.parametrize("seed", range(5))
def test_the_arithmetic_itself_is_an_answer(seed: int) -> None:
    asking = quiz("element", seed=seed)
    drawn = asking.current.drawn.variables
    type_in(asking, f"{drawn['pid']}*{drawn['BLOCK']} + {drawn['lane']}")
    assert asking.answer()[2] is True
    assert asking.done


def test_letters_begin_no_answer_unless_they_mean_nothing_else_and_belong_to_one_that_has_begun() -> None:
    asking = quiz("programs")
    assert not asking.type("n") and not asking.type("\t") and asking.type("c", free=True)
    drawn = asking.current.drawn.variables
    type_in(asking, f"div({drawn['n']}, BLOCK)")
    assert asking.answer()[2] is True


def test_what_is_no_number_is_asked_for_again_and_not_counted() -> None:
    asking = quiz("programs")
    type_in(asking, "3 *")
    assert asking.answer() is None
    assert asking.current.unclear and asking.current.typed == "3 *"
    for _ in range(3):
        assert asking.erase()
    assert not asking.erase()
    assert asking.answer() is None
    assert not asking.type("x")


def test_wrong_options_stay_marked_until_the_right_one() -> None:
    asking = quiz("order")
    asked = asking.current
    wrong = [option for option in asked.drawn.shown if option != asked.drawn.solution()]
    for option in wrong:
        assert asking.answer(option)[2] is False
        assert option in asked.tried
    assert asking.answer(asked.drawn.solution())[2] is True


def test_lines_are_lifted_and_carried_into_order() -> None:
    asking = quiz("host-order")
    asked = asking.current
    assert tuple(asked.order) != asked.drawn.solution()
    assert asking.answer()[2] is False
    for place, item in enumerate(asked.drawn.solution()):
        asking.lift(item)
        while asked.order.index(item) > place:
            assert asking.carry(-1)
        asking.lift(item)
    assert not asking.carry(1)
    assert asking.answer()[2] is True


def test_partners_are_turned_through() -> None:
    asking = quiz("who-decides")
    asked = asking.current
    assert asking.answer() is None and asked.unclear
    for item, partner in asked.drawn.solution().items():
        while asked.partners.get(item) != partner:
            asking.pair(item)
    assert asking.answer()[2] is True


def test_questions_answered_before_are_done() -> None:
    asking = Quiz([question("programs"), question("element")], answered={"programs"})
    assert asking.current.question.id == "element"


async def test_the_next_question_comes_into_view_with_all_its_answers(home: Path) -> None:
    async with opened((80, 24)) as driver:
        await driver.go("which-elements")
        view = driver.lesson
        for _ in range(2):
            assert view.quiz is not None and view.quiz.current is not None
            await driver.type(str(view.quiz.current.drawn.solution()))
            await driver.press("enter")
        shown = "\n".join(view.render_line(y).text for y in range(view.size.height))
        assert all(option.text["en"] in shown for option in question("order").options)


async def test_code_in_answers_is_drawn_as_code(home: Path) -> None:
    async with opened(lesson=4) as driver:
        await driver.go("known-when")
        view = driver.lesson
        assert view.quiz is not None
        while view.quiz.current is not None and view.quiz.current.question.id != "two-fifty":
            view.quiz.asked[view.quiz.asked.index(view.quiz.current)].done = True
        view.refresh_blocks()
        await driver.press("enter")
        for _ in range(4):
            if view.quiz.current is None or view.quiz.current.question.id != "two-fifty":
                break
            await driver.press("down", "enter")
        assert "The compiler refuses tl.arange(0, BLOCK)" in view.plain
        assert "`" not in view.plain


async def test_after_a_wrong_number_the_field_is_in_view_again(home: Path) -> None:
    async with opened((120, 40), lesson=1) as driver:
        await driver.go("four-faces")
        view = driver.lesson
        await driver.type("512")
        await driver.press("enter")
        shown = "\n".join(view.render_line(y).text for y in range(view.size.height))
        assert "✗ 512" in shown
        assert "Type a number" in shown
        asked = view.quiz.current
        await driver.type("6 nq")  # "n" would go to the next step, "q" would leave
        assert asked.typed == "6 nq" and driver.app.study.step.id == "four-faces"
        await driver.press("enter")
        assert asked.unclear


async def test_after_the_last_answer_what_comes_next_is_in_view(home: Path) -> None:
    async with opened((80, 24), lesson=6) as driver:
        await driver.go("two-limits")
        asking = driver.lesson.quiz
        assert asking is not None
        while (asked := asking.current) is not None:
            if asked.question.kind == "number":
                await driver.type(str(asked.drawn.solution()))
            else:
                await driver.press(*["down"] * asked.drawn.shown.index(str(asked.drawn.solution())))
            await driver.press("enter")
        view = driver.lesson
        shown = "\n".join(view.render_line(y).text for y in range(view.size.height))
        assert "All answered" in shown


async def test_each_explanation_of_a_wrong_match_names_its_line(home: Path) -> None:
    async with opened((120, 40), lesson=1) as driver:
        await driver.go("whose-decision")
        view = driver.lesson
        assert view.quiz is not None and view.quiz.current is not None
        levels = view.quiz.current
        await driver.press(*["down"] * len(levels.drawn.shown), "enter")
        assert "Every line needs a partner" in view.plain
        for item in levels.drawn.shown:
            while levels.partners.get(item) != "cuda":
                view.quiz.pair(item)
        await driver.press("enter")
        wrong = [option for option in levels.question.options if option.value not in (None, "cuda")]
        assert len(wrong) == 6
        for option in wrong:
            heading, about = (option.text["en"].replace("`", ""), option.explanation["en"].replace("`", ""))
            said = " ".join(view.plain.split())
            assert f"{heading} {about}" in said


def test_code_in_the_name_of_a_partner_is_drawn_as_code() -> None:
    asking = quiz("which-cards")
    assert asking.current is not None
    cards = asking.current
    cards.partners.update(dict.fromkeys(cards.drawn.shown, "not-86"))
    blocks = QuestionBlocks(asking, "en", translator("en"), Content).of(cards)
    assert "= 4 → Not on sm_86" in "\n".join(block.text.plain for block in blocks)


async def test_lines_out_of_place_have_a_sign_that_is_no_colour(home: Path) -> None:
    async with opened(lesson=8) as driver:
        await driver.go("any-shift")
        assert driver.lesson.quiz is not None and driver.lesson.quiz.current is not None
        asked = driver.lesson.quiz.current
        await driver.press(*["down"] * len(asked.order), "enter")
        assert asked.judged is not None and asked.judged.wrong
        assert "The first line out of place:" in driver.lesson.plain
        rows = [row.split()[0] for row in driver.lesson.plain.splitlines() if row[:3].strip()[:1] == "✗"]
        assert rows[-len(asked.judged.wrong) :] == [
            f"✗{place}" for place, item in enumerate(asked.order, 1) if item in asked.judged.wrong
        ]
        first = asked.order[0]
        await driver.press(*["up"] * len(asked.order), "enter", "down", "down", "enter")
        assert asked.order[2] == first
        assert not asked.still_wrong(first), "where it stands now, nobody has judged it"
        assert f"  3 {asked.drawn.option(first).text['en']}".replace("`", "") in driver.lesson.plain
