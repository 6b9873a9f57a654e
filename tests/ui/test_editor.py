"""The kernel editor, driven by keys: what is written, pasted, undone."""

from __future__ import annotations

import pytest
from editor_host import editing, typed
from textual import events

from benchmarks.terminal.host import Host
from tritontui.ui.widgets.editor import KernelEditor, Mark

# ------------------------------------------------------------------------------------------------ indentation


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("if x:", ("end", "enter", "y"), "if x:\n    y"),
        ("    x", ("end", "enter", "y"), "    x\n    y"),
        ("    return x", ("end", "enter", "y"), "    return x\ny"),
        ("x = f(a, b)", ("end", "left", "left", "enter"), "x = f(a, \nb)"),
        ("x = f(a)", ("end", "left", "left", "enter"), "x = f(\n    a)"),
        ("", ("tab", "x"), "    x"),
        ("", ("x", "tab", "y"), "x   y"),
        ("        x", ("home", "backspace"), "    x"),
        ("        x", ("home", "shift+tab"), "    x"),
        ("x", ("shift+tab",), "x"),
        ("a\nb", ("shift+down", "shift+down", "shift+end", "tab"), "    a\n    b"),
        ("    a\n    b", ("ctrl+home", "shift+down", "shift+end", "shift+tab"), "a\nb"),
        ("a\n\n  b", ("f7", "ctrl+underscore"), "# a\n\n#   b"),
        ("# a\n# b", ("f7", "ctrl+underscore"), "a\nb"),
        ("    x", ("ctrl+underscore",), "    # x"),
    ],
)
async def test_keys_make_python(before: str, keys: tuple[str, ...], after: str) -> None:
    assert await typed(before, *keys) == after


async def test_all_of_it_is_selected_and_its_ends_are_one_key_away() -> None:
    async with editing("one\ntwo\nthree", "ctrl+end", "!", "ctrl+home", "?", "ctrl+shift+end") as (editor, pilot):
        assert (editor.text, editor.selected_text) == ("?one\ntwo\nthree!", "one\ntwo\nthree!")
        await pilot.press("ctrl+a", "x")
        await pilot.pause()
        assert editor.text == "x"


async def test_shift_tab_stays_in_the_editor() -> None:
    async with editing("x", "shift+tab", "escape", "tab") as (editor, _):
        assert editor.has_focus


async def test_indenting_lines_keeps_them_selected_and_is_undone_at_once() -> None:
    async with editing("a\nb\nc", "shift+down", "shift+end", "tab", "tab") as (editor, pilot):
        assert editor.text == "        a\n        b\nc"
        assert editor.selected_text.endswith("b")
        await pilot.press("ctrl+z", "ctrl+z")
        assert editor.text == "a\nb\nc"


async def test_keys_of_one_burst_keep_their_order() -> None:
    """Arrow keys are not overtaken by the letters typed after them, however many arrive at once."""
    app = Host("abcdef\nghi")
    async with app.run_test() as pilot:
        for key, character in (("down", None), ("end", None), ("x", "x"), ("home", None), ("y", "y"), ("enter", "\r")):
            app.post_message(events.Key(key, character))
        await pilot.pause()
        await pilot.pause()
        assert app.editor.text == "abcdef\ny\nghix"


async def test_keys_typed_too_early_wait_in_their_order() -> None:
    class Slow(Host):
        def __init__(self) -> None:
            super().__init__("")
            self.hold_keys()

    app = Slow()
    async with app.run_test() as pilot:
        await pilot.press("a", "enter")
        app.post_message(events.Paste("b"))
        await pilot.pause()
        assert app.editor.text == ""
        app.post_message(events.Key("c", "c"))
        app.release_keys()
        app.post_message(events.Key("d", "d"))
        await pilot.pause()
        await pilot.pause()
        assert app.editor.text == "a\nbcd"


async def test_a_key_that_may_pass_does_so_until_one_has_to_wait() -> None:
    class Slow(Host):
        def __init__(self) -> None:
            super().__init__("")
            self.hold_keys()

        def may_pass(self, event: events.Event) -> bool:
            return isinstance(event, events.Key) and event.is_printable

    app = Slow()
    async with app.run_test() as pilot:
        await pilot.press("a", "enter", "b")
        assert app.editor.text == "a"
        app.release_keys()
        await pilot.pause()
        await pilot.pause()
        assert app.editor.text == "a\nb"


# ------------------------------------------------------------------------------------------------ foreign text


async def test_a_paste_brings_text_and_nothing_else() -> None:
    async with editing("") as (editor, pilot):
        editor.post_message(events.Paste("a\r\n\tb\x1b[31m\x07\rc"))
        await pilot.pause()
        assert editor.text == "a\n    b\nc"
        assert editor.cursor_location == (2, 1)
        await pilot.press("ctrl+z")
        assert editor.text == ""


async def test_a_file_with_carriage_returns_is_one_with_newlines() -> None:
    async with editing("a\r\nb\r\n") as (editor, _):
        assert editor.text == "a\nb\n"


async def test_a_file_keeps_its_tabs() -> None:
    async with editing("if x:\n\ty\n") as (editor, _):
        assert editor.text == "if x:\n\ty\n"


async def test_five_thousand_pasted_lines_are_there_and_can_be_edited() -> None:
    async with editing("\n" * 60) as (editor, pilot):
        editor.post_message(events.Paste("x = tl.load(p)\r" * 5_000))
        await pilot.pause()
        assert editor.document.line_count == 5_061
        assert editor.scroll_offset.y + editor.size.height > 5_000, "the end of what was pasted is in view"
        await pilot.press("ctrl+z", "ctrl+y")
        assert editor.scroll_offset.y + editor.size.height > 5_000, "and is again"
        await pilot.press("ctrl+end", "y", "enter", "z")
        assert editor.text.endswith("\ny\nz")


@pytest.mark.parametrize("text", ["x" * 5_000, "日本語 = 1", "e\u0301 = 'e\u0301'", "👩\u200d🔬 = 1", "\t\tx\ty", ""])
async def test_odd_lines_can_be_walked_through_and_typed_into(text: str) -> None:
    async with editing(text, "end", "left", "up", "down", "a", "home", "right", "b", "backspace", "delete") as (
        editor,
        _,
    ):
        assert "a" in editor.text


# ------------------------------------------------------------------------------------------------ undo


async def test_replacing_the_text_can_be_undone_and_redone() -> None:
    async with editing("a\nb\nc", "down", "x") as (editor, pilot):
        editor.replace_text("a\nB\nc\nd")
        assert editor.text == "a\nB\nc\nd"
        await pilot.press("ctrl+z")
        assert editor.text == "a\nxb\nc"
        await pilot.press("ctrl+y")
        assert editor.text == "a\nB\nc\nd"


async def test_an_hour_of_typing_can_be_taken_back_and_done_again() -> None:
    async with editing("a = 1\n") as (editor, pilot):
        for number in range(150):
            editor.insert(f"{number}\n")  # each a step of its own, as Enter makes them
        whole = editor.text
        for _ in range(300):
            editor.undo()
        assert editor.text == "a = 1\n"
        for _ in range(300):
            editor.redo()
        await pilot.pause()
        assert editor.text == whole


async def test_replacing_by_the_same_text_is_no_edit() -> None:
    async with editing("a") as (editor, _):
        editor.replace_text("a")
        assert not editor.history.undo_stack


async def test_another_file_has_no_history_and_no_marks() -> None:
    async with editing("a", "x") as (editor, pilot):
        editor.set_marks([Mark(1, "error", "wrong")])
        editor.load("b")
        await pilot.press("ctrl+z")
        assert editor.text == "b"
        assert editor.worst_mark is None


async def test_edits_are_told_and_loading_is_not() -> None:
    told: list[str] = []

    class Listening(Host):
        def on_code_area_edited(self, event: KernelEditor.Edited) -> None:
            told.append(event.editor.text)

    app = Listening("a")
    async with app.run_test() as pilot:
        app.editor.load("b")
        await pilot.pause()
        assert told == []
        await pilot.press("x", "ctrl+z", "ctrl+y")
        app.editor.replace_text("c")
        await pilot.pause()
        assert told[0] == "xb"
        assert len(told) == 4


async def test_a_read_only_editor_changes_nothing() -> None:
    async with editing("if x:") as (editor, pilot):
        editor.read_only = True
        editor.post_message(events.Paste("y"))
        await pilot.press("end", "enter", "tab", "shift+tab", "ctrl+underscore", "backspace", "ctrl+v", "z")
        assert editor.text == "if x:"
