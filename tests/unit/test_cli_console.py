"""What commands print: signs without colour, colour only where it is wanted, nothing that a terminal would obey."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest

import tritontui
from tritontui.commands.console import SIGNS, Console


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "environ", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (StringIO(), {}, False),
    ],
)
def test_colour_only_where_it_is_wanted(out: StringIO, environ: Mapping[str, str], coloured: bool) -> None:
    Console(out, environ).marked("error", "wrong")
    assert out.getvalue() == ("\x1b[31m✗\x1b[0m wrong\n" if coloured else "✗ wrong\n")


def test_every_meaning_has_a_sign_of_its_own() -> None:
    signs = [sign for sign, _ in SIGNS.values()]
    assert len(set(signs)) == len(signs)


def test_text_is_wrapped_under_itself_and_made_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = StringIO()
    Console(out, {}).marked("good", "word " * 12 + "[out-of-bounds-write] \x1b[31mred")
    lines = out.getvalue().splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])
    assert any("[out-of-bounds-write]" in line for line in lines)
    assert "\x1b" not in out.getvalue() and "\\x1b" in out.getvalue()


def test_output_keeps_its_lines() -> None:
    out = StringIO()
    Console(out, {}).verbatim("a  b\n\tc\x07\n\n")
    assert out.getvalue() == "  a  b\n  \tc\\x07\n"


def test_json_is_json() -> None:
    out = StringIO()
    Console(out, {}).json({"à": float("nan"), "b": [float("inf"), 1.5]})
    assert json.loads(out.getvalue()) == {"à": None, "b": [None, 1.5]}
    assert "à" in out.getvalue()


def test_no_standard_output() -> None:
    Console(None, {}).marked("good", "fine")


STEERING = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066, 0xFEFF)))


def test_nothing_that_is_printed_steers_a_terminal() -> None:
    out = Terminal()
    console = Console(out, {})
    console.line(STEERING)
    console.marked("error", STEERING)
    console.paragraph(STEERING)
    console.verbatim(STEERING)
    console.json({STEERING: STEERING})
    shown = out.getvalue().replace("\x1b[31m✗\x1b[0m", "").replace("\n", "").replace("\t", "")
    assert not set(STEERING) & set(shown)


def test_json_stays_json() -> None:
    out = StringIO()
    Console(out, {}).json({STEERING: [STEERING]})
    assert json.loads(out.getvalue()) == {STEERING: [STEERING]}


def test_commands_print_through_the_console_alone() -> None:
    """The console makes everything harmless; whoever prints past it has to do so themselves."""
    folder = Path(tritontui.__file__).parent
    for path in (*(folder / "commands").glob("*.py"), folder / "cli.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        printing = [node for node in calls if getattr(node.func, "id", "") == "print"]
        if path.name != "console.py":
            assert all("plain(" in ast.unparse(node.args[0]) for node in printing), path
