# ruff: noqa: N802, N815 - create_icmpSLT and its kind are the compiler's names
"""Arithmetic, comparisons and choice of the builder, and the notice they take of integers that overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritontui.runner.lockstep.elementwise import Elementwise
from tritontui.runner.lockstep.numeric import (
    UNKNOWN,
    Bounds,
    combined_bounds,
    difference_bounds,
    erf,
    fma,
    high_half,
    integer_limits,
    joined_taint,
    product_bounds,
    rsqrt,
    sum_bounds,
    truncated_division,
)
from tritontui.runner.lockstep.padding import chosen
from tritontui.runner.lockstep.suspects import Overflow
from tritontui.runner.lockstep.values import Handle, absolute, bounds_over, same_owner
from tritontui.runner.triton_compat import ir, tl


class Arithmetic(Elementwise):
    """Elementwise operations on numbers. Handles carry the program axis; numpy broadcasts it."""

    # ------------------------------------------------------------ floating point

    def create_fadd(self, a: Handle, b: Handle) -> Handle:
        return self._float(np.add, a, b)

    def create_fsub(self, a: Handle, b: Handle) -> Handle:
        return self._float(np.subtract, a, b)

    def create_fmul(self, a: Handle, b: Handle) -> Handle:
        return self._float(np.multiply, a, b)

    def create_fdiv(self, a: Handle, b: Handle) -> Handle:
        return self._float(np.divide, a, b)

    create_precise_divf = create_approx_divf = create_fdiv

    def create_frem(self, a: Handle, b: Handle) -> Handle:
        return self._float(np.fmod, a, b)

    def create_fneg(self, a: Handle) -> Handle:
        return self._float(np.negative, a)

    def create_minimumf(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "min", a, b, self._float(np.minimum, a, b))

    def create_maximumf(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "max", a, b, self._float(np.maximum, a, b))

    def create_minnumf(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "min", a, b, self._float(np.fmin, a, b))

    def create_maxnumf(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "max", a, b, self._float(np.fmax, a, b))

    def create_clampf(self, x: Handle, low: Handle, high: Handle, propagate_nan: Any) -> Handle:
        if propagate_nan == ir.PROPAGATE_NAN.NONE:
            return self._float(np.fmin, self._float(np.fmax, x, low), high)
        return self._float(np.minimum, self._float(np.maximum, x, low), high)

    def create_fma(self, x: Handle, y: Handle, z: Handle) -> Handle:
        return self._float(fma, x, y, z)

    def create_fabs(self, a: Handle) -> Handle:
        return self._float(np.abs, a)

    def create_exp(self, a: Handle) -> Handle:
        return self._float(np.exp, a)

    def create_exp2(self, a: Handle) -> Handle:
        return self._float(np.exp2, a)

    def create_log(self, a: Handle) -> Handle:
        return self._float(np.log, a)

    def create_log2(self, a: Handle) -> Handle:
        return self._float(np.log2, a)

    def create_sin(self, a: Handle) -> Handle:
        return self._float(np.sin, a)

    def create_cos(self, a: Handle) -> Handle:
        return self._float(np.cos, a)

    def create_sqrt(self, a: Handle) -> Handle:
        return self._float(np.sqrt, a)

    create_precise_sqrt = create_sqrt

    def create_rsqrt(self, a: Handle) -> Handle:
        return self._float(rsqrt, a)

    def create_floor(self, a: Handle) -> Handle:
        return self._float(np.floor, a)

    def create_ceil(self, a: Handle) -> Handle:
        return self._float(np.ceil, a)

    def create_erf(self, a: Handle) -> Handle:
        return self._float(erf, a)

    # ------------------------------------------------------------ integers

    def _integer(self, ufunc: Any, name: str, left: Handle, right: Handle, exact: Bounds) -> Handle:
        """Addition, subtraction or multiplication, with ``exact`` bounds of the unwrapped result."""
        dtype = left.dtype
        low, high = exact
        if dtype.name == "int1" or low is None or high is None:
            fits = False
        else:
            limit_low, limit_high = integer_limits(dtype)
            fits = limit_low <= low and high <= limit_high
        result = self._plain(ufunc, left, right, bounds=exact if fits else UNKNOWN)
        if not fits and dtype.is_int_signed() and 16 <= dtype.int_bitwidth <= 32:
            self._check_overflow(ufunc, name, left, right, result)
        return result

    def _check_overflow(self, ufunc: Any, name: str, left: Handle, right: Handle, result: Handle) -> None:
        wide = ufunc(left.data.astype(np.int64), right.data.astype(np.int64))
        wrong = wide != result.data
        if not wrong.any():
            result.low, result.high = (int(wide.min()), int(wide.max())) if wide.size else UNKNOWN
            return
        pick = [np.broadcast_to(one, wrong.shape)[wrong].flat[0] for one in (left.data, right.data, wide, result.data)]
        a, b, value, wrapped = (int(one) for one in pick)
        self.births.append(Overflow(self.locator.here(), name, a, b, value, wrapped, str(left.dtype)))
        born = np.where(wrong, np.int16(len(self.births)), np.int16(0))
        result.taint = born if result.taint is None else np.maximum(result.taint, born)

    def create_add(self, a: Handle, b: Handle) -> Handle:
        return self._integer(np.add, "add", a, b, sum_bounds(a, b))

    def create_sub(self, a: Handle, b: Handle) -> Handle:
        return self._integer(np.subtract, "sub", a, b, difference_bounds(a, b))

    def create_mul(self, a: Handle, b: Handle) -> Handle:
        return self._integer(np.multiply, "mul", a, b, product_bounds(a, b))

    def create_sdiv(self, a: Handle, b: Handle) -> Handle:
        """Rounds toward zero; a division by zero gives −1, as NVIDIA's does."""
        quotient = truncated_division(a.data, b.data)
        self.watch.raised = False
        bounds = UNKNOWN
        if a.low is not None and a.high is not None and a.low >= 0 and b.low is not None and b.low >= 1:
            bounds = (0, a.high // b.low)
        return Handle(quotient, a.dtype, a.shape, *bounds, taint=joined_taint((a, b)))

    create_udiv = create_sdiv

    def create_srem(self, a: Handle, b: Handle) -> Handle:
        """The remainder has the sign of the dividend."""
        bounds: Bounds = UNKNOWN
        if b.low is not None and b.high is not None and b.low >= 1:
            nonnegative = a.low is not None and a.low >= 0
            bounds = (0 if nonnegative else 1 - b.high, b.high - 1)
        made = self._plain(np.fmod, a, b, bounds=bounds)
        self.watch.raised = False
        return made

    create_urem = create_srem

    def create_minsi(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "min", a, b, self._plain(np.minimum, a, b, bounds=combined_bounds(a, b, min)))

    def create_maxsi(self, a: Handle, b: Handle) -> Handle:
        return chosen(self.births, "max", a, b, self._plain(np.maximum, a, b, bounds=combined_bounds(a, b, max)))

    create_minui, create_maxui = create_minsi, create_maxsi

    def create_iabs(self, a: Handle) -> Handle:
        return self._plain(np.abs, a)

    def create_and(self, a: Handle, b: Handle) -> Handle:
        bounds: Bounds = UNKNOWN
        for side in (a, b):
            if side.low is not None and side.high is not None and side.low >= 0:
                bounds = (0, side.high if bounds[1] is None else min(bounds[1], side.high))
        return self._plain(np.bitwise_and, a, b, bounds=bounds)

    def create_or(self, a: Handle, b: Handle) -> Handle:
        return self._plain(np.bitwise_or, a, b)

    def create_xor(self, a: Handle, b: Handle) -> Handle:
        return self._plain(np.bitwise_xor, a, b)

    def create_shl(self, a: Handle, b: Handle) -> Handle:
        return self._shifted(np.left_shift, a, b)

    def create_lshr(self, a: Handle, b: Handle) -> Handle:
        unsigned = np.dtype(f"u{a.data.dtype.itemsize}") if a.data.dtype != np.bool_ else np.dtype(np.bool_)
        shifted = self._shifted(np.right_shift, Handle(a.data.view(unsigned), a.dtype, a.shape, taint=a.taint), b)
        return Handle(shifted.data.view(a.data.dtype), a.dtype, a.shape, taint=shifted.taint)

    def create_ashr(self, a: Handle, b: Handle) -> Handle:
        bounds: Bounds = UNKNOWN
        if a.low is not None and a.high is not None and a.low >= 0:
            bounds = (0, a.high)
        return self._shifted(np.right_shift, a, b, bounds)

    def _shifted(self, ufunc: Any, a: Handle, b: Handle, bounds: Bounds = UNKNOWN) -> Handle:
        kind = a.data.dtype
        if kind == np.bool_:
            return self._plain(ufunc, a, b)
        amount = b.data.astype(kind) if b.data.dtype != kind else b.data
        return Handle(ufunc(a.data, amount), a.dtype, a.shape, *bounds, taint=joined_taint((a, b)))

    def create_umulhi(self, a: Handle, b: Handle) -> Handle:
        kind = a.data.dtype
        return Handle(high_half(a.data, b.data).view(kind), a.dtype, a.shape)

    # ------------------------------------------------------------ comparisons

    def _compare(self, ufunc: Any, a: Handle, b: Handle) -> Handle:
        if a.owner is not b.owner:
            a, b = absolute(a), absolute(b)
        data = ufunc(a.data, b.data)
        self.watch.raised = False
        return Handle(data, tl.int1, a.shape)

    def create_icmpSLT(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.less, a, b)

    def create_icmpSLE(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.less_equal, a, b)

    def create_icmpSGT(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.greater, a, b)

    def create_icmpSGE(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.greater_equal, a, b)

    def create_icmpEQ(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.equal, a, b)

    def create_icmpNE(self, a: Handle, b: Handle) -> Handle:
        return self._compare(np.not_equal, a, b)

    create_icmpULT, create_icmpULE = create_icmpSLT, create_icmpSLE
    create_icmpUGT, create_icmpUGE = create_icmpSGT, create_icmpSGE
    create_fcmpOLT, create_fcmpOLE = create_icmpSLT, create_icmpSLE
    create_fcmpOGT, create_fcmpOGE = create_icmpSGT, create_icmpSGE
    create_fcmpOEQ, create_fcmpUNE = create_icmpEQ, create_icmpNE

    # ------------------------------------------------------------ choice

    def create_select(self, condition: Handle, a: Handle, b: Handle) -> Handle:
        left, right = same_owner([a, b])
        data = np.where(condition.data, left.data, right.data)
        taint = None
        if left.taint is not None or right.taint is not None:
            zero = np.int16(0)
            taint = np.where(
                condition.data,
                zero if left.taint is None else left.taint,
                zero if right.taint is None else right.taint,
            )
        shape = condition.shape if len(condition.shape) > len(a.shape) else a.shape
        return Handle(data, a.dtype, shape, *bounds_over((left, right)), owner=left.owner, taint=taint)
