"""What a run of the learner's code may change in the process, put back afterwards."""

from __future__ import annotations

import builtins
import contextlib
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy
import torch
import triton
import triton.language

_MODULES: tuple[ModuleType, ...] = (
    builtins, os, random, signal, threading, time, numpy, torch, triton, triton.language,
)  # fmt: skip
_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


@contextmanager
def restored() -> Iterator[None]:
    """Working directory, environment, signal handlers, hooks, torch's defaults and the names of common modules.

    Names that were changed or deleted come back; names that were added stay: modules load parts of themselves late.
    """
    names = [(module, dict(vars(module))) for module in _MODULES]
    environment = dict(os.environ)
    directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    path, recursion = list(sys.path), sys.getrecursionlimit()
    hooks = {name: getattr(sys, name) for name in ("excepthook", "displayhook", "unraisablehook")}
    defaults = _torch_defaults()
    try:
        yield
    finally:
        for module, before in names:
            _restore_names(module, before)
        _restore_environment(environment)
        os.fchdir(directory)
        os.close(directory)
        for number, handler in handlers.items():
            _restore_signal(number, handler)
        sys.path[:] = path
        sys.setrecursionlimit(recursion)
        sys.settrace(None)
        sys.setprofile(None)
        for name, hook in hooks.items():
            setattr(sys, name, hook)
        _restore_torch(defaults)


def _restore_names(module: ModuleType, before: dict[str, Any]) -> None:
    now = vars(module)
    for name, value in before.items():
        if now.get(name, restored) is not value:
            setattr(module, name, value)


def _restore_environment(before: dict[str, str]) -> None:
    if dict(os.environ) != before:
        os.environ.clear()
        os.environ.update(before)


def _restore_signal(number: int, handler: Any) -> None:
    if handler is not None and signal.getsignal(number) is not handler:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, handler)


def _torch_defaults() -> dict[str, Any]:
    return {
        "device": torch.get_default_device(),
        "dtype": torch.get_default_dtype(),
        "grad": torch.is_grad_enabled(),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }


def _restore_torch(defaults: dict[str, Any]) -> None:
    if _torch_defaults() == defaults:
        return
    torch.set_default_device(defaults["device"])
    torch.set_default_dtype(defaults["dtype"])
    torch.set_grad_enabled(defaults["grad"])
    torch.set_num_threads(defaults["threads"])
    torch.use_deterministic_algorithms(defaults["deterministic"])
