"""Each kind of fault in a lesson is reported with its file and line; all at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tritontui.course.loader import CourseError, lessons_folder, load_course
from tritontui.course.model import LANGUAGES

LESSON = "05-small"

TOML = """\
number = 5
title.en = "Small"
title.it = "Piccola"

[[outcomes]]
id = "5.1"
en = "Count."
it = "Conta."

[[steps]]
id = "begin"
kind = "read"

[[steps]]
id = "quiz"
kind = "predict"
outcomes = ["5.1"]

[[steps.questions]]
id = "how-many"
kind = "number"
answer = "cdiv(n, B)"
wrong = { down = "n // B" }
variables = { n = [10, 11], B = [4] }

[[steps.questions]]
id = "which"
kind = "choice"
answer = "a"
options = ["a", "b"]

[[steps]]
id = "work"
kind = "code"
exercise = "count"

[[steps]]
id = "look"
kind = "explore"
exercise = "show"
changes = 3

[steps.knobs]
n = { values = [100, 256], start = 256 }
dtype = { values = ["float16", "float32"] }
"""

TEXT = """\
# Begin {#begin}

```python
# not a heading {#no}
```

# Quiz {#quiz}

Text.

## How many for {n}? {#how-many}

### Right {#answer}

It is {cdiv(n, B)}.

### {n // B} {#down}

Too few.

### Other {#other}

No.

## Which? {#which}

### A {#a}

Yes.

### B {#b}

No.

# Work {#work}

Do it.

# Look {#look}

Turn it.
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder with one right lesson."""
    lesson = tmp_path / LESSON
    exercise = lesson / "exercises" / "count"
    (exercise / "attempts").mkdir(parents=True)
    (lesson / "lesson.toml").write_text(TOML)
    for language in LANGUAGES:
        (lesson / f"{language}.md").write_text(TEXT)
        (exercise / f"hints.{language}.md").write_text("# One\n\nLook.\n\n# Two\n\nLook again.\n")
    for name in ("exercise.py", "starter.py", "solution.py"):
        (exercise / name).write_text("x = 1\n")
    (exercise / "attempts" / "wrong.py").write_text("x = 1\ny = 2  # expect: out-of-bounds-write\n")
    explored = lesson / "exercises" / "show"
    explored.mkdir()
    for name in ("exercise.py", "starter.py"):
        (explored / name).write_text("x = 1\n")
    return tmp_path


def test_a_right_lesson_loads(course: Path) -> None:
    [lesson] = load_course(course, thorough=True).lessons
    assert [step.id for step in lesson.steps] == ["begin", "quiz", "work", "look"]
    assert lesson.steps[0].body == dict.fromkeys(LANGUAGES, "```python\n# not a heading {#no}\n```")
    number, choice = lesson.steps[1].questions
    assert [option.id for option in number.options] == ["down", "other"]
    assert number.explanation["it"] == "It is {cdiv(n, B)}."
    assert choice.explanation["en"] == "Yes."
    exercise = lesson.steps[2].exercise
    assert exercise is not None and exercise.title["en"] == "Work"
    assert exercise.hints["en"] == ("# One\n\nLook.", "# Two\n\nLook again.")
    assert [(attempt.diagnosis, attempt.line) for attempt in exercise.attempts] == [("out-of-bounds-write", 2)]
    assert exercise.judged and not exercise.knobs
    explored = lesson.steps[3].exercise
    assert explored is not None and not explored.judged
    assert [(knob.name, knob.values) for knob in explored.knobs] == [
        ("n", (100, 256)),
        ("dtype", ("float16", "float32")),
    ]
    assert explored.start == {"n": 256, "dtype": "float16"}


def edit(file: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(course: Path) -> None:
        path = course / LESSON / file
        text = path.read_text()
        assert text.count(old) >= 1
        path.write_text(text.replace(old, new, 1))

    return apply


def remove(file: str) -> Callable[[Path], None]:
    return lambda course: (course / LESSON / file).unlink()


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


FAULTS = {
    "broken TOML": (edit("lesson.toml", 'kind = "read"', "kind = read"), "lesson.toml", 12, "Invalid value"),
    "no lesson.toml": (remove("lesson.toml"), "lesson.toml", None, "is missing"),
    "no text": (remove("it.md"), "it.md", None, "is missing"),
    "empty text": (lambda course: (course / LESSON / "it.md").write_text(""), "it.md", 1, "holds no step"),
    "unknown kind": (edit("lesson.toml", '"read"', '"reed"'), "lesson.toml", 12, "'reed' is no kind"),
    "missing key": (edit("lesson.toml", 'kind = "read"\n', ""), "lesson.toml", 10, "'kind' is missing"),
    "misspelt key": (
        edit("lesson.toml", "exercise =", "exercize ="),
        "lesson.toml",
        line_of(TOML, "exercise ="),
        "'exercize' means nothing",
    ),
    "wrong type": (
        edit("lesson.toml", 'answer = "a"', "answer = 1"),
        "lesson.toml",
        line_of(TOML, 'answer = "a"'),
        "must be a string",
    ),
    "answer not among options": (
        edit("lesson.toml", '= "a"', '= "c"'),
        "lesson.toml",
        line_of(TOML, 'answer = "a"'),
        "none of the options",
    ),
    "unknown outcome": (edit("lesson.toml", '["5.1"]', '["5.2"]'), "lesson.toml", 17, "'5.2' is no outcome"),
    "idle outcome": (edit("lesson.toml", 'outcomes = ["5.1"]\n', ""), "lesson.toml", 6, "no step lets the learner"),
    "folder's number": (edit("lesson.toml", "number = 5", "number = 6"), "lesson.toml", 1, "folder's name"),
    "title in one language": (edit("lesson.toml", 'title.it = "Piccola"\n', ""), "lesson.toml", 2, "'it' is missing"),
    "unknown variable": (edit("lesson.toml", '"n // B"', '"m // B"'), "lesson.toml", 23, "reads m"),
    "no expression": (edit("lesson.toml", '"n // B"', '"n //"'), "lesson.toml", 23, "is no expression"),
    "empty draws": (edit("lesson.toml", "[4]", "[]"), "lesson.toml", 24, "variables.B must be a list"),
    "wrong that is right": (edit("lesson.toml", "[10, 11]", "[10, 12]"), "lesson.toml", 24, "'down' equals the answer"),
    "no such exercise": (
        edit("lesson.toml", '"count"', '"sum"'),
        "lesson.toml",
        line_of(TOML, "exercise ="),
        "no folder exercises/sum",
    ),
    "code without exercise": (
        edit("lesson.toml", 'exercise = "count"\n', ""),
        "lesson.toml",
        line_of(TOML, '[[steps]]\nid = "work"'),
        "needs an exercise",
    ),
    "predict without question": (edit("lesson.toml", '"read"', '"predict"'), "lesson.toml", 10, "needs a question"),
    "step without text": (edit("it.md", "# Begin {#begin}", "# Begin {#start}"), "it.md", 1, "'begin' has no text"),
    "text without step": (edit("it.md", "# Begin {#begin}", "# Begin {#start}"), "it.md", 1, "'start' is not in"),
    "heading without id": (edit("en.md", "# Work {#work}", "# Work"), "en.md", line_of(TEXT, "# Work"), "has no {#id}"),
    "twice": (
        edit("en.md", "### B {#b}", "### A {#a}\n\nYes.\n\n### B {#b}"),
        "en.md",
        line_of(TEXT, "### B"),
        "stands here twice",
    ),
    "question without text": (edit("en.md", "## Which? {#which}", "## Which?"), "en.md", 7, "'which' has no text"),
    "option without text": (
        edit("it.md", "### B {#b}\n\nNo.", ""),
        "it.md",
        line_of(TEXT, "## Which"),
        "'b' has no text",
    ),
    "option not explained": (edit("it.md", "{#b}\n\nNo.", "{#b}"), "it.md", line_of(TEXT, "### B"), "no explanation"),
    "order": (edit("en.md", "# Work {#work}", "# Work {#begin}"), "en.md", line_of(TEXT, "# Work"), "twice"),
    "other code": (edit("it.md", "```python\n# not a heading {#no}\n```", "Text."), "lesson.toml", 11, "code blocks"),
    "unknown field": (
        edit("it.md", "It is {cdiv(n, B)}", "It is {m}"),
        "it.md",
        line_of(TEXT, "### Right"),
        "'m' is no",
    ),
    "no knobs": (
        edit("lesson.toml", TOML[TOML.index("[steps.knobs]") :], ""),
        "lesson.toml",
        line_of(TOML, '[[steps]]\nid = "look"'),
        "needs knobs",
    ),
    "one value": (
        edit("lesson.toml", "[100, 256]", "[256]"),
        "lesson.toml",
        line_of(TOML, "n = { values"),
        "two or more different",
    ),
    "values of two types": (
        edit("lesson.toml", '"float16", "float32"', '"float16", 32'),
        "lesson.toml",
        line_of(TOML, "dtype ="),
        "two or more different",
    ),
    "start elsewhere": (
        edit("lesson.toml", "start = 256", "start = 255"),
        "lesson.toml",
        line_of(TOML, "n = { values"),
        "255 is none of 100, 256",
    ),
    "exploration without end": (
        edit("lesson.toml", "changes = 3\n", ""),
        "lesson.toml",
        line_of(TOML, '[[steps]]\nid = "look"'),
        "completed by questions, or by 'changes'",
    ),
    "exploration without kernel": (
        remove("exercises/show/starter.py"),
        "exercises/show/starter.py",
        None,
        "is missing",
    ),
    "no line may change": (
        edit("lesson.toml", 'kind = "code"', 'kind = "fix"\nmax_changed_lines = 0'),
        "lesson.toml",
        line_of(TOML, 'kind = "code"') + 1,
        "at least one line",
    ),
    "missing hints": (remove("exercises/count/hints.it.md"), "exercises/count/hints.it.md", None, "is missing"),
    "one hint less": (
        edit("exercises/count/hints.it.md", "\n# Two\n\nLook again.\n", ""),
        "exercises/count/hints.en.md",
        None,
        "hints differ in number (en: 2, it: 1)",
    ),
    "empty hint": (
        edit("exercises/count/hints.it.md", "# Two\n\nLook again.\n", "# Two\n"),
        "exercises/count/hints.it.md",
        5,
        "a heading and nothing else",
    ),
    "no solution": (remove("exercises/count/solution.py"), "exercises/count/solution.py", None, "is missing"),
    "no marker": (
        edit("exercises/count/attempts/wrong.py", "  # expect: out-of-bounds-write", ""),
        "exercises/count/attempts/wrong.py",
        None,
        "no line ends with",
    ),
    "bad marker": (
        edit("exercises/count/attempts/wrong.py", "out-of-bounds-write", "Out Of Bounds"),
        "exercises/count/attempts/wrong.py",
        None,
        "no line ends with",
    ),
    "marker without id": (
        edit("exercises/count/attempts/wrong.py", "out-of-bounds-write", ""),
        "exercises/count/attempts/wrong.py",
        2,
        "'' is no diagnosis id",
    ),
    "two markers": (
        edit("exercises/count/attempts/wrong.py", "x = 1", "x = 1  # expect: never-written"),
        "exercises/count/attempts/wrong.py",
        2,
        "a second '# expect:'",
    ),
    "marker adrift": (
        edit("exercises/count/attempts/wrong.py", "y = 2  #", "#"),
        "exercises/count/attempts/wrong.py",
        2,
        "belongs on line 1",
    ),
}


@pytest.mark.parametrize(("spoil", "file", "line", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_reported_where_it_is(
    course: Path, spoil: Callable[[Path], None], file: str, line: int | None, message: str
) -> None:
    spoil(course)
    with pytest.raises(CourseError) as caught:
        load_course(course, thorough=True)
    found = [(problem.path, problem.line) for problem in caught.value.problems if message in problem.message]
    assert found == [(course / LESSON / file, line)], str(caught.value)


def test_what_is_missing_at_the_beginning_is_said_once(course: Path) -> None:
    path = course / LESSON / "lesson.toml"
    path.write_text(TOML[TOML.index("[[steps]]") :])
    with pytest.raises(CourseError) as caught:
        load_course(course)
    said = [problem.message for problem in caught.value.problems if problem.line is None]
    assert sorted(said) == ["'number' is missing", "'outcomes' is missing", "'title' is missing"]


def test_all_faults_come_at_once(course: Path) -> None:
    edit("lesson.toml", '"read"', '"reed"')(course)
    edit("en.md", "# Work {#work}", "# Work")(course)
    shutil.copytree(course / LESSON, course / "06-copy")
    with pytest.raises(CourseError) as caught:
        load_course(course)
    files = {problem.path.relative_to(course).as_posix() for problem in caught.value.problems}
    assert files == {
        "05-small/lesson.toml",
        "05-small/en.md",
        "06-copy/lesson.toml",
        "06-copy/en.md",
        "06-copy/exercises/count",
        "06-copy/exercises/show",
    }
    assert f"{course / LESSON / 'lesson.toml'}:12: 'reed' is no kind" in str(caught.value)


def test_an_empty_folder_is_no_course(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="holds no lesson"):
        load_course(tmp_path)


def test_exercise_files_are_not_read_until_asked_for(course: Path) -> None:
    remove("exercises/count/hints.it.md")(course)
    exercise = load_course(course).exercise("count")
    with pytest.raises(CourseError, match=r"hints\.it\.md: is missing"):
        _ = exercise.hints


def test_this_installation_has_lessons() -> None:
    assert load_course(lessons_folder(), thorough=True) == load_course()


def test_all_thirty_outcomes_of_the_course_are_reached_by_activities() -> None:
    lessons = load_course(lessons_folder()).lessons
    activities = {
        outcome for lesson in lessons for step in lesson.steps if step.kind != "read" for outcome in step.outcomes
    }
    stated = [outcome.id for lesson in lessons for outcome in lesson.outcomes]
    assert stated == [f"{number}.{place}" for number in range(1, 11) for place in (1, 2, 3)]
    assert set(stated) <= activities
