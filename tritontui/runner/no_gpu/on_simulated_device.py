"""Runs a learner's host code on a ``SimulatedDevice``: the clocks and the calls that it knows answer for that device.

Patched are ``time``, ``timeit``, ``torch.cuda`` and ``triton.testing``, and whatever the submission imported from them
by name. Other threads keep the real clocks.
"""

from __future__ import annotations

import ast
import functools
import sys
import threading
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import triton.testing
from torch.overrides import TorchFunctionMode

from tritontui.runner.cases.host import IN_PLACE_DUNDERS, UNWRITTEN, storage_of, tensors_in
from tritontui.runner.no_gpu.cuda_on_cpu import is_cuda
from tritontui.runner.no_gpu.simulated_device import SimulatedDevice
from tritontui.runner.replaced import replaced

Function = Callable[..., Any]

LARGE_BYTES = 2**20
"""Tensors from this size on get no memory, so that clearing a cache with them costs nothing."""

_SECONDS = ("perf_counter", "time", "monotonic", "process_time", "thread_time")
_KNOWN = [
    *((time, name) for second in _SECONDS for name in (second, f"{second}_ns")),
    *((time, "sleep"), (timeit, "default_timer"), (timeit, "timeit"), (timeit, "repeat")),
    *((torch.cuda, name) for name in ("synchronize", "Event", "Stream", "current_stream", "default_stream")),
    *((triton.testing, name) for name in ("do_bench", "do_bench_cudagraph")),
]
_REAL = {(owner, name): getattr(owner, name) for owner, name in _KNOWN}


def on_simulated_device(device: SimulatedDevice, function: Function, file: str) -> Function:
    """``function``, of the submission in ``file``, for a call in which ``device`` is the GPU."""
    device.line = functools.partial(_line_in, file)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        with _answers(device, function, file), _DeviceMemory(device):
            return function(*args, **kwargs)

    return called


def _line_in(file: str) -> int | None:
    """The innermost line of ``file`` that is being run."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


# ---------------------------------------------------------------- clocks and calls


@contextmanager
def _answers(device: SimulatedDevice, function: Function, file: str) -> Iterator[None]:
    """The known names mean ``device``, where they come from and in the module of ``function``."""
    replacements = _replacements(device)
    names = getattr(function, "__globals__", {})
    imported = {
        name: replacements[known] for name, known in _imported(file).items() if name in names and known in replacements
    }
    before = {name: names[name] for name in imported}
    names.update(imported)
    try:
        with replaced(*((owner, name, value) for (owner, name), value in replacements.items())):
            yield
    finally:
        names.update(before)


def _imported(file: str) -> dict[str, tuple[Any, str]]:
    """What ``file`` imports by name, as ``from time import perf_counter as clock``: by its own name for it."""
    modules = {owner.__name__: owner for owner, _ in _KNOWN}
    return {
        alias.asname or alias.name: (modules[node.module], alias.name)
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in modules
        for alias in node.names
    }


def _replacements(device: SimulatedDevice) -> dict[tuple[Any, str], Any]:
    here = threading.get_ident()

    def only_here(simulated: Function, real: Function) -> Function:
        @functools.wraps(real)
        def either(*args: Any, **kwargs: Any) -> Any:
            return (simulated if threading.get_ident() == here else real)(*args, **kwargs)

        return either

    def seconds() -> float:
        return device.read() / 1e3

    def do_bench(*_: Any, **__: Any) -> float:
        device.note_do_bench()
        return float("nan")

    def with_clock(measure: Function) -> Function:
        return lambda *args, **kwargs: measure(*args, **{"timer": seconds, **kwargs})

    stream = _Stream(device)
    clocks: dict[str, Function] = {
        **dict.fromkeys(_SECONDS, seconds),
        **{f"{second}_ns": lambda: round(device.read() * 1e6) for second in _SECONDS},
        "sleep": lambda duration: device.sleep(duration * 1e3),
    }
    return {
        **{(time, name): only_here(simulated, _REAL[time, name]) for name, simulated in clocks.items()},
        (timeit, "default_timer"): seconds,
        (timeit, "timeit"): with_clock(_REAL[timeit, "timeit"]),
        (timeit, "repeat"): with_clock(_REAL[timeit, "repeat"]),
        (torch.cuda, "synchronize"): lambda *_: device.wait(),
        (torch.cuda, "Event"): functools.partial(_Event, device),
        (torch.cuda, "Stream"): lambda *_, **__: stream,
        (torch.cuda, "current_stream"): lambda *_: stream,
        (torch.cuda, "default_stream"): lambda *_: stream,
        (triton.testing, "do_bench"): do_bench,
        (triton.testing, "do_bench_cudagraph"): do_bench,
    }


class _Event:
    """``torch.cuda.Event``; what is done wrong with one raises in torch's own words."""

    def __init__(self, device: SimulatedDevice, enable_timing: bool = False, **_: Any) -> None:
        self._device = device
        self._timing = enable_timing
        self._at: float | None = None

    def record(self, *_: Any) -> None:
        self._at = self._device.mark()

    def synchronize(self) -> None:
        self._device.wait(self._at if self._at is not None else self._device.now)

    def wait(self, *_: Any) -> None:
        """Of one stream for another; there is one here."""

    def query(self) -> bool:
        self._device.sleep(1e-3)  # a loop that asks until it is True gets there
        return self._at is None or self._at <= self._device.now

    def elapsed_time(self, end: _Event) -> float:
        if not (self._timing and end._timing):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end._at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        if max(self._at, end._at) > self._device.now:
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return end._at - self._at


class _Stream(nullcontext[None]):
    """``torch.cuda.Stream``: the only one."""

    def __init__(self, device: SimulatedDevice) -> None:
        super().__init__()
        self._device = device

    def synchronize(self) -> None:
        self._device.wait()

    def record_event(self, event: _Event | None = None) -> _Event:
        event = _Event(self._device) if event is None else event
        event.record()
        return event

    def wait_event(self, _: _Event) -> None:
        """What comes later is queued behind it anyway."""

    wait_stream = wait_event


# ---------------------------------------------------------------- tensors


class _DeviceMemory(TorchFunctionMode):  # type: ignore[misc]
    """Large tensors on the device have a shape and no elements; what is done to them costs the device its time."""

    def __init__(self, device: SimulatedDevice) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Function, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return func(*args, **kwargs)
        operands = [tensor for tensor in tensors_in([args, kwargs]) if tensor.is_meta]
        if operands and name in ("item", "cpu", "tolist", "__bool__", "__float__", "__int__"):
            self._device.wait()
            return func(torch.zeros(operands[0].shape, dtype=operands[0].dtype), *args[1:], **kwargs)
        result = self._made(func, args, kwargs)
        made = [tensor for tensor in tensors_in(result) if tensor.is_meta]
        known = {storage_of(tensor) for tensor in operands}
        is_new = any(storage_of(tensor) not in known for tensor in made) and name not in UNWRITTEN
        in_place = bool(operands) and (name in IN_PLACE_DUNDERS or (name.endswith("_") and not name.endswith("__")))
        if is_new or in_place:
            touched = {storage_of(tensor): tensor.nbytes for tensor in [*operands, *made]}
            self._device.touch(sum(touched.values()))
        return result

    def _made(self, func: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The function's result, without memory where that would be a large tensor on the device."""
        if func is torch.Tensor.cuda or (func is torch.Tensor.to and any(map(is_cuda, [*args[1:], *kwargs.values()]))):
            return torch.empty_like(args[0], device="meta") if args[0].nbytes >= LARGE_BYTES else func(*args, **kwargs)
        if is_cuda(kwargs.get("device")) and not tensors_in([args, kwargs]):
            shaped = func(*args, **{**kwargs, "device": "meta"})
            return shaped if shaped.nbytes >= LARGE_BYTES else func(*args, **kwargs)
        return func(*args, **kwargs)
