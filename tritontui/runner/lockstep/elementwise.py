"""The two ways in which an elementwise operation runs, and the notice it takes of NaNs and infinities that are born."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.dtypes import (
    is_rounded,
    register_dtype,
    round_to,
)
from tritontui.runner.lockstep.location import Locator
from tritontui.runner.lockstep.numeric import (
    UNKNOWN,
    WRAPS_IN_ONE_BIT,
    Array,
    Bounds,
    joined_taint,
)
from tritontui.runner.lockstep.recorder import Recorder, whereabouts
from tritontui.runner.lockstep.values import Handle


class FloatWatch:
    """numpy calls it when a floating-point operation raises a hardware flag: costs nothing until one does."""

    def __init__(self) -> None:
        self.raised = False

    def __call__(self, _kind: str, _flag: int) -> None:
        self.raised = True


class Elementwise:
    """What elementwise operations have in common. Handles carry the program axis; numpy broadcasts it."""

    recorder: Recorder
    locator: Locator
    active: NDArray[np.intp]

    def __init__(self) -> None:
        self.watch = FloatWatch()
        self.births: list[Any] = []

    def _float(self, ufunc: Any, *operands: Handle) -> Handle:
        """A floating-point ufunc, rounded to the operands' dtype."""
        first = operands[0]
        data = ufunc(*(operand.data for operand in operands))
        if is_rounded(first.dtype):
            data = round_to(data, first.dtype)
        elif data.dtype != register_dtype(first.dtype):
            data = data.astype(register_dtype(first.dtype))
        if self.watch.raised:
            self._float_flag(data, [operand.data for operand in operands])
        return Handle(data, first.dtype, first.shape, taint=joined_taint(operands))

    def _float_flag(self, result: Array, operands: list[Array]) -> None:
        """A flag was raised: note where NaN or infinity came out of finite operands."""
        self.watch.raised = False
        born = ~np.isfinite(result)
        if not born.any():
            return
        for operand in operands:
            born = born & np.isfinite(operand)
        if born.any():
            programs, lanes = whereabouts(born, self.active)
            first = np.broadcast_to(result, born.shape)[born].flat[0]
            self.recorder.event(
                "nan-born" if np.isnan(first) else "inf-born",
                self.locator.here(),
                programs,
                lanes,
                value=str(float(first)),
                operands=[float(np.broadcast_to(one, born.shape)[born].flat[0]) for one in operands],
                count=int(np.count_nonzero(born)),
            )

    def _plain(self, ufunc: Any, *operands: Handle, bounds: Bounds = UNKNOWN) -> Handle:
        """An integer or bool ufunc; bool arithmetic wraps in one bit."""
        first = operands[0]
        datas = [operand.data for operand in operands]
        expected = register_dtype(first.dtype)
        if expected == np.bool_ and ufunc in WRAPS_IN_ONE_BIT:
            data = (ufunc(*(one.astype(np.int8) for one in datas)) & 1).astype(np.bool_)
        else:
            data = ufunc(*datas)
            if data.dtype != expected:
                data = data.astype(expected)
        return Handle(data, first.dtype, first.shape, *bounds, taint=joined_taint(operands))
