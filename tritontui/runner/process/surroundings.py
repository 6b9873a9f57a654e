"""What a run of the learner's code may change in the process, put back afterwards."""

from __future__ import annotations

import builtins
import contextlib
import decimal
import gc
import locale
import os
import pathlib
import random
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy
import torch
import triton
import triton.language

from tritontui.runner.compiler.knobs import knob_groups
from tritontui.runner.process.torch_state import TorchState
from tritontui.runner.submission import MODULE as SUBMISSION

_MODULES: tuple[ModuleType, ...] = (
    builtins, gc, os, random, resource, signal, sys, threading, time, numpy, torch, triton, triton.language,
)  # fmt: skip
"""Of these every name is put back; of other modules what can be called, for they count and remember in other names."""
_CLASSES: tuple[type, ...] = (
    torch.Tensor, torch.nn.Module, triton.JITFunction, triton.language.tensor, triton.language.constexpr,
    pathlib.Path, pathlib.PurePath, threading.Thread,
)  # fmt: skip
_LISTS: tuple[list[Any], ...] = (sys.path, gc.callbacks)
_FINDERS: tuple[list[Any], ...] = (sys.meta_path, sys.path_hooks)
"""What modules add to these when they load stays."""
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


@dataclass
class Changes:
    """What a run has left otherwise than it was; known once all is put back."""

    names: list[str] = field(default_factory=list)
    """As a learner would write them: ``builtins.print``, ``sys.setrecursionlimit``."""
    lost: bool = False
    """Something could not be put back."""


@contextmanager
def restored(changes: Changes) -> Iterator[None]:
    """Working directory, environment, signal handlers, timers, locale, warnings, the defaults of torch, NumPy, Triton
    and decimal, the modules, and what stands in them.

    Names that were changed or deleted come back; names that were added stay: modules load parts of themselves late.
    ``changes`` is told what it was.
    """
    names = [(module, dict(vars(module))) for module in _all_modules()]
    methods = [(kind, dict(vars(kind))) for kind in _CLASSES]
    lists, finders = ([(each, list(each)) for each in group] for group in (_LISTS, _FINDERS))
    modules = dict(sys.modules)
    environment = dict(os.environ)
    directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    recursion, switch, collects = sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled()
    thresholds, place = gc.get_threshold(), locale.setlocale(locale.LC_ALL)
    digits, debugs = sys.get_int_max_str_digits(), gc.get_debug()
    torch_state, knobs = TorchState.now(), [(group, dict(vars(group))) for group in knob_groups()]
    try:
        with warnings.catch_warnings(), numpy.errstate(), numpy.printoptions(), decimal.localcontext():
            yield
    finally:
        changes.names += torch_state.changed()
        if sys.getrecursionlimit() != recursion:
            changes.names.append("sys.setrecursionlimit")
        sys.setrecursionlimit(recursion)
        for module, before in names:
            changes.names += _restore_names(module, before)
        for kind, before in methods:
            _restore_methods(kind, before)
        for each, entries in lists:
            each[:] = entries
        for each, entries in finders:
            each[:] = [*entries, *(entry for entry in each if entry not in entries)]
        _restore_modules(modules)
        _restore_environment(environment)
        time.tzset()
        os.fchdir(directory)
        os.close(directory)
        for timer in _TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in handlers.items():
            _restore_signal(number, handler)
        sys.set_int_max_str_digits(digits)
        sys.setswitchinterval(switch)
        sys.settrace(None)
        sys.setprofile(None)
        gc.set_debug(debugs)
        gc.set_threshold(*thresholds)
        (gc.enable if collects else gc.disable)()
        locale.setlocale(locale.LC_ALL, place)
        for group, before in knobs:
            vars(group).clear()
            vars(group).update(before)
        torch_state.put_back()
        changes.lost = bool(torch_state.changed())


def _all_modules() -> list[ModuleType]:
    """The submission's own aside: nothing in it is used again."""
    return [each for name, each in sys.modules.items() if type(each) is ModuleType and name != SUBMISSION]


def _restore_names(module: ModuleType, before: dict[str, Any]) -> list[str]:
    """Names that were changed."""
    now = vars(module)
    if module not in _MODULES and _equal(now, before):
        return []
    changed = [
        name
        for name, value in before.items()
        if now.get(name, restored) is not value and (module in _MODULES or callable(value))
    ]
    for name in changed:
        setattr(module, name, before[name])
    return [f"{before.get('__name__')}.{name}" for name in changed]


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """At the speed of C; what can't be compared differs."""
    try:
        return one == other
    except Exception:
        return False


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
