"""Scripts written for a GPU, run without one: what asks for CUDA gets the CPU, and is told that it is CUDA.

Only the script and its own modules are told so; torch, Triton and this package see what is really there.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import triton
import triton.testing
from torch.overrides import TorchFunctionMode

import tritontui
from tritontui.runner.compiler.target import TargetDriver
from tritontui.runner.no_gpu.cuda_answers import torch_cuda
from tritontui.runner.replaced import replaced

_INSIDERS = tuple(str(Path(file).parent) for file in (torch.__file__, triton.__file__, tritontui.__file__))

CLAIM = torch.device("cuda", 0)

_IS_CPU = torch.Tensor.is_cpu.__get__
_GETTERS = (torch.Tensor.is_cuda.__get__, torch.Tensor.device.__get__, _IS_CPU)
_ON_HOST = "_tritontui_on_host"


class CudaOnCpu(TorchFunctionMode):  # type: ignore[misc]
    """While active, devices named ``cuda`` mean the CPU. ``asked`` tells whether any was named."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = False
        self.cuda_by_default = False
        """``torch.set_default_device`` named one."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in _GETTERS:
            return self._claim(func, args)
        if func in (torch.device, torch._C._nn._parse_to):  # a name that is only read: what it is for comes here, too
            return func(*args, **kwargs)
        if func in (torch.Tensor.cuda, torch.nn.Module.cuda):
            self.asked = True
            return args[0]
        if func is torch.Tensor.get_device and self._claim(torch.Tensor.is_cuda.__get__, args):
            return CLAIM.index
        if func is torch.Tensor.pin_memory:
            return args[0]
        kwargs.pop("pin_memory", None)
        args = tuple(self._mapped(arg) for arg in args)
        if "device" in kwargs:
            kwargs["device"] = self._mapped(kwargs["device"])
        return func(*args, **kwargs)

    def names_cuda(self, value: Any) -> bool:
        """Whether ``value`` is a device of that kind; notes that one was asked for."""
        named = is_cuda(value)
        self.asked = self.asked or named
        return named

    def takes_default(self, device: Any) -> bool:
        """Whether the default ``device`` is one of that kind; notes it."""
        self.cuda_by_default = self.names_cuda(device)
        return self.cuda_by_default

    def _mapped(self, value: Any) -> Any:
        return torch.device("cpu") if self.names_cuda(value) else value

    def _claim(self, func: Any, args: tuple[Any, ...]) -> Any:
        real = func(*args)
        if not self.asked or is_kept_on_host(args[0]) or asked_from_inside():
            return real
        return func is not _IS_CPU if isinstance(real, bool) else CLAIM


def is_cuda(value: Any) -> bool:
    """Whether ``value`` names a device of that kind."""
    device = value.type if isinstance(value, torch.device) else value
    return isinstance(device, str) and device.split(":")[0] == "cuda"


def keep_on_host(tensor: torch.Tensor) -> torch.Tensor:
    """Mark ``tensor``, on the CPU, as one that isn't on the GPU either; views of it aren't marked."""
    setattr(tensor, _ON_HOST, True)
    return tensor


def is_kept_on_host(tensor: torch.Tensor) -> bool:
    """Whether ``keep_on_host`` marked it."""
    return bool(getattr(tensor, _ON_HOST, False))


@contextmanager
def cuda_on_cpu(mode: CudaOnCpu | None = None) -> Iterator[CudaOnCpu]:
    """The mode above, or the caller's own, and a ``torch.cuda`` that answers.

    Timing answers NaN, since nothing here can be timed. A PyTorch without CUDA lacks some of the names altogether.
    """
    mode, default_device = mode or CudaOnCpu(), torch.set_default_device
    replacements = [
        *((torch.cuda, name, value) for name, value in torch_cuda(mode).items()),
        (torch, "set_default_device", lambda device: None if mode.takes_default(device) else default_device(device)),
        (torch, "Generator", _OnCpu),
        (torch, "load", _loading(mode)),
        (threading.Thread, "start", _started_in(mode)),
        (TargetDriver, "get_current_device", _index_outside(TargetDriver.get_current_device)),
        (torch._C, "_cuda_getCurrentRawStream", lambda _: 0),  # what torch.compile writes imports these by name
        (torch._C._dynamo.guards, "_empty_strided_cuda", _empty_strided),
        (triton.testing, "do_bench", _untimed(triton.testing.do_bench)),
        (triton.testing, "do_bench_cudagraph", _untimed(triton.testing.do_bench_cudagraph)),
    ]
    with replaced(*replacements), mode:
        yield mode


def _started_in(mode: CudaOnCpu) -> Callable[[threading.Thread], None]:
    """``Thread.start`` for threads that are answered likewise: a mode holds for the thread that enters it alone."""
    start = threading.Thread.start

    def start_in_mode(thread: threading.Thread) -> None:
        run = thread.run

        def run_in_mode() -> None:
            with mode:
                run()

        thread.run = run_in_mode  # type: ignore[method-assign]
        start(thread)

    return start_in_mode


def _loading(mode: CudaOnCpu) -> Callable[..., Any]:
    """``torch.load``, to the CPU what was or is wanted on a GPU; a function is asked as ever."""
    load = torch.load

    @functools.wraps(load)
    def to_the_cpu(f: Any, map_location: Any = None, *arguments: Any, **named: Any) -> Any:
        is_device = isinstance(map_location, (str, torch.device))
        kept = callable(map_location) or (is_device and not mode.names_cuda(map_location))
        return load(f, map_location if kept else "cpu", *arguments, **named)

    return to_the_cpu


def _index_outside(name: Callable[[TargetDriver], str]) -> Callable[[TargetDriver], str | int]:
    """The driver's device by index for scripts, as a GPU's driver counts them; by ``name`` for Triton's own caches."""

    def get_current_device(driver: TargetDriver) -> str | int:
        return name(driver) if asked_from_inside() else CLAIM.index

    return get_current_device


def _empty_strided(size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(size, stride, dtype=dtype, device="cuda")


class _OnCpu(torch.Generator):  # type: ignore[misc]
    """A generator for either device draws on the CPU."""

    def __new__(cls, device: Any = "cpu") -> Any:
        return super().__new__(cls, "cpu" if torch.device(device).type == "cuda" else device)


def _untimed(measure: Callable[..., Any]) -> Callable[..., Any]:
    """A measuring function that runs its subject once and answers NaN; wrong arguments raise as ever."""
    signature = inspect.signature(measure)

    def do_bench(*args: Any, **kwargs: Any) -> Any:  # under this name its frame is looked for when something fails
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{measure.__name__}() {error}") from None
        given["fn"]()
        quantiles = given.get("quantiles")
        return [float("nan")] * len(quantiles) if quantiles is not None else float("nan")

    return do_bench


def asked_from_inside() -> bool:
    """Whether torch, Triton or this package asked, and not the script. Other modes only pass the question on."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name == "__torch_function__":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_INSIDERS)
