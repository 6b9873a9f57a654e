"""Bessel functions of integer order in float64. PyTorch's of order 0 and 1 are off by 1e-8 between 3 and 7.

Up to ``FAR`` by Miller's downward recurrence, beyond by Hankel's expansion; numbers are the formulas of Abramowitz and
Stegun, "Handbook of Mathematical Functions".
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.errors import UnsupportedOperation

Array = NDArray[Any]

FAR = 25.0
"""Above it 24 terms of Hankel's expansion are good to the last digit."""
HIGHEST_ORDER = 10_000
"""Of J_n and Y_n: their recurrences take as many steps."""
ZERO, ONE = np.zeros(1, np.int64), np.ones(1, np.int64)


def j0(x: Array) -> Array:
    return jn(ZERO, x)


def j1(x: Array) -> Array:
    return jn(ONE, x)


def y0(x: Array) -> Array:
    return yn(ZERO, x)


def y1(x: Array) -> Array:
    return yn(ONE, x)


def jn(order: Array, x: Array) -> Array:
    """Of the first kind; NaN for a negative order, as CUDA's."""
    n, x = _ordered(order, x)
    size = np.abs(x)
    far = size > FAR
    first, second = _hankel(np.where(far, size, 2 * FAR))
    outer = _upward(np.where(n <= size, n, 0), size, first.real, second.real)
    value = np.where(far & (n <= size), outer, _miller(n, np.where(far & (n <= size), 1.0, size)).wanted)
    value = np.where(np.isinf(size), 0, value)
    value = np.where((x < 0) & (n % 2 == 1), -value, value)
    return np.where((n < 0) | np.isnan(x), np.nan, value)


def yn(order: Array, x: Array) -> Array:
    """Of the second kind; NaN for a negative order, as CUDA's, and for negative numbers."""
    n, x = _ordered(order, x)
    far = x > FAR
    inside = _miller(n, np.where(far | ~(x > 0), 1.0, x))
    first, second = _hankel(np.where(far, x, 2 * FAR))
    zeroth, first_order = np.where(far, first.imag, inside.y0), np.where(far, second.imag, inside.y1)
    value = _upward(n, np.where(x > 0, x, 1.0), zeroth, first_order)
    value = np.where(np.isposinf(x), 0, np.where(x == 0, -np.inf, value))
    return np.where((n < 0) | (x < 0) | np.isnan(x), np.nan, value)


def _ordered(order: Array, x: Array) -> tuple[Array, Array]:
    if np.any(order > HIGHEST_ORDER):
        raise UnsupportedOperation(f"Bessel functions of orders above {HIGHEST_ORDER} are not supported without a GPU")
    n, wide = np.broadcast_arrays(order.astype(np.int64), x.astype(np.float64))
    return n, wide


def _upward(n: Array, x: Array, zeroth: Array, first: Array) -> Array:
    """F_{k+1} = 2k/x · F_k − F_{k−1} (9.1.27) from the first two; stable where F grows with the order, or n ≤ x."""
    before, value = zeroth, first
    result = np.where(n == 0, zeroth, first)
    for k in range(1, int(n.max(initial=0))):
        before, value = value, np.where(np.isinf(value), value, 2 * k / x * value - before)
        result = np.where(n == k + 1, value, result)
    return result


class Sweep(NamedTuple):
    """What a downward sweep over all orders gathers."""

    wanted: Array
    y0: Array
    y1: Array


def _miller(n: Array, x: Array) -> Sweep:
    """J_n, Y_0 and Y_1 for 0 ≤ x, x ≤ ``FAR`` or below n, from an order so high that any start does.

    J_0 + 2 ΣJ_2k = 1 gives the scale (9.1.46); Y_0 and Y_1 are sums of the J (9.1.89 and its derivative).
    """
    highest = max(int(n.max(initial=0)), int(FAR))
    start = 2 * ((highest + int(math.sqrt(160 * highest)) + 20) // 2)
    zero = x == 0
    x = np.where(zero, 1.0, x)
    above, value = np.zeros(x.shape), np.full(x.shape, 1e-300)
    total, wanted, even, odd = (np.zeros(x.shape) for _ in range(4))
    for k in range(start, 0, -1):
        below = 2 * k / x * value - above
        half, is_even = k // 2, k % 2 == 0
        wanted = np.where(n == k, value, wanted)
        if is_even:
            sign = -1 if half % 2 else 1
            total = total + 2 * value
            even = even + sign / half * value
            odd = odd + sign / half * (below - above)
        above, value = value, below
        scale = np.where(np.abs(value) > 1e200, 1e-200, 1.0)
        above, value, total, wanted, even, odd = (one * scale for one in (above, value, total, wanted, even, odd))
    total = total + value
    zeroth, first, even, odd = (one / total for one in (value, above, even, odd))
    wanted = np.where(n == 0, zeroth, wanted / total)
    log = np.log(x / 2) + np.euler_gamma
    return Sweep(
        np.where(zero, n == 0, wanted),
        2 / np.pi * (log * zeroth - 2 * even),
        2 / np.pi * (log * first - zeroth / x + odd),
    )


def _hankel(x: Array) -> tuple[Array, Array]:
    """J_0 + i·Y_0 and J_1 + i·Y_1 far out (9.2.5 to 9.2.10): √(2/πx) · (P + iQ) · exp(i(x − π/4 − nπ/2))."""
    turned = np.exp(-0.25j * np.pi) * (np.cos(x) + 1j * np.sin(x))
    size = np.sqrt(2 / (np.pi * x))
    return size * turned * _hankel_sum(0, x), size * turned * -1j * _hankel_sum(1, x)


def _hankel_sum(order: int, x: Array) -> Array:
    term, total = np.ones(x.shape, np.complex128), np.ones(x.shape, np.complex128)
    for k in range(1, 24):
        term = term * 1j * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)
        total = total + term
    return total
