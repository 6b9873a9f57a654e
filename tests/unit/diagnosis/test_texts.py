"""Every id has words in both languages, whatever is known of a finding and whatever a learner named things."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

import tritontui
from tritontui.diagnosis import Finding, entry, explain, identifiers
from tritontui.diagnosis.template import Condition, Group, fields, parse
from tritontui.diagnosis.wording import TEXTS
from tritontui.i18n import LANGUAGES, Language
from tritontui.toml import load_toml

WORDS = {language: load_toml(TEXTS / f"{language}.toml") for language in LANGUAGES}
BASE = {"line", "column", "tensor", "program", "lanes"}

# fmt: off
DESIGNED = {
    "out-of-bounds-read", "out-of-bounds-write", "outside-view", "never-written", "write-conflict",
    "duplicate-indices", "read-after-write", "int32-overflow", "masked-load-without-other", "wrong-padding-value",
    "mask-axes-swapped", "mask-ignored", "program-id-unused", "row-truncated", "stride-ignored",
    "transpose-as-reshape", "output-strides", "nan-born", "no-work", "uncoalesced", "redundant-load",
    "python-bool-on-mask", "no-progress", "syntax-error", "name-error", "host-exception", "wrapper-contract",
    "grid-not-a-tuple", "grid-axis-too-long", "grid-axis-missing", "launch-without-grid", "unknown-keyword",
    "tensor-on-wrong-device", "empty-input", "interpreter-set-too-late", "removed-api", "not-constexpr",
    "not-power-of-two", "block-too-large", "global-not-constexpr", "unsupported-function", "unsupported-statement",
    "block-indexing", "pointer-indexing", "block-truth-value", "loop-carried-type", "branch-type",
    "branch-only-variable", "shape-mismatch", "pointer-arithmetic-type", "other-without-mask", "dot-shape",
    "dot-dtype", "dtype-unsupported", "shared-memory-exceeded", "compile-error", "value-mismatch",
    "reduced-precision-dot", "low-precision-accumulation", "overflow-to-inf", "nondeterministic", "launch-bound",
    "fits-in-cache", "noisy-measurement", "benchmark-misuse", "recompiles-every-call", "register-spill",
    "autotune-side-effect", "autotune-key", "autotune-invalid-config", "gpu-fault", "out-of-memory", "runner-lost",
}
# fmt: on
"""The stable ids that scripts rely on."""

SAMPLES: dict[str, object] = {
    "lanes_on": 16,
    "index": 1000,
    "last_index": 1023,
    "size": 1000,
    "count": 24,
    "programs": 4,
    "masked": False,
    "shape": [4, 6],
    "stride": [8, 1],
    "grid": [4, 2],
    "functions": ["add", "main"],
    "names": ["y_ptr", "n"],
    "allowed": ["fp32", "fp64"],
    "types": ["int32", "fp32", "int32"],
    "reasons": ["thermal"],
    "left": 64,
    "right": 32,
    "requested": 2**34,
    "free": 2**30,
    "bytes": 48,
    "seconds": 3.5,
    "parameter": True,
    "ratio": 8.0,
    "worst": 0.0009,
    "said": {"en": "A trial's own sentence.", "it": "Una frase della prova stessa."},
}
ODD = [
    "",
    None,
    [],
    0,
    1,
    -1,
    2**5000,
    1e308,
    float("nan"),
    True,
    "\x1b[31m{count}]] [[||{",
    "a\nb\t\u202ec",
    "x" * 9999,
    [[0, 1], [5, 5]],
]
ODD_LISTS = [[2**5000, 1], ["\x1b", "{"], [None], [[None]], {"a": 1}]


def known(identifier: str, **chosen: object) -> Finding:
    """A finding that carries everything its entry lists."""
    params = {name: SAMPLES.get(name, "value") for name in entry(identifier).params} | chosen
    return Finding(
        id=identifier, severity="error", line=12, column=5, tensor="x_ptr", program=3, lanes=[(232, 255)], params=params
    )


def branches(identifier: str) -> list[dict[str, object]]:
    """Params that take each alternative which a condition guards in the English text."""

    def conditions(group: Group) -> list[Condition]:
        found = []
        for part in itertools.chain.from_iterable(group.alternatives):
            if isinstance(part, Group):
                found += conditions(part)
            elif isinstance(part, Condition):
                found.append(part)
        return found

    guards = [guard for text in WORDS["en"][identifier].values() for guard in conditions(parse(text))]
    return [{guard.name: guard.truth if guard.value is None else guard.value} for guard in guards] or [{}]


def assert_well_written(text: str) -> None:
    assert len(text) > 8 and text == text.strip()
    assert "  " not in text and " ." not in text and " ," not in text and ".." not in text.replace("…", ""), text
    assert "{" not in text and "[[" not in text and "||" not in text, text
    assert text.count("`") % 2 == 0, text


def test_every_designed_id_is_in_the_catalogue() -> None:
    assert set(identifiers()) >= DESIGNED


def test_every_id_made_in_the_code_is_in_the_catalogue() -> None:
    made: set[str] = set()
    for path in Path(tritontui.__file__).parent.rglob("*.py"):
        made |= set(re.findall(r'(?:Finding\(\s*id=|finding\(\s*)"([a-z0-9-]+)"', path.read_text(encoding="utf-8")))
    assert made <= set(identifiers()), made - set(identifiers())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_languages_have_the_same_ids_as_the_catalogue(language: Language) -> None:
    assert set(WORDS[language]) == set(identifiers())


@pytest.mark.parametrize("identifier", identifiers())
def test_entries(identifier: str) -> None:
    found = entry(identifier)
    assert found.severity in ("error", "warning", "note")
    assert found.lesson is None or 1 <= found.lesson <= 10
    assert set(found.folds) <= set(identifiers()) - {identifier}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("identifier", identifiers())
def test_texts_mention_only_what_findings_carry(identifier: str, language: Language) -> None:
    for text in WORDS[language][identifier].values():
        assert fields(text) <= {*entry(identifier).params, *BASE}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("identifier", identifiers())
def test_whole_sentences_whatever_is_known(identifier: str, language: Language) -> None:
    bare = Finding(id=identifier, severity="error")
    cases = [bare, known(identifier), *(known(identifier, **branch) for branch in branches(identifier))]
    cases += [known(identifier, **{name: None}) for name in entry(identifier).params]
    for finding in cases:
        title, message, fix, _ = explain(finding, language)
        for text in (title, message, fix):
            assert_well_written(text)
        assert not title.endswith(".") and len(title) < 120, title
        assert message.endswith((".", "…")) and fix.endswith((".", "?")), (message, fix)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("identifier", identifiers())
def test_hostile_values_are_made_harmless(identifier: str, language: Language) -> None:
    for odd in [*ODD, *ODD_LISTS]:
        finding = known(identifier, **dict.fromkeys(entry(identifier).params, odd))
        finding.tensor = odd if isinstance(odd, str) else "\x1b]0;x\x07"
        for text in explain(finding, language)[:3]:
            assert text
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text)


def test_values_are_never_read_as_templates() -> None:
    finding = known(
        "not-constexpr", name="{function}", function="[[{name}||x]]", parameter=False, number="", value=None
    )
    assert "{function}" in explain(finding, "en").title
    assert "[[{name}||x]]" in explain(finding, "en").message


@pytest.mark.parametrize("identifier", identifiers())
def test_italian_is_not_english(identifier: str) -> None:
    for finding in (Finding(id=identifier, severity="error"), known(identifier)):
        english, italian = explain(finding, "en"), explain(finding, "it")
        assert english.message != italian.message and english.fix != italian.fix


def test_an_unknown_id_is_shown_as_it_came() -> None:
    finding = Finding(id="of-a-newer-version", severity="note", original="why \x1b[1m")
    assert explain(finding, "it") == ("of-a-newer-version", "why \\x1b[1m", "", None)


def test_a_launch_that_was_stopped_says_how_many_programs_had_ended() -> None:
    params = {"seconds": 5, "printed": 0, "done": 20480, "programs": 2**31 - 1}
    finding = Finding(id="no-progress", severity="error", line=12, params=params)
    assert "20,480 of its 2,147,483,647 programs" in explain(finding, "en").message
    assert "20.480 dei suoi 2.147.483.647 programmi" in explain(finding, "it").message
    finding.params |= {"done": None, "programs": None}
    assert "programs had come" not in explain(finding, "en").message


@pytest.mark.parametrize("language", LANGUAGES)
def test_house_style(language: Language) -> None:
    """No exclamation marks; in Italian the binding glossary: scrivere, never memorizzare; griglia, maschera, blocco."""
    for text in (part for words in WORDS[language].values() for part in words.values()):
        assert "!" not in re.sub(r"\{\w+!\}|`[^`]*`", "", text)
        if language == "it":
            assert not re.search(
                r"memorizz|\bmask\b(?!`)|\bshape\b|\bview\b|storage|\bstore\b(?!`)|\bload\b(?!`)",
                re.sub(r"`[^`]*`|\{[^}]*\}", "", text),
            ), text
