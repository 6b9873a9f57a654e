"""What the wrong elements of an output have in common: an indexing fault has a shape, a precision problem hasn't."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

PatternName = Literal[
    "tail",
    "every-k",
    "one-block",
    "one-tile",
    "columns",
    "transposed",
    "noise",
    "sign",
    "factor",
    "offset",
    "shifted",
    "constant",
    "moved",
    "all",
]

NOISE_LIMIT = 0.02
"""Largest error, relative to the largest expected value, that still looks like rounding: a few units of bf16 (2⁻⁸)."""


FEWEST = 4
"""Elements that must obey a rule before it is said."""
FARTHEST = 64
"""Elements by which values may be shifted."""
SAMPLE = 4096
"""Elements that are compared before all are."""
CLOSE = 5e-3
"""Relative to the largest value: a few roundings of a 16-bit type."""
DENSE = 0.9
"""Share of a stretch or a tile that must be wrong: some values come out right by chance."""


@dataclass(frozen=True)
class Pattern:
    """``params``, as the name has them: first, last (flat indices, of ``columns`` and ``one-tile`` those of columns),
    first_row, last_row, k, worst, by (factor, offset, elements, value)."""

    name: PatternName
    params: dict[str, Any] = field(default_factory=dict)


def find_pattern(wrong: NDArray[np.bool_], got: NDArray[np.float64], expected: NDArray[np.float64]) -> Pattern | None:
    """The pattern of the wrong elements, all three arrays in the output's shape; None when there is no plain one."""
    where = np.flatnonzero(wrong)
    if not len(where):
        return None
    if _is_transposed(got, expected):
        return Pattern("transposed")
    if (worst := _noise(where, wrong.size, got, expected)) is not None:
        return Pattern("noise", {"worst": worst})
    if 2 * len(where) > wrong.size and (related := _related(where, got.reshape(-1), expected.reshape(-1))) is not None:
        return related
    if _is_moved(where, got.reshape(-1), expected.reshape(-1)):
        return Pattern("moved")
    if len(where) == wrong.size:
        return Pattern("all")
    return _stretch(where, wrong.size) or _tile(wrong) or _steps(where)


def _stretch(where: NDArray[np.intp], size: int) -> Pattern | None:
    """One run of elements, in memory order; more than half of them are no stretch of one block."""
    first, last = int(where[0]), int(where[-1])
    if len(where) < DENSE * (last - first + 1) or last - first + 1 == size:
        return None
    if last == size - 1:
        return Pattern("tail", {"first": first, "last": last})
    return Pattern("one-block", {"first": first, "last": last}) if 1 < last - first + 1 <= size // 2 else None


def _tile(wrong: NDArray[np.bool_]) -> Pattern | None:
    """A rectangle of a matrix; all of its rows make ``columns``."""
    if wrong.ndim < 2:
        return None
    matrix = wrong.reshape(-1, wrong.shape[-1])
    rows, columns = np.flatnonzero(matrix.any(axis=1)), np.flatnonzero(matrix.any(axis=0))
    (top, bottom), (left, right) = ((int(axis[0]), int(axis[-1])) for axis in (rows, columns))
    inside = matrix[top : bottom + 1, left : right + 1]
    if inside.size < 2 or inside.size == wrong.size or np.count_nonzero(inside) < DENSE * inside.size:
        return None
    if len(inside) == len(matrix):
        return Pattern("columns", {"first": left, "last": right})
    return Pattern("one-tile", {"first": left, "last": right, "first_row": top, "last_row": bottom})


def _steps(where: NDArray[np.intp]) -> Pattern | None:
    """Elements that lie equally far apart."""
    first, last = int(where[0]), int(where[-1])
    if len(where) < 3:
        return None
    k = int(np.gcd.reduce(np.diff(where)))
    if k < 2 or len(where) < DENSE * ((last - first) // k + 1):
        return None
    return Pattern("every-k", {"first": first, "k": k})


def _related(where: NDArray[np.intp], got: NDArray[np.float64], expected: NDArray[np.float64]) -> Pattern | None:
    """How the wrong values follow from the right ones, by a rule that holds for each of at least FEWEST of them."""
    found, right = got[where], expected[where]
    if len(where) < FEWEST or not (np.isfinite(found).all() and np.isfinite(expected).all()):
        return None
    if len(np.unique(found)) == 1 and len(np.unique(right)) > 1:
        return Pattern("constant", {"by": float(found[0])})
    if (right != 0).all():
        factor = float(np.median(found / right))
        if factor != 0 and _alike(found, right * factor):
            return Pattern("sign" if abs(factor + 1) < CLOSE else "factor", {"by": float(f"{factor:.4g}")})
    offset = float(np.median(found - right))
    if _alike(found, right + offset):
        return Pattern("offset", {"by": float(f"{offset:.4g}")})
    return _shifted(got, expected)


def _shifted(got: NDArray[np.float64], expected: NDArray[np.float64]) -> Pattern | None:
    """Each element holds what belongs a few elements further on (by > 0) or back."""
    for distance in range(1, min(FARTHEST, len(got) - FEWEST) + 1):
        for by, mine, right in (
            (distance, got[:-distance], expected[distance:]),
            (-distance, got[distance:], expected[:-distance]),
        ):
            looked_at = slice(SAMPLE)  # a million elements at 64 distances take seconds
            if not _alike(mine[looked_at], right[looked_at]) or not _alike(mine, right):
                continue
            if len(np.unique(right)) >= FEWEST:
                return Pattern("shifted", {"by": by})
    return None


def _is_moved(where: NDArray[np.intp], got: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    """Whether the wrong elements hold each other's right values."""
    found, right = np.sort(got[where]), np.sort(expected[where])
    return len(np.unique(right)) >= FEWEST and _alike(found, right) and bool(np.isfinite(right).all())


def _alike(found: NDArray[np.float64], wanted: NDArray[np.float64]) -> bool:
    scale = float(np.abs(wanted).max(initial=0.0))
    return bool(np.isfinite(found).all() and (np.abs(found - wanted) <= CLOSE * scale).all())


def _is_transposed(got: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    """Whether ``got`` holds the expected matrix in column order (square or not)."""
    if expected.ndim != 2 or min(expected.shape) < 2:
        return False
    return bool(np.allclose(got.reshape(-1), expected.T.reshape(-1), rtol=1e-2, atol=1e-3, equal_nan=True))


def _noise(where: NDArray[np.intp], size: int, got: NDArray[np.float64], expected: NDArray[np.float64]) -> float | None:
    """The worst error relative to the largest expected value, when errors are small everywhere and scattered."""
    scale = float(np.max(np.abs(expected), initial=0.0))
    if not np.isfinite(scale) or scale == 0.0:
        return None
    error = np.abs(got.reshape(-1)[where] - expected.reshape(-1)[where])
    worst = float(np.max(error)) / scale
    scattered = len(where) >= 3 and (where[-1] - where[0] + 1 > len(where) or len(where) == size)
    return worst if np.isfinite(worst) and worst <= NOISE_LIMIT and scattered else None
