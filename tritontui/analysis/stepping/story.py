"""One program's way through a recorded launch: its moments, and what each name held when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, lane_ranges, program_block
from tritontui.analysis.stepping.recording import Call, Moment, Recording, Value
from tritontui.analysis.trace import Trace
from tritontui.engine.messages import Birth, Touched

MOST_RANGES = 8
STORED = "→ "
"""Before the name of a tensor: what a line stores into it."""


@dataclass(frozen=True)
class Held:
    """What a name held for this program from a step on."""

    value: Value
    row: int
    """Of the program in the value's arrays."""

    @cached_property
    def lanes(self) -> NDArray[Any] | None:
        """Its lanes in one row, or the one number of a scalar; None for what isn't a number."""
        return self.of(self.value)

    def of(self, value: Value) -> NDArray[Any] | None:
        """Lanes of a part of the value."""
        if value.data is None:
            return None
        own = value.data[0 if len(value.data) == 1 else self.row]
        return np.broadcast_to(own, value.shape).reshape(-1)


class Story:
    """``moments[step]`` are those that the program took part in, in order."""

    def __init__(self, trace: Trace, recording: Recording, program: int) -> None:
        self.trace = trace
        self.calls = recording.calls
        self.program = program
        self.moments: list[Moment] = []
        self._held: dict[int, dict[str, tuple[list[int], list[Held]]]] = {}
        """By call, then by name: the steps that gave it a value, and the values."""
        for moment in recording.moments:
            row = int(np.searchsorted(moment.programs, program))
            if row < len(moment.programs) and moment.programs[row] == program:
                self._take(moment, row)

    def _take(self, moment: Moment, row: int) -> None:
        step = len(self.moments)
        self.moments.append(moment)
        of_call = self._held.setdefault(moment.call, {})
        for name, value in moment.values:
            steps, values = of_call.setdefault(name, ([], []))
            steps.append(step)
            values.append(Held(value, row))

    def call(self, step: int) -> Call:
        """The function that the step is in."""
        return self.calls[self.moments[step].call]

    # ------------------------------------------------------------ names

    def names(self, step: int) -> list[str]:
        """Those that hold something in the function of the step, in the order of their first values; then what the
        line stores, named by the tensor."""
        of_call = self._held[self.moments[step].call]
        return [name for name, (steps, _) in of_call.items() if name and steps[0] <= step] + list(self._stored(step))

    def held(self, name: str, step: int) -> Held:
        """What the name holds after the step. Raises KeyError when it holds nothing yet."""
        if name.startswith(STORED):
            return self._stored(step)[name]
        steps, values = self._held[self.moments[step].call][name]
        place = bisect_right(steps, step)
        if not place:
            raise KeyError(name)
        return values[place - 1]

    def born(self, name: str, step: int) -> int:
        """The step that gave the name what it holds."""
        if name.startswith(STORED):
            return step
        steps, _ = self._held[self.moments[step].call][name]
        return steps[bisect_right(steps, step) - 1]

    def before(self, name: str, step: int) -> Held | None:
        """What the name held before the step; None when it held nothing."""
        if name.startswith(STORED):
            return None
        steps, values = self._held[self.moments[step].call][name]
        place = bisect_right(steps, step - 1)
        return values[place - 1] if place else None

    def _stored(self, step: int) -> dict[str, Held]:
        """What the line stores, where it was recorded."""
        stored = {}
        for op, tensor, block in self.blocks(step):
            values = block.values()
            if op == "store" and tensor >= 0 and values is not None:
                made = self.trace.tensors[tensor]
                shape = tuple(block.access.offsets.shape[1:])
                stored[STORED + made.name] = Held(Value(made.dtype, shape, values.reshape(-1, *shape)), 0)
        return stored

    def taken(self, step: int) -> bool | None:
        """What the condition at the step was; None when there was none."""
        if self.moments[step].kind != "branch":
            return None
        lanes = self.held("", step).lanes
        return bool(lanes[0]) if lanes is not None else None

    # ------------------------------------------------------------ lanes that an access left out

    def blocks(self, step: int) -> Iterator[tuple[str, int, Block]]:
        """Operation, tensor and lanes of each access that the program made in the step."""
        first, end = self.moments[step].accesses
        for access in self.trace.accesses[first:end]:
            block = program_block(access, self.program)
            if block is not None:
                site = self.trace.sites[access.site]
                yield site.op, site.tensor, block

    def touched(self, step: int) -> list[Touched]:
        """The step's accesses in numbers."""
        return [
            Touched(
                op=op,  # type: ignore[arg-type]
                tensor=self.trace.tensors[tensor].name if tensor >= 0 else "",
                on=int(block.touched.sum()),
                off=int((~block.wanted).sum()),
                out=0 if block.out is None else int(block.out.sum()),
            )
            for op, tensor, block in self.blocks(step)
        ]

    def left_out(self, name: str, step: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Lanes of what the name holds that the load behind it, or the store of it, left out: by its mask, and for
        lying outside."""
        born = self.born(name, step)
        accessed = name.startswith(STORED) or self.moments[born].kind == "load"
        return self._access_at(born, self.held(name, step).value) if accessed else None

    def _access_at(self, step: int, value: Value) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        lanes = int(np.prod(value.shape, dtype=np.int64))
        for _, _, block in self.blocks(step):
            if block.wanted.shape[1] == lanes:
                out = np.zeros(lanes, bool) if block.out is None else block.out[0] & block.wanted[0]
                return ~block.wanted[0], out
        return None

    # ------------------------------------------------------------ NaN and infinity

    @cached_property
    def births(self) -> list[Birth]:
        """The first NaN and the first infinity that no mask hides."""
        found: dict[str, Birth] = {}
        for step, moment in enumerate(self.moments):
            if moment.kind == "enter":
                continue
            for name, value in moment.values:
                if name and value.data is not None and value.data.dtype.kind == "f":
                    self._look(step, name, found)
            if len(found) == 2:
                break
        return sorted(found.values(), key=lambda birth: birth.step)

    def _look(self, step: int, name: str, found: dict[str, Birth]) -> None:
        lanes = self.held(name, step).lanes
        if lanes is None or np.isfinite(lanes).all():
            return
        left_out = self.left_out(name, step)
        for what, hit in (("nan", np.isnan(lanes)), ("inf", np.isinf(lanes))):
            seen = hit if left_out is None else hit & ~left_out[0]
            if what not in found and seen.any():
                ranges = lane_ranges(seen)[:MOST_RANGES]
                found[what] = Birth(what=what, step=step, name=name, lanes=ranges)  # type: ignore[arg-type]
