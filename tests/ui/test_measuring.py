"""Measure steps: predictions come first, figures beside them; on a GPU that a fake child poses as, and without one."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from driving import Driver, opened
from shared_engine import SharedEngine, shared_engine

from tritontui.course.progress import Progress
from tritontui.engine import workers as workers_module
from tritontui.engine.gpus import Gpu

FAKE_RUNNER = (sys.executable, str(Path(__file__).parents[1] / "faults" / "fake_runner.py"))


def progress(home: Path) -> Progress:
    return Progress(home / "data" / "progress.sqlite")


async def predict(driver: Driver, longer: str = "2") -> None:
    """Answer what is asked before the figures."""
    n = driver.lesson.quiz.asked[0].drawn.variables["n"]
    driver.lesson.focus()
    await driver.type(f"{8 * n}")
    await driver.press("enter")
    await driver.type(longer)
    await driver.press("enter")
    await driver.press("down", "enter")  # PyTorch, or what stands second


@asynccontextmanager
async def at_the_experiment(
    size: tuple[int, int] = (120, 40), engine: SharedEngine | None = None
) -> AsyncIterator[Driver]:
    async with opened(size, lesson=1, engine=engine or "shared") as driver:
        await driver.go("time")
        yield driver


@pytest.fixture
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> SharedEngine:
    """An engine with a fake child on the CPU and one that poses as a GPU's."""
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "H200", "sm_90"))
    return shared_engine("auto", FAKE_RUNNER)


async def test_without_a_gpu_recorded_figures_come_after_the_predictions(home: Path, small_course: Path) -> None:
    async with at_the_experiment() as driver:
        lesson = driver.lesson
        assert "recorded" not in lesson.plain and "Prediction 2/4" not in lesson.plain
        driver.workspace.results.pick("figures")
        await driver.pilot.pause()
        assert "once you have said what you expect" in driver.shown("figures")
        await predict(driver)
        assert "you expect" in lesson.plain and "you expected" not in lesson.plain
        assert "There is no GPU here" in lesson.plain
        assert not driver.app.study.is_done(driver.app.study.step)
        await driver.press("enter")  # show the recorded ones
        assert "recorded on one Card of the tests" in lesson.plain
        assert "with the course's own double_it in the place of yours" in lesson.plain
        assert "you expected" in lesson.plain and "measured" in lesson.plain
        assert "your kernel moves 13.1 GB/s" in lesson.plain
        assert "recorded on one Card of the tests" in driver.shown("figures")
        n = lesson.quiz.asked[3].drawn.variables["n"]
        await driver.type("2" if n == 1024 else "13")
        await driver.press("enter")
        study = driver.app.study
        assert study.is_done(study.step) and study.is_only_recorded(study.step)
        assert "◇ recorded" in driver.line("#lesson-title")
        assert "tritontui import FILE" in lesson.plain
    kept = progress(home)
    longer, quicker = kept.predictions("01-small", "time")
    assert (longer.question, longer.given, longer.source) == ("longer", "2", "recorded")
    assert longer.figure == ("2.5" if longer.draw["n"] == 1024 else "2")
    assert longer.distance == pytest.approx(abs(2 - float(longer.figure)) / float(longer.figure))
    assert quicker.figure == "eager" and quicker.distance is None
    assert kept.experimented() == frozenset()
    kept.close()


async def test_what_was_predicted_and_shown_is_there_again(home: Path, small_course: Path) -> None:
    async with at_the_experiment() as driver:
        await predict(driver)
        draws = [asked.drawn.variables for asked in driver.lesson.quiz.asked[1:3]]
    async with at_the_experiment() as driver:
        assert [asked.drawn.variables for asked in driver.lesson.quiz.asked[1:3]] == draws
        assert "you expect" in driver.lesson.plain and "recorded on one" not in driver.lesson.plain.replace(
            "figures recorded on one", ""
        )
        driver.lesson.focus()
        await driver.press("enter")
        assert "you expected" in driver.lesson.plain
    async with at_the_experiment() as driver:
        assert "you expected" in driver.lesson.plain


async def test_predictions_can_be_made_again_with_other_numbers(home: Path, small_course: Path) -> None:
    async with at_the_experiment() as driver:
        await predict(driver)
        await driver.press("enter")
        before = driver.lesson.quiz.asked[1].drawn.variables["n"]
        n = driver.lesson.quiz.asked[3].drawn.variables["n"]
        await driver.type("2" if n == 1024 else "13")
        await driver.press("enter")
        rows = [index for index in driver.lesson.targets if "other numbers" in driver.lesson.blocks[index].text.plain]
        driver.lesson.move_cursor(rows[0])
        await driver.press("enter")
        asked = driver.lesson.quiz.asked[1]
        assert asked.drawn.variables["n"] != before and not asked.done
        assert "you expected" not in driver.lesson.plain and "13.1" not in driver.lesson.plain
        assert driver.app.study.is_done(driver.app.study.step), "what is done stays done"


async def test_without_a_recording_it_is_said(home: Path, small_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_experiment() as driver:
        experiment = driver.app.study.step.experiment
        assert experiment is not None
        monkeypatch.setitem(experiment.__dict__, "recorded", None)
        await predict(driver)
        assert "Nothing has been recorded" in driver.lesson.plain
        assert not driver.lesson.targets


async def test_on_a_gpu_the_learners_own_figures_answer(home: Path, small_course: Path, fake_gpu: SharedEngine) -> None:
    async with at_the_experiment(engine=fake_gpu) as driver:
        await driver.until(lambda: driver.app.engine_status.gpu == "ready")
        await driver.press("ctrl+r")
        assert not driver.workspace.experimenter.running, "predictions come first"
        await predict(driver)
        assert "Measure on this H200" in driver.lesson.plain
        await driver.press("enter")
        await driver.until(lambda: driver.lesson.quiz.figures is not None)
        assert "your own, on H200" in driver.lesson.plain
        assert "Your double_it hasn't passed yet" in driver.lesson.plain
        assert driver.workspace.results.active == "figures"
        assert "your own, on H200" in driver.shown("figures")
        assert not driver.app.study.is_only_recorded(driver.app.study.step)
    kept = progress(home)
    longer, _ = kept.predictions("01-small", "time")
    assert longer.source == "measured" and longer.figure is not None
    assert kept.experimented() == {"double_speed"}
    kept.close()
    async with at_the_experiment(engine=fake_gpu) as driver:
        assert "your own, on H200" in driver.lesson.plain, "and they are there the next time"


async def test_leaving_the_step_ends_the_experiment(home: Path, small_course: Path, fake_gpu: SharedEngine) -> None:
    async with at_the_experiment(engine=fake_gpu) as driver:
        await driver.until(lambda: driver.app.engine_status.gpu == "ready")
        await predict(driver)
        await driver.workspace.measure()
        await driver.go("ask")
        assert not driver.workspace.experimenter.running
        assert "figures" not in driver.workspace.results.offered
        await driver.press("7")
        assert driver.workspace.results.active != "figures"


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60)])
async def test_at_every_size_and_in_the_other_language(home: Path, small_course: Path, size: tuple[int, int]) -> None:
    async with at_the_experiment(size) as driver:
        await predict(driver)
        await driver.press("enter")
        driver.workspace.results.pick("figures")
        driver.workspace.show_pane("results")
        await driver.press("f6")
        assert "registrate su una Card of the tests" in driver.lesson.plain
        assert "registrate su una Card of the tests" in driver.shown("figures")


async def test_measuring_can_be_stopped(home: Path, small_course: Path, fake_gpu: SharedEngine) -> None:
    async with at_the_experiment(engine=fake_gpu) as driver:
        await driver.until(lambda: driver.app.engine_status.gpu == "ready")
        await predict(driver)
        experiment = driver.app.study.step.experiment
        assert experiment is not None
        await driver.workspace.measure()
        assert driver.workspace.experimenter.running
        driver.lesson.refresh_blocks()
        assert "Stop" in driver.lesson.plain
        driver.workspace.stop_measuring()
        assert "Stopped before the end" in driver.lesson.plain
        assert driver.lesson.quiz.figures is None and "Measure on this H200" in driver.lesson.plain
        await driver.workspace.measure()
        await driver.until(lambda: driver.lesson.quiz.figures is not None)


async def test_a_text_that_is_wrong_again_is_not_timed_but_the_solution_may_be(
    home: Path, small_course: Path, fake_gpu: SharedEngine
) -> None:
    kept = progress(home)
    kept.record_attempt("double_it", "pass", [], "cpu")
    kept.close()
    work = home / "data" / "work"
    work.mkdir(parents=True)
    wrong = (
        "from tritontui.diagnosis.finding import Finding\nproblem = Finding(id='program-id-unused', severity='error')\n"
    )
    (work / "double_it.py").write_text(wrong)
    async with at_the_experiment(engine=fake_gpu) as driver:
        await driver.until(lambda: driver.app.engine_status.gpu == "ready")
        await predict(driver)
        await driver.press("enter")
        await driver.until(lambda: not driver.workspace.experimenter.running)
        assert "Your double_it isn't right any more" in driver.lesson.plain
        assert driver.lesson.quiz.figures is None
        await driver.press("enter")  # with the course's own
        await driver.until(lambda: driver.lesson.quiz.figures is not None)


async def test_another_language_does_not_end_the_experiment(
    home: Path, small_course: Path, fake_gpu: SharedEngine
) -> None:
    async with at_the_experiment(engine=fake_gpu) as driver:
        await driver.until(lambda: driver.app.engine_status.gpu == "ready")
        await predict(driver)
        await driver.workspace.measure()
        driver.app.action_language()
        await driver.until(lambda: driver.lesson.quiz.figures is not None)
        assert "le tue, su H200" in driver.lesson.plain
