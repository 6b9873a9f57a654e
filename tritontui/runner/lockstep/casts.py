"""Casts of the builder, and pointers that move."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritontui.runner.lockstep.dtypes import (
    bits,
    element_bytes,
    from_bits,
    is_rounded,
    register_dtype,
    round_to,
)
from tritontui.runner.lockstep.elementwise import Elementwise
from tritontui.runner.lockstep.numeric import (
    UNKNOWN,
    Bounds,
    integer_limits,
    joined_taint,
    sum_bounds,
    to_integer,
    truncated,
)
from tritontui.runner.lockstep.values import Handle, absolute
from tritontui.runner.triton_compat import ir


class Casts(Elementwise):
    """Conversions between dtypes and of pointers. Handles carry the program axis."""

    # ------------------------------------------------------------ casts

    def create_fp_trunc(self, a: Handle, dtype: Any) -> Handle:
        return self._to_float(a, dtype.scalar)

    def create_fp_ext(self, a: Handle, dtype: Any) -> Handle:
        return self._to_float(a, dtype.scalar)

    def create_fp_to_fp(self, a: Handle, dtype: Any, rounding: Any) -> Handle:
        return self._to_float(a, dtype.scalar, toward_zero=rounding == ir.ROUNDING_MODE.RTZ)

    def create_si_to_fp(self, a: Handle, dtype: Any) -> Handle:
        return self._to_float(a, dtype.scalar)

    create_ui_to_fp = create_si_to_fp

    def _to_float(self, a: Handle, dtype: Any, *, toward_zero: bool = False) -> Handle:
        kind = register_dtype(dtype)
        if is_rounded(dtype):
            data = round_to(a.data.astype(np.float32), dtype, toward_zero=toward_zero)
        elif toward_zero:
            data = truncated(a.data, kind)
        else:
            data = a.data.astype(kind)
        if self.watch.raised:
            self._float_flag(data, [a.data])
        return Handle(data, dtype, a.shape, taint=a.taint)

    def create_fp_to_si(self, a: Handle, dtype: Any) -> Handle:
        """Toward zero; what doesn't fit gives what ``cvt`` gives (``to_integer``)."""
        data = to_integer(a.data, register_dtype(dtype.scalar))
        self.watch.raised = False
        return Handle(data, dtype.scalar, a.shape, taint=a.taint)

    create_fp_to_ui = create_fp_to_si

    def create_int_cast(self, a: Handle, dtype: Any, _signed: bool) -> Handle:
        scalar = dtype.scalar
        data = a.data.astype(register_dtype(scalar))
        bounds: Bounds = UNKNOWN
        if a.dtype.name == "int1":
            bounds = (0, 1)
        elif a.low is not None and a.high is not None:
            low, high = integer_limits(scalar)
            bounds = (a.low, a.high) if low <= a.low and a.high <= high else UNKNOWN
        return Handle(data, scalar, a.shape, *bounds, taint=a.taint)

    def create_bitcast(self, a: Handle, dtype: Any) -> Handle:
        scalar = dtype.scalar
        if scalar.is_ptr() and a.dtype.is_ptr():
            same_size = element_bytes(scalar.element_ty) == element_bytes(a.dtype.element_ty)
            source = a if same_size else absolute(a)
            return Handle(source.data, scalar, a.shape, source.low, source.high, source.owner, a.taint)
        if scalar.is_ptr() or a.dtype.is_ptr():
            return Handle(absolute(a).data.astype(register_dtype(scalar)), scalar, a.shape, taint=a.taint)
        return Handle(from_bits(bits(a.data, a.dtype), scalar), scalar, a.shape, taint=a.taint)

    create_int_to_ptr = create_ptr_to_int = create_bitcast

    # ------------------------------------------------------------ pointers

    def create_addptr(self, pointer: Handle, offset: Handle) -> Handle:
        if pointer.owner is not None:
            bounds = sum_bounds(pointer, offset)
            still = pointer.low == 0 and pointer.high == 0
            data = offset.wide() if still else pointer.data + offset.wide()
        else:
            bounds = UNKNOWN
            data = pointer.data + offset.wide() * element_bytes(pointer.dtype.element_ty)
        taint = joined_taint((pointer, offset))
        return Handle(data, pointer.dtype, pointer.shape, *bounds, owner=pointer.owner, taint=taint)
