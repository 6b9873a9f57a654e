"""How experiments and do steps are declared, and each kind of fault in them, with its file and line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tritontui.course.loader import CourseError, load_course

SMALL = Path(__file__).parents[2] / "small_course"
LESSON = "01-small"
FOLDER = "exercises/double_speed"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "course"))


def edit(file: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(course: Path) -> None:
        path = course / LESSON / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return apply


def edit_figures(change: Callable[[dict], None]) -> Callable[[Path], None]:
    def apply(course: Path) -> None:
        path = course / LESSON / FOLDER / "recorded.json"
        figures = json.loads(path.read_text())
        change(figures)
        path.write_text(json.dumps(figures))

    return apply


def test_what_is_declared() -> None:
    course = load_course(SMALL, thorough=True)
    _, step = course.experiments["double_speed"]
    experiment = step.experiment
    assert experiment is not None and step.exercise is None
    assert experiment.grid == {"eager": {"n": (1024, 4096, 16384)}, "yours": {"n": (1024, 4096, 16384)}}
    assert (experiment.axis_title("n", "it"), experiment.axis_title("m", "it")) == ("numeri", "m")
    assert experiment.uses == ("double_it",) and len(experiment.plots) == 2
    assert [(question.prediction, question.after) for question in step.questions] == [
        (False, False), (True, False), (True, False), (False, True)
    ]  # fmt: skip
    assert not any(question.recall for question in step.questions)
    assert experiment.recorded is not None and experiment.recorded.machine.gpu == "Card of the tests"


def test_nothing_recorded_yet_is_no_fault(course: Path) -> None:
    (course / LESSON / FOLDER / "recorded.json").unlink()
    _, step = load_course(course, thorough=True).experiments["double_speed"]
    assert step.experiment is not None and step.experiment.recorded is None


FAULTS = {
    "no experiment.py": (
        lambda course: (course / LESSON / FOLDER / "experiment.py").unlink(),
        "lesson.toml",
        "there is no exercises/",
    ),
    "an axis that isn't there": (
        edit("lesson.toml", 'it = "PyTorch", axes = ["n"]', 'it = "PyTorch", axes = ["m"]'),
        "lesson.toml",
        "there is no axis 'm'",
    ),
    "an axis of one value": (
        edit("lesson.toml", "n = { powers_of_two = [10, 14, 2] }", "n = [1024]"),
        "lesson.toml",
        "two or more",
    ),
    "powers that are none": (edit("lesson.toml", "[10, 14, 2]", "[14, 10]"), "lesson.toml", "two or more"),
    "an entry in one language": (edit("lesson.toml", 'en = "PyTorch", ', ""), "lesson.toml", "'en' is missing"),
    "an entry called card": (edit("lesson.toml", "eager = {", "card = {"), "lesson.toml", "not 'card'"),
    "a plot of what isn't measured": (
        edit("lesson.toml", '"eager.gbps"', '"eager.speed"'),
        "lesson.toml",
        "eager.speed",
    ),
    "a roofline of no entry": (
        edit("lesson.toml", 'show = ["yours.us", "yours.loop_us"]', 'roofline = ["theirs"]'),
        "lesson.toml",
        "a roofline shows entries with one axis: 'theirs'",
    ),
    "a plot of one figure": (edit("lesson.toml", '"eager.gbps"', '"eager.gbps[1024]"'), "lesson.toml", "a series"),
    "an exercise that isn't there": (edit("lesson.toml", '["double_it"]', '["half_it"]'), "lesson.toml", "no exercise"),
    "a point that isn't there": (
        edit("lesson.toml", "yours.us[16384] / yours", "yours.us[16] / yours"),
        "lesson.toml",
        "no n = 16",
    ),
    "a draw that isn't on the axis": (
        edit(
            "lesson.toml", "variables = { n = [1024, 4096] }\ntolerance", "variables = { n = [1024, 4097] }\ntolerance"
        ),
        "lesson.toml",
        "no n = 4097",
    ),
    "an entry that isn't there": (
        edit("lesson.toml", "yours.us[16384] / yours", "mine.us[16384] / yours"),
        "lesson.toml",
        "reads mine",
    ),
    "a figure met exactly": (edit("lesson.toml", "tolerance = 0.25\n", ""), "lesson.toml", "say a tolerance"),
    "no condition that holds": (
        edit("lesson.toml", 'eager = "eager.us[16384] < 0.9', 'eager = "eager.us[16384] < 0.1'),
        "lesson.toml",
        "no option would be right",
    ),
    "two conditions that hold": (
        edit("lesson.toml", 'yours = "yours.us[16384] <', 'yours = "yours.us[16384] >'),
        "lesson.toml",
        "yours, eager would be right",
    ),
    "a condition for no option": (
        edit("lesson.toml", "when = { yours =", "when = { other ="),
        "lesson.toml",
        "isn't there",
    ),
    "a condition that is none": (
        edit("lesson.toml", '"yours.us[16384] < 0.9 * eager.us[16384]"', '"yours.us[16384]"'),
        "lesson.toml",
        "neither true nor false",
    ),
    "a figure told beforehand": (
        edit("it.md", "Chi è più veloce con 16.384?", "Chi fa {yours.us[1024]} µs?"),
        "lesson.toml",
        "before the prediction",
    ),
    "a text about what isn't measured": (
        edit("en.md", "{yours.gbps[16384]} GB/s.\n\n## How", "{yours.gbps[7]}.\n\n## How"),
        "lesson.toml",
        "no n = 7",
    ),
    "recorded of other sizes": (
        edit_figures(lambda figures: figures["entries"].pop("eager")),
        "recorded.json",
        "record it again",
    ),
    "recorded of another experiment": (
        edit_figures(lambda figures: figures.update(experiment="other")),
        "recorded.json",
        "record it again",
    ),
    "a damaged recording": (
        edit_figures(lambda figures: figures.pop("machine")),
        "recorded.json",
        "'machine' is missing",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_said(course: Path, name: str) -> None:
    spoil, file, words = FAULTS[name]
    spoil(course)
    with pytest.raises(CourseError) as caught:
        load_course(course, thorough=True)
    assert any(problem.path.name == file and words in problem.message for problem in caught.value.problems), str(
        caught.value
    )


def test_a_measure_step_without_a_prediction_is_a_fault(course: Path) -> None:
    edit("lesson.toml", 'answer = "yours.us[16384] / yours.us[n]"', 'answer = "16384 // n"')(course)
    edit("lesson.toml", '"16384 / n" }', '"n" }')(course)
    edit("lesson.toml", "when = { yours =", 'answer = "eager"\n# {')(course)
    with pytest.raises(CourseError, match="asks for a prediction"):
        load_course(course, thorough=True)
