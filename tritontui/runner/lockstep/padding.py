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


DATA = 1 << 14
"""Marks lanes that hold something loaded on an active lane.

Marks are joined by their maximum: padding (a small number) that meets data counts as data, since an accumulator that
takes one block's padding in still holds the others; a result in which padding was counted (``DATA`` + a number) stays
one.
"""


def padding_of(births: list[Any], place: Place, active: Array | None, other: Handle | None, axes: int) -> Array:
    """Marks for what a load gives: data where ``active`` (None: everywhere), padding elsewhere.

    ``births`` gets the load's ``Padding`` when it is new. ``axes``: of the block, the program axis included.
    """
    if active is None:
        return np.full((1,) * axes, DATA, np.int16)
    known = [index for index, birth in enumerate(births) if isinstance(birth, Padding) and birth.place == place]
    if not known:
        known = [len(births)]
        births.append(_padding(place, active, other))
    return np.asarray(np.where(active, np.int16(DATA), np.int16(known[0] + 1)))


def counted_padding(births: list[Any], number: int) -> PaddingCounted | None:
    """What a mark says, when it says that padding was counted."""
    birth = births[number - DATA - 1] if number > DATA else None
    return birth if isinstance(birth, PaddingCounted) else None


def _padding(place: Place, active: Array, other: Handle | None) -> Padding:
    rows = active.reshape(len(active), -1)
    off = (~rows).sum(axis=1)
    partly = np.flatnonzero(rows.any(axis=1) & (off > 0))
    shown = int(partly[0]) if len(partly) else 0
    text = "" if other is None or not other.data.size else f"{other.data.flat[0]:g}"
    return Padding(place, text, int(off[shown]), rows.shape[1])


def _is_padding(births: list[Any], taint: Array) -> Array:
    """Which marks are those of padding that nothing has counted yet."""
    kinds = np.array([False, *(isinstance(birth, Padding) for birth in births)])
    return np.asarray(kinds[np.where(taint < DATA, taint, 0)])


def padded_lanes(births: list[Any], handle: Handle) -> Array | None:
    """Which lanes of ``handle`` stem from padding alone, in full shape; None: none do."""
    if handle.taint is None:
        return None
    marked = _is_padding(births, handle.taint)
    if not marked.any():
        return None
    return np.broadcast_to(_full_rank(marked, handle), (len(marked), *handle.shape))


def unpadded(births: list[Any], taint: Array | None) -> Array | None:
    """The marks that say something about a reduction's result: not where its lanes came from."""
    if taint is None:
        return None
    left = np.where((taint == DATA) | _is_padding(births, taint), np.int16(0), taint)
    return left if left.any() else None


def counted(
    births: list[Any], handle: Handle, lanes: Array, reduction: str, with_all: Array, without: Array
) -> Array | None:
    """Marks for the results in which padding was counted; None: in none.

    ``lanes``: the padded lanes of ``handle``; ``with_all``, ``without``: the results with them and without them.
    """
    same = with_all == without
    if with_all.dtype.kind == "f":
        same |= np.isnan(with_all) & np.isnan(without)
    if same.all():
        return None
    assert handle.taint is not None
    numbers = np.broadcast_to(_full_rank(handle.taint, handle), lanes.shape)[lanes]
    birth = PaddingCounted(births[int(numbers.flat[0]) - 1], reduction)
    if birth not in births:
        births.append(birth)
    return np.asarray(np.where(same, np.int16(0), np.int16(DATA + births.index(birth) + 1)))


def chosen(births: list[Any], choice: str, left: Handle, right: Handle, result: Handle) -> Handle:
    """``result``, the larger (or smaller) of two blocks, marked where padding was preferred to data."""
    for padding, data in ((left, right), (right, left)):
        lanes = padded_lanes(births, padding)
        if lanes is None or data.taint is None:
            continue
        meets = lanes & (_full_rank(data.taint, data) == DATA)
        if meets.any():
            lanes = np.broadcast_to(lanes, meets.shape)
            without = np.where(meets, data.data, result.data)
            marks = counted(births, padding, lanes, choice, np.broadcast_to(result.data, without.shape), without)
            result.taint = joined(result.taint, marks)
    return result


def neutral(reduction: str, dtype: np.dtype[Any]) -> Any:
    """What changes nothing in a maximum, a minimum, a sum or a product."""
    if reduction == "product":
        return dtype.type(1)
    if reduction not in ("max", "min", "argmax", "argmin"):
        return dtype.type(0)
    sign = -1 if reduction.endswith("max") else 1
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
        result.taint = unpadded(births, result.taint)
        return result
    full = handle.full()
    lanes = np.broadcast_to(lanes, (max(len(full), len(lanes)), *full.shape[1:]))
    without = reduce(np.where(lanes, neutral(reduction, full.dtype), full))
    marks = counted(births, handle, lanes, reduction, *np.broadcast_arrays(result.data, without))
    result.taint = joined(unpadded(births, result.taint), marks)
    return result


def exchanged(result: Handle) -> Handle:
    """``result`` of an exchange of lanes: what came from padding can't be told any more, so it counts as data."""
    result.taint = joined(result.taint, np.full((1,) * (1 + len(result.shape)), DATA, np.int16))
    return result


def _full_rank(marks: Array, handle: Handle) -> Array:
    """Marks with as many axes as the block has, the program axis first."""
    missing = 1 + len(handle.shape) - marks.ndim
    return marks.reshape(marks.shape[0], *(1,) * missing, *marks.shape[1:])
