"""The sections in the order in which the arrows pass them, with what each lets one choose and try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.content import Content

from tritontui.engine.messages import SweepKind
from tritontui.i18n import N_
from tritontui.ui.speed import attempts, blocks, gauge, roofline, sizes, tuning
from tritontui.ui.speed.scene import Scene

Place = tuple[int, int]


def _none(scene: Scene) -> Place:  # noqa: ARG001
    return 0, 0


@dataclass(frozen=True)
class Section:
    """One picture of the kernel's speed."""

    id: str
    name: str
    rows: Callable[[Scene, int, int], Sequence[Content]]
    """Of a scene, at a width, for a height that it may go beyond."""
    shape: Callable[[Scene], Place] = _none
    """Rows and columns that the cursor moves over; without any, up and down scroll."""
    start: Callable[[Scene], Place] = _none
    """Where the cursor stands at first."""
    kind: SweepKind | None = None
    """The sweep that it shows."""


SECTIONS: tuple[Section, ...] = (
    Section("gauge", N_("Gauge"), gauge.rows),
    Section("history", N_("History"), attempts.rows, attempts.shape),
    Section("sizes", N_("Sizes"), sizes.rows, kind=sizes.KIND),
    Section("blocks", N_("Blocks"), blocks.rows, blocks.shape, blocks.start, blocks.KIND),
    Section("roofline", N_("Roofline"), roofline.rows),
    Section("autotune", N_("Autotune"), tuning.rows, tuning.shape),
)
