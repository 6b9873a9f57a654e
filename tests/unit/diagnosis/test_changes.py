"""Which lines count as changed."""

from hypothesis import given
from hypothesis import strategies as st

from tritontui.diagnosis.changes import changed_lines, check_changes

STARTER = "a = 1\nb = 2\nc = 3\nd = 4\n"


def changed(text: str) -> list[int]:
    return list(changed_lines(STARTER, text))


def test_lines_changed_added_and_taken_out_count_once() -> None:
    assert changed(STARTER) == []
    assert changed("a = 1\nb = 5\nc = 3\nd = 4\n") == [2]
    assert changed("a = 1\nb = 2\nnew = 0\nc = 3\nd = 4\n") == [3]
    assert changed("a = 1\nd = 4\n") == [2, 2]
    assert changed("a = 1\nx = 2\ny = 3\nz = 5\nd = 4\n") == [2, 3, 4]
    assert changed("") == [1, 1, 1, 1]


def test_comments_blank_lines_and_trailing_space_are_free() -> None:
    assert changed("# why\n\na = 1   \nb = 2  # two\n\n\nc = 3\n  # so\nd = 4") == []
    assert list(changed_lines("a = '1'\n", "a = '1 # 2'\n")) == [1]


def test_indentation_counts() -> None:
    assert changed("a = 1\n    b = 2\nc = 3\nd = 4\n") == [2]


def test_the_first_line_too_many_is_named() -> None:
    text = "w = 1\nx = 2\ny = 3\nz = 4\n"
    assert check_changes(STARTER, text, 4) is None
    finding = check_changes(STARTER, text, 2)
    assert finding is not None and (finding.id, finding.line) == ("too-many-changes", 3)
    assert finding.params == {"changed": 4, "most": 2}


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(starter: str, text: str) -> None:
    lines = list(changed_lines(starter, text))
    assert all(1 <= line <= max(1, len(text.splitlines())) for line in lines)
    assert lines == sorted(lines)
