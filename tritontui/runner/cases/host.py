"""What the learner's host code does with tensors: which storages torch itself computed, and what it left unwritten."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

UNWRITTEN = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"})
"""Allocations whose content is whatever the memory held before."""

CONSTANTS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("zeros", "ones", "full")
    for prefix, suffix in (("", ""), ("", "_like"), ("new_", ""))
)
ALLOCATIONS = UNWRITTEN | CONSTANTS

INITIALISERS = frozenset({"zero_", "fill_"})
"""In place, and independent of any data."""

IN_PLACE_DUNDERS = frozenset({"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__"})

_TORCH = str(Path(torch.__file__).parent)


@dataclass(frozen=True)
class HostCall:
    """A torch function that computed something from tensors, and the learner's line it was called on."""

    name: str
    line: int


def storage_of(tensor: torch.Tensor) -> int:
    """Identity of the tensor's storage; valid while some tensor on it is alive."""
    return int(tensor.untyped_storage()._cdata)


def tensors_in(values: Any, around: tuple[int, ...] = ()) -> list[torch.Tensor]:
    """Every tensor in nested tuples, lists and dicts, and under tensor descriptors, in order.

    ``around``: identities of the containers that hold ``values``; one may hold itself.
    """
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, (tuple, list, dict)):
        if id(values) in around:
            return []
        within = (*around, id(values))
        parts = values.values() if isinstance(values, dict) else values
        return [tensor for part in parts for tensor in tensors_in(part, within)]
    base = getattr(values, "base", None)
    return [base] if isinstance(base, torch.Tensor) else []


@dataclass
class HostWatch(TorchFunctionMode):  # type: ignore[misc]
    """While active, follows torch's own work: ``computed`` maps a storage to the call that filled it.

    ``after_allocation`` is given every tensor that was allocated (and its function's name) and returns the one to use.
    Calls named in ``allowed`` are the contract's, and leave no mark.
    """

    is_learner_file: Callable[[str], bool]
    allowed: Sequence[str] = ()
    after_allocation: Callable[[torch.Tensor, str], torch.Tensor] | None = None

    def __post_init__(self) -> None:
        super().__init__()
        self.computed: dict[int, HostCall] = {}
        self._alive: list[torch.Tensor] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name in ALLOCATIONS:
            return result if self.after_allocation is None else self.after_allocation(result, name)
        if name != "__get__" and name not in self.allowed and name not in INITIALISERS:
            line = self._calling_line()
            if line is not None:
                self._note(HostCall(_spelling(name), line), name, args, kwargs, result)
        return result

    def _note(self, call: HostCall, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        operands = [*tensors_in(args), *tensors_in(kwargs)]
        if not operands:
            return
        if _is_in_place(name):
            filled = operands[:1]
        elif "out" in kwargs:
            filled = list(tensors_in(kwargs["out"]))
        else:
            known = {storage_of(tensor) for tensor in operands}
            filled = [tensor for tensor in tensors_in(result) if storage_of(tensor) not in known]
        for tensor in filled:
            self.computed[storage_of(tensor)] = call
            self._alive.append(tensor)

    def _calling_line(self) -> int | None:
        """The learner's line that made the call; None when other code did (an interpreter of kernels, say)."""
        frame = sys._getframe(2)
        while _passes_on(frame.f_code) and frame.f_back is not None:
            frame = frame.f_back
        return frame.f_lineno if self.is_learner_file(frame.f_code.co_filename) else None


def _passes_on(code: CodeType) -> bool:
    """Whether it may stand between the learner's call and the watch: torch itself, or another mode."""
    return code.co_filename.startswith(_TORCH) or code.co_name == "__torch_function__"


def _spelling(name: str) -> str:
    """``torch.add`` (for ``+`` too), but ``contiguous`` or ``copy_``, which only tensors have."""
    return f"torch.{name}" if callable(getattr(torch, name, None)) else name


def _is_in_place(name: str) -> bool:
    return name in IN_PLACE_DUNDERS or (name.endswith("_") and not name.endswith("__"))
