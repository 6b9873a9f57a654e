"""Questions: numbers drawn and redrawn, answers of each kind judged, each wrong one explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from tritontui.course.loader import load_course
from tritontui.course.model import Option, Question, QuestionKind, Text
from tritontui.course.questions import Answer, AnswerError, Drawn, all_draws, draw, faults, fill


def text(english: str) -> Text:
    return {"en": english, "it": f"it: {english}"}


def option(identifier: str, value: str | None = None) -> Option:
    return Option(identifier, text(f"option {identifier}"), text(f"about {identifier}: {{n}}"), value)


def question(
    kind: QuestionKind,
    options: Sequence[Option],
    answer: str | tuple[str, ...],
    variables: Mapping[str, tuple[int, ...]] | None = None,
) -> Question:
    drawn = {"n": (10,), **(variables or {})}
    return Question("q", kind, text("How many for {n}?"), tuple(options), answer, text("right: {n}"), drawn)


NUMBER = question("number", [option("down", "n // 4"), option("other")], "cdiv(n, 4)", {"n": (10, 11)})
CHOICE = question("choice", [option("a"), option("b"), option("c")], "b")
ORDER = question("order", [option("x"), option("y"), option("z")], ("x", "y", "z"))
MATCH = question("match", [option("x", "left"), option("y", "right"), option("left"), option("right")], ())


@pytest.mark.parametrize(
    ("asked", "answer", "correct", "explanation", "wrong"),
    [
        (CHOICE, "b", True, "right: 10", ()),
        (CHOICE, "c", False, "about c: 10", ()),
        (ORDER, ("x", "y", "z"), True, "right: 10", ()),
        (ORDER, ["x", "z", "y"], False, "about z: 10", ("z", "y")),
        (MATCH, {"x": "left", "y": "right"}, True, "right: 10", ()),
        (MATCH, {"x": "left", "y": "left"}, False, "about y: 10", ("y",)),
    ],
)
def test_answers(asked: Question, answer: Answer, correct: bool, explanation: str, wrong: tuple[str, ...]) -> None:
    judged = draw(asked, Random(0)).judge(answer)
    assert (judged.correct, judged.explanations[0]["en"], judged.wrong) == (correct, explanation, wrong)
    assert judged.explanations[0]["it"] == f"it: {explanation}"


@pytest.mark.parametrize(
    ("typed", "correct", "explanation"),
    [
        ("3", True, "right: 10"),
        (" 3.0 ", True, "right: 10"),
        ("cdiv(n, 4)", True, "right: 10"),
        ("1 + 2", True, "right: 10"),
        ("2", False, "about down: 10"),
        ("2,5", False, "about other: 10"),
        ("-3", False, "about other: 10"),
    ],
)
def test_numbers(typed: str, correct: bool, explanation: str) -> None:
    asked = question("number", NUMBER.options, NUMBER.answer)
    judged = draw(asked, Random(0)).judge(typed)
    assert (judged.correct, judged.explanations[0]["en"]) == (correct, explanation)


def test_a_right_fraction_may_be_rounded() -> None:
    asked = question("number", [option("other")], "n / 3")
    drawn = draw(asked, Random(0))
    assert drawn.judge("3,33").correct
    assert not drawn.judge("3.2").correct


@pytest.mark.parametrize("typed", ["1048576", "1_048_576", "1.048.576", "1,048,576"])
def test_thousands_may_be_set_apart_as_the_lessons_do(typed: str) -> None:
    assert draw(question("number", [option("other")], "2 ** 20"), Random(0)).judge(typed).correct


def test_one_separator_is_read_both_ways() -> None:
    for answer, typed in (("1000", "1.000"), ("1000", "1,000"), ("5 / 4", "1.250"), ("5 / 4", "1,250")):
        assert draw(question("number", [option("other")], answer), Random(0)).judge(typed).correct
    assert not draw(question("number", [option("other")], "1"), Random(0)).judge("1.250").correct


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (NUMBER, "three"),
        (NUMBER, ""),
        (NUMBER, "3 3"),
        (CHOICE, "d"),
        (ORDER, ["x", "y"]),
        (ORDER, ["x", "y", "y"]),
        (ORDER, "xyz"),
        (MATCH, {"x": "left"}),
        (MATCH, "left"),
    ],
)
def test_what_is_no_answer_is_asked_again(asked: Question, answer: Answer) -> None:
    with pytest.raises(AnswerError):
        draw(asked, Random(0)).judge(answer)


def test_numbers_are_redrawn_after_an_error() -> None:
    random = Random(0)
    for _ in range(20):
        before = draw(NUMBER, random)
        assert draw(NUMBER, random, before).variables != before.variables


def test_redrawn_numbers_have_another_answer_where_any_have() -> None:
    """What is said of a wrong answer may have told the right one."""
    rest = question("number", [option("other")], "cdiv(n, B) * B - n", {"n": (2500, 1300), "B": (128, 512)})
    before = draw(rest, Random(0))._replace(variables={"n": 2500, "B": 512})
    assert {draw(rest, Random(seed), before).solution() for seed in range(20)} == {"108", "236"}  # 60 of 128 once more


def test_a_question_with_one_draw_keeps_it() -> None:
    before = draw(CHOICE, Random(0))
    assert draw(CHOICE, Random(1), before).variables == before.variables


def test_an_order_is_never_handed_out_solved() -> None:
    shown = {draw(ORDER, Random(seed)).shown for seed in range(50)}
    assert ORDER.answer not in shown
    assert len(shown) > 1


def test_a_match_shows_items_and_partners_apart() -> None:
    drawn = draw(MATCH, Random(0))
    assert (set(drawn.shown), set(drawn.partners)) == ({"x", "y"}, {"left", "right"})
    assert drawn.solution() == {"x": "left", "y": "right"}


def test_solutions_are_right() -> None:
    for asked in (NUMBER, CHOICE, ORDER, MATCH):
        drawn = draw(asked, Random(3))
        assert drawn.judge(drawn.solution()).correct


def test_fields_and_braces() -> None:
    assert fill("{n} {{n}} {n * 2} {n / 4}", {"n": 10}) == "10 {n} 20 2.5"
    assert fill("2{^n} {n / 4}", {"n": 10}, language="it") == "2¹⁰ 2,5"


def test_thousands_are_set_apart_but_in_code() -> None:
    said = "{n} of `x[{n}]` {n * n} {n / 8}\n```python\nn = {n}\n```\n{n}"
    assert fill(said, {"n": 10000}) == "10,000 of `x[10000]` 100,000,000 1,250\n```python\nn = 10000\n```\n10,000"
    assert fill(said, {"n": 10000}, language="it").startswith("10.000 of `x[10000]` 100.000.000 1.250\n")


def test_faults_see_every_draw() -> None:
    good = question("number", NUMBER.options, "cdiv(n, 4)", {"n": (9, 10, 11)})
    bad = question("number", NUMBER.options, "cdiv(n, 4)", {"n": (9, 10, 12)})
    assert faults(good) == []
    assert faults(bad) == ["'down' equals the answer (3) when n = 12"]


def test_every_question_of_the_course_under_every_draw() -> None:
    """The solution is right, and each foreseen wrong number gets its own explanation."""
    for lesson in load_course().lessons:
        for step in lesson.steps:
            if step.experiment is not None or step.rungs:  # figures answer, which the loader tries; or what was reached
                continue
            for asked in step.questions:
                for variables in all_draws(asked):
                    fixed = {name: (value,) for name, value in variables.items()}
                    one = Question(
                        asked.id, asked.kind, asked.prompt, asked.options, asked.answer, asked.explanation, fixed
                    )
                    drawn = draw(one, Random(0))
                    assert drawn.judge(drawn.solution()).correct
                    for wrong in asked.options if asked.kind == "number" else ():
                        if wrong.value is not None:
                            judged = drawn.judge(wrong.value)
                            said = drawn.say(wrong.explanation, "it")
                            assert (judged.correct, judged.explanations[0]["it"]) == (False, said)


def test_measured_numbers_have_no_more_digits_than_they_are_good_for() -> None:
    _, step = load_course().experiments["fused_relu_speed"]
    assert step.experiment is not None and step.experiment.recorded is not None
    ratio = next(asked for asked in step.questions if asked.id == "ratio")
    drawn = Drawn(ratio, {"k": 24}, (), figures=step.experiment.recorded)
    said = str(drawn.solution())
    assert len(said.replace(".", "")) <= 3 and float(said) == pytest.approx(2.9, rel=0.1)
    assert drawn.judge(said).correct
