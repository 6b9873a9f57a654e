"""Plain functions of the editor on text."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritontui.ui.code import editing

CODE = st.text(alphabet="ab (:#\n\t'[", max_size=40)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("a\x1bZ\x00\x07b\x7f\x9b", "ab"),
        ("one\u2028two\x0cthree", "one\ntwo\nthree"),
        ("if admin:\u202e \u2066# begin", "if admin: # begin"),
        ("\ufeffimport triton", "import triton"),
        ("\ud800x", "x"),
        ("\tx", "\tx"),
    ],
)
def test_nothing_in_clean_text_can_steer_a_terminal(dirty: str, clean: str) -> None:
    assert editing.clean(dirty) == clean


@given(st.text())
def test_clean_text_stays_as_it_is_and_splits_at_newlines_alone(text: str) -> None:
    clean = editing.clean(text)
    assert editing.clean(clean) == clean
    assert clean.splitlines() == (
        clean.split("\n")[:-1] if clean.endswith("\n") else clean.split("\n") if clean else []
    )


def test_a_pasted_tab_takes_the_blanks_to_its_stop() -> None:
    assert editing.clean_paste("\tx\r\na\tb") == "    x\na   b"


@pytest.mark.parametrize(
    ("line", "blanks"),
    [
        ("x = 1", 0),
        ("    x = 1", 4),
        ("if x:", 4),
        ("    for k in range(0, K, BK):  # tiles", 8),
        ("x = '#'  # note:", 0),
        ("d = {':': 1}", 0),
        ("x = tl.load(", 4),
        ("    return x", 0),
        ("    return f(", 8),
        ("    returned = 1", 4),
        ("pass", 0),
        ("", 0),
    ],
)
def test_the_next_line_is_indented_by_what_this_one_says(line: str, blanks: int) -> None:
    assert editing.next_indentation(line) == " " * blanks


def test_dedent_goes_back_to_the_tab_stop() -> None:
    assert editing.dedent(["        a", "     b", "  c", "d", "\te"]) == ["    a", "    b", "c", "d", "e"]


def test_indent_leaves_blank_lines_alone() -> None:
    assert editing.indent(["a", "", "    b"]) == ["    a", "", "        b"]


@pytest.mark.parametrize(
    ("before", "width"), [("        ", 4), ("     ", 1), ("   ", 3), ("    x", 1), ("    x   ", 1)]
)
def test_backspace_takes_a_level_only_within_indentation(before: str, width: int) -> None:
    assert editing.backspace_width(before) == width


@given(st.lists(st.text(alphabet="a #(", max_size=8), min_size=1, max_size=5))
def test_commenting_out_and_in_again_changes_nothing(lines: list[str]) -> None:
    if any(line.strip() for line in lines) and not all(line.lstrip().startswith("#") for line in lines if line.strip()):
        assert editing.toggle_comment(editing.toggle_comment(lines)) == lines


def test_a_commented_block_still_parses() -> None:
    block = ["    x = 1", "    if x:", "        y = 2"]
    ast.parse("\n".join(["def f():", "    z = 0", *editing.toggle_comment(block)]))


@pytest.mark.parametrize(
    ("lines", "at", "partner"),
    [
        (["f(a[0], (b))"], (0, 1), (0, 11)),
        (["f(a[0], (b))"], (0, 11), (0, 1)),
        (["f(", "  a,", ")"], (0, 1), (2, 0)),
        (["f(", "  a,", ")"], (2, 0), (0, 1)),
        (["f((a)"], (0, 1), None),
        (["x"], (0, 0), None),
        (["x"], (0, 1), None),
    ],
)
def test_brackets_find_their_partner(lines: list[str], at: tuple[int, int], partner: tuple[int, int] | None) -> None:
    assert editing.matching_bracket(lines, *at) == partner


@given(CODE, CODE)
def test_the_difference_makes_the_new_text_of_the_old(old: str, new: str) -> None:
    start, end, inserted = editing.difference(old, new)
    assert 0 <= start <= end <= len(old)
    assert old[:start] + inserted + old[end:] == new
    assert (start, end, inserted) == (len(old), len(old), "") if old == new else True


def test_the_difference_is_small() -> None:
    assert editing.difference("abcXdef", "abcYdef") == (3, 4, "Y")
