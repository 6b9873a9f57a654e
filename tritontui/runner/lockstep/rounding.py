"""Arithmetic and casts rounded to a named side: nearest, toward zero, down or up (``rn``, ``rz``, ``rd``, ``ru``).

numpy rounds to nearest. Whether that went past the exact result is asked of rational numbers, lane by lane: slow (µs a
lane) and right to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.numeric import fma, rsqrt

Array = NDArray[Any]
Function = Callable[..., Array]


@dataclass(frozen=True)
class Operation:
    """``nearest`` in numpy; ``excess`` of the exact result over a rounded one, in rationals (its sign alone counts)."""

    nearest: Function
    excess: Callable[..., Any]
    addends: Callable[..., tuple[Array, Array]] | None = None
    """Of a sum: what is added. Opposite numbers add to −0 where the result is rounded down."""
    divisor: int | None = None
    """The operand by which zero gives an infinity that no rounding changes."""


OPERATIONS = {
    "add": Operation(np.add, lambda r, a, b: a + b - r, lambda a, b: (a, b)),
    "sub": Operation(np.subtract, lambda r, a, b: a - b - r, lambda a, b: (a, -b)),
    "mul": Operation(np.multiply, lambda r, a, b: a * b - r),
    "div": Operation(np.divide, lambda r, a, b: (a - r * b) * b, divisor=1),
    "rcp": Operation(np.reciprocal, lambda r, a: (1 - r * a) * a, divisor=0),
    "sqrt": Operation(np.sqrt, lambda r, a: a - r * r),
    "fma": Operation(fma, lambda r, a, b, c: a * b + c - r, lambda a, b, c: (a * b, c)),
    "rsqrt": Operation(lambda a: rsqrt(a.astype(np.float64)), lambda r, a: 1 - r * r * a, divisor=0),
}
TO_INTEGER: dict[str, Function] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}

_rational = np.frompyfunc(Fraction, 1, 1)


def _exact(x: Array) -> Array:
    """``x`` in rational numbers; 0 for what isn't finite."""
    wide = x if x.dtype.kind in "iu" else np.where(np.isfinite(x), x, 0).astype(np.float64)
    made: Array = np.asarray(_rational(wide.astype(object)))
    return made


def rounded(name: str, side: str, *operands: Array) -> Array:
    """``OPERATIONS[name]`` in the operands' dtype, rounded to ``side``."""
    operation = OPERATIONS[name]
    kind = operands[0].dtype
    result = operation.nearest(*operands).astype(kind, copy=False)
    if side == "rn":
        return result
    finite = np.logical_and.reduce(np.broadcast_arrays(*(np.isfinite(one) for one in operands)))
    if operation.divisor is not None:
        finite = finite & (operands[operation.divisor] != 0)
    excess = operation.excess(_exact(result), *(_exact(one) for one in operands))
    result = _stepped(result, np.sign(excess).astype(np.int8), finite, side)
    if operation.addends is not None and side == "rd":
        left, right = operation.addends(*operands)
        cancelled = (result == 0) & (left == -right) & (np.signbit(left) | np.signbit(right))
        result = np.where(cancelled, kind.type(-0.0), result)
    return result


def cast_to_float(x: Array, kind: np.dtype[Any], side: str) -> Array:
    """Integers or wider floats as ``kind``, rounded to ``side``."""
    result = x.astype(kind)
    if side == "rn":
        return result
    finite = np.isfinite(x) if x.dtype.kind == "f" else np.ones(x.shape, np.bool_)
    return _stepped(result, np.sign(_exact(x) - _exact(result)).astype(np.int8), finite, side)


def _stepped(nearest: Array, excess: Array, finite: Array, side: str) -> Array:
    """``nearest`` moved by one step where it lies on the wrong side; ``excess`` is the sign of exact − nearest."""
    overflowed = finite & np.isinf(nearest)
    excess = np.where(overflowed, -np.sign(nearest), np.where(finite, excess, 0))
    down = (excess < 0) & ((side == "rd") | ((side == "rz") & (nearest > 0)))
    up = (excess > 0) & ((side == "ru") | ((side == "rz") & (nearest < 0)))
    infinity = nearest.dtype.type(np.inf)
    stepped: Array = np.where(down, np.nextafter(nearest, -infinity), nearest)
    return np.where(up, np.nextafter(stepped, infinity), stepped)
