"""What the course recorded of an exercise on a GPU, as the sweeps and roofs that a learner's own card would give."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from tritontui.course.faults import CourseError
from tritontui.course.figures import EntryFigures, Figures
from tritontui.course.model import ExerciseFolder, Experiment, Lesson
from tritontui.engine.gpus import short_name
from tritontui.engine.messages import Done, SweepKind, SweepPoint, SweepStarted
from tritontui.engine.sweep import SweepResult
from tritontui.ui.runs.sweeps import Trial

TORCH = "torch"
"""An entry of this name, over the same axes, is PyTorch's own operator."""
RUN = 0


@dataclass(frozen=True)
class Recorded:
    """Figures of another card than the learner's, always shown as such."""

    gpu: str
    card: Mapping[str, float]
    """``course.figures.CARD_FIGURES``."""
    trials: Mapping[SweepKind, Trial] = field(default_factory=dict)


def recorded_of(lesson: Lesson, exercise: ExerciseFolder, done: Collection[str]) -> Recorded | None:
    """Of the experiments of ``lesson`` whose steps are ``done``: nobody sees a figure before they have predicted it.

    Those that time ``exercise`` give sweeps. None when nothing is recorded.
    """
    steps = [step for step in lesson.steps if step.id in done]
    experiments = [step.experiment for step in steps if step.experiment is not None]
    found = [(figures, one) for one in experiments if (figures := _figures(one)) is not None]
    if not found:
        return None
    machine, gpu = found[0][0].machine, short_name(found[0][0].machine.gpu)
    of_this = [figures for figures, experiment in found if exercise.id in experiment.uses]
    return Recorded(gpu, machine.card, dict(trial for figures in of_this for trial in _trials(figures, exercise.id)))


def _figures(experiment: Experiment) -> Figures | None:
    """A damaged recording is the course's fault, which ``tritontui lint`` tells; here there is none."""
    try:
        return experiment.recorded
    except CourseError:
        return None


def _trials(figures: Figures, exercise: str) -> Iterator[tuple[SweepKind, Trial]]:
    """One for each entry over whole numbers; axes in capitals and ``num_warps`` are a launch's, others are sizes."""
    torch = figures.entries.get(TORCH)
    for name, entry in figures.entries.items():
        axes = {axis: [value for value in values if isinstance(value, int)] for axis, values in entry.axes.items()}
        if name == TORCH or not axes or [*map(len, axes.values())] != [*map(len, entry.axes.values())]:
            continue
        kind: SweepKind = "launch" if any(axis.isupper() or axis.startswith("num_") for axis in axes) else "size"
        beside = torch.figures.get("us") if torch is not None and torch.axes == entry.axes else None
        yield kind, _trial(figures, exercise, kind, axes, entry, beside)


def _trial(
    figures: Figures,
    exercise: str,
    kind: SweepKind,
    axes: dict[str, list[int]],
    entry: EntryFigures,
    torch_us: Sequence[float | None] | None,
) -> Trial:
    gpu, places = short_name(figures.machine.gpu), [*product(*axes.values())]
    result = SweepResult(exercise)
    result.add(SweepStarted(run=RUN, device=gpu, kind=kind, axes=axes, own={}, total=len(places)))

    def at(figure: str, index: int) -> float | None:
        values = entry.figures.get(figure)
        return values[index] if values is not None else None

    for index, place in enumerate(places):
        point = SweepPoint(
            run=RUN,
            device=gpu,
            index=index,
            values=dict(zip(axes, place, strict=True)),
            median_us=at("us", index),
            low_us=at("low_us", index),
            high_us=at("high_us", index),
            host_us=at("host_us", index),
            gbps=at("gbps", index),
            tflops=at("tflops", index),
            torch_us=torch_us[index] if torch_us is not None else None,
        )
        result.add(point)
    result.add(Done(RUN))
    return Trial("", result, running=False, recorded_on=gpu)
