"""Numbers as registers hold them: bounds of integers, and functions that numpy lacks or does otherwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.values import Handle

Array = NDArray[Any]
Bounds = tuple[int | None, int | None]
UNKNOWN: Bounds = (None, None)

WRAPS_IN_ONE_BIT = (np.add, np.subtract, np.multiply)


def joined_taint(operands: Any) -> Array | None:
    taint: Array | None = None
    for operand in operands:
        if operand.taint is not None:
            taint = operand.taint if taint is None else np.maximum(taint, operand.taint)
    return taint


def integer_limits(dtype: Any) -> tuple[int, int]:
    """Lowest and highest value of an integer dtype."""
    width = dtype.int_bitwidth
    if dtype.is_int_signed():
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def sum_bounds(a: Handle, b: Handle) -> Bounds:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return UNKNOWN
    return a.low + b.low, a.high + b.high


def difference_bounds(a: Handle, b: Handle) -> Bounds:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return UNKNOWN
    return a.low - b.high, a.high - b.low


def product_bounds(a: Handle, b: Handle) -> Bounds:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return UNKNOWN
    corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return min(corners), max(corners)


def combined_bounds(a: Handle, b: Handle, pick: Any) -> Bounds:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return UNKNOWN
    return pick(a.low, b.low), pick(a.high, b.high)


def truncated_division(a: Array, b: Array) -> Array:
    exact = a if a.dtype.kind == "u" else a - np.fmod(a, b)
    quotient: Array = np.floor_divide(exact, b)
    zero = b == 0
    return np.where(zero, np.array(-1).astype(a.dtype), quotient) if zero.any() else quotient


def rsqrt(x: Array) -> Array:
    inverse: Array = np.divide(x.dtype.type(1), np.sqrt(x))
    return inverse


def fma(x: Array, y: Array, z: Array) -> Array:
    """x·y + z, rounded once: the sum of exact parts is rounded to odd before it is rounded to x's dtype.

    Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums" (2008). In float64 a product
    below 2⁻⁹⁶⁹ or above 2⁹⁹⁶ is rounded on its own.
    """
    wide_x, wide_y, wide_z = (one.astype(np.float64) for one in (x, y, z))
    product, lost = _two_product(wide_x, wide_y)
    if x.dtype == np.float64:
        low, lowest = _two_sum(wide_z, lost)
        high, middle = _two_sum(product, low)
        exact = high + _sum_to_odd(middle, lowest)
    else:
        exact = _sum_to_odd(product, wide_z)
    plain = product + wide_z
    return np.where(np.isfinite(exact), exact, plain).astype(x.dtype)


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b and what its rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a · b in float64 and what its rounding lost (Dekker)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Array) -> tuple[Array, Array]:
    """Two parts of 26 bits each (Veltkamp)."""
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    return high, a - high


def _sum_to_odd(a: Array, b: Array) -> Array:
    """a + b; where it isn't exact, that one of its two neighbours whose last bit is 1."""
    total, lost = _two_sum(a, b)
    even = total.view(np.int64) & 1 == 0
    other = np.nextafter(total, np.copysign(np.inf, lost))
    return np.where((lost != 0) & even, other, total)


def to_integer(x: Array, kind: np.dtype[Any]) -> Array:
    """Floats cut to integers as ``cvt`` does: what doesn't fit saturates, and NaN gives ``nan_as_integer``.

    To 8 bits the compiler cuts to 16 (``cvt.rzi.s16.f32``) and keeps the lower half: 300 gives 44.
    """
    if kind.itemsize == 1:
        return to_integer(x, np.dtype(f"{kind.kind}2")).astype(kind)
    limits = np.iinfo(kind)
    inside = (x > limits.min) & (x < limits.max)
    if inside.all():
        return x.astype(kind)
    made = np.where(inside, x, 0).astype(kind)
    made = np.where(x >= limits.max, kind.type(limits.max), made)
    made = np.where(x <= limits.min, kind.type(limits.min), made)
    return np.where(np.isnan(x), kind.type(nan_as_integer(x.dtype, kind)), made)


def nan_as_integer(source: np.dtype[Any], kind: np.dtype[Any]) -> int:
    """0 where neither side has 64 bits, else the pattern 1000…0 (PTX ISA, ``cvt``)."""
    if source.itemsize < 8 and kind.itemsize < 8:
        return 0
    return int(np.iinfo(kind).min) if kind.kind == "i" else 1 << (kind.itemsize * 8 - 1)


_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    """The error function; numpy has none."""
    return np.asarray(_erf(x.astype(np.float64)), dtype=np.float64).astype(x.dtype)


def truncated(x: Array, kind: np.dtype[Any]) -> Array:
    """Cast to a narrower float, rounding toward zero."""
    made = x.astype(kind)
    away = np.abs(made.astype(np.float64)) > np.abs(x.astype(np.float64))
    return np.where(away, np.nextafter(made, kind.type(0)), made) if away.any() else made


def high_half(a: Array, b: Array) -> Array:
    """High half of the double-width product of two integers taken as unsigned."""
    size = a.dtype.itemsize
    unsigned = np.dtype(f"u{size}")
    a, b = a.view(unsigned), b.view(unsigned)
    if size < 8:
        wide = np.dtype(f"u{size * 2}")
        product: Array = a.astype(wide) * b.astype(wide)
        upper: Array = product >> wide.type(size * 8)
        return upper.astype(unsigned)
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    carry = a_low * b_high + (middle & mask)
    high: Array = a_high * b_high + (middle >> half) + (carry >> half)
    return high
