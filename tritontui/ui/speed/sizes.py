"""Speed over size: bandwidth, or both clocks, against the number of elements, PyTorch's own operator beside it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from textual.content import Content

from tritontui.engine.messages import SweepKind, SweepPoint
from tritontui.ui.drawing.plots import Axis, Level, Series, curves
from tritontui.ui.runs.sweeps import Trial
from tritontui.ui.speed.scene import Scene, standing, wrapped
from tritontui.ui.widgets.text_view import line

KIND: SweepKind = "size"
BESIDE = 130
"""From so many columns on, bandwidth and time stand side by side."""
GAP = 4
LEAST_ROWS = 7
"""Of a plot, axes and legend included."""


def rows(scene: Scene, width: int, height: int) -> list[Content]:
    """How the sweep stands, and its curves."""
    tr = scene.tr
    head = wrapped(standing(scene, KIND, tr("s measures the kernel at every size.")), width)
    trial = scene.trials.get(KIND)
    if trial is None:
        return head
    timed = [point for _, point in sorted(trial.result.points.items()) if point.median_us is not None]
    if not timed:
        return [*head, *_untimed(scene, trial, width)]
    room = max(LEAST_ROWS, height - len(head))
    mine = tr("the course's") if trial.recorded_on else tr("yours")
    best = trial.result.best
    foot = [_best(scene, best)] if best is not None and room > LEAST_ROWS else []
    room -= len(foot)
    if width >= BESIDE:
        half = (width - GAP) // 2
        left, right = _bandwidth(scene, timed, mine, half, room), _times(scene, timed, mine, half, room)
        drawn = [
            a.pad_right(max(0, half + GAP - a.cell_length)) + b
            for a, b in zip_longest(left, right, fillvalue=Content(""))
        ]
    else:
        drawn = (_times if scene.over_time else _bandwidth)(scene, timed, mine, width, room)
    return [*head, *drawn, *foot]


def axis_of(points: list[SweepPoint]) -> str:
    """The size that takes the most values: the horizontal axis."""
    names = list(points[0].values)
    return max(names, key=lambda name: len({point.values[name] for point in points}))


def _bandwidth(scene: Scene, points: list[SweepPoint], mine: str, width: int, height: int) -> list[Content]:
    """GB/s, or TFLOP/s where no bytes are counted."""
    tr, unit = scene.tr, "GB/s" if any(point.gbps for point in points) else "TFLOP/s"

    def rate(point: SweepPoint) -> float | None:
        return point.gbps if unit == "GB/s" else point.tflops

    def torch_rate(point: SweepPoint) -> float | None:
        own = rate(point)
        return own * point.median_us / point.torch_us if own and point.median_us and point.torch_us else None

    measured = scene.view.report.measurement if scene.view.report is not None else None
    ceiling = measured.ceiling_gbps if measured is not None and unit == "GB/s" else None
    levels = [Level(tr("ceiling"), ceiling)] if ceiling else []
    series = [
        *_series(points, mine, rate, "$primary"),
        *_series(points, "torch", torch_rate, "$accent"),
    ]
    axis = axis_of(points)
    return curves(series, Axis(axis, log=True), Axis(unit), width, height, levels=levels, write=scene.figure)


def _times(scene: Scene, points: list[SweepPoint], mine: str, width: int, height: int) -> list[Content]:
    """Both clocks: what the GPU works, and what a call takes of the host."""
    tr = scene.tr
    series = [
        *_series(points, mine, lambda point: point.median_us, "$primary"),
        *_series(points, "torch", lambda point: point.torch_us, "$accent"),
        *_series(points, tr("a call's host time"), lambda point: point.host_us, "$warning"),
    ]
    axis = axis_of(points)
    return curves(series, Axis(axis, log=True), Axis("µs", log=True), width, height, write=scene.figure)


def _series(
    points: list[SweepPoint], name: str, figure: Callable[[SweepPoint], float | None], style: str
) -> list[Series]:
    """One for each combination of the other sizes."""
    axis = axis_of(points)
    found: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        value = figure(point)
        if value is not None and value > 0:
            others = ", ".join(f"{key} = {size}" for key, size in point.values.items() if key != axis)
            found.setdefault(others, []).append((point.values[axis], value))
    return [Series(f"{name}, {others}" if others else name, known, style) for others, known in found.items()]


def _best(scene: Scene, point: SweepPoint) -> Content:
    where = ", ".join(f"{name} = {scene.tr.number(value)}" for name, value in point.values.items())
    rate = f"{scene.tr.number(point.gbps)} GB/s" if point.gbps else f"{scene.number(point.tflops or 0.0)} TFLOP/s"
    keys = scene.tr("t: bandwidth or time")
    return Content.assemble(("★ ", "bold $selected"), (rate, "bold"), (f"  {where}    {keys}", "$muted"))


def _untimed(scene: Scene, trial: Trial, width: int) -> list[Content]:
    """Without times: at which sizes the kernel was right, and at which it wasn't."""
    tr, points = scene.tr, trial.result.points.values()
    wrong = [point for point in points if point.problem is not None]
    if not points:
        return []
    blocks = [
        line(
            tr.plural(
                "The compiler accepts the kernel at {n} size.",
                "The compiler accepts the kernel at {n} sizes.",
                len(points) - len(wrong),
            )
        )
    ]
    for point in wrong:
        where = ", ".join(f"{name} = {value}" for name, value in point.values.items())
        blocks.append(line(("✗ ", "bold $error"), (where + "  ", "bold"), point.problem.id if point.problem else ""))
    return wrapped(blocks, width)
