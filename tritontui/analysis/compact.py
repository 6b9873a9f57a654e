"""Making a recorded access small without losing anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Access, Separable, SharedRows

MOST_MASKS = 64
"""Masks of a launch that differ in more rows than this are kept whole: there is no pattern to share."""


def compact(access: Access) -> Access:
    """The same access with offsets and mask in their smallest exact form; costs one pass over both."""
    return replace(access, offsets=_compact_offsets(access.offsets), mask=_compact_mask(access.mask))


def arrays_of(access: Access) -> list[NDArray[Any]]:
    """What an access keeps in memory."""
    offsets, mask = access.offsets, access.mask
    parts: list[NDArray[Any] | None] = [access.out, access.values]
    parts += [offsets.rows, offsets.lanes] if isinstance(offsets, Separable) else [offsets]
    parts += [mask.index, mask.rows] if isinstance(mask, SharedRows) else [mask]
    return [part for part in parts if part is not None]


def _compact_offsets(offsets: NDArray[np.int64] | Separable) -> NDArray[np.int64] | Separable:
    if isinstance(offsets, Separable):
        return offsets
    return separate(offsets) or offsets


def separate(offsets: NDArray[np.int64]) -> Separable | None:
    """``offsets`` (P or 1, *lane_shape) as one block of lanes moved per program; None when they are not."""
    if offsets.size == 0:
        return None
    rows = offsets.reshape(len(offsets), -1)[:, 0].astype(np.int64)
    lanes = (offsets[0] - rows[0]).astype(np.int64)
    candidate = Separable(rows, lanes)
    if len(rows) > 1 and not _matches(candidate, offsets):
        return None
    if (rows == rows[0]).all():
        rows = rows[:1]
    return Separable(rows, lanes)


def _matches(candidate: Separable, offsets: NDArray[np.int64]) -> bool:
    """A look at the last program first: where there is no pattern, that is nearly always enough."""
    last = candidate.rows[-1] + candidate.lanes
    return bool((last == offsets[-1]).all() and (candidate.dense() == offsets).all())


def _compact_mask(mask: NDArray[np.bool_] | SharedRows | None) -> NDArray[np.bool_] | SharedRows | None:
    if mask is None or isinstance(mask, SharedRows) or len(mask) <= 1:
        return mask
    rows = mask.reshape(len(mask), -1)
    if rows.shape[1] > 1:
        bits = np.packbits(rows, axis=1)
        keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
        _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    else:
        _, first, index = np.unique(rows[:, 0], return_index=True, return_inverse=True)
    if len(first) == 1:
        return np.array(mask[:1])
    if len(first) > MOST_MASKS:
        return mask
    return SharedRows(index.astype(np.int32), mask[first])
