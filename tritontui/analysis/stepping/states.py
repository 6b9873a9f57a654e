"""Names and lanes of one program at one step, as the step view draws them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import lane_ranges
from tritontui.analysis.stepping.numbers import exact, short
from tritontui.analysis.stepping.recording import Value
from tritontui.analysis.stepping.story import MOST_RANGES, Held, Story
from tritontui.engine.messages import LaneCell, LaneRow, Lanes, NameState, StepsRequest

FIRST_VALUES = 12


def state_of(story: Story, name: str, step: int) -> NameState:
    """What the name is after the step, and what the step changed of it."""
    held = story.held(name, step)
    value, lanes = held.value, held.lanes
    born = story.born(name, step)
    state = NameState(name=name, dtype=value.dtype, shape=list(value.shape), values=[], born=born)
    if lanes is None:
        state.values = [_described(held)]
    elif not value.shape:
        state.values = [exact(value, lanes[0])]
        _count_special(state, lanes)
    else:
        state.values = [short(value, item) for item in lanes[:FIRST_VALUES]]
        left_out = story.left_out(name, step)
        _summarise(state, value, lanes, None if left_out is None else left_out[0])
    if born == step:
        _compare(state, held, story.before(name, step))
    return state


def _described(held: Held) -> str:
    """A constexpr, or a descriptor such as ``x_ptr [100, 20] strides [20, 1]``."""
    value = held.value
    if not value.parts:
        return value.text
    numbers = []
    for part in value.parts[1:]:
        lanes = held.of(part)
        numbers.append("?" if lanes is None else str(int(lanes[0])))
    base, rank = value.parts[0], len(value.parts) // 2
    start = held.of(base)
    moved = f"{int(start[0]):+}" if start is not None and start[0] else ""
    return f"{base.text}{moved} [{', '.join(numbers[:rank])}] strides [{', '.join(numbers[rank:])}]"


def _summarise(state: NameState, value: Value, lanes: NDArray[Any], off: NDArray[np.bool_] | None) -> None:
    if off is not None:
        state.off = int(off.sum())
        lanes = lanes[~off]
    _count_special(state, lanes)
    if lanes.dtype.kind == "b":
        state.trues = int(lanes.sum())
        return
    if lanes.dtype.kind == "f":
        lanes = lanes[~np.isnan(lanes)]
    if len(lanes):
        state.lowest, state.highest = short(value, lanes.min()), short(value, lanes.max())


def _count_special(state: NameState, lanes: NDArray[Any]) -> None:
    if lanes.dtype.kind == "f":
        state.nans, state.infinities = int(np.isnan(lanes).sum()), int(np.isinf(lanes).sum())


def _compare(state: NameState, held: Held, before: Held | None) -> None:
    """What the step changed."""
    state.new = before is None
    changed = _changed(held, before)
    state.changed = int(changed.sum())
    state.changed_ranges = lane_ranges(changed)[:MOST_RANGES]
    if before is not None and before.lanes is not None and not before.value.shape:
        state.before = exact(before.value, before.lanes[0])


def _changed(held: Held, before: Held | None) -> NDArray[np.bool_]:
    """Lanes that aren't as they were; all of them when the name was something else."""
    now = held.lanes
    if now is None:
        return np.ones(1, bool)
    if before is None or before.lanes is None:
        return np.ones(now.shape, bool)
    value, old = held.value, before.value
    if (value.dtype, value.shape, value.text) != (old.dtype, old.shape, old.text):
        return np.ones(now.shape, bool)
    same: NDArray[np.bool_] = now == before.lanes
    if now.dtype.kind == "f":
        same = same | (np.isnan(now) & np.isnan(before.lanes))
    return ~same


# ---------------------------------------------------------------- lanes


def lanes_in_view(story: Story, step: int, name: str | None, request: StepsRequest) -> Lanes | None:
    """The lanes of ``name`` around the selected one; None for what has no lanes."""
    if name is None:
        return None
    held = story.held(name, step)
    lanes, value = held.lanes, held.value
    if lanes is None:
        return None
    lane = min(max(request.lane, 0), len(lanes) - 1)
    before = story.before(name, step) if story.born(name, step) == step else held
    changed = _changed(held, before) if before is not None else np.zeros(lanes.shape, bool)
    cells = _Cells(held, changed, story.left_out(name, step))
    width = value.shape[-1] if len(value.shape) > 1 else len(lanes)
    columns = max(1, min(request.columns, width))
    rows = max(1, request.rows)
    if len(value.shape) > 1:
        outer, inner = divmod(lane, width)
        left = min(inner // columns * columns, width - columns)
        top = max(0, min(outer // rows * rows, len(lanes) // width - rows))
        firsts = [row * width + left for row in range(top, min(top + rows, len(lanes) // width))]
    else:
        page = lane // (rows * columns) * rows * columns
        firsts = list(range(page, min(page + rows * columns, len(lanes)), columns))
    return Lanes(
        name=name,
        lane=lane,
        index=_index(lane, value),
        exact=exact(value, lanes[lane]),
        total=len(lanes),
        rows=[cells.row(first, min(columns, len(lanes) - first)) for first in firsts],
    )


def _index(lane: int, value: Value) -> list[int]:
    return [int(axis) for axis in np.unravel_index(lane, value.shape)] if value.shape else []


class _Cells:
    """Makes cells of one value; ``left_out``: lanes masked off, lanes outside."""

    def __init__(
        self, held: Held, changed: NDArray[np.bool_], left_out: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None
    ) -> None:
        assert held.lanes is not None
        self.value, self.lanes, self.changed = held.value, held.lanes, changed
        self.left_out = left_out

    def row(self, first: int, count: int) -> LaneRow:
        return LaneRow(first, _index(first, self.value), [self._cell(lane) for lane in range(first, first + count)])

    def _cell(self, lane: int) -> LaneCell:
        item = self.lanes[lane]
        special = self.lanes.dtype.kind == "f" and not np.isfinite(item)
        return LaneCell(short(self.value, item), self._state(lane), bool(self.changed[lane]), bool(special))

    def _state(self, lane: int) -> Literal["on", "off", "out"]:
        if self.left_out is None:
            return "on"
        off, out = self.left_out
        return "off" if off[lane] else "out" if out[lane] else "on"
