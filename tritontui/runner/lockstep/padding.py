"""Padding followed lane by lane: does anything count lanes that a load's mask switched off?

A marked lane is one whose value stems from padding. A reduction or a product leaves such lanes out of a second,
silent computation; where that gives another result, the padding was counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.location import Place
from tritontui.runner.lockstep.values import Handle

Array = NDArray[Any]


@dataclass(frozen=True)
class Padding:
    """A load that switched lanes off."""

    place: Place
    other: str
    """The padding that was given, as a number; "" when none was."""
    masked: int
    """Lanes off in the first program that has both kinds."""
    lanes_total: int


@dataclass(frozen=True)
class PaddingCounted:
    """A reduction or a product whose result depends on padding."""

    padding: Padding
    reduction: str


def padding_of(births: list[Any], place: Place, active: Array, other: Handle | None) -> Array:
    """Marks for a load: 0 where ``active``, else the number of its ``Padding`` among ``births`` (added when new)."""
    known = [index for index, birth in enumerate(births) if isinstance(birth, Padding) and birth.place == place]
    if not known:
        known = [len(births)]
        births.append(_padding(place, active, other))
    return np.asarray(np.where(active, np.int16(0), np.int16(known[0] + 1)))


def _padding(place: Place, active: Array, other: Handle | None) -> Padding:
    rows = active.reshape(len(active), -1)
    off = (~rows).sum(axis=1)
    partly = np.flatnonzero(rows.any(axis=1) & (off > 0))
    shown = int(partly[0]) if len(partly) else 0
    text = "" if other is None or not other.data.size else f"{other.data.flat[0]:g}"
    return Padding(place, text, int(off[shown]), rows.shape[1])


def padded_lanes(births: list[Any], handle: Handle) -> Array | None:
    """Which lanes of ``handle`` stem from padding, in full shape; None: none do."""
    if handle.taint is None:
        return None
    kinds = np.array([False, *(isinstance(birth, Padding) for birth in births)])
    marked = kinds[handle.taint]
    if not marked.any():
        return None
    return np.broadcast_to(_full_rank(marked, handle), (len(marked), *handle.shape))


def unpadded(births: list[Any], taint: Array | None) -> Array | None:
    """``taint`` without the marks of padding itself: what is left says something about a reduction's result."""
    if taint is None or not any(isinstance(birth, Padding) for birth in births):
        return taint
    kinds = np.array([False, *(isinstance(birth, Padding) for birth in births)])
    left = np.where(kinds[taint], np.int16(0), taint)
    return left if left.any() else None


def counted(
    births: list[Any], handle: Handle, lanes: Array, reduction: str, with_all: Array, without: Array
) -> Array | None:
    """Marks for the results in which padding was counted; None: in none.

    ``lanes``: the padded lanes; ``with_all``, ``without``: the results with them and without them.
    """
    same = with_all == without
    if with_all.dtype.kind == "f":
        same |= np.isnan(with_all) & np.isnan(without)
    if same.all():
        return None
    assert handle.taint is not None
    numbers = np.broadcast_to(_full_rank(handle.taint, handle), lanes.shape)[lanes]
    padding = births[int(numbers.flat[0]) - 1]
    birth = PaddingCounted(padding, reduction)
    if birth not in births:
        births.append(birth)
    return np.asarray(np.where(same, np.int16(0), np.int16(births.index(birth) + 1)))


def neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """What changes nothing in a maximum, a minimum, a sum or a product."""
    if reduction == "product":
        return dtype.type(1)
    if reduction not in ("max", "min"):
        return dtype.type(0)
    sign = -1 if reduction == "max" else 1
    if dtype.kind == "f":
        return dtype.type(sign * np.inf)
    if dtype.kind == "b":
        return np.bool_(sign > 0)
    limits = np.iinfo(dtype)
    return dtype.type(limits.min if sign < 0 else limits.max)


def joined(left: Array | None, right: Array | None) -> Array | None:
    """Marks of both, the newer birth where both mark a lane."""
    if left is None or right is None:
        return right if left is None else left
    return np.asarray(np.maximum(left, right))


def reduced_without(
    births: list[Any], handle: Handle, reduction: str, result: Handle, reduce: Callable[[Array], Array]
) -> Handle:
    """``result`` marked where padding was counted. ``reduce`` maps the full block to the results."""
    lanes = padded_lanes(births, handle)
    if lanes is None:
        return result
    full = handle.full()
    lanes = np.broadcast_to(lanes, (max(len(full), len(lanes)), *full.shape[1:]))
    without = reduce(np.where(lanes, neutral(reduction, full.dtype), full))
    marks = counted(births, handle, lanes, reduction, *np.broadcast_arrays(result.data, without))
    result.taint = joined(unpadded(births, result.taint), marks)
    return result


def _full_rank(marks: Array, handle: Handle) -> Array:
    """Marks with as many axes as the block has, the program axis first."""
    missing = 1 + len(handle.shape) - marks.ndim
    return marks.reshape(marks.shape[0], *(1,) * missing, *marks.shape[1:])
