"""The template language of the texts, and how values are written."""

from __future__ import annotations

import pytest

from tritontui.diagnosis.template import fields, parse, render
from tritontui.diagnosis.values import written


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{count:lane|lanes}", {"count": 1}, "1 lane"),
        ("{count:lane|lanes}", {"count": 24}, "24 lanes"),
        ("{count:lane|lanes}", {"count": 0}, "0 lanes"),
        ("{count#is|are}", {"count": 2}, "are"),
        ("{lanes:lane|lanes}", {"lanes": [[232, 255]]}, "lanes 232–255"),
        ("{lanes:lane|lanes}", {"lanes": [(7, 7)]}, "lane 7"),
        ("{lanes}", {"lanes": [[0, 3], [8, 8]]}, "0–3, 8"),
        ("{names:argument|arguments}", {"names": ["n"]}, "argument n"),
        ("{names:argument|arguments}", {"names": ["x", "n"]}, "arguments x, n"),
        ("{first..last}", {"first": 5, "last": 5}, "5"),
        ("{first..last:element|elements}", {"first": 5, "last": 9}, "elements 5–9"),
        ("{size} {size:raw}", {"size": 65536}, "65,536 65536"),
        ("{size:bytes}", {"size": 4096}, "4 KiB"),
        ("[{index:index}]", {"index": [2, 3]}, "[2, 3]"),
        ("{shape}", {"shape": [1000]}, "(1000,)"),
        ("a[[ b {x}]]", {}, "a"),
        ("a[[ b {x}]]", {"x": 1}, "a b 1"),
        ("[[{x}||{y}||none]]", {"y": 2}, "2"),
        ("[[{x}||{y}||none]]", {}, "none"),
        ("{x} whole||short", {}, "short"),
        ("[[{x}]]||short", {}, "short"),
        ("[[{on?}yes||{on!}no||unknown]]", {"on": True}, "yes"),
        ("[[{on?}yes||{on!}no||unknown]]", {"on": False}, "no"),
        ("[[{on?}yes||{on!}no||unknown]]", {}, "unknown"),
        ("[[{op=read?}reads||{op=write?}writes]]", {"op": "write"}, "writes"),
        ("[[{n=1?}||all {n}]]", {"n": 1}, ""),
        ("[[a [[b {x}]]||c]] d", {}, "a d"),
        ("{{x}}", {}, "{x}"),
        ("one\n||two", {}, "one"),
        ("{x}", {"x": "{y}[[||"}, "{y}[[||"),
        ("{x}", {"x": ""}, ""),
        ("never", {}, "never"),
    ],
)
def test_render(text: str, values: dict[str, object], expected: str) -> None:
    assert render(text, values, "en") == expected


def test_fields() -> None:
    assert fields("{a} [[{b:x|y} {c?}||{d#x|y}]] {e..f}") == {"a", "b", "c", "d", "e", "f"}


@pytest.mark.parametrize("text", ["[[a", "a]]", "{a b}", "{a:x}", "{a:x|y|z}", "{a#x}"])
def test_what_is_not_well_formed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\[\[|\]\]|field|expected"):
        parse(text)


@pytest.mark.parametrize(
    ("value", "english", "italian"),
    [
        (1000, "1000", "1000"),
        (65536, "65,536", "65.536"),
        (-1_000_003, "-1,000,003", "-1.000.003"),
        (2.5, "2.5", "2,5"),
        (1e-3, "0.001", "0,001"),
        (1234567.0, "1.235e+06", "1,235e+06"),
        (8.0, "8", "8"),
        (float("nan"), "nan", "nan"),
        (2**5000, "…", "…"),
        (True, "True", "True"),
        ("a\x1b[31m\nb", "a\\x1b[31m b", "a\\x1b[31m b"),
        ("x" * 500, "x" * 119 + "…", "x" * 119 + "…"),
        ([3, 1], "(3, 1)", "(3, 1)"),
    ],
)
def test_written(value: object, english: str, italian: str) -> None:
    assert written(value, "en") == english
    assert written(value, "it") == italian
