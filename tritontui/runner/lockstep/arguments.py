"""From what the host passes to what the kernel sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from tritontui.analysis.trace import Tensor
from tritontui.runner.lockstep.builder import constant
from tritontui.runner.lockstep.dtypes import TORCH, element_bytes, short_name
from tritontui.runner.lockstep.errors import WrongDevice
from tritontui.runner.lockstep.shadows import Shadows
from tritontui.runner.lockstep.storage import Argument, Storage
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import TensorDescriptor, tl, unwrap_pointer_wrapper

_ANNOTATED = {
    **{f"i{bits}": getattr(tl, f"int{bits}") for bits in (1, 8, 16, 32, 64)},
    **{f"u{bits}": getattr(tl, f"uint{bits}") for bits in (8, 16, 32, 64)},
    "u1": tl.int1,
    "fp16": tl.float16,
    "bf16": tl.bfloat16,
    "fp32": tl.float32,
    "f32": tl.float32,
    "fp64": tl.float64,
}


class Arguments:
    """The tensor arguments of one launch, their storages, and the kernel's values for all arguments."""

    def __init__(self, semantic: Any, shadows: Shadows, outputs: tuple[str, ...]) -> None:
        self.semantic = semantic
        self.shadows = shadows
        self.outputs = outputs
        self.owners: list[Argument] = []
        self.tensors: list[Tensor] = []
        self._storages: dict[int, Storage] = {}
        self._addressed: dict[tuple[int, str], Argument] = {}

    def bind(self, kernel: Any, bound: Mapping[str, Any], constexprs: set[str]) -> dict[str, Any]:
        """Kernel values by parameter name. Raises ``WrongDevice``, ``TypeError``."""
        annotated = {parameter.name: getattr(parameter, "annotation_type", None) for parameter in kernel.params}
        values = {}
        for name, value in bound.items():
            if name in constexprs:
                values[name] = value.value if isinstance(value, tl.constexpr) else value
            else:
                values[name] = self._value(name, value, annotated.get(name))
        return values

    def scalars(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that are no tensors, for the trace."""
        return {name: value for name, value in bound.items() if not _is_memory(value)}

    def _value(self, name: str, value: Any, annotation: str | None) -> Any:
        if isinstance(value, tl.constexpr):
            value = value.value
        if value is None or isinstance(value, (str, tl.dtype)):
            return value
        if isinstance(value, (bool, int, float)):
            return self._number(value, _ANNOTATED.get(annotation or ""))
        if isinstance(value, (np.number, np.bool_)):
            return self._number(value.item(), _ANNOTATED.get(annotation or ""))
        if isinstance(value, tuple):
            return _tuple(value, [self._value(f"{name}[{i}]", item, None) for i, item in enumerate(value)])
        if TensorDescriptor is not None and isinstance(value, TensorDescriptor):
            return self._descriptor(name, value)
        if hasattr(value, "data_ptr"):
            return self._pointer(name, value)
        if callable(value):
            return value
        raise TypeError(f"argument {name}: a kernel can't take a {type(value).__name__}")

    def _number(self, value: Any, dtype: Any) -> Any:
        if dtype is None:
            dtype = _number_dtype(value)
        return self.semantic.make_tensor(constant(value, dtype), dtype)

    def _pointer(self, name: str, value: Any) -> Any:
        tensor, reinterpreted = unwrap_pointer_wrapper(value)
        if not isinstance(tensor, torch.Tensor):
            return self._bare_pointer(name, tensor)
        if tensor.device.type != "cpu":
            raise WrongDevice(name, str(tensor.device))
        dtype = reinterpreted if isinstance(reinterpreted, tl.dtype) else TORCH.get(str(tensor.dtype))
        if reinterpreted is not None and not isinstance(reinterpreted, tl.dtype):
            dtype = TORCH.get(str(reinterpreted))
        if dtype is None:
            raise TypeError(f"argument {name}: Triton has no dtype for {tensor.dtype}")
        return self._pointer_into(self._owner(name, tensor, dtype), 0)

    def _bare_pointer(self, name: str, value: Any) -> Any:
        """Of an object that has an address and a dtype and is no tensor: it may mean all of the storage there.

        Raises ``TypeError`` when no tensor is known to lie there.
        """
        dtype, address = TORCH.get(str(value.dtype)), value.data_ptr()
        kept = [one for one in vars(value).values() if isinstance(one, torch.Tensor)]
        for tensor in (*kept, *self.shadows.addressed):
            raw = tensor.detach().untyped_storage()
            start = address - raw.data_ptr()
            if dtype is None or not 0 <= start < raw.nbytes() or start % element_bytes(dtype):
                continue
            whole = torch.empty(0, dtype=value.dtype).set_(raw, 0, (raw.nbytes() // element_bytes(dtype),))
            return self._pointer_into(self._owner(name, whole, dtype), start // element_bytes(dtype))
        raise TypeError(f"argument {name}: no tensor is known at the address of this {type(value).__name__}")

    def _pointer_into(self, owner: Argument, first: int) -> Any:
        pointer = tl.pointer_type(owner.dtype)
        handle = Handle(np.full(1, first, np.int64), pointer, (), first, first, owner)
        return self.semantic.tensor(handle, pointer)

    def owner_at(self, address: int, dtype: Any) -> Argument | None:
        """The tensor behind a real address that the host asked for (``data_ptr``), as elements of ``dtype``."""
        for tensor in self.shadows.addressed:
            raw = tensor.untyped_storage()
            if raw.data_ptr() <= address < raw.data_ptr() + raw.nbytes():
                key = (raw.data_ptr(), dtype.name)
                if key not in self._addressed:
                    owner = self._owner(f"tensor at {tensor.data_ptr():#x}", tensor, dtype)
                    owner.address = tensor.data_ptr()
                    self._addressed[key] = owner
                return self._addressed[key]
        return None

    def _owner(self, name: str, tensor: Any, dtype: Any) -> Argument:
        plain = tensor.detach()
        raw = plain.untyped_storage()
        key = raw.data_ptr() if raw.nbytes() else -len(self._storages) - 1
        storage = self._storages.get(key)
        if storage is None:
            view = torch.empty(0, dtype=torch.uint8).set_(raw).numpy() if raw.nbytes() else np.empty(0, np.uint8)
            storage = self._storages[key] = Storage(key, view, self.shadows.of(tensor))
        first_byte = plain.storage_offset() * plain.element_size()
        owner = Argument(len(self.owners), name, dtype, storage, first_byte, plain.data_ptr())
        self.owners.append(owner)
        written = storage.written
        untouched = written is not None and not written.any()
        self.tensors.append(
            Tensor(
                name=name,
                dtype=short_name(dtype),
                itemsize=owner.itemsize,
                shape=tuple(plain.shape),
                strides=tuple(plain.stride()),
                storage_first=owner.first,
                storage_end=owner.end,
                uninitialised=untouched or name in self.outputs,
                storage=key,
                storage_shift=first_byte // owner.itemsize,
            )
        )
        return owner

    def _descriptor(self, name: str, value: Any) -> Any:
        strides = [self._number(one, None) for one in value.strides[:-1]]
        made = self.semantic.make_tensor_descriptor(
            self._pointer(name, value.base),
            [self._number(one, None) for one in value.shape],
            [*strides, tl.constexpr(1)],
            [tl.constexpr(one) for one in value.block_shape],
            **({"padding_option": value.padding} if hasattr(value, "padding") else {}),
        )
        made.handle.round_to_tf32 = bool(getattr(value, "round_f32_to_tf32", False))
        return made


def _tuple(value: tuple[Any, ...], items: list[Any]) -> Any:
    """A tuple of the language, with the field names of a named one."""
    fields = getattr(value, "_fields", None)
    made = tl.tuple(items)
    if fields is not None and hasattr(made.type, "fields"):
        made.type.fields = list(fields)
    return made


def _number_dtype(value: Any) -> Any:
    """What the launcher passes a Python number as. Raises ``TypeError`` for an int that no register holds."""
    if isinstance(value, bool):
        return tl.int1
    if isinstance(value, float):
        return tl.float32
    for dtype, low, high in ((tl.int32, -(1 << 31), 1 << 31), (tl.int64, -(1 << 63), 1 << 63), (tl.uint64, 0, 1 << 64)):
        if low <= value < high:
            return dtype
    raise TypeError(f"{value} fits no integer of 64 bits")


def _is_memory(value: Any) -> bool:
    return hasattr(value, "data_ptr") or (TensorDescriptor is not None and isinstance(value, TensorDescriptor))
