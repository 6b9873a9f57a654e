"""The tensors of a launch as its pointers see them: bytes, and addresses far from every other's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Tensor
from tritontui.runner.lockstep.dtypes import element_bytes, short_name

Array = NDArray[Any]

SLOT_BITS = 44
FIRST_ADDRESS = 1 << 60
"""Tensor ``i`` begins ``(i + 1) << SLOT_BITS`` bytes behind it."""


class Storage:
    """The bytes behind one or more tensor arguments."""

    def __init__(self, key: int, bytes_: NDArray[np.uint8], written: NDArray[np.bool_] | None) -> None:
        self.key = key
        self.bytes = bytes_
        self.written = written
        """Per byte: has it been given a value? None: all of it was before the launch."""
        self.before: NDArray[np.uint8] | None = None
        """Copy from before the first write, to roll back to."""


class Argument:
    """A tensor argument as the kernel's pointers see it. Offsets count its elements from the view's first."""

    def __init__(self, index: int, name: str, dtype: Any, storage: Storage, first_byte: int, real_address: int) -> None:
        self.index = index
        self.name = name
        self.dtype = dtype
        self.itemsize = element_bytes(dtype)
        self.storage = storage
        self.first_byte = first_byte
        self.address = FIRST_ADDRESS + ((index + 1) << SLOT_BITS) + (real_address & 0xFF)
        self.first = -(first_byte // self.itemsize)
        self.end = (len(storage.bytes) - first_byte) // self.itemsize
        self._views: dict[np.dtype[Any], Array] = {}

    def elements(self, dtype: np.dtype[Any]) -> Array:
        """The storage as elements of a dtype of this argument's size; index 0 is offset ``first``."""
        view = self._views.get(dtype)
        if view is None:
            begin = self.first_byte % self.itemsize
            count = (len(self.storage.bytes) - begin) // self.itemsize
            view = self.storage.bytes[begin : begin + count * self.itemsize].view(dtype)
            self._views[dtype] = view
        return view

    def written_elements(self) -> NDArray[np.bool_] | None:
        """Per element (index 0 is offset ``first``): has its first byte been written?"""
        written = self.storage.written
        return None if written is None else written[self.first_byte % self.itemsize :: self.itemsize]


def as_vector(tensor: Tensor, resized: Argument) -> Tensor:
    """The bytes that ``tensor`` spans, as a vector of elements of another size."""
    span = 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.strides, strict=True))
    count = 0 if 0 in tensor.shape else span * tensor.itemsize // resized.itemsize
    return replace(
        tensor,
        dtype=short_name(resized.dtype),
        itemsize=resized.itemsize,
        shape=(count,),
        strides=(1,),
        storage_first=resized.first,
        storage_end=resized.end,
        storage_shift=resized.first_byte // resized.itemsize,
    )
