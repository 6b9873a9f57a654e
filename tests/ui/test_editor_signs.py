"""What the kernel editor shows beside the text: marks, what was found, names, colours."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor_host import editing, said
from textual import events
from textual.widgets import Static
from textual.widgets.text_area import Selection

from benchmarks.terminal.host import KERNEL, Host
from tritontui.ui.widgets.editor import EditorPane, KernelEditor, Mark
from tritontui.ui.widgets.find_bar import FindBar
from tritontui.ui.widgets.text_view import TextView

# ------------------------------------------------------------------------------------------------ marks


def gutter(editor: KernelEditor) -> dict[int, str]:
    """Line number → the sign beside it, as drawn."""
    signs = {}
    for y in range(editor.size.height):
        text = editor.render_line(y).text
        number, sign = text[: editor.gutter_width].split()[:1], text[editor.gutter_width - 2]
        if number and sign != " ":
            signs[int(number[0])] = sign
    return signs


async def test_marks_show_by_glyph_and_the_worst_wins() -> None:
    async with editing("a\nb\nc\nd") as (editor, _):
        editor.set_marks([Mark(2, "note", "n"), Mark(2, "error", "e"), Mark(3, "warning", "w"), Mark(4, "note", "n")])
        assert gutter(editor) == {2: "✗", 3: "▲", 4: "•"}
        assert editor.worst_mark == (1, Mark(2, "error", "e"))
        editor.set_marks([])
        assert gutter(editor) == {}


async def test_marks_beyond_the_text_are_ignored() -> None:
    async with editing("a") as (editor, _):
        editor.set_marks([Mark(0, "error", "e"), Mark(9, "error", "e")])
        assert gutter(editor) == {}


async def test_marks_go_along_with_their_lines() -> None:
    async with editing("a\nb\nc", "end") as (editor, pilot):
        editor.set_marks([Mark(1, "warning", "w"), Mark(3, "error", "e")])
        await pilot.press("enter", "enter")
        assert gutter(editor) == {1: "▲", 5: "✗"}
        await pilot.press("ctrl+z", "ctrl+z")
        assert editor.text == "a\nb\nc"
        assert gutter(editor) == {1: "▲", 3: "✗"}


async def test_a_mark_stays_while_its_line_is_typed_and_goes_with_it() -> None:
    async with editing("a\nb\nc", "down") as (editor, pilot):
        editor.set_marks([Mark(2, "error", "e"), Mark(3, "note", "n")])
        await pilot.press("x")
        assert gutter(editor) == {2: "✗", 3: "•"}
        await pilot.press("ctrl+u", "backspace")
        assert editor.text == "ab\nc"
        assert gutter(editor) == {1: "✗", 2: "•"}


async def test_the_line_below_says_what_the_mark_means_and_never_moves_the_text() -> None:
    async with editing("a\nb\nc") as (editor, pilot):
        pane = pilot.app.query_one(EditorPane)
        before = editor.region
        editor.set_marks([Mark(3, "error", "24 lanes outside x"), Mark(2, "note", "a note")])
        await pilot.pause()
        assert said(pane) == "✗ line 3: 24 lanes outside x"
        await pilot.press("down")
        assert said(pane) == "• a note"
        await pilot.press("down")
        assert said(pane) == "✗ 24 lanes outside x"
        editor.set_marks([])
        await pilot.pause()
        assert said(pane) == ""
        assert editor.region == before


# ------------------------------------------------------------------------------------------------ finding one's way


async def test_goto_brings_a_line_into_view() -> None:
    async with editing("\n".join(f"    line {i}" for i in range(1, 200))) as (editor, _):
        editor.goto(150, 3)
        assert editor.cursor_location == (149, 2)
        assert editor.scroll_offset.y < 149 < editor.scroll_offset.y + editor.size.height
        editor.goto(10)
        assert editor.cursor_location == (9, 4)
        editor.goto(10_000, 10_000)
        assert editor.cursor_location[0] == 198


async def test_find_goes_round_and_minds_capitals_only_if_asked() -> None:
    async with editing("Mask = 1\nmask = 2\nx = Mask") as (editor, _):
        assert editor.find("mask", from_start=True)
        assert editor.selection == Selection((0, 0), (0, 4))
        assert editor.find("mask")
        assert editor.selection == Selection((1, 0), (1, 4))
        assert editor.find("mask") and editor.find("mask")
        assert editor.selection == Selection((0, 0), (0, 4))
        assert editor.find("Mask")
        assert editor.selection == Selection((2, 4), (2, 8))
        assert editor.find("mask", backwards=True)
        assert editor.selection == Selection((1, 0), (1, 4))
        assert not editor.find("none")
        assert not editor.find("")


async def test_the_find_field_seeks_while_typing_and_gives_the_editor_back() -> None:
    async with editing(KERNEL, "ctrl+f", *"load") as (editor, pilot):
        assert editor.selected_text == "load"
        first = editor.selection
        await pilot.press("enter")
        assert editor.selection != first
        await pilot.press("up")
        assert editor.selection == first
        await pilot.press("ctrl+f")
        assert editor.has_focus
        assert editor.selection == first


async def test_letters_of_the_same_burst_reach_the_field_and_then_the_editor() -> None:
    app = Host("x = load\n")
    async with app.run_test() as pilot:
        for key in ("ctrl+f", "l", "o", "a", "d", "ctrl+f", "y"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        for _ in range(4):
            await pilot.pause()
        assert app.editor.text == "x = y\n"
        assert app.editor.has_focus


async def test_what_is_not_found_is_said_without_colour() -> None:
    async with editing(KERNEL, "ctrl+f", *"lo") as (_, pilot):
        sign = pilot.app.query_one(FindBar).query_one(Static)
        assert str(sign.render()) == "›"
        await pilot.press("q")
        assert str(sign.render()) == "✗"
        await pilot.press("backspace")
        assert str(sign.render()) == "›"


async def test_bracket_partner_is_shown() -> None:
    async with editing("f(a)", "right") as (editor, _):
        assert editor.matching_bracket_location == (0, 3)


# ------------------------------------------------------------------------------------------------ names


async def test_a_name_is_offered_and_taken_with_tab() -> None:
    async with editing("", *"x = tl.sto") as (editor, pilot):
        assert editor.suggestion == "re"
        assert "x = tl.store" in editor.render_line(0).text
        await pilot.press("tab")
        assert editor.text == "x = tl.store"


async def test_a_whole_name_offers_nothing_and_the_line_explains_it() -> None:
    async with editing("", *"tl.load") as (editor, pilot):
        assert editor.suggestion == ""
        assert said(pilot.app.query_one(EditorPane)) == "tl.load(pointer, mask=None, other=None)  Load a block."


async def test_offers_can_be_gone_through() -> None:
    async with editing("", *"tl.lo") as (editor, pilot):
        assert editor.suggestion == "ad"
        await pilot.press("ctrl+@")
        assert editor.suggestion == "ad_tensor_descriptor"
        await pilot.press("ctrl+@")
        assert editor.suggestion == "g"


async def test_an_offer_goes_when_the_cursor_does() -> None:
    async with editing("", *"tl.sto", "left") as (editor, pilot):
        assert editor.suggestion == ""
        await pilot.press("end", "tab")
        assert editor.text == "tl.sto  "


async def test_all_that_is_said_about_a_name_can_be_read_and_left() -> None:
    async with editing("x = tl.load(p)", *["right"] * 8, "ctrl+@") as (editor, pilot):
        shown = pilot.app.screen.query_one(TextView)
        assert [block.text.plain for block in shown.blocks if block.text.plain] == [
            "tl.load(pointer, mask=None, other=None)",
            "Load a block.",
            "More.",
        ]
        await pilot.press("q")
        await pilot.pause()
        assert editor.has_focus
        assert editor.text == "x = tl.load(p)"


# ------------------------------------------------------------------------------------------------ looks


@pytest.mark.parametrize("theme", ["tritontui-dark", "tritontui-light", "tritontui-ansi"])
async def test_every_theme_draws(theme: str, tmp_path: Path) -> None:
    app = Host(theme=theme)
    async with app.run_test(size=(100, 30)) as pilot:
        app.editor.set_marks([Mark(3, "error", "e", 1)])
        await pilot.press("shift+down", "shift+down")
        await pilot.pause()
        assert "torch" in app.export_screenshot()


async def test_switching_the_theme_changes_the_colours_of_code() -> None:
    app = Host()
    async with app.run_test() as pilot:
        dark = app.editor.render_line(2)
        app.theme = "tritontui-light"
        await pilot.pause()
        light = app.editor.render_line(2)
        assert dark.text == light.text
        assert [segment.style for segment in dark] != [segment.style for segment in light]
