"""Every experiment of the course: its file has the entries of lesson.toml, and its recording their bytes and FLOPs."""

from __future__ import annotations

from itertools import islice, product
from types import SimpleNamespace

import pytest
import torch
import triton

from tritontui.course.loader import load_course
from tritontui.course.model import Experiment
from tritontui.runner.exercises import load_experiment
from tritontui.runner.spec import Timing

COURSE = load_course()
EXPERIMENTS = {name: step.experiment for name, (_, step) in COURSE.experiments.items() if step.experiment is not None}


class Lab:
    """Shapes without memory or a GPU: nothing is called."""

    device = torch.device("meta")

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(*shape, dtype=dtype, device="meta")

    def own(self, exercise: str) -> object:
        return COURSE.exercise(exercise)


def prepared(experiment: Experiment) -> dict[str, list[Timing]]:
    """The first few points of each entry."""
    entries = load_experiment(experiment.folder, {}).entries
    assert entries.keys() == experiment.grid.keys()
    found: dict[str, list[Timing]] = {}
    for name, axes in experiment.grid.items():
        points = islice(product(*axes.values()), 3)
        with torch.device("meta"):
            found[name] = [entries[name](dict(zip(axes, point, strict=True)), Lab()) for point in points]
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_recording_is_of_these_bytes_and_flops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = EXPERIMENTS[name]
    figures = experiment.recorded
    if figures is None:
        pytest.skip(f"not recorded yet: python -m benchmarks.recordings {name}")
    card = SimpleNamespace(multi_processor_count=int(figures.machine.card["sms"]))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: card)
    monkeypatch.setattr(triton.testing, "do_bench", lambda *_, **__: 0.0)  # of an entry that searches beforehand
    for entry, timings in prepared(experiment).items():
        known = figures.entries[entry].figures
        for index, timing in enumerate(timings):
            us = known["us"][index]
            if us is None:
                continue
            if timing.bytes:
                assert known["gbps"][index] == pytest.approx(timing.bytes / us * 1e-3, rel=1e-3)
            if timing.flops:
                assert known["tflops"][index] == pytest.approx(timing.flops / us * 1e-6, rel=1e-3)
