"""Figures that the course recorded: the same pictures, always under the name of the card they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import Driver, opened
from fake_engine import FakeEngine
from test_speed import at_speed

from tritontui.course.figures import EntryFigures, Figures, Machine
from tritontui.course.model import Entry, Experiment, Step
from tritontui.ui.speed.recorded import recorded_of

SIZES = (1 << 10, 1 << 20, 1 << 26)
LAUNCHES = {"BLOCK": (32, 256), "num_warps": (1, 4)}
CARD = {"copy_gbps": 4143.0, "peak_fp32_tflops": 66.9, "peak_tensor_tflops": 1070.0}


def measure_step(folder: Path, grid: dict[str, EntryFigures], uses: tuple[str, ...] = ("vector_add",)) -> Step:
    """A measure step whose experiment was recorded on an H200."""
    figures = Figures("bandwidth", Machine("NVIDIA H200", CARD), "2026-12-01T10:00:00Z", "record", grid)
    (folder / "recorded.json").write_text(json.dumps(figures.as_json()))
    text = {"en": "", "it": ""}
    axes = {axis: tuple(values) for entry in grid.values() for axis, values in entry.axes.items()}
    entries = tuple(Entry(name, text, tuple(entry.axes)) for name, entry in grid.items())
    experiment = Experiment("bandwidth", folder, text, axes, entries, uses=uses)
    return Step("measure-it", "measure", text, text, experiment=experiment)


def by_size() -> dict[str, EntryFigures]:
    mine = {"us": [3.6, 8.9, 190.7], "gbps": [3.0, 1414.0, 4223.0], "host_us": [14.0, 14.0, 14.0]}
    axes = {"n": SIZES}
    return {"add": EntryFigures(axes, mine), "torch": EntryFigures(axes, {"us": [4.0, 9.0, 191.0]})}


async def with_step(driver: Driver, step: Step, *, done: bool) -> None:
    """The lesson has that step as well."""
    desk = driver.app.study.desk
    lesson = desk.lesson._replace(steps=(*desk.lesson.steps, step))
    lessons = [lesson if one.id == lesson.id else one for one in desk.course.lessons]
    desk.course = desk.course._replace(lessons=tuple(lessons))
    if done:
        driver.app.study.done(lesson).add(step.id)


async def test_a_recorded_curve_is_shown_under_its_card_s_name(home: Path, tmp_path: Path) -> None:
    async with opened(engine=FakeEngine(gpu=False)) as driver:
        await with_step(driver, measure_step(tmp_path, by_size()), done=True)
        await at_speed(driver, "sizes")
        shown = driver.shown("speed")
        assert "Recorded on an H200, by the course's own kernel." in shown
        assert "★ 4,223 GB/s  n = 67,108,864" in shown and "● yours" not in shown and "torch" in shown
        driver.workspace.speed.turn_to("roofline")
        shown = driver.shown("speed")
        assert "at most, on an H200 (recorded)" in shown and "fp32 66.9 TFLOP/s" in shown
        driver.workspace.speed.turn_to("gauge")
        assert "4,223" not in driver.shown("speed")


async def test_no_recorded_figure_before_its_prediction(home: Path, tmp_path: Path) -> None:
    async with opened(engine=FakeEngine(gpu=False)) as driver:
        await with_step(driver, measure_step(tmp_path, by_size()), done=False)
        await at_speed(driver, "sizes")
        assert "Recorded" not in driver.shown("speed") and "4,223" not in driver.shown("speed")


async def test_with_a_card_of_one_s_own_nothing_recorded_is_shown(home: Path, tmp_path: Path) -> None:
    async with opened(engine=FakeEngine()) as driver:
        await with_step(driver, measure_step(tmp_path, by_size()), done=True)
        await at_speed(driver, "sizes")
        assert "Recorded" not in driver.shown("speed")


@pytest.mark.parametrize("uses", [("vector_add",), ("another",)])
async def test_only_what_times_this_exercise_gives_sweeps(home: Path, tmp_path: Path, uses: tuple[str, ...]) -> None:
    launch = {"add": EntryFigures(LAUNCHES, {"us": [9.0, 8.0, None, 2.0], "gbps": [600.0, 700.0, None, 4331.0]})}
    step = measure_step(tmp_path, launch, uses)
    from tritontui.course.loader import load_course

    lesson, add = load_course().place("vector_add")
    assert add.exercise is not None
    recorded = recorded_of(lesson._replace(steps=(*lesson.steps, step)), add.exercise, {step.id})
    assert recorded is not None and recorded.gpu == "H200"
    if uses == ("another",):
        assert recorded.trials == {}
        return
    trial = recorded.trials["launch"]
    assert trial.result.best is not None and trial.result.best.values == {"BLOCK": 256, "num_warps": 4}
    assert trial.is_of("any text") and not trial.running


def test_a_damaged_recording_is_none(tmp_path: Path) -> None:
    from tritontui.course.loader import load_course

    step = measure_step(tmp_path, by_size())
    (tmp_path / "recorded.json").write_text("{")
    lesson, add = load_course().place("vector_add")
    assert add.exercise is not None
    assert recorded_of(lesson._replace(steps=(step,)), add.exercise, {step.id}) is None
