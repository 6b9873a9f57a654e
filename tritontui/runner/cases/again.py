"""The same call again: copies of what goes in, and where what comes out differs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tritontui.runner.cases.host import tensors_in

ROUNDING = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
"""Relative to the largest value of a tensor: what another order of a sum may change."""


def copied(value: Any) -> Any:
    """Copies of all tensors, each the same view of a copy of its storage; everything else as it is."""
    known: dict[int, torch.Tensor] = {}

    def copy_of(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return _copied_tensor(item, known)
        if isinstance(item, dict):
            return {key: copy_of(part) for key, part in item.items()}
        if isinstance(item, (list, tuple)):
            parts = [copy_of(part) for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
        if tensors_in(item) and hasattr(item, "__dict__"):  # a wrapper; NumPy's view of a tensor is no such thing
            clone = copy.copy(item)
            clone.base = copy_of(item.base)
            return clone
        return item

    return copy_of(value)


def _copied_tensor(tensor: torch.Tensor, known: dict[int, torch.Tensor]) -> torch.Tensor:
    """The same view of a copy of the storage, of which there is one for all of its views."""
    plain = tensor.detach()
    storage = plain.untyped_storage()
    key = storage.data_ptr()
    if key not in known:
        known[key] = torch.empty(0, dtype=torch.uint8, device=plain.device).set_(storage).clone()
    clone = torch.empty(0, dtype=plain.dtype, device=plain.device)
    clone.set_(known[key].untyped_storage(), plain.storage_offset(), plain.shape, plain.stride())
    return clone


@dataclass(frozen=True)
class Change:
    """The first tensor in which two calls differ, and its first such element (row-major index)."""

    number: int
    tensor: torch.Tensor
    index: int
    count: int
    """Elements that differ."""
    value: str
    other: str

    def params(self) -> dict[str, Any]:
        """As a finding tells it."""
        return {
            "index": self.index,
            "count": self.count,
            "size": self.tensor.numel(),
            "value": self.value,
            "other_value": self.other,
        }


def first_change(ours: Sequence[torch.Tensor], theirs: Sequence[torch.Tensor]) -> Change | None:
    """What two calls left behind, compared beyond rounding; tensors of other shapes or dtypes are passed over."""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one.shape != other.shape or one.dtype != other.dtype:
            continue
        wrong = _beyond_rounding(one, other)
        if len(wrong):
            index = int(wrong[0])
            return Change(number, one, index, len(wrong), _text(one, index), _text(other, index))
    return None


def _beyond_rounding(one: torch.Tensor, other: torch.Tensor) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Row-major indices of the elements that differ by more than another order of sums may make them."""
    if not one.is_floating_point():
        return np.flatnonzero((one != other).cpu().numpy().ravel())
    left, right = _flat(one), _flat(other)
    finite = left[np.isfinite(left)]
    scale = ROUNDING.get(one.dtype, 1e-1) * max(1e-30, float(np.abs(finite).max(initial=0.0)))
    return np.flatnonzero(~np.isclose(left, right, rtol=0, atol=scale, equal_nan=True))


def _flat(tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[Any]]:
    return np.asarray(tensor.detach().double().cpu()).ravel()


def _text(tensor: torch.Tensor, index: int) -> str:
    value = tensor.reshape(-1)[index].item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
