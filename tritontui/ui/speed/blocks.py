"""The heat map of what a launch can vary: block sizes and warps, invalid ones with their reason, the best marked."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.engine.messages import SweepKind, SweepPoint, SweepStarted
from tritontui.i18n import percent
from tritontui.ui.drawing.heat_map import Figure, Grid, Place, heat_map
from tritontui.ui.runs.sweeps import Trial
from tritontui.ui.speed.scene import Scene, standing, wrapped
from tritontui.ui.views.compiler_report import limit_words
from tritontui.ui.views.words import prose
from tritontui.ui.widgets.text_view import Block, line

KIND: SweepKind = "launch"
SHORT = {
    "shared-memory-exceeded": "smem",
    "grid-fixed": "grid",
    "value-mismatch": "≠",
    "out-of-memory": "mem",
}
"""What stands in a cell for a reason; anything else is a cross alone. The words come when it is selected."""


def shape(scene: Scene) -> Place:
    """Rows and columns of the table."""
    plan = _plan(scene)
    return (len(_row_values(plan)), _columns(plan)) if plan is not None else (0, 0)


def start(scene: Scene) -> Place:
    """Where the learner's own launch stands."""
    plan = _plan(scene)
    return (_own(plan) or (0, 0)) if plan is not None else (0, 0)


def rows(scene: Scene, width: int, height: int) -> list[Content]:  # noqa: ARG001 - as every section's
    """How the sweep stands, the table, and the selected point in words."""
    tr = scene.tr
    head = wrapped(standing(scene, KIND, tr("s tries every block size and number of warps around yours.")), width)
    trial, plan = scene.trials.get(KIND), _plan(scene)
    if trial is None or plan is None:
        return head
    head += wrapped([line((_fixed(scene, name, value), "$muted")) for name, value in plan.fixed.items()], width)
    figures, unit, least = _figures(trial, plan)
    names = list(plan.axes)
    grid = Grid(
        row_name=names[0],
        column_name="/".join(names[1:]),
        rows=_row_values(plan),
        columns=_column_names(plan),
        figures=figures,
        least=least,
        crowned=unit != "%",
    )
    table = heat_map(
        grid, width, selected=scene.cursor, own=_own(plan), shaded=scene.shaded, write=lambda value: _cell(scene, value)
    )
    said = tr("theoretical occupancy, %") if unit == "%" else unit
    signs = [said, tr("[ ] yours"), *([tr("★ best")] if grid.crowned else []), tr("✗ can't run")]
    caption = Content.styled(" · ".join(signs), "$muted")
    return [*head, *table, caption, *wrapped(_selected(scene, trial, plan), width)]


def _fixed(scene: Scene, name: str, value: int) -> str:
    return scene.tr(
        "{name} stays {value}: your host code works it out from the size, so no other value would fit.",
        name=name,
        value=scene.tr.number(value),
    )


def _cell(scene: Scene, value: float) -> str:
    return scene.tr.number(value, 0 if value >= 100 or value == int(value) else 1)


def _plan(scene: Scene) -> SweepStarted | None:
    trial = scene.trials.get(KIND)
    plan = trial.result.plan if trial is not None else None
    return plan if plan is not None and plan.axes else None


def _row_values(plan: SweepStarted) -> list[int]:
    return next(iter(plan.axes.values()))


def _columns(plan: SweepStarted) -> int:
    return prod(len(values) for values in list(plan.axes.values())[1:])


def _column_names(plan: SweepStarted) -> list[str]:
    """``4``, or ``4/3`` where more than two axes are varied."""
    names = [""]
    for values in list(plan.axes.values())[1:]:
        names = [f"{name}/{value}" if name else str(value) for name in names for value in values]
    return names


def _own(plan: SweepStarted) -> Place | None:
    """The learner's own values, when they are among those tried."""
    index = 0
    for name, values in plan.axes.items():
        if plan.own.get(name) not in values:
            return None
        index = index * len(values) + values.index(plan.own[name])
    return divmod(index, _columns(plan))


def _figures(trial: Trial, plan: SweepStarted) -> tuple[list[list[Figure]], str, bool]:
    """Figures by row and column, their unit, and whether less is better."""
    points = trial.result.points
    timed = [point for point in points.values() if point.median_us is not None]
    unit = "GB/s" if any(p.gbps for p in timed) else "TFLOP/s" if any(p.tflops for p in timed) else "µs"
    if trial.result.unmeasured is not None:
        unit = "%"

    def figure(point: SweepPoint | None) -> Figure:
        if point is None:
            return None
        if point.problem is not None:
            return SHORT.get(point.problem.id, "")
        if unit == "%":
            return None if point.occupancy is None else 100 * point.occupancy
        return {"GB/s": point.gbps, "TFLOP/s": point.tflops, "µs": point.median_us}[unit]

    count = _columns(plan)
    table = [[figure(points.get(r * count + c)) for c in range(count)] for r in range(len(_row_values(plan)))]
    return table, unit, unit == "µs"


def _selected(scene: Scene, trial: Trial, plan: SweepStarted) -> Iterator[Block]:
    """The point under the cursor: what it reached and takes, or why it can't run; then the best and its rivals."""
    tr = scene.tr
    point = trial.result.points.get(scene.cursor[0] * _columns(plan) + scene.cursor[1])
    if point is not None:
        where = ", ".join(f"{name} = {value}" for name, value in point.values.items())
        if point.problem is not None:
            words = explain(point.problem, tr.language)
            yield Block(
                Content.assemble((f"▸ {where}: ", "bold"), ("✗ ", "bold $error"), prose(words.title)), rest=_PAD
            )
            yield Block(prose(words.message, "$muted"), first=_PAD, rest=_PAD)
        else:
            yield Block(Content.assemble((f"▸ {where}", "bold"), (_taken(scene, point), "")), rest=_PAD)
    best = trial.result.best
    if best is not None and best is not point:
        where = ", ".join(f"{name} = {value}" for name, value in best.values.items())
        ties = len(trial.result.ties)
        also = tr.plural(
            " · {n} other is as quick, as far as noise tells", " · {n} others are as quick, as far as noise tells", ties
        )
        yield line(("★ ", "bold $selected"), where, (also if ties else "", "$muted"))


_PAD = Content("  ")


def _taken(scene: Scene, point: SweepPoint) -> str:
    tr, parts = scene.tr, []
    if point.median_us is not None:
        low, high = scene.number(point.low_us or 0.0), scene.number(point.high_us or 0.0)
        parts.append(f"{scene.number(point.median_us)} µs ({low}–{high})")
    if point.gbps:
        parts.append(f"{tr.number(point.gbps)} GB/s")
    if point.tflops:
        parts.append(f"{scene.number(point.tflops)} TFLOP/s")
    if point.registers is not None:
        parts.append(tr.plural("{n} register", "{n} registers", point.registers))
    if point.spill_bytes:
        parts.append(tr("{bytes} B spilled", bytes=tr.number(point.spill_bytes)))
    if point.occupancy is not None:
        limit = limit_words(point.occupancy, point.occupancy_limit, tr)
        parts.append(tr("occupancy {share}", share=percent(point.occupancy)) + (f" ({limit})" if limit else ""))
    return "  " + " · ".join(parts)
