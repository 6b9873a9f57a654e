"""The interface's words: which language, every string translated, the compiled catalogue fresh."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tritontui
from tritontui.i18n import LANGUAGES, N_, choose_language, percent, plain, translator
from tritontui.i18n.extraction import extract

PACKAGE = Path(tritontui.__file__).parent


@pytest.mark.parametrize(
    ("explicit", "environ", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "it_IT.UTF-8"}, "it"),
        (None, {"LANG": "it"}, "it"),
        (None, {"LANG": "IT_ch@euro"}, "it"),
        (None, {"LANG": "C.UTF-8"}, "en"),
        (None, {"LANG": "de_DE.UTF-8"}, "en"),
        (None, {"LC_ALL": "en_US.UTF-8", "LANG": "it_IT.UTF-8"}, "en"),
        (None, {"LC_ALL": "", "LC_MESSAGES": "it_IT", "LANG": "en_US"}, "it"),
        (None, {"LC_ALL": "C", "LANG": "it_IT"}, "en"),
        ("it", {"LC_ALL": "en_US"}, "it"),
        ("en", {"LANG": "it_IT"}, "en"),
        ("it_IT", {}, "it"),
    ],
)
def test_choose_language(explicit: str | None, environ: dict[str, str], language: str) -> None:
    assert choose_language(explicit, environ) == language


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(ValueError, match="en, it"):
        choose_language("fr", {})


def test_translator() -> None:
    english, italian = translator("en"), translator("it")
    assert english("quit") == "quit"
    assert italian("quit") == "esci"
    assert english("unknown {x} text", x=3) == "unknown 3 text"
    assert italian("") == "" and english("100 % {not} filled") == "100 % {not} filled"
    assert english.plural("{n} lane", "{n} lanes", 1) == "1 lane"
    assert english.plural("{n} lane of {all}", "{n} lanes of {all}", 24, all=256) == "24 lanes of 256"
    assert translator("it") is italian and N_("x") == "x"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0%"), (0.004, "<1%"), (0.006, "1%"), (0.994, "99%"), (0.996, ">99%"), (1, "100%"), (1.004, ">100%")],
)
def test_rounding_makes_no_share_all_or_none(share: float, said: str) -> None:
    assert percent(share) == said


def test_plain() -> None:
    assert plain("a\x1b[2J\x9b\u202eb\u200b\ud800\n") == "a\\x1b[2J\\x9b\\u202eb\\u200b\\ud800\\x0a"
    assert plain("a\n\tb\r", lines=True) == "a\n\tb\\x0d"
    assert plain("perché → ✓ ✗ 🙂 日本") == "perché → ✓ ✗ 🙂 日本"


def test_extraction(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'tr("one")\nself.app.tr("two " "parts", x=1)\nN_("three")\nself.tr.plural("{n} a", "{n} b", n)\n'
        "tr(variable)\nother('four')\ntr.other('five')\n"
    )
    assert [found.forms for found in extract(tmp_path)] == [("one",), ("two parts",), ("three",), ("{n} a", "{n} b")]


def test_no_string_lacks_italian_and_the_catalogue_is_fresh() -> None:
    pytest.importorskip("babel")
    done = subprocess.run(
        [sys.executable, "-m", "tritontui.i18n", "check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_only_the_tool_imports_babel() -> None:
    for path in PACKAGE.rglob("*.py"):
        modules = {
            name.name if isinstance(node, ast.Import) else node.module or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in node.names
        }
        if path != PACKAGE / "i18n" / "__main__.py":
            assert not any(module.split(".")[0] == "babel" for module in modules), path


def test_words_load_nothing_heavy() -> None:
    """They load before the first screen is painted."""
    code = (
        "import sys; import tritontui.i18n, tritontui.diagnosis as d; d.check_syntax('x = 1');"
        "heavy = {'babel', 'numpy', 'torch', 'tomllib', 'tomli', 'difflib', 'textual'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_translator_for_each_language(language: str) -> None:
    assert translator(language).language == language  # type: ignore[arg-type]  # a Language
