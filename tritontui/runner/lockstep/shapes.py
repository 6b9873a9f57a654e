"""Operations of the builder that make blocks and move their elements about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.errors import LockstepError
from tritontui.runner.lockstep.values import Handle, bounds_over, same_owner
from tritontui.runner.triton_compat import tl

Array = NDArray[Any]


class GridTooWide(LockstepError):  # noqa: N818
    """A value over all active programs would be too large: the launch must go in smaller chunks."""

    def __init__(self, lanes: int) -> None:
        super().__init__(f"a value has {lanes} lanes per program")
        self.lanes = lanes


class Shapes:
    """Splat, broadcast, reshape and their kind; lane axes follow the program axis."""

    active: NDArray[np.intp]
    chunk_lanes: int

    def may_start_again(self) -> bool:
        """Has this chunk changed nothing yet?"""
        raise NotImplementedError

    def require_room(self, shape: Sequence[int]) -> None:
        """Raise ``GridTooWide`` where a block of that shape, over all programs, is too large."""
        lanes = 1
        for size in shape:
            lanes *= size
        programs = len(self.active)
        if lanes * programs > self.chunk_lanes and programs > 1 and self.may_start_again():
            raise GridTooWide(lanes)

    def create_make_range(self, _type: Any, start: int, end: int) -> Handle:
        self.require_room((end - start,))
        data = np.arange(start, end, dtype=np.int32)[None]
        return Handle(data, tl.int32, (end - start,), start, end - 1)

    def create_splat(self, block_type: Any, scalar: Handle) -> Handle:
        shape = tuple(block_type.shape)
        self.require_room(shape)
        return _reshaped(scalar, (1,) * len(shape), shape)

    def create_unsplat(self, block: Handle) -> Handle:
        return _reshaped(block, (), ())

    def create_expand_dims(self, block: Handle, axis: int) -> Handle:
        lanes = block.data.shape[1:]
        return _reshaped(block, (*lanes[:axis], 1, *lanes[axis:]), (*block.shape[:axis], 1, *block.shape[axis:]))

    def create_broadcast(self, block: Handle, shape: Sequence[int]) -> Handle:
        """Costs nothing: lane axes of size 1 stay so until they are combined."""
        shape = tuple(shape)
        self.require_room(shape)
        made = block.like(block.data, block.taint)
        made.shape = shape
        return made

    def create_trans(self, block: Handle, order: Sequence[int]) -> Handle:
        axes = (0, *(axis + 1 for axis in order))
        taint = None if block.taint is None else _filled(block.taint, block.data.ndim).transpose(axes)
        made = block.like(block.data.transpose(axes), taint)
        made.shape = tuple(block.shape[axis] for axis in order)
        return made

    def create_reshape(self, block: Handle, shape: Sequence[int], _may_reorder: bool = False) -> Handle:
        shape = tuple(int(size) for size in shape)
        full = block.full()
        taint = block.taint
        if taint is not None:
            taint = np.broadcast_to(_filled(taint, full.ndim), (taint.shape[0], *block.shape))
            taint = taint.reshape(taint.shape[0], *shape)
        made = block.like(full.reshape(full.shape[0], *shape), taint)
        made.shape = shape
        return made

    def create_cat(self, left: Handle, right: Handle) -> Handle:
        a, b = _alike(left, right)
        data = np.concatenate([a.full(), b.full()], axis=1)
        return Handle(data, a.dtype, data.shape[1:], *bounds_over((a, b)), owner=a.owner)

    def create_join(self, left: Handle, right: Handle) -> Handle:
        a, b = _alike(left, right)
        data = np.stack([a.full(), b.full()], axis=-1)
        return Handle(data, a.dtype, data.shape[1:], *bounds_over((a, b)), owner=a.owner)

    def create_split(self, block: Handle) -> tuple[Handle, Handle]:
        full = block.full()

        def half(index: int) -> Handle:
            made = block.like(full[..., index])
            made.shape = block.shape[:-1]
            return made

        return half(0), half(1)

    def create_gather(self, source: Handle, index: Handle, axis: int) -> Handle:
        count = max(source.data.shape[0], index.data.shape[0])
        values = np.broadcast_to(source.full(), (count, *source.shape))
        where = np.broadcast_to(index.full(), (count, *index.shape)).astype(np.int64)
        size = values.shape[axis + 1]
        inside = (where >= 0) & (where < size)
        taken = np.take_along_axis(values, where if inside.all() else np.where(inside, where, 0), axis=axis + 1)
        return Handle(taken, source.dtype, index.shape, source.low, source.high, source.owner)

    def create_histogram(self, values: Handle, bins: int, mask: Handle | None) -> Handle:
        """Values outside 0 … bins−1 are dropped, as on the GPU."""
        data = values.full()
        counted = (data >= 0) & (data < bins)
        if mask is not None:
            counted = counted & mask.data
        rows = counted.shape[0]
        flat = (np.arange(rows, dtype=np.int64)[:, None] * bins + data)[counted]
        counts = np.bincount(flat, minlength=rows * bins).reshape(rows, bins).astype(np.int32)
        return Handle(counts, tl.int32, (bins,), 0, int(counts.max(initial=0)))


def _alike(left: Handle, right: Handle) -> tuple[Handle, Handle]:
    """Both with the same number of program rows."""
    a, b = same_owner([left, right])
    count = max(a.data.shape[0], b.data.shape[0])
    return (
        a.like(np.broadcast_to(a.full(), (count, *a.shape))),
        b.like(np.broadcast_to(b.full(), (count, *b.shape))),
    )


def _filled(taint: Array, dimensions: int) -> Array:
    """Taint with as many axes as its data."""
    return taint.reshape(taint.shape[0], *(1,) * (dimensions - taint.ndim), *taint.shape[1:])


def _reshaped(block: Handle, lanes: tuple[int, ...], shape: tuple[int, ...]) -> Handle:
    """Same elements with other lane axes (of size 1 where the old ones were)."""
    data = block.data
    taint = block.taint
    if taint is not None:
        taint = np.broadcast_to(_filled(taint, data.ndim), (taint.shape[0], *data.shape[1:]))
        taint = taint.reshape(taint.shape[0], *lanes)
    made = block.like(data.reshape(data.shape[0], *lanes), taint)
    made.shape = shape
    return made
