"""Figures of experiments: read and written, looked up by expressions, and refused when they aren't the experiment's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tritontui.course.arithmetic import ExpressionError, evaluate, holds, measured, names, reads_figures
from tritontui.course.figures import EntryFigures, Figures, FiguresError, Machine, Series, read_figures

FIGURES = Figures(
    "block_sizes",
    Machine("A card made for tests", {"copy_gbps": 1000.0}, {"torch": "2.11"}),
    "2026-01-02T03:04:05Z",
    "made for tests",
    {
        "copy": EntryFigures(
            {"BLOCK": (32, 256), "num_warps": (1, 4, 8)},
            {"us": (9.0, 8.0, 7.0, 3.0, 2.0, None), "gbps": (100.0, 110.0, 120.0, 300.0, 450.0, None)},
        ),
        "by_form": EntryFigures({"form": ("scalars", "tensors")}, {"us": (2.0, 6.0)}),
        "alone": EntryFigures({}, {"us": (5.0,)}),
    },
)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("copy.us[32, 4]", 8.0),
        ("copy.us[BLOCK, 4] / copy.us[BLOCK, 1]", 2 / 3),
        ("copy.us[2**5, 8]", 7.0),
        ("by_form.us['tensors'] / by_form.us['scalars']", 3.0),
        ("alone.us + 1", 6.0),
        ("card.copy_gbps", 1000.0),
        ("max(copy.gbps)", 450.0),
        ("min(copy.us[32, :])", 7.0),
        ("argmax(copy.gbps[256, :])", 4),
        ("argmin(copy.us[:, 1])", 256),
        ("max(copy.us[32, 1], 10)", 10),
    ],
)
def test_an_expression_reads_them(expression: str, value: float) -> None:
    assert evaluate(expression, {"BLOCK": 256}, FIGURES) == pytest.approx(value)


@pytest.mark.parametrize(
    "expression",
    [
        "copy.us[32]",
        "copy.us[33, 4]",
        "copy.us[256, 8]",
        "copy.us",
        "copy.us[32, 1:4]",
        "copy.us[32, :][0]",
        "copy.tflops[32, 4]",
        "other.us",
        "alone.us[1]",
        "card.gpu",
        "card.peak_gbps",
        "argmax(copy.us)",
        "argmax(3)",
        "argmax(by_form.us)",
        "max(copy.us[256, 8], 1)",
        "max(copy.us, copy.gbps)",
        "copy.__class__",
        "copy.us.values",
        "'scalars'",
        "copy.us[32, 4] > 3",
        "(lambda: 1).us",
    ],
)
def test_what_is_no_figure_is_an_expression_error(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, {"BLOCK": 256}, FIGURES)


def test_without_figures_nothing_can_be_read() -> None:
    with pytest.raises(ExpressionError):
        evaluate("alone.us")
    with pytest.raises(ExpressionError):
        evaluate("n.real", {"n": 3})


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("copy.us[32, 4] > copy.us[256, 4]", True),
        ("1 < alone.us <= 5", True),
        ("alone.us < 1 or not alone.us == 5", False),
        ("argmax(copy.gbps[256, :]) == 4 and alone.us != 4", True),
    ],
)
def test_a_condition_holds_or_not(condition: str, true: bool) -> None:
    assert holds(condition, {}, FIGURES) is true


@pytest.mark.parametrize("condition", ["alone.us", "1", "'a' < 'b'", "alone.us is 5", "copy.us < 3", "not 1"])
def test_what_is_neither_true_nor_false_is_an_expression_error(condition: str) -> None:
    with pytest.raises(ExpressionError):
        holds(condition, {}, FIGURES)


def test_nested_functions_take_no_longer_than_their_text() -> None:
    assert evaluate("min(2, " * 20 + "1" + ")" * 20) == 1


def test_a_part_of_a_series_is_a_series_over_what_is_left() -> None:
    part = measured("copy.gbps[:, 4]", {}, FIGURES)
    assert isinstance(part, Series)
    assert dict(part.points()) == {(32,): 110.0, (256,): 450.0}


def test_what_an_expression_reads() -> None:
    assert names("max(copy.us[BLOCK, 1], cdiv(n, 2)) + argmin(by_form.us)") == {"copy", "BLOCK", "n", "by_form"}
    assert reads_figures("copy.us[32, 1]") and not reads_figures("BLOCK * 4")


def test_json_gives_them_back() -> None:
    again = read_figures(json.dumps(FIGURES.as_json()))
    assert again == FIGURES
    assert again.matches({name: entry.axes for name, entry in FIGURES.entries.items()})
    assert not again.matches({"copy": {"BLOCK": (32, 256)}})


def changed(**changes: Any) -> str:
    return json.dumps({**FIGURES.as_json(), **changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        "{}",
        changed(schema=2),
        changed(machine={"gpu": "x"}),
        changed(machine={"gpu": 3, "card": {}, "versions": {}}),
        changed(entries={"copy": {"axes": {"n": [1, 2]}, "us": [1.0]}}),
        changed(entries={"copy": {"axes": {"n": [1, 2]}, "us": [1.0, "2"]}}),
        changed(entries={"copy": {"axes": {"n": 1}, "us": [1.0]}}),
        changed(entries={"copy": {"axes": {"n": [[1]]}, "us": [1.0]}}),
        changed(entries={"copy": {"axes": {"n": [1]}, "us": [float("inf")]}}),
        changed(entries=[]),
    ],
)
def test_what_is_no_figures_is_refused(text: str) -> None:
    with pytest.raises(FiguresError):
        read_figures(text)
