"""Openings, closings, cold exercises and breaks: what stands between and behind the steps of a lesson."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from test_loader import LESSON, course  # noqa: F401 - a fixture

from tritontui.course import loader
from tritontui.course.loader import CourseError, load_course, load_lesson
from tritontui.course.model import LANGUAGES
from tritontui.course.opening import recalled

CLOSING_TOML = """
[closing]
kind = "choice"
options = ["here", "there"]
answer = "there"
"""
CLOSING_TEXT = """
# Where does it go? {#closing}

Nobody knows yet.

## Here {#here}

## There {#there}

## It goes there {#reveal}

As you saw.
"""
BREAKS_TOML = """\
[[breaks]]
id = "two"
options = ["never-written", "pass"]
answer = "never-written"
replaces = "x = 1"
by = "x = 2"
"""
BREAKS_TEXT = """\
# Make it 2 {#two}

Write 2.

## Something is missing {#never-written}

It is.

## Nothing happens {#pass}

Something does.
"""
DAY = date(2026, 12, 2)


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def add_closing(folder: Path, toml: str = CLOSING_TOML, text: str = CLOSING_TEXT) -> None:
    for name, addition in (("lesson.toml", toml), *((f"{language}.md", text) for language in LANGUAGES)):
        path = folder / LESSON / name
        path.write_text(path.read_text() + addition)


def add_breaks(folder: Path, toml: str = BREAKS_TOML, text: str = BREAKS_TEXT) -> None:
    exercise = folder / LESSON / "exercises" / "count"
    (exercise / "breaks.toml").write_text(toml)
    for language in LANGUAGES:
        (exercise / f"breaks.{language}.md").write_text(text)


def add_lessons(folder: Path, *numbers: int) -> None:
    """The same lesson under other numbers, each with exercises of its own."""
    for number in numbers:
        copied = folder / f"{number:02d}-small"
        shutil.copytree(folder / LESSON, copied)
        toml = copied / "lesson.toml"
        for old, new in (
            ("number = 5", f"number = {number}"),
            ("5.1", f"{number}.1"),
            ('exercise = "count"', f'exercise = "count{number}"'),
            ('exercise = "show"', f'exercise = "show{number}"'),
        ):
            replace_in(toml, old, new)
        for name in ("count", "show"):
            (copied / "exercises" / name).rename(copied / "exercises" / f"{name}{number}")


def faults(folder: Path) -> list[str]:
    with pytest.raises(CourseError) as raised:
        load_course(folder, thorough=True)
    return [str(problem) for problem in raised.value.problems]


# ---------------------------------------------------------------- openings


def test_every_lesson_but_the_first_opens_with_a_step_of_its_own(course: Path, monkeypatch) -> None:  # noqa: F811
    add_lessons(course, 6)
    first, second = load_course(course).lessons
    assert [step.kind for step in first.steps] == ["read", "predict", "code", "explore"]
    assert [step.kind for step in second.steps] == ["opening", "read", "predict", "code", "explore"]
    monkeypatch.setattr(loader, "lessons_folder", lambda: course)
    [alone] = load_lesson(6, None).lessons
    assert [step.id for step in alone.steps] == [step.id for step in second.steps], "a step keeps its place"


def test_an_opening_asks_about_the_last_lesson_and_the_two_before_it(course: Path) -> None:  # noqa: F811
    add_lessons(course, 2, 3, 4, 6)
    whole = load_course(course)
    asked = recalled(whole, whole.lesson(6), "learner", DAY)
    assert sorted(question.id.split("/")[0] for question in asked) == ["03-small", "04-small", "05-small"]
    assert {question.id.split("/")[1] for question in asked} == {"quiz"}
    assert not recalled(whole, whole.lesson(2), "learner", DAY)
    from_one = recalled(whole, whole.lesson(3), "learner", DAY)
    assert {question.id for question in from_one} == {"02-small/quiz/how-many", "02-small/quiz/which"}
    from_two = recalled(whole, whole.lesson(4), "learner", DAY)
    assert [question.id.split("/")[0] for question in from_two] == ["03-small", "02-small", "03-small"]


def test_the_questions_stay_all_day_and_change_with_days_and_learners(course: Path) -> None:  # noqa: F811
    add_lessons(course, 2, 3, 4)
    whole = load_course(course)

    def ids(learner: str, day: date) -> tuple[str, ...]:
        return tuple(question.id for question in recalled(whole, whole.lesson(5), learner, day))

    assert ids("a", DAY) == ids("a", DAY)
    assert len({ids("a", DAY + timedelta(days=days)) for days in range(20)}) > 1
    assert len({ids(f"learner {number}", DAY) for number in range(20)}) > 1


def test_a_question_can_be_kept_out_of_openings(course: Path) -> None:  # noqa: F811
    replace_in(course / LESSON / "lesson.toml", 'id = "how-many"', 'id = "how-many"\nrecall = false\ntopic = "grid"')
    add_lessons(course, 6)
    whole = load_course(course)
    assert [question.id for question in recalled(whole, whole.lesson(6), "", DAY)] == [f"{LESSON}/quiz/which"]
    assert [question.topic for question in whole.lesson(5).steps[1].questions] == ["grid", "reasons"]


def test_topics_and_flags_are_checked(course: Path) -> None:  # noqa: F811
    replace_in(course / LESSON / "lesson.toml", 'id = "how-many"', 'id = "how-many"\nrecall = "no"\ntopic = "griddle"')
    found = "\n".join(faults(course))
    assert "'recall' must be true or false" in found and "'griddle' is no topic" in found


# ---------------------------------------------------------------- closings


def test_a_closing_is_the_last_step_and_has_its_answer(course: Path) -> None:  # noqa: F811
    add_closing(course)
    [lesson] = load_course(course, thorough=True).lessons
    assert [step.kind for step in lesson.steps][-1] == "closing"
    closing = lesson.closing
    assert closing is not None and closing.answer == "there"
    assert closing.prompt["en"] == "Where does it go?\n\nNobody knows yet."
    assert [option.text["it"] for option in closing.options] == ["Here", "There"]
    assert closing.explanation["en"] == "As you saw."


def test_a_closing_may_ask_a_number(course: Path) -> None:  # noqa: F811
    text = "\n# How many? {#closing}\n\n## Many {#reveal}\n\nSo many.\n"
    add_closing(course, '\n[closing]\nkind = "number"\nanswer = "4323"\n', text)
    [lesson] = load_course(course, thorough=True).lessons
    assert lesson.closing is not None and lesson.closing.kind == "number" and not lesson.closing.options


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('answer = "there"', 'answer = "nowhere"', "none of the options"),
        ('kind = "choice"\noptions = ["here"', 'kind = "order"\noptions = ["here"', "'order' is no kind"),
        ('["here", "there"]', '["here", "there", "else"]', "'else' has no text here"),
    ],
)
def test_what_is_wrong_in_a_closing_is_reported(course: Path, old: str, new: str, said: str) -> None:  # noqa: F811
    add_closing(course, CLOSING_TOML.replace(old, new))
    assert said in "\n".join(faults(course))


def test_a_closing_needs_its_reveal(course: Path) -> None:  # noqa: F811
    add_closing(course, text=CLOSING_TEXT.replace("As you saw.", ""))
    assert "'reveal' has no explanation" in "\n".join(faults(course))


def test_steps_cannot_take_the_names_of_those_that_make_themselves(course: Path) -> None:  # noqa: F811
    replace_in(course / LESSON / "lesson.toml", 'id = "begin"', 'id = "opening"')
    assert "'opening' is the id of a step that every lesson has" in "\n".join(faults(course))
    replace_in(course / LESSON / "lesson.toml", 'id = "opening"\nkind = "read"', 'id = "begin"\nkind = "opening"')
    assert "'opening' is no kind" in "\n".join(faults(course))


# ---------------------------------------------------------------- cold exercises, breaks


def test_a_code_step_may_be_judged_cold_and_no_other(course: Path) -> None:  # noqa: F811
    toml = course / LESSON / "lesson.toml"
    replace_in(toml, 'exercise = "count"', 'exercise = "count"\ncold = true')
    assert load_course(course).exercise("count").cold
    replace_in(toml, 'exercise = "show"', 'exercise = "show"\ncold = true')
    assert "'cold' means nothing here" in "\n".join(faults(course))


def test_a_step_judged_cold_has_no_questions_of_its_own(course: Path) -> None:  # noqa: F811
    question = '[[steps.questions]]\nid = "why"\nkind = "choice"\nanswer = "a"\noptions = ["a", "b"]'
    toml = course / LESSON / "lesson.toml"
    replace_in(toml, 'exercise = "count"', f'exercise = "count"\ncold = true\n\n{question}')
    for language in LANGUAGES:
        words = "Do it.\n\n## Why? {#why}\n\n### A {#a}\n\nYes.\n\n### B {#b}\n\nNo.\n"
        replace_in(course / LESSON / f"{language}.md", "Do it.\n", words)
    [fault] = faults(course)
    assert "a step judged cold asks what the verdict will be, and nothing else" in fault
    replace_in(toml, "cold = true\n", "")
    assert load_course(course).lessons[0].steps[2].questions


def test_breaks_are_questions_about_a_changed_solution(course: Path) -> None:  # noqa: F811
    assert load_course(course).exercise("count").breaks == ()
    add_breaks(course)
    [found] = load_course(course, thorough=True).exercise("count").breaks
    assert (found.id, found.question.answer, found.apply("x = 1\n")) == ("two", "never-written", "x = 2\n")
    assert found.question.prompt["en"] == "Make it 2\n\nWrite 2."
    assert found.question.option("pass").explanation["it"] == "Something does."


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('replaces = "x = 1"', 'replaces = "y"', "breaks.toml:5: stands 0 times in solution.py"),
        ('by = "x = 2"', 'by = "x = 1"', "breaks.toml:6: nothing is changed by it"),
        ('answer = "never-written"', 'answer = "value-mismatch"', "none of the options"),
        ("[[breaks]]\n", '[[breaks]]\nkind = "number"\n', "a break asks a choice"),
    ],
)
def test_what_is_wrong_in_breaks_is_reported(course: Path, old: str, new: str, said: str) -> None:  # noqa: F811
    add_breaks(course, BREAKS_TOML.replace(old, new))
    assert said in "\n".join(faults(course))
