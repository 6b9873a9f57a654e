"""Operators of ``tl.tensor``: the common cases directly, everything else through Triton's front end.

Triton's own path costs some thirty microseconds an operation (promotion, broadcasting, type objects); operands of one
dtype, or a tensor and a number that doesn't change its dtype, need none of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from tritontui.runner.lockstep.builder import DTYPES, Builder, constant
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import tl

_KINDS = {
    **dict.fromkeys(("fp16", "bf16", "fp32", "fp64"), "float"),
    **dict.fromkeys(("int8", "int16", "int32", "int64"), "signed"),
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), "unsigned"),
}
_ARITHMETIC = {"add": ("fadd", "add", "add"), "sub": ("fsub", "sub", "sub"), "mul": ("fmul", "mul", "mul")}
_COMPARISONS = {
    "lt": ("fcmpOLT", "icmpSLT", "icmpULT"),
    "le": ("fcmpOLE", "icmpSLE", "icmpULE"),
    "gt": ("fcmpOGT", "icmpSGT", "icmpUGT"),
    "ge": ("fcmpOGE", "icmpSGE", "icmpUGE"),
    "eq": ("fcmpOEQ", "icmpEQ", "icmpEQ"),
    "ne": ("fcmpUNE", "icmpNE", "icmpNE"),
}
_DIVISIONS = {"floordiv": ("sdiv", "udiv"), "mod": ("srem", "urem")}
_BITWISE = {"and": "and", "or": "or", "xor": "xor"}
Create = Callable[[Handle, Handle], Handle]


class Operators:
    """Methods to put in place of ``tl.tensor``'s own; ``slow`` are those that Triton's front end serves."""

    def __init__(self, builder: Builder, slow: Callable[[str], Callable[[Any, Any], Any]]) -> None:
        self.builder = builder
        self.slow = slow

    def methods(self) -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
        """Name and function of every operator that has a fast way."""
        for name, (of_floats, of_signed, of_unsigned) in _ARITHMETIC.items():
            table = {"float": of_floats, "signed": of_signed, "unsigned": of_unsigned}
            yield f"__{name}__", self._operator(f"__{name}__", table, pointers=name == "add")
            yield f"__r{name}__", self._operator(f"__r{name}__", table, reflected=True)
        for name, (of_floats, of_signed, of_unsigned) in _COMPARISONS.items():
            table = {"float": of_floats, "signed": of_signed, "unsigned": of_unsigned}
            yield f"__{name}__", self._operator(f"__{name}__", table, gives_bool=True)
        for name, (of_signed, of_unsigned) in _DIVISIONS.items():
            yield f"__{name}__", self._operator(f"__{name}__", {"signed": of_signed, "unsigned": of_unsigned})
        for name, operation in _BITWISE.items():
            table = {"signed": operation, "unsigned": operation, "bool": operation}
            yield f"__{name}__", self._operator(f"__{name}__", table)

    def _operator(
        self,
        method: str,
        operations: dict[str, str],
        *,
        reflected: bool = False,
        gives_bool: bool = False,
        pointers: bool = False,
    ) -> Callable[[Any, Any], Any]:
        slow = self.slow(method)
        creates: dict[str, Create] = {
            dtype: getattr(self.builder, f"create_{operations[kind]}")
            for dtype, kind in (*_KINDS.items(), ("int1", "bool"))
            if kind in operations
        }
        add_pointer = self._pointer_plus if pointers else None

        def operate(a: Any, b: Any) -> Any:
            left: Handle = a.handle
            dtype = a.dtype
            create = creates.get(dtype.name)
            if create is None:
                made = add_pointer(a, b) if add_pointer is not None and dtype.is_ptr() else None
                return slow(a, b) if made is None else made
            if type(b) is tl.tensor:
                if b.dtype is not dtype and b.dtype.name != dtype.name:
                    return slow(a, b)
                right: Handle = b.handle
            else:
                number = b.value if type(b) is tl.constexpr else b
                if not _keeps_dtype(number, dtype):
                    return slow(a, b)
                right = _number(number, type(number), dtype)
            pair = self.paired(a, left, b, right)
            if pair is None:
                return slow(a, b)
            like, left, right = pair
            handle = create(right, left) if reflected else create(left, right)
            return tensor_like(like, handle, gives_bool)

        return operate

    def _pointer_plus(self, pointer: Any, offset: Any) -> Any:
        """``pointer + offset`` for signed integers; None: not a case for the fast way."""
        if type(offset) is tl.tensor:
            if _KINDS.get(offset.dtype.name) != "signed":
                return None
            step: Handle = offset.handle
        else:
            number = offset.value if type(offset) is tl.constexpr else offset
            if not _keeps_dtype(number, tl.int32):
                return None
            step = _number(number, int, tl.int32)
        base: Handle = pointer.handle
        if base.shape == step.shape:
            return tensor_like(pointer, self.builder.create_addptr(base, step), False)
        pair = self.paired(pointer, base, offset, step)
        if pair is None:
            return None
        like, base, step = pair
        handle = self.builder.create_addptr(base, step)
        if like is pointer:
            return tensor_like(pointer, handle, False)
        handle.shape = like.handle.shape if like is offset else like.shape
        return tensor_of(handle, pointer.dtype)

    def paired(self, a: Any, left: Handle, b: Any, right: Handle) -> tuple[Any, Handle, Handle] | None:
        """Operands with equal rank, and something that has the result's shape: a tensor or a handle."""
        ours, theirs = left.shape, right.shape
        if ours == theirs or not theirs:
            return a, left, right if len(theirs) == len(ours) else _lifted(right, len(ours))
        if not ours:
            return b, _lifted(left, len(theirs)), right
        if len(ours) != len(theirs):
            return None
        shape = []
        for one, other in zip(ours, theirs, strict=True):
            if one != other and one != 1 and other != 1:
                return None
            shape.append(other if one == 1 else one)
        full = tuple(shape)
        if full == ours:
            return a, left, right
        if full == theirs:
            return b, left, right
        self.builder.require_room(full)
        return Handle(left.data, a.dtype, full), left, right


def _keeps_dtype(number: Any, dtype: Any) -> bool:
    """Is it a number that a tensor of ``dtype`` takes in without changing its dtype?"""
    kind = _KINDS.get(dtype.name)
    if type(number) is int:
        return kind == "float" or (kind == "signed" and -(1 << 31) <= number < 1 << 31 and dtype.int_bitwidth >= 32)
    return type(number) is float and kind == "float"


@lru_cache(maxsize=4096)
def _cached_number(number: Any, _kind: type, dtype: str) -> Handle:
    return constant(number, DTYPES[dtype])


def _number(number: Any, kind: type, dtype: Any) -> Handle:
    # zero and minus zero are equal, so they can't share a place in the cache
    return constant(number, dtype) if number == 0 else _cached_number(number, kind, dtype.name)


def _lifted(handle: Handle, rank: int) -> Handle:
    """A scalar with lane axes of size 1."""
    data, taint = handle.data, handle.taint
    made = handle.like(
        data.reshape(data.shape[0], *(1,) * rank),
        None if taint is None else taint.reshape(taint.shape[0], *(1,) * rank),
    )
    made.shape = (1,) * rank
    return made


def typed(dtype: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    """``(type, dtype, shape, numel)`` of a tensor, as ``tl.tensor`` holds them."""
    if not dtype.is_ptr():
        return _typed_scalar(dtype.name, shape)
    element = dtype.element_ty
    if element.is_ptr() or element.is_block():
        return _typed(dtype, shape)
    return _typed_pointer(element.name, dtype.address_space, dtype.const, shape)


# Keyed by names: Triton computes a dtype's hash each time, and pointer types have none.


@lru_cache(maxsize=1024)
def _typed_scalar(name: str, shape: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    return _typed(DTYPES[name], shape)


@lru_cache(maxsize=1024)
def _typed_pointer(name: str, space: int, const: bool, shape: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    return _typed(tl.pointer_type(DTYPES[name], space, const), shape)


def _typed(dtype: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    kind = tl.block_type(dtype, list(shape)) if shape else dtype
    probe = tl.tensor(None, kind)
    return kind, probe.dtype, probe.shape, probe.numel


def tensor_of(handle: Handle, dtype: Any) -> Any:
    """A tensor on ``handle``, whose shape it takes."""
    kind, dtype, shape, numel = typed(dtype, handle.shape)
    made = object.__new__(tl.tensor)
    made.__dict__.update(handle=handle, type=kind, dtype=dtype, shape=shape, numel=numel)
    return made


def tensor_like(like: Any, handle: Handle, gives_bool: bool) -> Any:
    """A tensor on ``handle`` with the shape of ``like`` (a tensor, or a handle), and its dtype or int1."""
    if type(like) is Handle:
        handle.shape = like.shape
        return tensor_of(handle, tl.int1 if gives_bool else handle.dtype)
    handle.shape = like.handle.shape
    if gives_bool:
        return tensor_of(handle, tl.int1)
    made = object.__new__(tl.tensor)
    made.__dict__.update(like.__dict__)
    made.handle = handle
    return made
