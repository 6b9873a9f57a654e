"""Which tensors of the host were allocated with ``empty`` and never given values, byte by byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.overrides import TorchFunctionMode

_EMPTY = frozenset(
    {
        torch.empty,
        torch.empty_like,
        torch.empty_strided,
        torch.Tensor.new_empty,
        torch.Tensor.new_empty_strided,
    }
)

_LOOKING = frozenset(
    {
        *(
            "__get__",
            "data_ptr",
            "dim",
            "element_size",
            "get_device",
            "is_contiguous",
            "is_floating_point",
            "is_inference",
        ),
        *("numel", "nelement", "size", "storage_offset", "stride", "__len__", "empty_like", "new_empty", "zeros_like"),
        *("expand", "permute", "reshape", "squeeze", "t", "transpose", "unsqueeze", "view", "__getitem__"),
    }
)
"""Names of functions that write to nothing that they are given. A view has the storage of its tensor."""


def _storage(tensor: Any) -> int:
    address: int = tensor.untyped_storage().data_ptr()
    return address


def _tensors(given: Iterable[Any]) -> Iterator[Any]:
    """Tensors among arguments, and in the lists among them."""
    for one in given:
        yield from (
            part for part in (one if isinstance(one, (list, tuple)) else [one]) if isinstance(part, torch.Tensor)
        )


class Shadows(TorchFunctionMode):  # type: ignore[misc]
    """While active, notes every tensor that ``empty`` and its kind return.

    A later write by PyTorch shows in the tensor's version; writes by kernels go to the shadow itself. A tensor made in
    ``torch.inference_mode`` has no version: there any call that it is given to counts, unless it only looks.
    """

    def __init__(self, room: int = 1 << 28) -> None:
        super().__init__()
        self.room = room
        self.addressed: list[Any] = []
        """Tensors whose address the host asked for: kernels may be given it as a number."""
        self._known: dict[int, tuple[Any, int, NDArray[np.bool_] | None]] = {}
        self._calls: dict[int, int] = {}
        """By storage, of tensors without a version: calls so far that may have written to it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        if func is torch.Tensor.data_ptr:
            self.addressed.append(args[0])
        if func in _EMPTY and isinstance(made, torch.Tensor):
            with self.paused():  # where it really is: another mode may say that it is on a GPU
                if made.device.type == "cpu":
                    self._add(made)
        elif self._calls and getattr(func, "__name__", "") not in _LOOKING:
            with self.paused(), suppress(RuntimeError):  # a sparse or made-up tensor has no storage
                for key in {_storage(tensor) for tensor in _tensors((*args, *(kwargs or {}).values()))}:
                    if key in self._calls:
                        self._calls[key] += 1
        return made

    def paused(self) -> AbstractContextManager[None]:
        """PyTorch calls in the block are the interpreter's own, and need no watching."""
        return torch._C.DisableTorchFunction()  # type: ignore[no-any-return]

    def _add(self, tensor: Any) -> None:
        size = tensor.untyped_storage().nbytes()
        if 0 < size <= self.room:
            self.room -= size
            key = _storage(tensor)
            self._calls.pop(key, None)
            if tensor.is_inference():
                self._calls[key] = 0
            self._known[key] = (tensor, self._version(tensor), None)

    def _version(self, tensor: Any) -> int:
        """Another number whenever PyTorch has written to the tensor."""
        version: int = self._calls[_storage(tensor)] if tensor.is_inference() else tensor._version
        return version

    def of(self, tensor: Any) -> NDArray[np.bool_] | None:
        """One bool per byte of the tensor's storage: written yet? None: all of it has values."""
        key = _storage(tensor)
        known = self._known.get(key)
        if known is None:
            return None
        original, version, written = known
        if self._version(original) != version:
            del self._known[key]
            return None
        if written is None:
            written = np.zeros(tensor.untyped_storage().nbytes(), np.bool_)
            self._known[key] = (original, version, written)
        return written
