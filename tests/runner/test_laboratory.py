"""Experiments, as far as they need no GPU: the learner's texts are examined, points get figures or a reason."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from tritontui.engine.messages import (
    Broken,
    Done,
    ExperimentPoint,
    ExperimentRequest,
    ExperimentStarted,
    Found,
    GpuInfo,
    OwnRefused,
    OwnText,
)
from tritontui.runner.exercises import load_experiment
from tritontui.runner.measuring import laboratory
from tritontui.runner.measuring.ceilings import Ceilings
from tritontui.runner.measuring.conditions import Condition
from tritontui.runner.measuring.laboratory import Bench, Own, clocks, figures, run_experiment
from tritontui.runner.measuring.timing import Times
from tritontui.runner.session import RunCancelled, Session
from tritontui.runner.spec import Timing

EXERCISES = Path(__file__).parents[1] / "small_course" / "01-small" / "exercises"
GRID = {"eager": {"n": [1024, 4096]}, "yours": {"n": [1024]}}
CARD = Ceilings(copy_gbps=1.0, add_gbps=1.0, read_gbps=1.0, fill_gbps=1.0, empty_us=2.0)
GPU = GpuInfo(index=0, name="Card", capability="sm_90", memory_bytes=1, l2_bytes=1, sm_count=8, peak_gbps=None)


class Unlocked:
    """Sensors of a card without a device node."""

    def lock_path(self):
        return None


STEADY = Times(9.0, 10.0, 10.1)


def own(source: str) -> OwnText:
    return OwnText(exercise="double_it", folder=str(EXERCISES / "double_it"), source=source, filename="double_it.py")


def request(source: str, grid=GRID, experiment: Path = EXERCISES / "double_speed") -> ExperimentRequest:
    return ExperimentRequest(run=1, experiment=str(experiment), grid=grid, own=[own(source)])


SOLUTION = (EXERCISES / "double_it" / "solution.py").read_text()


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90", gpu=GPU)


def replies(session, asked):
    found = []
    run_experiment(asked, found.append, session)
    assert isinstance(found.pop(), Done)
    return found


class TestOnTheCpu:
    def test_a_right_text_is_fit_to_be_timed(self, session):
        assert not any(isinstance(reply, OwnRefused) for reply in replies(session, request(SOLUTION)))

    @pytest.mark.parametrize(
        ("change", "identifier"),
        [
            (("offs < n", "offs <= n"), "out-of-bounds-read"),
            (("2 * x", "3 * x"), "value-mismatch"),
            (("BLOCK=64", "BLOCK=48"), "not-power-of-two"),
            (("def double(x)", "def other(x)"), "entry-missing"),
            (("import torch", "import torch("), "syntax-error"),
        ],
    )
    def test_a_wrong_one_is_not(self, session, change, identifier):
        (refused,) = [r for r in replies(session, request(SOLUTION.replace(*change))) if isinstance(r, OwnRefused)]
        assert (refused.exercise, refused.problem.id) == ("double_it", identifier)


class TestOnAGpu:
    """Everything but the GPU is real: its clock, its lock and its sensors are given."""

    @pytest.fixture(autouse=True)
    def no_gpu(self, monkeypatch):
        monkeypatch.setattr(
            laboratory, "sensors", lambda device: type("Sensors", (), {"lock_path": lambda self: None})()
        )
        monkeypatch.setattr(laboratory, "ceilings", lambda *_: CARD)
        monkeypatch.setattr(laboratory, "sampled", lambda _: nullcontext(Condition()))
        monkeypatch.setattr(laboratory, "times_of", lambda call, _: call() is None or STEADY)
        monkeypatch.setattr(laboratory, "driver_version", lambda: "580")
        monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: None)
        monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)

    def bench(self, session, function=lambda x: 2 * x, grid=GRID):
        found = []
        subject = Own(own(SOLUTION), session)
        subject.function = function
        experiment = load_experiment(EXERCISES / "double_speed", session.cache)
        try:
            Bench(request(SOLUTION, grid), found.append, session, experiment, [subject]).run()
        finally:
            session.forget_learner_files()
        return found

    def points(self, found):
        return {(p.entry, p.index): p for p in found if isinstance(p, ExperimentPoint)}

    def test_every_point_of_every_entry_has_its_figures(self, session):
        found = self.bench(session)
        (started,) = [reply for reply in found if isinstance(reply, ExperimentStarted)]
        assert (started.gpu, started.total, started.card["empty_us"]) == ("Card", 3, 2.0)
        assert started.versions["driver"] == "580" and "peak_gbps" not in started.card
        points = self.points(found)
        assert list(points) == [("eager", 0), ("eager", 1), ("yours", 0)]
        assert points["eager", 1].values == {"n": 4096}
        assert points["eager", 1].figures["gbps"] == pytest.approx(8 * 4096 / 10 * 1e-3)
        assert {"us", "low_us", "high_us", "host_us", "loop_us", "tflops"} < points["yours", 0].figures.keys()
        assert [remark.id for remark in points["yours", 0].remarks] == ["noisy-measurement"]

    def test_what_is_wrong_at_its_size_has_a_reason_and_no_figure(self, session):
        points = self.points(self.bench(session, lambda x: 2 * x if len(x) < 1000 else 3 * x))
        assert points["yours", 0].problem.id == "value-mismatch" and not points["yours", 0].figures
        assert points["eager", 0].figures

    def test_a_learners_error_is_told_and_the_others_go_on(self, session):
        def refuses(x):
            raise ValueError("too long")

        points = self.points(self.bench(session, refuses))
        assert points["yours", 0].problem.id == "host-exception"
        assert len(points) == 3

    def test_a_fault_of_the_gpu_ends_it(self, session):
        def faults(x):
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

        found = self.bench(session, faults)
        assert isinstance(found[-1], Found) and found[-1].findings[0].id == "gpu-fault"

    def test_an_entry_that_the_experiment_does_not_have_is_the_lessons_fault(self, session, monkeypatch):
        monkeypatch.setattr(session, "device", "cpu")
        with pytest.raises(laboratory.BrokenExerciseError):
            self.bench(session, grid={"other": {}})

    def test_cancelling_ends_it_between_two_points(self, session, monkeypatch):
        monkeypatch.setattr(session, "cancelled", lambda run: True)
        with pytest.raises(RunCancelled):
            self.bench(session)


def test_an_experiment_that_cannot_be_read_is_broken(tmp_path):
    (tmp_path / "experiment.py").write_text("EXPERIMENT = 3\n")
    on_gpu = Session(device="cuda:0", target="sm_90", gpu=GPU)
    asked = ExperimentRequest(run=1, experiment=str(tmp_path), grid={"a": {}})
    (broken,) = replies(on_gpu, asked)
    assert isinstance(broken, Broken) and "EXPERIMENT" in broken.message


def test_without_bytes_there_is_no_bandwidth():
    assert not {"gbps", "tflops"} & figures(STEADY, 1.0, 2.0, Timing(lambda: None)).keys()


def test_the_hosts_clocks_count_calls_and_one_synchronisation():
    events = []
    host_us, loop_us = clocks(lambda: events.append("call"), lambda: events.append("synchronise"))
    assert 0 < host_us <= loop_us
    assert events.count("synchronise") == 2 * (laboratory.LOOPS + 1)
    assert events.count("call") == laboratory.LOOP_CALLS * (laboratory.LOOPS + 1)
