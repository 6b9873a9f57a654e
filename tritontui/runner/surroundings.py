"""What a run of the learner's code may change in the process, put back afterwards."""

from __future__ import annotations

import builtins
import contextlib
import gc
import locale
import os
import random
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy
import torch
import triton
import triton.language

from tritontui.runner.submission import MODULE as SUBMISSION

_MODULES: tuple[ModuleType, ...] = (
    builtins, gc, os, random, resource, signal, sys, threading, time, numpy, torch, triton, triton.language,
)  # fmt: skip
_CLASSES: tuple[type, ...] = (torch.Tensor, triton.JITFunction)
_LISTS: tuple[list[Any], ...] = (sys.path, gc.callbacks)
_FINDERS: tuple[list[Any], ...] = (sys.meta_path, sys.path_hooks)
"""What modules add to these when they load stays."""
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


@contextmanager
def restored() -> Iterator[None]:
    """Working directory, environment, signal handlers, timers, locale, warnings, torch's and NumPy's defaults, the
    modules, and the names of common ones.

    Names that were changed or deleted come back; names that were added stay: modules load parts of themselves late.
    """
    names = [(module, dict(vars(module))) for module in _MODULES]
    methods = [(kind, dict(vars(kind))) for kind in _CLASSES]
    lists, finders = ([(each, list(each)) for each in group] for group in (_LISTS, _FINDERS))
    modules = dict(sys.modules)
    environment = dict(os.environ)
    directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    recursion, switch, collects = sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled()
    thresholds, place = gc.get_threshold(), locale.setlocale(locale.LC_ALL)
    defaults = _torch_defaults()
    try:
        with warnings.catch_warnings(), numpy.errstate():
            yield
    finally:
        for module, before in names:
            _restore_names(module, before)
        for kind, before in methods:
            _restore_methods(kind, before)
        for each, entries in lists:
            each[:] = entries
        for each, entries in finders:
            each[:] = [*entries, *(entry for entry in each if entry not in entries)]
        _restore_modules(modules)
        _restore_environment(environment)
        os.fchdir(directory)
        os.close(directory)
        for timer in _TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in handlers.items():
            _restore_signal(number, handler)
        sys.setrecursionlimit(recursion)
        sys.setswitchinterval(switch)
        sys.settrace(None)
        sys.setprofile(None)
        gc.set_threshold(*thresholds)
        (gc.enable if collects else gc.disable)()
        locale.setlocale(locale.LC_ALL, place)
        _restore_torch(defaults)


def _restore_names(module: ModuleType, before: dict[str, Any]) -> None:
    now = vars(module)
    for name, value in before.items():
        if now.get(name, restored) is not value:
            setattr(module, name, value)


def _restore_methods(kind: type, before: dict[str, Any]) -> None:
    """Those that were added come away where they hide one that is inherited."""
    for name, value in dict(vars(kind)).items():
        if name not in before and any(name in vars(base) for base in kind.__mro__[1:]):
            delattr(kind, name)
        elif name in before and before[name] is not value:
            setattr(kind, name, before[name])
    for name in before.keys() - vars(kind).keys():
        setattr(kind, name, before[name])


def _restore_modules(before: dict[str, ModuleType]) -> None:
    """All but the submission's own: that is another one now."""
    for name, module in before.items():
        if name != SUBMISSION and sys.modules.get(name) is not module:
            sys.modules[name] = module


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
