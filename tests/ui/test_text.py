"""Laying out text: Markdown of the lessons, wrapping, code that is cut where it reads."""

from pathlib import Path

import pytest
from driving import opened
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color, ColorSystem
from textual.content import Content
from textual.theme import Theme

from tritontui.course.loader import load_course
from tritontui.i18n import LANGUAGES
from tritontui.ui.lesson.markdown import inline, markdown_blocks
from tritontui.ui.theme import DARK, LIGHT
from tritontui.ui.views.words import lanes_words, prose
from tritontui.ui.widgets.text_view import Block, fold_code, lay_out, line, under_cursor


def rows(text: str, width: int) -> list[str]:
    return [row.text.plain for row in lay_out(markdown_blocks(text, Content), width)]


def test_markdown_becomes_rows() -> None:
    text = """A *short* **text** with `code`.

1. first of all, which wraps
2. second
   - nested

> quoted

```python
x = tl.load(ptr)
```

| a | b |
|---|---|
| 1 | two |
"""
    assert rows(text, 20) == [
        "A short text with",
        "code.",
        "",
        "1. first of all,",
        "   which wraps",
        "2. second",
        "   ◦ nested",
        "",
        "▏ quoted",
        "",
        "x = tl.load(ptr)",
        "",
        "a  b",
        "1  two",
    ]


def test_links_show_their_address() -> None:
    assert inline("see [the docs](https://example.org)").plain == "see the docs (https://example.org)"


def test_brackets_in_text_are_text() -> None:
    assert rows("`kernel[grid](x)` and [bold]not bold[/bold]", 60) == ["kernel[grid](x) and [bold]not bold[/bold]"]
    assert prose("`x[0]` is [red]").plain == "x[0] is [red]"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [41, 57, 78])
def test_every_lesson_fits_its_pane(language: str, width: int) -> None:
    for lesson in load_course().lessons:
        for step in lesson.steps:
            for row in lay_out(markdown_blocks(step.body[language], Content), width):
                assert row.text.cell_length <= width


@given(st.text(alphabet="ab (),.=漢", max_size=120), st.integers(4, 40))
def test_cut_code_is_whole_and_narrow(source: str, room: int) -> None:
    pieces = fold_code(Content(source), room)
    assert "".join(piece.plain for piece in pieces) == source
    assert all(piece.cell_length <= room for piece in pieces)


def test_code_is_cut_after_a_comma() -> None:
    pieces = fold_code(Content("tl.store(out_ptr + offs, x + y, mask=mask)"), 36)
    assert [piece.plain for piece in pieces] == ["tl.store(out_ptr + offs, x + y, ", "mask=mask)"]


def test_items_stand_in_columns() -> None:
    block = Block(Content(""), items=tuple(Content(f"n = {10**k}") for k in range(4)))
    assert [row.text.plain for row in lay_out([block], 24)] == ["n = 1      n = 10", "n = 100    n = 1000"]


def test_lanes_in_words() -> None:
    assert lanes_words([(0, 0), (5, 5), (232, 255)]) == "0, 5, 232–255"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_bars_and_code_stand_out_from_the_background_in_256_colours(theme: Theme) -> None:
    fills = [theme.background, theme.panel, theme.variables["code"]]
    assert len({Color.parse(fill or "").downgrade(ColorSystem.EIGHT_BIT).number for fill in fills}) == 3


async def test_the_row_under_the_cursor_has_a_sign_that_is_no_colour(home: Path) -> None:
    async with opened(lesson=5) as driver:
        view = driver.lesson
        view.show_blocks([line("a " * 60, target=1, indent=2), line("b", target=2, indent=2), line("c", target=3)])
        await driver.pilot.pause()
        signed = lambda: [y for y in range(view.size.height) if view.render_line(y).text.startswith("▸")]  # noqa: E731
        assert signed() == [0], "on the first of its rows"
        await driver.press("down")
        (row,) = signed()
        assert view.render_line(row).text.startswith("▸ b")
        await driver.press("down")
        assert signed() == [], "never over a letter"
    assert "reverse" in str(under_cursor(Content("c")).spans)
