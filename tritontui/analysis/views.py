"""Which element offsets belong to a strided view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Tensor

LARGEST_BITMAP = 1 << 26
"""Elements of a view whose strides overlap in no regular way, above which gaps are not looked for."""


def elements(tensor: Tensor) -> int:
    """Number of elements of the view (the product of its shape)."""
    return int(np.prod(tensor.shape, dtype=np.int64))


def extent(tensor: Tensor) -> int:
    """One past the largest element offset of the view; 0 when it is empty."""
    if 0 in tensor.shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of a row-major tensor of ``shape``."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(1, shape[axis + 1])
    return tuple(strides)


def is_contiguous(tensor: Tensor) -> bool:
    """Row-major without gaps; strides of axes of size 1 don't matter."""
    expected = contiguous_strides(tensor.shape)
    return all(
        size == 1 or stride == wanted
        for size, stride, wanted in zip(tensor.shape, tensor.strides, expected, strict=True)
    )


def is_dense(tensor: Tensor) -> bool:
    """Whether every offset from 0 to ``extent`` is an element of the view (a permuted tensor is dense, too)."""
    return _is_nested(tensor) and elements(tensor) == extent(tensor)


def contains(tensor: Tensor, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ``offsets`` are elements of the view. Any shape; the answer has the same shape."""
    end = extent(tensor)
    inside = (offsets >= 0) & (offsets < end)
    if end == 0 or is_dense(tensor):
        return inside
    if _is_nested(tensor):
        return inside & _in_nested_axes(tensor, offsets)
    if end > LARGEST_BITMAP:
        return inside
    return np.asarray(inside & member_bitmap(tensor)[np.where(inside, offsets, 0)])


def index_of(tensor: Tensor, offset: int) -> list[int | None]:
    """The index of the element at ``offset``, None along expanded axes; [] when there is none, or more than one."""
    if 0 in tensor.shape or not _is_nested(tensor, expanded=True):
        return []
    index: list[int | None] = [
        None if size > 1 and not stride else 0 for size, stride in zip(tensor.shape, tensor.strides, strict=True)
    ]
    moving = [axis for axis, size in enumerate(tensor.shape) if size > 1 and tensor.strides[axis]]
    rest = offset
    for axis in sorted(moving, key=lambda axis: -tensor.strides[axis]):
        step = rest // tensor.strides[axis]
        if not 0 <= step < tensor.shape[axis]:
            return []
        index[axis], rest = step, rest - step * tensor.strides[axis]
    return index if rest == 0 else []


def member_bitmap(tensor: Tensor) -> NDArray[np.bool_]:
    """True at each offset (0 … extent − 1) that is an element of the view."""
    bitmap = np.zeros(extent(tensor), bool)
    if bitmap.size:
        bitmap[member_offsets(tensor)] = True
    return bitmap


def member_offsets(tensor: Tensor) -> NDArray[np.int64]:
    """Offsets of the view's elements in row-major order of its shape."""
    total = np.zeros((1,) * len(tensor.shape), np.int64)
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.strides, strict=True)):
        shape = [1] * len(tensor.shape)
        shape[axis] = size
        total = total + (np.arange(size, dtype=np.int64) * stride).reshape(shape)
    return total.ravel()


def _axes(tensor: Tensor) -> list[tuple[int, int]]:
    """(stride, size) of the axes that move, widest stride first."""
    moving = zip(tensor.strides, tensor.shape, strict=True)
    return sorted(((stride, size) for stride, size in moving if size > 1 and stride), reverse=True)


def _is_nested(tensor: Tensor, *, expanded: bool = False) -> bool:
    """Whether each axis steps over everything that the narrower ones span, so that offsets decode uniquely.

    Axes of stride 0 are left out of it where ``expanded`` ones may be.
    """
    if not expanded and any(size > 1 and not stride for size, stride in zip(tensor.shape, tensor.strides, strict=True)):
        return False
    span = 1
    for stride, size in reversed(_axes(tensor)):
        if stride < span:
            return False
        span += (size - 1) * stride
    return True


def _in_nested_axes(tensor: Tensor, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    rest = offsets
    inside = np.ones(offsets.shape, bool)
    for stride, size in _axes(tensor):
        step = rest // stride
        inside &= step < size
        rest = rest - step * stride
    return np.asarray(inside & (rest == 0))
