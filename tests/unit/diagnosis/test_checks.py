"""The doctor's words: every check of the runner has them, in both languages, whatever it knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tritontui
from tritontui.diagnosis.checks import _WORDS, say
from tritontui.engine.messages import Check
from tritontui.i18n import LANGUAGES, translator


def test_every_check_that_is_made_has_words() -> None:
    package = Path(tritontui.__file__).parent
    source = (package / "runner" / "probe.py").read_text() + (package / "engine" / "engine.py").read_text()
    made = set(re.findall(r'Check\(id="([\w-]+)"', source)) | set(re.findall(r'\("([\w-]+)", (?:lambda|_)', source))
    assert made and made <= _WORDS.keys(), made - _WORDS.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("identifier", _WORDS)
def test_a_check_that_broke_off_is_still_said(identifier: str, language: str) -> None:
    check = Check(id=identifier, ok=False, detail="RuntimeError: why", params={"reason": "why"})
    said = say(check, translator(language))  # type: ignore[arg-type]  # a Language
    assert said.title and "{" not in said.title + said.remedy


def test_what_is_known_is_named() -> None:
    check = Check(id="torch", ok=False, detail="2.1", params={"found": "2.1", "needed": "2.8"})
    assert say(check, translator("en")) == (
        "torch 2.1 is too old: 2.8 or newer is needed",
        "Upgrade it in this environment: pip install --upgrade torch",
    )
    good = Check(id="torch", ok=True, detail="2.9", params={"found": "2.9", "needed": "2.8"})
    assert say(good, translator("it")) == ("torch 2.9", "")


def test_an_unknown_check_is_shown_as_it_came() -> None:
    check = Check(id="new", ok=False, detail="so", params={})
    assert say(check, translator("en")) == ("new: so", "")
