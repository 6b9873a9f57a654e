"""Loading a learner's text, and where its errors are said to be."""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path

import pytest

import tritontui
from tritontui.runner.lockstep import KernelError
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submissions, execute, failure_of, find_entry, is_own_defect


@pytest.fixture
def submissions():
    made = Submissions()
    yield made
    made.close()


def exercise(**changes):
    values = {
        "entry": "add",
        "inputs": lambda case, generator: [],
        "reference": lambda: None,
        "cases": [],
        "trace_case": Case("small"),
    }
    return Exercise(**{**values, **changes})


def failure(submissions, text, filename="mine.py"):
    submission = submissions.place(textwrap.dedent(text), filename)
    with pytest.raises(Exception) as raised:
        execute(submission)
    return failure_of(raised.value, submission, "import")


class TestLoading:
    def test_source_is_read_from_the_newest_text(self, submissions):
        for value in (1, 2):
            submission = submissions.place(f"def add():\n    return {value}\n", "mine.py")
            execute(submission)
            assert f"return {value}" in inspect.getsource(submission.module.add)

    def test_the_previous_module_is_dropped(self, submissions):
        first = submissions.place("x = 1\n", "mine.py")
        execute(first)
        second = submissions.place("x = 2\n", "mine.py")
        execute(second)
        assert sys.modules[first.module.__name__] is second.module
        assert not first.path.exists()

    def test_folders_in_the_name_are_left_out(self, submissions):
        submission = submissions.place("", "../elsewhere/mine.py")
        assert submission.path.name == "mine.py"
        assert submission.path.parent.name == "1"


class TestEntry:
    def test_alias_counts(self, submissions):
        submission = submissions.place("def plus():\n    pass\n", "mine.py")
        execute(submission)
        assert find_entry(submission, exercise(aliases=("plus",))) is submission.module.plus

    @pytest.mark.parametrize(
        ("text", "functions", "empty"),
        [("", [], True), ("# nothing yet\n", [], True), ("def sub(x):\n    return x\n", ["sub"], False)],
    )
    def test_a_missing_entry_says_what_there_is(self, submissions, text, functions, empty):
        submission = submissions.place(text, "mine.py")
        execute(submission)
        found = find_entry(submission, exercise())
        assert found.id == "entry-missing"
        assert found.params == {"entry": "add", "functions": functions, "empty": empty}


class TestFailures:
    def test_line_and_column_of_a_plain_error(self, submissions):
        found = failure(submissions, "a = 1\nb = a + None\n")
        assert (found.kind, found.line, found.stage) == ("TypeError", 2, "import")
        assert found.frames[-1].file == "mine.py"
        if sys.version_info >= (3, 11):
            assert found.column == 5

    def test_the_learners_own_frame_counts_not_the_librarys(self, submissions):
        found = failure(submissions, "import json\n\njson.loads('{')\n")
        assert found.kind == "JSONDecodeError"
        assert found.line == 3

    def test_causes_are_kept_outermost_first(self, submissions):
        found = failure(
            submissions,
            """
            try:
                [][1]
            except IndexError as error:
                raise ValueError("no") from error
            """,
        )
        assert found.kind == "ValueError"
        assert [cause.kind for cause in found.causes] == ["IndexError"]
        assert found.line == 5

    def test_a_syntax_error_has_its_own_place(self, submissions):
        found = failure(submissions, "x = 1\ny = (\n")
        assert (found.kind, found.line) == ("SyntaxError", 2)

    def test_the_interpreters_place_wins_over_frames(self, submissions):
        submission = submissions.place("a = 1\nb = 2\n", "mine.py")
        error = KernelError(ValueError("bad"), 2, 5, "kernel")
        assert (failure_of(error, submission, "trace").line) == 2

    @pytest.mark.parametrize(
        ("statement", "file", "ours"),
        [
            ("None.nothing", "runner/any.py", True),
            ("assert False", "runner/any.py", True),
            ("raise TypeError", "runner/any.py", False),
            ("None.nothing", "../elsewhere.py", False),
        ],
    )
    def test_a_defect_of_our_own_is_not_the_learners(self, statement, file, ours):
        path = Path(tritontui.__file__).parent / file
        with pytest.raises(Exception) as raised:
            exec(compile(statement, str(path.resolve()), "exec"))
        assert is_own_defect(raised.value) == ours

    def test_a_loop_of_causes_ends(self, submissions):
        submission = submissions.place("", "mine.py")
        first, second = ValueError("a"), ValueError("b")
        first.__cause__, second.__cause__ = second, first
        assert [cause.message for cause in failure_of(first, submission, "host").causes] == ["b"]
