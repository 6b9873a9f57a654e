"""An experiment on a real GPU: every point has its figures, and they agree with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritontui.engine.messages import ExperimentPoint, ExperimentRequest, ExperimentStarted, OwnText

EXERCISES = Path(__file__).parents[1] / "small_course" / "01-small" / "exercises"


@pytest.fixture
def replies(session):
    from tritontui.runner.measuring.laboratory import run_experiment

    def run(source):
        own = OwnText(exercise="double_it", folder=str(EXERCISES / "double_it"), source=source, filename="double_it.py")
        grid = {"eager": {"n": [1024, 1 << 26]}, "yours": {"n": [1024, 1 << 26]}}
        found = []
        asked = ExperimentRequest(run=1, experiment=str(EXERCISES / "double_speed"), grid=grid, own=[own])
        run_experiment(asked, found.append, session)
        session.forget_learner_files()
        return found

    return run


def test_every_point_has_figures_that_agree(replies):
    found = replies((EXERCISES / "double_it" / "solution.py").read_text())
    (started,) = [reply for reply in found if isinstance(reply, ExperimentStarted)]
    assert started.total == 4 and started.card["copy_gbps"] > 0 and started.versions["triton"]
    points = {(p.entry, p.index): p for p in found if isinstance(p, ExperimentPoint)}
    assert len(points) == 4 and all(point.problem is None for point in points.values())
    for point in points.values():
        figures = point.figures
        assert 0 < figures["low_us"] <= figures["us"] <= figures["high_us"]
        assert 0 < figures["host_us"] <= figures["loop_us"] * 1.01
    small, large = points["yours", 0].figures, points["yours", 1].figures
    assert small["loop_us"] > small["us"], "a small kernel waits for its launch"
    assert large["loop_us"] == pytest.approx(large["us"], rel=0.15), "a large one is waited for"
    assert 0.05 < large["gbps"] / started.card["copy_gbps"] < 1.1, "blocks of 64 don't fill the memory"


def test_what_is_wrong_at_its_size_has_no_figure(replies):
    source = (EXERCISES / "double_it" / "solution.py").read_text()
    found = replies(source.replace("offs < n", "offs < tl.minimum(n, 1 << 20)"))
    problems = {(p.entry, p.index): p.problem for p in found if isinstance(p, ExperimentPoint)}
    assert problems["yours", 0] is None and problems["yours", 1].id == "value-mismatch"
