"""Plots: where points, ticks and levels come to stand, and what holds without colour and without Unicode."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tritontui.course.figures import EntryFigures, Figures, Machine
from tritontui.course.model import Entry, Experiment, Plot
from tritontui.i18n import translator
from tritontui.ui.drawing.canvas import scale
from tritontui.ui.drawing.heat_map import Grid, heat_map
from tritontui.ui.drawing.plots import (
    ASCII,
    UNICODE,
    Axis,
    Bar,
    Glyphs,
    Level,
    Roof,
    Series,
    bars,
    compact,
    curves,
    gauge,
    history,
    roofline,
)
from tritontui.ui.speed.figures_words import plot_rows

SIZES = [2**power for power in range(10, 28)]
MINE = Series("yours", [(size, 4300 * size / (size + 2**20)) for size in SIZES])
TORCH = Series("torch", [(size, 2000 * size / (size + 2**21)) for size in SIZES])
SWEEP = Grid(
    "BLOCK",
    "num_warps",
    [32, 256, 16_384],
    [1, 4, 16],
    [[638, 637, 317], [4317, 4331, 1966], [1053, "spill", None]],
)


def text(rows: list[Content]) -> list[str]:
    return [row.plain for row in rows]


@pytest.mark.parametrize(
    ("value", "short"),
    [(0, "0"), (950, "950"), (4000, "4000"), (10_000, "10k"), (1.5e6, "1.5M"), (2e9, "2G"), (0.25, "0.25")],
)
def test_ticks_are_short(value: float, short: str) -> None:
    assert compact(value) == short


@given(st.lists(st.floats(0.001, 1e12), min_size=1, max_size=20), st.booleans())
def test_a_scale_holds_its_values_and_its_ticks(values: list[float], log: bool) -> None:
    found = scale(values, log=log)
    assert all(-1e-6 <= found.place(value) <= 1 + 1e-6 for value in values)
    for most in (2, 5, 9):
        assert 1 <= len(found.ticks(most)) <= most + 1


def test_a_gauge_is_true_to_the_eighth() -> None:
    assert gauge(0.5, 4) == "██··" and gauge(0.53125, 4) == "██▏·"
    assert gauge(2.0, 4) == "████" and gauge(-1, 4) == "····"
    assert gauge(0.5, 4, ASCII) == "##.."


def test_bars_share_one_measure() -> None:
    rows = text(bars([Bar("yours", 4000, "4000 GB/s"), Bar("torch", 2000, "2000 GB/s")], 8))
    assert rows == ["yours ████████ 4000 GB/s", "torch ████···· 2000 GB/s"]
    assert text(bars([Bar("x", 0, "0")], 4)) == ["x ···· 0"]


def test_a_history_ends_with_the_newest_and_keeps_to_its_width() -> None:
    rows = text(history([1, 2, 4], 20, 2, level=4))
    assert rows == ["    █ ", "▄ █ █ "]
    assert all(len(row) == 10 for row in text(history(list(range(1, 90)), 10)))
    assert set("".join(text(history([1, 2], 8, glyphs=ASCII)))) <= set(ASCII.levels)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize(("width", "height"), [(40, 8), (70, 16), (140, 30)])
def test_curves_keep_to_their_space_and_differ_without_colour(glyphs: Glyphs, width: int, height: int) -> None:
    rows = curves(
        [MINE, TORCH], Axis("elements", log=True), Axis("GB/s"), width, height, levels=[Level("ceiling", 4328)],
        glyphs=glyphs,
    )  # fmt: skip
    assert len(rows) == height
    lines = text(rows)
    assert all(len(line) <= width for line in lines[:-1])
    body = "".join(lines[1:-3])
    assert glyphs.markers[0] in body and glyphs.markers[1] in body and glyphs.level_line in body
    assert lines[-1].startswith(f"{glyphs.markers[0]} yours   {glyphs.markers[1]} torch")
    assert "ceiling 4328" in lines[-1] and "elements" in lines[-2] and "GB/s" in lines[0]
    if glyphs is ASCII:
        assert "".join(lines).isascii()


def test_the_higher_of_two_points_stands_higher() -> None:
    lines = text(curves([Series("a", [(1, 1), (2, 9)], joined=False)], Axis("x"), Axis("y"), 40, 12))
    low = next(number for number, line in enumerate(lines[:-1]) if line.rstrip().count("●") and line.index("●") < 30)
    high = next(number for number, line in enumerate(lines[:-1]) if "●" in line and line.index("●") >= 30)
    assert high < low


def test_a_space_too_small_keeps_the_legend() -> None:
    assert text(curves([MINE], Axis("n"), Axis("y"), 40, 5)) == ["● yours"]


def test_a_single_point_and_none_at_all_can_be_drawn() -> None:
    for points in ([], [(1024.0, 5.0)]):
        assert len(curves([Series("a", points)], Axis("n", log=True), Axis("y"), 40, 12)) == 12


def test_a_heat_map_marks_the_best_and_what_cannot_run() -> None:
    lines = text(heat_map(SWEEP, 70))
    assert "num_warps" in lines[0] and lines[1].split() == ["BLOCK", "1", "4", "16"]
    assert lines[2].split() == ["32", "638", "▁", "637", "▁", "317", "▁"]
    assert lines[3].split() == ["256", "4317", "█", "4331", "★", "1966", "▄"]
    assert lines[4].split() == ["16384", "1053", "▂", "spill", "✗", "·"]
    assert SWEEP.best() == (1, 1)
    assert "".join(text(heat_map(SWEEP, 70, glyphs=ASCII))).isascii()


def test_a_narrow_heat_map_leaves_columns_out_and_says_so() -> None:
    lines = text(heat_map(SWEEP, 28))
    assert lines[1].split() == ["BLOCK", "1", "4", "…"] and max(map(len, lines)) <= 28


def test_a_heat_map_without_any_figure_is_still_a_table() -> None:
    empty = Grid("BLOCK", "num_warps", [32], [1, 2], [[None, "spill"]])
    assert empty.best() is None and len(heat_map(empty, 40)) == 3


def test_a_roofline_bends_at_the_ridge() -> None:
    rows = roofline(
        ("memory 4000 GB/s", 4000), [Roof("fp32 40 TFLOP/s", 40)], [Series("yours", [(0.25, 0.9)], joined=False)],
        Axis("FLOP/byte"), Axis("TFLOP/s"), 60, 16,
    )  # fmt: skip
    lines = text(rows)
    assert any("fp32 40 TFLOP/s" in line for line in lines) and any("memory 4000 GB/s" in line for line in lines)
    roof = next(line for line in lines if "⣀⣀⣀⣀" in line or "⠤⠤⠤⠤" in line or "⠉⠉⠉⠉" in line or "⠒⠒⠒⠒" in line)
    assert roof.rstrip()[-1] == roof.rstrip()[-4], "flat behind the ridge"
    assert lines[-1] == "● yours"


def test_an_experiment_stands_point_by_point_under_the_roofs_of_its_card() -> None:
    """1, 10 and 100 FLOP a byte at 1,000 GB/s: two on the slope, one that the arithmetic holds down."""
    axes = {"degree": (1, 10, 100)}
    experiment = Experiment(
        "e", Path(), {"en": "", "it": ""}, axes, (Entry("yours", {"en": "mine", "it": "mia"}, ("degree",)),),
        (Plot((), ("yours",)),),
    )  # fmt: skip
    known = EntryFigures(axes, {"gbps": [1000.0, 1000.0, 200.0], "tflops": [1.0, 10.0, 20.0]})
    card = {"copy_gbps": 1000.0, "peak_fp32_tflops": 20.0}
    for machine in (Machine("card", card), Machine("card", {})):
        figures = Figures("e", machine, "", "", {"yours": known})
        drawn = text(list(plot_rows(experiment, figures, 60, "en", translator("en"))))
        if not machine.card:
            assert drawn == [], "no roof is known: nothing to stand under"
            continue
        assert any("memory 1,000 GB/s" in line for line in drawn) and any("fp32 20.0 TFLOP/s" in line for line in drawn)
        heights = {line.index("●"): row for row, line in enumerate(drawn) if "●" in line and "mine" not in line}
        assert [heights[column] for column in sorted(heights)] == sorted(heights.values(), reverse=True)
        assert sum(line.count("●") for line in drawn) == 3 + 1, "and one in the legend"
