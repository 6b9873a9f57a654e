"""One's own measured attempts at this exercise, card by card: every passing run that was measured, the best marked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from textual.content import Content

from tritontui.course.records import MeasurementRecord
from tritontui.ui.drawing.plots import history
from tritontui.ui.speed.scene import Scene, wrapped
from tritontui.ui.widgets.text_view import BLANK, Block, line

PLOT_ROWS = (3, 8)
"""Least and most."""


def shape(scene: Scene) -> tuple[int, int]:
    """One row a card, to choose from."""
    return len(cards(scene)), 1


def cards(scene: Scene) -> list[str]:
    """The names of the cards, the one measured last first."""
    return list(dict.fromkeys(record.device for record in reversed(scene.records)))


def rows(scene: Scene, width: int, height: int) -> list[Content]:
    """A column for each attempt, and the attempts themselves, newest first."""
    names = cards(scene)
    if not names:
        return wrapped(_none(scene), width)
    card = names[min(scene.cursor[0], len(names) - 1)]
    mine = [record for record in scene.records if record.device == card]
    best = best_of(mine)
    bandwidth = any(record.gbps for record in mine)
    values = [record.gbps if bandwidth else 1e6 / record.median_us for record in mine]
    tall = min(max(height - len(mine) - 4, PLOT_ROWS[0]), PLOT_ROWS[1])
    head = Content.assemble(
        (card, "bold $primary"),
        ("   " + scene.tr.plural("{n} measured attempt", "{n} measured attempts", len(mine)), "$muted"),
        ("   ★ ", "bold $selected"),
        (f"{scene.tr.number(best.gbps)} GB/s" if best and best.gbps else "", "bold"),
        ("   " + scene.tr("↑↓ another card") if len(names) > 1 else "", "$muted"),
    )
    return [
        head,
        *history(values, width, tall),
        Content(""),
        *(_attempt(scene, record, record is best) for record in reversed(mine)),
    ]


def best_of(records: list[MeasurementRecord]) -> MeasurementRecord | None:
    """The most bandwidth, or the least time where no bytes are counted; of equals the first."""
    return max(records, key=lambda record: (record.gbps, -record.median_us), default=None)


def _attempt(scene: Scene, record: MeasurementRecord, best: bool) -> Content:
    when = datetime.fromtimestamp(record.at).strftime("%Y-%m-%d %H:%M")
    gbps = f"{scene.tr.number(record.gbps)} GB/s" if record.gbps else ""
    return Content.assemble(
        ("★ " if best else "  ", "bold $selected"),
        (f"{when}  ", "$muted"),
        (f"{gbps:>12}  ", "bold" if best else ""),
        f"{scene.number(record.median_us):>8} µs  ",
        (record.case, "$muted"),
    )


def _none(scene: Scene) -> Iterator[Block]:
    tr = scene.tr
    yield line((tr("No attempt of yours has been measured yet."), "bold"))
    words = tr("Every measured run of a right kernel is kept here, card by card.")
    yield line((words, "$muted"))
    if scene.status.gpu is None:
        yield BLANK
        yield line((tr("Not measured: it needs a GPU."), "$muted"))
