"""What lessons should have and haven't: each with its file and line, all at once, and nothing run."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_between_lessons import BREAKS_TOML, add_breaks, add_closing, add_lessons, replace_in
from test_loader import LESSON, TEXT, course, line_of  # noqa: F401 - a fixture

from tritontui.course import twins
from tritontui.course.lint import lint

KNOWN = ("out-of-bounds-write", "never-written")


def said(folder: Path) -> list[str]:
    """``file:line: message`` of each problem, files as the lesson names them."""
    _, problems = lint(folder, KNOWN)
    return [str(problem).removeprefix(f"{folder / LESSON}/") for problem in problems]


def errors(folder: Path) -> list[str]:
    _, problems = lint(folder, KNOWN)
    wrong = [problem for problem in problems if problem.severity == "error"]
    return [str(problem).removeprefix(f"{folder / LESSON}/") for problem in wrong]


def test_what_is_missing_is_told_with_its_gravity(course: Path) -> None:  # noqa: F811
    assert said(course) == [
        "exercises/count: 0 things to break on purpose, where 2 are wanted",
        "exercises/count/attempts: 1 wrong attempts, where 4 are wanted",
        "exercises/count/hints.en.md: 2 hints, where 3 lead to the solution",
        "lesson.toml: 0 exercises are judged cold, where one is meant to be",
        "lesson.toml: 4 steps, where 5 to 9 make a sitting",
        "lesson.toml: no [closing]: the lesson ends without a question for the next",
    ]
    assert len(errors(course)) == 2


def test_a_lesson_that_has_everything_is_silent(course: Path) -> None:  # noqa: F811
    lesson, exercise = course / LESSON, course / LESSON / "exercises" / "count"
    add_closing(course)
    second = BREAKS_TOML.replace('"two"', '"three"').replace('by = "x = 2"', 'by = "x = 3"')
    breaks = (exercise.parents[1] / "en.md").parent and "# Make it 2 {#two}\n\nWrite 2.\n"
    options = "\n## Something is missing {#never-written}\n\nIt is.\n\n## Nothing {#pass}\n\nNo.\n"
    add_breaks(course, BREAKS_TOML + "\n" + second, f"{breaks}{options}\n# Make it 3 {{#three}}\n{options}")
    replace_in(lesson / "lesson.toml", 'exercise = "count"', 'exercise = "count"\ncold = true')
    replace_in(
        lesson / "lesson.toml",
        '[[steps]]\nid = "work"',
        '[[steps]]\nid = "more"\nkind = "read"\n\n[[steps]]\nid = "work"',
    )
    for language in ("en", "it"):
        replace_in(lesson / f"{language}.md", "# Work {#work}", "# More {#more}\n\nMore.\n\n# Work {#work}")
        hints = exercise / f"hints.{language}.md"
        hints.write_text(hints.read_text() + "\n# Three\n\nLook.\n")
    for name in ("second", "third", "fourth"):
        (exercise / "attempts" / f"{name}.py").write_text("y = 2  # expect: never-written\n")
    assert said(course) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("it.md", "Text.", "Text of 3.", f"it.md:{line_of(TEXT, '# Quiz')}: numbers differ from en.md"),
        ("it.md", "Text.", "`n`.", f"it.md:{line_of(TEXT, '# Quiz')}: code in the text differ from en.md"),
        ("it.md", "It is {cdiv(n, B)}.", "È {n}.", f"it.md:{line_of(TEXT, '### Right')}: fields differ from en.md"),
        ("it.md", "# not a heading", "# nessun titolo", f"it.md:{line_of(TEXT, '```')}: this code block isn't"),
        ("en.md", "Text.", "Each lane and its stride.", "it.md:1: the term 'lane' stays English"),
        ("it.md", "Text.", "Le lanes.", f"it.md:{line_of(TEXT, 'Text.')}: 'lanes': the plural of a kept term"),
        ("it.md", "Text.", "Lo memorizza.", f"it.md:{line_of(TEXT, 'Text.')}: 'memorizza' isn't said so"),
        ("en.md", "Too few.", "Too few!", f"en.md:{line_of(TEXT, 'Too few.')}: an exclamation mark"),
        ("en.md", "Do it.", "As in lesson 3.", f"en.md:{line_of(TEXT, 'Do it.')}: there is no lesson 3"),
        ("it.md", "Do it.", "Come nella lezione 7.", f"it.md:{line_of(TEXT, 'Do it.')}: there is no lesson 7"),
        (
            "exercises/count/attempts/wrong.py",
            "out-of-bounds-write",
            "out-of-luck",
            "exercises/count/attempts/wrong.py:2: 'out-of-luck' is no diagnosis",
        ),
        (
            "exercises/count/hints.it.md",
            "# Two",
            "# Due\n\n```\nx\n```\n",
            "exercises/count/hints.it.md:5: 1 code blocks",
        ),
    ],
)
def test_each_fault_is_told_with_its_line(
    course: Path,  # noqa: F811
    file: str,
    old: str,
    new: str,
    expected: str,
) -> None:
    before = said(course)
    replace_in(course / LESSON / file, old, new)
    new_ones = [line for line in said(course) if line not in before]
    assert any(line.startswith(expected) for line in new_ones), new_ones


def test_code_that_is_too_wide_is_told_by_line(course: Path) -> None:  # noqa: F811
    wide = "x = " + "1 + " * 12
    for language in ("en", "it"):
        replace_in(course / LESSON / f"{language}.md", "# not a heading {#no}", f"# so\n{wide}")
    line = line_of(TEXT, "# not a heading") + 1
    assert f"en.md:{line}: {len(wide)} columns of code, where the lesson pane has 38" in said(course)


def test_breaks_name_known_findings(course: Path) -> None:  # noqa: F811
    add_breaks(course, BREAKS_TOML.replace("never-written", "never-mind"), "")
    folder = course / LESSON / "exercises" / "count"
    for language in ("en", "it"):
        text = "# Make it 2 {#two}\n\n## Never {#never-mind}\n\nNo.\n\n## Nothing {#pass}\n\nNo.\n"
        (folder / f"breaks.{language}.md").write_text(text)
    assert "exercises/count/breaks.toml:3: 'never-mind' is no diagnosis, nor 'pass'" in said(course)


def test_lessons_that_cannot_be_read_dont_hide_what_is_wrong_in_others(course: Path) -> None:  # noqa: F811
    add_lessons(course, 6)
    replace_in(course / LESSON / "lesson.toml", 'kind = "read"', 'kind = "reed"')
    replace_in(course / "06-small" / "it.md", "Text.", "Text of 3.")
    read, problems = lint(course, KNOWN)
    assert [lesson.number for lesson in read.lessons] == [6]
    assert any("'reed' is no kind" in problem.message for problem in problems)
    assert any("numbers differ" in problem.message for problem in problems)


def test_values_in_fields_are_no_words(tmp_path: Path) -> None:
    for language in ("en", "it"):
        (tmp_path / f"{language}.md").write_text("# Metti `warps` a {warps} {#a}\n\n{32 * warps} thread.\n")
    assert twins.check(tmp_path) == []
