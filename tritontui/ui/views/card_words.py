"""What stands on a card to share: the exercise, its map and its speed, in the learner's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from math import prod
from typing import TYPE_CHECKING

from tritontui.course.records import MeasurementRecord
from tritontui.i18n import Translator, percent
from tritontui.ui.drawing.plots import gauge
from tritontui.ui.map.memory import Access
from tritontui.ui.map.picture import Picture, Row
from tritontui.ui.map.requests import tile_request
from tritontui.ui.map.state import MapState
from tritontui.ui.speed.attempts import best_of
from tritontui.ui.views.card import MAP_ROWS, WIDTH, Card

if TYPE_CHECKING:
    from tritontui.engine.engine import Engine
    from tritontui.engine.report import Report

BAR = 24
ASKED = 4
"""A window is right once it is known how far the lanes reach: one question, or two."""


async def drawn_map(engine: Engine, report: Report, tr: Translator) -> list[Row]:
    """What the first store writes, program by program, and what the signs mean; empty where no trace tells."""
    state = MapState()
    state.load(report.run, report.launches)
    state.select(0, 0, None)
    state.columns, state.rows = WIDTH, MAP_ROWS
    for _ in range(ASKED):
        wanted = state.wanted
        tile = await engine.tile(tile_request(wanted, 1)) if wanted is not None else None
        access = state.access
        if wanted is None or tile is None or access is None:
            return []
        state.learn(wanted, tile, None)
        if state.wanted == wanted:
            picture = Picture(access, tile, wanted.window, "", None)
            return [*picture.rows(), [], _signs(access, tr)]
    return []


def _signs(access: Access, tr: Translator) -> Row:
    """What is what on the map."""
    elements = tr.plural("{count} element", "{count} elements", access.elements, count=tr.number(access.elements))
    return [
        (f"{access.site.tensor}, {elements}:  ", "$muted"),
        ("█ ", "bold $selected"),
        (tr("program 0"), "$muted"),
        ("  ▒ ░ ", "$pid-1"),
        (tr("the others"), "$muted"),
    ]


def card(
    title: str,
    report: Report,
    picture: Sequence[Row],
    records: Sequence[MeasurementRecord],
    day: date,
    tr: Translator,
) -> Card:
    """For a report that passes."""
    return Card(
        title=title,
        head=list(_head(report, tr)),
        picture=picture,
        foot=[*_speed(report, records, tr), *_compiler(report, tr), [(f"tritontui · {day.isoformat()}", "$muted")]],
    )


def _head(report: Report, tr: Translator) -> Iterator[Row]:
    cases = len(report.cases)
    yield [("✓ ", "bold $success"), (tr.plural("Right in {n} case", "Right in all {n} cases", cases), "$foreground")]
    programs = sum(prod(launch.grid) for launch in report.launches)
    if programs:
        kernels = ", ".join(dict.fromkeys(launch.kernel for launch in report.launches))
        words = tr.plural(
            "{kernel}: {n} program, as traced", "{kernel}: {n} programs, as traced", programs, kernel=kernels
        )
        yield [(words, "$muted")]


def _speed(report: Report, records: Sequence[MeasurementRecord], tr: Translator) -> Iterator[Row]:
    """This run's measurement, else the best of the learner's own; else that there is none."""
    measured = report.measurement
    if measured is None:
        best = best_of(list(records))
        if best is None:
            yield [(tr("Not measured: it needs a GPU."), "$muted")]
            return
        yield [(_figure(best.gbps, best.median_us, tr), "bold $primary"), (f"  {best.case} · {best.device}", "$muted")]
        return
    where = f"  {measured.case} · {measured.gpu or measured.device}"
    yield [(_figure(measured.gbps, measured.median_us, tr), "bold $primary"), (where, "$muted")]
    if measured.ceiling_gbps and measured.gbps:
        share = measured.gbps / measured.ceiling_gbps
        words = f" {percent(share)} " + tr("of this card's ceiling")
        yield [(gauge(share, BAR), "$primary"), (words, "$foreground")]
    if measured.torch_us:
        yield [(f"torch {tr.number(measured.torch_us, 1)} µs", "$muted")]


def _figure(gbps: float, microseconds: float, tr: Translator) -> str:
    time = f"{tr.number(microseconds, 1)} µs"
    return f"{tr.number(gbps)} GB/s  {time}" if gbps else time


def _compiler(report: Report, tr: Translator) -> Iterator[Row]:
    known = report.compiler
    if known is None or known.registers is None:
        return
    parts = [tr.plural("{n} register", "{n} registers", known.registers)]
    if known.occupancy is not None:
        parts.append(tr("occupancy {share}", share=percent(known.occupancy)))
    yield [(" · ".join([*parts, known.target]), "$muted")]
