"""What torch keeps for a whole process or thread, and a learner's code may set: read, put back, and set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

import torch


class _Setting(NamedTuple):
    name: str
    """As a learner knows it."""
    get: Callable[[], Any]
    put: Callable[[Any], Any] | None = None
    """None where only leaving a context sets it."""

    def read(self) -> Any:
        try:
            return self.get()
        except Exception as error:  # torch forbids to ask in an old way for what was set in a new one
            return type(error)

    def write(self, value: Any) -> None:
        if self.put is not None and self.read() != value:
            with suppress(Exception):
                self.put(value)


_CPU = torch.device("cpu")


def _set_default_device(device: torch.device) -> None:
    torch.set_default_device(None if device == _CPU else device)  # a default that is named is a context of its own


_OF_NEW_TENSORS = (
    _Setting("torch.set_default_device", torch.get_default_device, _set_default_device),
    _Setting("torch.set_default_dtype", torch.get_default_dtype, torch.set_default_dtype),
    _Setting("torch.set_grad_enabled", torch.is_grad_enabled, torch.set_grad_enabled),
)
_FRESH = (_CPU, torch.float32, True)
_SETTINGS = (
    *_OF_NEW_TENSORS,
    _Setting("torch.overrides", torch._C._len_torch_function_stack),
    _Setting("torch.utils._python_dispatch", torch._C._len_torch_dispatch_stack),
    _Setting("torch.inference_mode", torch.is_inference_mode_enabled),
    _Setting("torch.set_num_threads", torch.get_num_threads, torch.set_num_threads),
    _Setting(
        "torch.use_deterministic_algorithms",
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
    ),
    _Setting(
        "torch.set_float32_matmul_precision", torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
    ),
    _Setting("torch.autograd.set_detect_anomaly", torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    *(
        _Setting("torch.autocast", partial(torch.is_autocast_enabled, kind), partial(torch.set_autocast_enabled, kind))
        for kind in ("cpu", "cuda")
    ),
    *(
        _Setting(
            f"torch.backends.cudnn.{name}",
            partial(getattr, torch.backends.cudnn, name),
            partial(setattr, torch.backends.cudnn, name),
        )
        for name in ("enabled", "benchmark", "deterministic")
    ),
)


class TorchState(NamedTuple):
    """As it was at one moment, in the thread that asked."""

    values: tuple[Any, ...]

    @classmethod
    def now(cls) -> TorchState:
        return cls(tuple(setting.read() for setting in _SETTINGS))

    def changed(self) -> list[str]:
        """Names of what is another by now."""
        return [setting.name for setting, value in zip(_SETTINGS, self.values, strict=True) if setting.read() != value]

    def put_back(self) -> None:
        """All but what only leaving a context sets."""
        torch.set_flush_denormal(False)  # nothing tells whether it is set
        for setting, value in zip(_SETTINGS, self.values, strict=True):
            setting.write(value)


@contextmanager
def defaults_aside() -> Iterator[None]:
    """While active new tensors are what they are in a fresh process: on the CPU, float32, recorded for gradients."""
    theirs = [setting.read() for setting in _OF_NEW_TENSORS]
    try:
        for setting, value in zip(_OF_NEW_TENSORS, _FRESH, strict=True):
            setting.write(value)
        yield
    finally:
        for setting, value in zip(_OF_NEW_TENSORS, theirs, strict=True):
            setting.write(value)
