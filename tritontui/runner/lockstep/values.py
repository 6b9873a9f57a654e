"""Values of a kernel: numpy arrays with the program axis first, and what happens to them at branches.

``data`` has shape ``(P or 1, *lanes)``: size 1 on the program axis where all programs agree, size 1 on a lane axis
where all its lanes agree (a splat costs nothing until it is combined with a real block).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.errors import BranchTypeMismatch, UndefinedVariable
from tritontui.runner.triton_compat import aggregate_fields, new_aggregate, tl

Array = NDArray[Any]
Indices = NDArray[np.intp]


class Handle:
    """What a ``tl.tensor`` carries as its handle.

    ``low`` and ``high`` bound integer values and pointer offsets where that is known without looking (None: not known).
    ``owner`` of a pointer is the tensor argument it stems from; ``data`` then counts elements from the argument's first
    one. A pointer without owner holds absolute (made-up or real) byte addresses.
    ``taint`` marks lanes whose value stems from an integer overflow, with the overflow's number (0: none).
    """

    __slots__ = ("_wide", "data", "dtype", "high", "low", "owner", "shape", "taint")

    def __init__(
        self,
        data: Array,
        dtype: Any,
        shape: tuple[int, ...] = (),
        low: int | None = None,
        high: int | None = None,
        owner: Any = None,
        taint: Array | None = None,
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.shape = shape
        self.low = low
        self.high = high
        self.owner = owner
        self.taint = taint
        self._wide: Array | None = None

    def wide(self) -> Array:
        """``data`` as int64, made once: one block of offsets often serves several pointers."""
        if self._wide is None:
            self._wide = self.data.astype(np.int64)
        return self._wide

    def full(self) -> Array:
        """``data`` with every lane axis at its full size (a view)."""
        data = self.data
        if data.shape[1:] == self.shape:
            return data
        return np.broadcast_to(data, (data.shape[0], *self.shape))

    def like(self, data: Array, taint: Array | None = None) -> Handle:
        """The same kind of value with other data of the same lane shape."""
        return Handle(data, self.dtype, self.shape, self.low, self.high, self.owner, taint)

    def get_context(self) -> None:
        """Compiler hints ask for it; there is none."""

    def set_attr(self, name: str, value: Any) -> None:
        """Compiler hints (``tl.multiple_of``…) change nothing here."""


class DescriptorHandle:
    """What a tensor descriptor carries: a base pointer, shape and strides as scalar handles, and the block's shape."""

    __slots__ = ("base", "block_shape", "nan_padding", "round_to_tf32", "shape", "strides")

    def __init__(
        self,
        base: Handle,
        shape: Sequence[Handle],
        strides: Sequence[Handle],
        block_shape: Sequence[int],
        nan_padding: bool,
        round_to_tf32: bool = False,
    ) -> None:
        self.base = base
        self.shape = list(shape)
        self.strides = list(strides)
        self.block_shape = tuple(block_shape)
        self.nan_padding = nan_padding
        self.round_to_tf32 = round_to_tf32

    def mapped(self, change: Callable[[Handle], Handle]) -> DescriptorHandle:
        """The same descriptor with every handle changed."""
        return DescriptorHandle(
            change(self.base),
            [change(one) for one in self.shape],
            [change(one) for one in self.strides],
            self.block_shape,
            self.nan_padding,
            self.round_to_tf32,
        )


class BlockPointerHandle(DescriptorHandle):
    """What a block pointer (``tl.make_block_ptr``, before Triton 3.9) carries: a descriptor and its block's place."""

    __slots__ = ("offsets",)

    def __init__(self, descriptor: DescriptorHandle, offsets: Sequence[Handle]) -> None:
        super().__init__(descriptor.base, descriptor.shape, descriptor.strides, descriptor.block_shape, False)
        self.offsets = list(offsets)

    def mapped(self, change: Callable[[Handle], Handle]) -> BlockPointerHandle:
        return BlockPointerHandle(super().mapped(change), [change(one) for one in self.offsets])


class Undefined:
    """A variable that no executed statement has assigned yet; any use raises ``UndefinedVariable``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _used(self, *_: Any, **__: Any) -> Any:
        raise UndefinedVariable(self.name)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _used
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = _used
    __xor__ = __rxor__ = __lshift__ = __rshift__ = __neg__ = __invert__ = __getitem__ = __call__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __iter__ = __len__ = __index__ = _used

    def __getattr__(self, name: str) -> Any:
        raise UndefinedVariable(object.__getattribute__(self, "name"))


def map_handles(change: Callable[[Handle], Handle], value: Any) -> Any:
    """``value`` with every handle in it changed; the same object when nothing changed."""
    if isinstance(value, tl.tensor):
        handle = value.handle
        if handle is None:
            return value
        changed = handle.mapped(change) if isinstance(handle, DescriptorHandle) else change(handle)
        return value if changed is handle else with_handle(value, changed)
    if isinstance(value, (tuple, list)):
        return _rebuilt(value, [map_handles(change, item) for item in value])
    if isinstance(value, tl.tuple):
        items = [map_handles(change, item) for item in value.values]
        return value if all(a is b for a, b in zip(items, value.values, strict=True)) else tl.tuple(items, value.type)
    if isinstance(value, Undefined):
        return value
    handle = getattr(value, "handle", None)
    if isinstance(handle, DescriptorHandle):
        return with_handle(value, handle.mapped(change))
    fields = aggregate_fields(value)
    if fields is not None:
        return new_aggregate(value, {name: map_handles(change, getattr(value, name)) for name in fields})
    return value


def _rebuilt(value: Any, items: list[Any]) -> Any:
    if all(a is b for a, b in zip(items, value, strict=True)):
        return value
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def with_handle(value: Any, handle: Any) -> Any:
    """A copy of a tensor or descriptor that carries another handle."""
    copy = object.__new__(type(value))
    copy.__dict__.update(value.__dict__)
    copy.handle = handle
    return copy


def narrow_handle(handle: Handle, rows: Indices) -> Handle:
    """The rows of the programs that go on."""
    data, taint = handle.data, handle.taint
    if data.shape[0] == 1 and (taint is None or taint.shape[0] == 1):
        return handle
    return handle.like(
        data if data.shape[0] == 1 else data[rows],
        taint if taint is None or taint.shape[0] == 1 else taint[rows],
    )


def narrow(value: Any, rows: Indices) -> Any:
    """``value`` for the programs in ``rows`` (positions in the current active set)."""
    if isinstance(value, (int, float, str)) or value is None:
        return value
    return map_handles(lambda handle: narrow_handle(handle, rows), value)


class Part:
    """What a variable is for some of the programs: ``rows`` are their positions in the joined active set."""

    __slots__ = ("rows", "value")

    def __init__(self, rows: Indices, value: Any) -> None:
        self.rows = rows
        self.value = value


def merge(parts: list[Part], count: int, to_tensor: Callable[[Any], Any]) -> Any:
    """One value for all ``count`` programs from the values that each part of them holds.

    Raises ``BranchTypeMismatch`` where the parts' types differ. Programs for which the variable is undefined get zeros.
    """
    first = parts[0].value
    if all(part.value is first for part in parts):
        return first
    defined = [part for part in parts if not isinstance(part.value, Undefined)]
    if not defined:
        return first
    first = defined[0].value
    plain = [_plain(part.value) for part in defined]
    if len(defined) == len(parts) and not any(isinstance(part.value, tl.tensor) for part in defined):
        if _all_equal(plain):
            return first
        if isinstance(first, (tuple, tl.tuple)):
            return _merge_items(defined, count, to_tensor)
        fields = aggregate_fields(first)
        if fields is not None:
            return new_aggregate(
                first,
                {
                    name: merge([Part(p.rows, getattr(p.value, name)) for p in defined], count, to_tensor)
                    for name in fields
                },
            )
    if not isinstance(first, (tl.constexpr, tl.tuple)) and isinstance(getattr(first, "handle", None), DescriptorHandle):
        return _merge_descriptors(defined, count)
    if isinstance(first, (tuple, tl.tuple)):
        return _merge_items(defined, count, to_tensor)
    return _merge_tensors(defined, count, to_tensor)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _all_equal(values: list[Any]) -> bool:
    first = values[0]
    return all(type(value) is type(first) for value in values) and all(
        value is first or (isinstance(value, (int, float, str, tl.dtype)) and value == first) for value in values
    )


def _merge_items(parts: list[Part], count: int, to_tensor: Callable[[Any], Any]) -> Any:
    first = parts[0].value
    if any(len(part.value) != len(first) for part in parts):
        raise BranchTypeMismatch([f"tuple of {len(part.value)}" for part in parts])
    items = [merge([Part(p.rows, p.value[i]) for p in parts], count, to_tensor) for i in range(len(first))]
    if isinstance(first, tl.tuple):
        return tl.tuple(items)
    return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)


def _merge_descriptors(parts: list[Part], count: int) -> Any:
    handles = [part.value.handle for part in parts]

    def joined(pick: Callable[[DescriptorHandle], Handle]) -> Handle:
        return merge_handles([(part.rows, pick(part.value.handle)) for part in parts], count)

    first = handles[0]
    merged = DescriptorHandle(
        joined(lambda d: d.base),
        [joined(lambda d, i=i: d.shape[i]) for i in range(len(first.shape))],  # type: ignore[misc]
        [joined(lambda d, i=i: d.strides[i]) for i in range(len(first.strides))],  # type: ignore[misc]
        first.block_shape,
        first.nan_padding,
        first.round_to_tf32,
    )
    if isinstance(first, BlockPointerHandle):
        offsets = [joined(lambda d, i=i: d.offsets[i]) for i in range(len(first.offsets))]  # type: ignore[misc]
        merged = BlockPointerHandle(merged, offsets)
    return with_handle(parts[0].value, merged)


def _merge_tensors(parts: list[Part], count: int, to_tensor: Callable[[Any], Any]) -> Any:
    tensors = [to_tensor(part.value) for part in parts]
    types = [tensor.type for tensor in tensors]
    if any(one != types[0] for one in types[1:]):
        raise BranchTypeMismatch([str(one) for one in types])
    merged = merge_handles([(p.rows, t.handle) for p, t in zip(parts, tensors, strict=True)], count)
    return with_handle(tensors[0], merged)


def merge_handles(parts: list[tuple[Indices, Handle]], count: int) -> Handle:
    """One handle for ``count`` programs; rows that no part covers hold zeros."""
    handles = same_owner([handle for _, handle in parts])
    first = handles[0]
    lanes = np.broadcast_shapes(*(handle.data.shape[1:] for handle in handles))
    out = np.zeros((count, *lanes), first.data.dtype)
    for (rows, _), handle in zip(parts, handles, strict=True):
        out[rows] = handle.data
    taint = None
    if any(handle.taint is not None for handle in handles):
        shapes = [handle.taint.shape[1:] for handle in handles if handle.taint is not None]
        taint = np.zeros((count, *np.broadcast_shapes(*shapes)), np.int16)
        for (rows, _), handle in zip(parts, handles, strict=True):
            if handle.taint is not None:
                taint[rows] = handle.taint
    low, high = bounds_over(handles)
    covered = sum(len(rows) for rows, _ in parts) == count
    if not covered and low is not None and high is not None:
        low, high = min(low, 0), max(high, 0)
    return Handle(out, first.dtype, first.shape, low, high, first.owner, taint)


def bounds_over(handles: Sequence[Handle]) -> tuple[int | None, int | None]:
    """Bounds that hold for all of them; None where one is not known."""
    lows = [handle.low for handle in handles]
    highs = [handle.high for handle in handles]
    low = None if any(one is None for one in lows) else min(one for one in lows if one is not None)
    high = None if any(one is None for one in highs) else max(one for one in highs if one is not None)
    return low, high


def same_owner(handles: list[Handle]) -> list[Handle]:
    """Pointers of one kind: all into one tensor, or all as absolute addresses. Other values as they are."""
    owners = {id(handle.owner) for handle in handles}
    if len(owners) == 1:
        return handles
    return [absolute(handle) for handle in handles]


def absolute(handle: Handle) -> Handle:
    """A pointer as absolute byte addresses, whatever tensor it points into."""
    owner = handle.owner
    if owner is None:
        return handle
    return Handle(owner.address + handle.data * owner.itemsize, handle.dtype, handle.shape, taint=handle.taint)
