"""Which tensors of the host were allocated with ``empty`` and never given values, byte by byte."""

from __future__ import annotations

from contextlib import AbstractContextManager
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


class Shadows(TorchFunctionMode):  # type: ignore[misc]
    """While active, notes every tensor that ``empty`` and its kind return.

    A later write by PyTorch shows in the tensor's version; writes by kernels go to the shadow itself. Tensors made in
    ``torch.inference_mode`` have no version, so that nothing is said of them.
    """

    def __init__(self, room: int = 1 << 28) -> None:
        super().__init__()
        self.room = room
        self.addressed: list[Any] = []
        """Tensors whose address the host asked for: kernels may be given it as a number."""
        self._known: dict[int, tuple[Any, int, NDArray[np.bool_] | None]] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        if func is torch.Tensor.data_ptr:
            self.addressed.append(args[0])
        if func in _EMPTY and isinstance(made, torch.Tensor):
            with self.paused():  # where it really is: another mode may say that it is on a GPU
                if made.device.type == "cpu":
                    self._add(made)
        return made

    def paused(self) -> AbstractContextManager[None]:
        """PyTorch calls in the block are the interpreter's own, and need no watching."""
        return torch._C.DisableTorchFunction()  # type: ignore[no-any-return]

    def _add(self, tensor: Any) -> None:
        size = tensor.untyped_storage().nbytes()
        if 0 < size <= self.room and not tensor.is_inference():
            self.room -= size
            self._known[tensor.untyped_storage().data_ptr()] = (tensor, tensor._version, None)

    def of(self, tensor: Any) -> NDArray[np.bool_] | None:
        """One bool per byte of the tensor's storage: written yet? None: all of it has values."""
        key = tensor.untyped_storage().data_ptr()
        known = self._known.get(key)
        if known is None:
            return None
        original, version, written = known
        if original._version != version:
            del self._known[key]
            return None
        if written is None:
            written = np.zeros(tensor.untyped_storage().nbytes(), np.bool_)
            self._known[key] = (original, version, written)
        return written
