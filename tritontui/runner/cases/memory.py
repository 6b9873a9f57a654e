"""Memory that tells on the kernel: unwritten outputs hold poison, and allocations on a GPU stand between canaries."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from tritontui.runner.cases.host import UNWRITTEN

CANARY_BYTES = 4096
"""On each side: a block of 1,024 float32 that runs over the end is seen whole, and every alignment is kept."""

POISON = 0x5A
"""Fill byte of unwritten integers: neither zero nor a small number."""

_NAN_BITS = {2: (torch.int16, 0x7FDA), 4: (torch.int32, 0x7FDA5A5A), 8: (torch.int64, 0x7FFA5A5A5A5A5A5A)}
"""By bytes of a float: integers of its size, and a NaN that no arithmetic gives. float16 and bfloat16 share one."""


def poison(tensor: torch.Tensor) -> torch.Tensor:
    """Fill ``tensor`` with NaN (floats) or a pattern no kernel gives by chance (integers), in place."""
    if tensor.is_floating_point() and tensor.dtype.itemsize > 1:
        if not tensor.is_complex() and tensor.dtype.itemsize in _NAN_BITS:
            as_integer, bits = _NAN_BITS[tensor.dtype.itemsize]
            tensor.view(as_integer).fill_(bits)
            return tensor
        return tensor.fill_(float("nan"))
    if tensor.dtype == torch.bool:
        return tensor.fill_(True)
    if tensor.is_contiguous():
        tensor.view(torch.uint8).fill_(POISON) if tensor.dim() else tensor.fill_(POISON)
    return tensor


def is_poison(tensor: torch.Tensor) -> torch.Tensor:
    """Mask of the elements that still hold what ``poison`` put there.

    All False where the pattern could be there by right: integers of less than 4 bytes, floats of one, booleans.
    """
    size = tensor.dtype.itemsize
    if tensor.is_floating_point() and size in _NAN_BITS:
        as_integer, bits = _NAN_BITS[size]
    elif not tensor.is_floating_point() and not tensor.is_complex() and size >= 4:
        as_integer, bits = tensor.dtype, int.from_bytes(bytes([POISON]) * size, "little")
    else:
        return torch.zeros_like(tensor, dtype=torch.bool)
    return tensor.view(as_integer) == bits


@dataclass(frozen=True)
class Overwritten:
    """Elements around an allocation that changed; ``index`` is the first of them, counted from the allocation."""

    shape: list[int]
    size: int
    index: int
    count: int


@dataclass
class _Fenced:
    buffer: torch.Tensor
    """Bytes: canary, the tensor's own, canary."""
    view: torch.Tensor
    own_bytes: int
    canary: int


class Fence:
    """Puts canaries around tensors and says afterwards which were overwritten."""

    def __init__(self) -> None:
        self._fenced: list[_Fenced] = []

    def enclose(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of ``tensor`` and of what lies between its elements, of the same strides, between canaries."""
        size = tensor.dtype.itemsize
        span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True)) if tensor.numel() else 0
        own = span * size
        canary = _canary(len(self._fenced))
        buffer = torch.full((own + 2 * CANARY_BYTES + (-own) % 16,), canary, dtype=torch.uint8, device=tensor.device)
        typed = buffer.view(tensor.dtype)
        first = CANARY_BYTES // size
        typed[first : first + span].copy_(tensor.as_strided((span,), (1,)))  # expanded views can't be written into
        view = typed.as_strided(tensor.shape, tensor.stride(), first)
        self._fenced.append(_Fenced(buffer, view, own, canary))
        return view

    def overwritten(self) -> list[Overwritten]:
        """Waits for the device, then lists the allocations whose canaries changed."""
        return [found for fenced in self._fenced if (found := _inspect(fenced)) is not None]


def _canary(number: int) -> int:
    """Fill byte of the ``number``-th fence: neighbours differ, or copying past two ends would go unseen."""
    return 0x80 + number * 37 % 127


def _inspect(fenced: _Fenced) -> Overwritten | None:
    changed = fenced.buffer != fenced.canary
    changed[CANARY_BYTES : CANARY_BYTES + fenced.own_bytes] = False
    where = torch.nonzero(changed).flatten()
    if not len(where):
        return None
    size = fenced.view.dtype.itemsize
    elements = torch.unique((where - CANARY_BYTES) // size)
    return Overwritten(list(fenced.view.shape), fenced.view.numel(), int(elements[0]), len(elements))


class GuardedAllocations:
    """What a ``HostWatch`` does with each fresh allocation: poison where nothing was written, canaries on a GPU."""

    def __init__(self, fence: Fence | None = None) -> None:
        self._fence = fence

    def __call__(self, tensor: torch.Tensor, function: str) -> torch.Tensor:
        if tensor.device.type == "meta":
            return tensor
        guarded = self._fence.enclose(tensor) if self._fence is not None else tensor
        return poison(guarded) if function in UNWRITTEN else guarded
