"""Tensor descriptors: blocks read and written with the bounds check that the hardware does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.atomics import Atomics
from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.dot import round_tf32
from tritontui.runner.lockstep.dtypes import register_dtype
from tritontui.runner.lockstep.memory import Memory
from tritontui.runner.lockstep.values import BlockPointerHandle, DescriptorHandle, Handle
from tritontui.runner.triton_compat import ir, tl

Array = NDArray[Any]


class Descriptors(Atomics):
    """Descriptor operations of the builder."""

    control: Control
    memory: Memory

    def create_make_tensor_descriptor(
        self,
        base: Handle,
        shape: Sequence[Handle],
        strides: Sequence[Handle],
        block_shape: Sequence[int],
        _signed: bool = True,
        padding: Any = None,
    ) -> DescriptorHandle:
        nan = padding == ir.PADDING_OPTION.PAD_NAN if hasattr(ir, "PADDING_OPTION") else False
        return DescriptorHandle(base, shape, strides, block_shape, nan)

    def create_descriptor_load(self, descriptor: DescriptorHandle, indices: Sequence[Handle], *_: Any) -> Handle:
        pointer, mask = _block(descriptor, indices)
        return self._padded_load(descriptor, pointer, mask)

    def create_descriptor_store(self, descriptor: DescriptorHandle, value: Handle, indices: Sequence[Handle]) -> None:
        pointer, mask = _block(descriptor, indices)
        self.memory.store(pointer, value, mask)

    def create_descriptor_reduce(
        self, kind: Any, descriptor: DescriptorHandle, value: Handle, indices: Sequence[Handle]
    ) -> None:
        pointer, mask = _block(descriptor, indices)
        operation = getattr(ir.ATOMIC_OP, str(kind).rsplit(".", 1)[-1])
        self.create_atomic_rmw(operation, pointer, value, mask, None, None)

    def create_descriptor_gather(
        self, descriptor: DescriptorHandle, rows: Handle, column: Handle, _type: Any
    ) -> Handle:
        pointer, mask = _rows(descriptor, rows, column)
        return self._padded_load(descriptor, pointer, mask)

    def create_descriptor_scatter(
        self, descriptor: DescriptorHandle, value: Handle, rows: Handle, column: Handle
    ) -> None:
        pointer, mask = _rows(descriptor, rows, column)
        self.memory.store(pointer, value, mask)

    # ------------------------------------------------------------ block pointers, before Triton 3.9

    def create_make_block_ptr(
        self,
        base: Handle,
        shape: Sequence[Handle],
        strides: Sequence[Handle],
        offsets: Sequence[Handle],
        block_shape: Sequence[int],
        _order: Sequence[int],
    ) -> BlockPointerHandle:
        return BlockPointerHandle(DescriptorHandle(base, shape, strides, block_shape, False), offsets)

    def create_advance(self, pointer: BlockPointerHandle, steps: Sequence[Handle]) -> BlockPointerHandle:
        moved = [
            Handle(offset.data + step.data, offset.dtype) for offset, step in zip(pointer.offsets, steps, strict=True)
        ]
        return BlockPointerHandle(pointer, moved)

    def create_tensor_pointer_load(
        self, pointer: BlockPointerHandle, checked: Sequence[int], padding: Any, *_: Any
    ) -> Handle:
        lanes, mask = _block(pointer, pointer.offsets, checked)
        if not len(checked):
            return self.memory.load(lanes, None, None)
        if padding is None:
            return self.memory.load(lanes, mask, None)
        padded = DescriptorHandle(
            pointer.base, pointer.shape, pointer.strides, pointer.block_shape, padding == ir.PADDING_OPTION.PAD_NAN
        )
        return self._padded_load(padded, lanes, mask)

    def create_tensor_pointer_store(
        self, pointer: BlockPointerHandle, value: Handle, checked: Sequence[int], *_: Any
    ) -> None:
        lanes, mask = _block(pointer, pointer.offsets, checked)
        self.memory.store(lanes, value, mask if len(checked) else None)

    def _padded_load(self, descriptor: DescriptorHandle, pointer: Handle, mask: Handle) -> Handle:
        dtype = pointer.dtype.element_ty
        other = None
        if descriptor.nan_padding:
            fill = np.full((1,) * (len(pointer.shape) + 1), np.nan, register_dtype(dtype))
            other = Handle(fill, dtype, pointer.shape)
        found = self.memory.load(pointer, mask, other, padded=True)
        if descriptor.round_to_tf32 and dtype.name == "fp32":
            return found.like(round_tf32(found.data))
        return found


def _block(
    descriptor: DescriptorHandle, indices: Sequence[Handle], checked: Sequence[int] | None = None
) -> tuple[Handle, Handle]:
    """Pointers of a block that begins at ``indices``, and which of its lanes lie inside the tensor.

    ``checked``: only these axes count for being inside (None: all).
    """
    rank = len(descriptor.block_shape)
    positions = []
    for axis, (start, size) in enumerate(zip(indices, descriptor.block_shape, strict=True)):
        steps = np.arange(size, dtype=np.int64).reshape(1, *(size if one == axis else 1 for one in range(rank)))
        positions.append(_scalar(start, rank) + steps)
    return _pointers(descriptor, positions, descriptor.block_shape, checked)


def _rows(descriptor: DescriptorHandle, rows: Handle, column: Handle) -> tuple[Handle, Handle]:
    """Pointers of the rows ``rows`` of a 2D tensor, from ``column`` on."""
    width = descriptor.block_shape[-1]
    row = rows.full().astype(np.int64)[:, :, None]
    columns = _scalar(column, 2) + np.arange(width, dtype=np.int64)[None, None, :]
    return _pointers(descriptor, [row, columns], (rows.shape[0], width))


def _scalar(handle: Handle, rank: int) -> Array:
    return handle.data.astype(np.int64).reshape(-1, *(1,) * rank)


def _pointers(
    descriptor: DescriptorHandle,
    positions: Sequence[Array],
    block_shape: Sequence[int],
    checked: Sequence[int] | None = None,
) -> tuple[Handle, Handle]:
    rank = len(positions)
    base = descriptor.base
    unit = 1 if base.owner is not None else base.dtype.element_ty.primitive_bitwidth // 8
    offsets = _scalar(base, rank)
    inside: Array = np.ones((1,) * (rank + 1), np.bool_)
    axes = zip(positions, descriptor.strides, descriptor.shape, strict=True)
    for axis, (position, stride, size) in enumerate(axes):
        offsets = offsets + position * _scalar(stride, rank) * unit
        if checked is None or axis in checked:
            inside = inside & (position >= 0) & (position < _scalar(size, rank))
    shape = tuple(block_shape)
    return (
        Handle(offsets, base.dtype, shape, owner=base.owner),
        Handle(inside, tl.int1, shape),
    )
