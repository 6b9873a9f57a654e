"""Values that are suspect (an integer that overflowed, padding that was counted), reported where one does harm.

Many overflow on purpose, in lanes that are masked off later: only an address or a stored value makes it a fault.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.location import Locator, Place
from tritontui.runner.lockstep.padding import DATA, Padding, PaddingCounted, counted_padding
from tritontui.runner.lockstep.recorder import Recorder, whereabouts
from tritontui.runner.lockstep.storage import Argument
from tritontui.runner.lockstep.values import Array, Handle


@dataclass(frozen=True)
class Overflow:
    """Where a signed integer first left its range."""

    place: Place
    operation: str
    left: int
    right: int
    value: int
    """What it should have been."""
    wrapped: int
    dtype: str


class Suspects:
    """Where the suspect values of a launch were born."""

    def __init__(self, control: Control, recorder: Recorder, locator: Locator) -> None:
        self.control = control
        self.recorder = recorder
        self.locator = locator
        self.births: list[Overflow | Padding | PaddingCounted] = []
        """What a handle's ``taint`` numbers, from 1: where the values it marks began to be suspect."""

    def reached(self, handle: Handle, active: Array | None, reaches: str, owner: Argument | None) -> None:
        """Report overflows, and padding that was counted, whose result an active lane uses as an address or stores."""
        assert handle.taint is not None
        taint = handle.taint if active is None else np.where(active, handle.taint, 0)
        for number in np.unique(taint):
            birth = self.births[number - 1] if 0 < number < DATA else None
            if isinstance(birth, Overflow):
                self._overflow_reached(birth, taint == number, reaches, owner)
            padding = counted_padding(self.births, int(number))
            if padding is not None and reaches == "store":
                self._padding_reached(padding, taint == number, owner)

    def _overflow_reached(self, birth: Overflow, lanes: Array, reaches: str, owner: Argument | None) -> None:
        programs, ranges = whereabouts(lanes, self.control.active)
        self.recorder.event(
            "int32-overflow",
            birth.place,
            programs,
            ranges,
            operation=birth.operation,
            left=birth.left,
            right=birth.right,
            value=birth.value,
            wrapped=birth.wrapped,
            dtype=birth.dtype,
            reaches=reaches,
            tensor=None if owner is None else owner.name,
            use_line=self.locator.here()[0],
        )

    def _padding_reached(self, birth: PaddingCounted, lanes: Array, owner: Argument | None) -> None:
        programs, _ = whereabouts(lanes, self.control.active)
        padding = birth.padding
        self.recorder.event(
            "padding-counted",
            padding.place,
            programs,
            reduction=birth.reduction,
            other=padding.other,
            masked=padding.masked,
            lanes_total=padding.lanes_total,
            store_line=self.locator.here()[0],
            store_tensor="" if owner is None else owner.name,
        )
