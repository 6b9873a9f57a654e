"""The table of commands, and the learner's own keys: what counts, and what is said of what doesn't."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tritontui.i18n import translator
from tritontui.keys.commands import COMMANDS
from tritontui.keys.file import DEFAULTS, Keys, commented, read_keys
from tritontui.keys.names import UnusableKeyError, canonical, is_letter, shown
from tritontui.toml import load_toml

README = Path(__file__).parents[3] / "README.md"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.toml"


def read(path: Path, text: str) -> Keys:
    path.write_text(text, encoding="utf-8")
    return read_keys(path)


def said(path: Path, keys: Keys) -> list[str]:
    return [fault.said(path, translator("en")) for fault in keys.faults]


# ------------------------------------------------------------ the table


def test_no_key_belongs_to_two_commands() -> None:
    counted = Counter(key for command in COMMANDS for key in command.keys)
    assert not [key for key, count in counted.items() if count > 1]
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)


def test_every_key_of_the_table_could_be_written_in_the_file() -> None:
    for command in COMMANDS:
        assert tuple(map(canonical, command.keys)) == command.keys


def test_every_command_needs_neither_alt_gr_nor_a_key_that_vs_code_keeps() -> None:
    """An Italian keyboard has these behind AltGr; VS Code keeps those for itself."""
    behind_alt_gr, kept = set("[]{}~@#`"), {"ctrl+p", "ctrl+q", "f1", "f10", "f11"}
    for command in COMMANDS:
        free = [key for key in command.keys if key not in behind_alt_gr | kept]
        assert free or not command.keys, command.id


def test_the_readme_says_the_keys_that_are() -> None:
    section = README.read_text(encoding="utf-8").partition("## Keys")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([^`]+)`", section))
    keys = {shown(key) for command in COMMANDS for key in command.keys}
    assert {name for name in named if name.startswith(("^", "F"))} <= keys
    for command in ("run", "hint", "next-step", "previous-step", "cycle-panes", "zoom", "palette", "help", "course"):
        assert Keys().shown(command) in named, command


# ------------------------------------------------------------ the file


def test_without_a_file_the_table_counts(path: Path) -> None:
    keys = read_keys(path)
    assert keys.of == DEFAULTS and not keys.faults


def test_own_keys_count(path: Path) -> None:
    keys = read(path, 'run = "Ctrl+K"\nhint = ["F13", "?"]\nhelp = ["f1"]\nquit = []\n')
    assert not keys.faults
    assert keys.of["run"] == ("ctrl+k",)
    assert keys.of["hint"] == ("f13", "?")
    assert keys.of["quit"] == ()
    assert keys.of["zoom"] == DEFAULTS["zoom"]
    assert keys.shown("run") == "^K" and keys.shown("quit") == ""
    assert keys.filled_in("{run}/{hint}") == "^K/F13"


def test_two_commands_may_exchange_their_keys(path: Path) -> None:
    keys = read(path, 'run = "ctrl+l"\ncourse = ["ctrl+r", "f5"]\n')
    assert not keys.faults
    assert (keys.of["run"], keys.of["course"]) == (("ctrl+l",), ("ctrl+r", "f5"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('run = "ctrl+k"\n\nhnit = "f13"', 3, "no command hnit; there is hint"),
        ('xyzzy = "f13"', 1, "no command xyzzy"),
        ("[run]\nkeys = 3", 1, "run needs a key"),
        ("run = [1]", 1, "run needs a key"),
        ('run = "ctrl+i"', 1, "ctrl+i can't be told from Tab"),
        ('run = "ctrl+m"', 1, "ctrl+m can't be told from Enter"),
        ('run = "ctrl+h"', 1, "ctrl+h can't be told from Backspace"),
        ('run = "ctrl+shift+r"', 1, "ctrl+shift+r is no key"),
        ('run = "up"', 1, "up is no key"),
        ('run = ""', 1, "is no key"),
        ('run = "4"', 1, "digits pick the tabs"),
        ('hint = "ctrl+r"', 1, "ctrl+r belongs to run already"),
        ('hint = "f13"\n"zoom" = ["f10", "f13"]', 2, "f13 belongs to hint already"),
        ('run = "o"', 1, "o means something else on the map"),
        ('find = "%"', 1, "find works in the editor, where % is a letter"),
        ("palette = []", 1, "the palette needs a key"),
        ('palette = "p"', 1, "the palette needs a key"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_changes_nothing(path: Path, text: str, line: int, words: str) -> None:
    keys = read(path, text)
    (fault,) = said(path, keys)
    assert fault.startswith(f"keys.toml:{line}: ") and words in fault
    wrong = text.splitlines()[line - 1].split()[0].strip('"[]')
    assert keys.of.get(wrong, ()) == DEFAULTS.get(wrong, ())


def test_dropping_one_entry_may_make_another_wrong(path: Path) -> None:
    """``hint`` wants the key of ``run``, which would be free if ``run`` had one of its own."""
    keys = read(path, 'hint = "ctrl+r"\nrun = "ctrl+i"\n')
    assert len(keys.faults) == 2
    assert keys.of == DEFAULTS


@pytest.mark.parametrize("text", ["run = \n", "run = 'a'\nrun = 'b'\n", "{"])
def test_a_file_that_is_no_toml_counts_for_nothing(path: Path, text: str) -> None:
    keys = read(path, text)
    assert keys.of == DEFAULTS
    (fault,) = said(path, keys)
    assert re.match(r"keys\.toml:\d: is no TOML", fault)


def test_bytes_that_are_no_text_count_for_nothing(path: Path) -> None:
    path.write_bytes(b"run = '\xff'")
    assert len(read_keys(path).faults) == 1


def test_a_file_that_may_not_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("run = 'f13'")

    def denied(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", denied)
    keys = read_keys(path)
    assert keys.of == DEFAULTS
    assert said(path, keys) == ["keys.toml: can't be read: Permission denied"]


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_file_to_start_from_is_right_as_it_is(path: Path, language: str) -> None:
    rows = commented(path, translator(language))
    assert all(row.startswith("#") or not row for row in rows)
    entries = [row.removeprefix("# ") for row in rows if re.match(r"# [\w-]+ = ", row)]
    keys = read(path, "\n".join(entries))
    assert not keys.faults and keys.of == DEFAULTS
    assert load_toml(path).keys() == DEFAULTS.keys()


def test_how_keys_are_shown() -> None:
    written = {"ctrl+r": "^R", "f13": "F13", "k": "k", "K": "K", "?": "?", "shift+tab": "Shift+Tab", "alt+x": "Alt+X"}
    written |= {"ctrl+space": "^Space", "ctrl+/": "^/", "ctrl+pageup": "^PgUp"}
    assert {key: shown(key) for key in written} == written
    assert is_letter("K") and not is_letter("f1")
    with pytest.raises(UnusableKeyError):
        canonical("\n")
