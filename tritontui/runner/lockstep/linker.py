"""Turns ``JITFunction``s into Python functions that run on a ``Control``."""

from __future__ import annotations

import builtins
from typing import Any

from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.location import Locator
from tritontui.runner.lockstep.options import Variant
from tritontui.runner.lockstep.rewriter import FACTORY, rewrite
from tritontui.runner.triton_compat import JITFunction, source_lines


class Linker:
    """Rewrites functions when they are first called and keeps them for the launch.

    ``replacements`` give what a global name means inside a kernel when it isn't what Python finds there: the language's
    functions imported by name, and the builtins that the compiler has its own for (``range``, ``min``, ``print``).
    """

    def __init__(
        self, control: Control, locator: Locator, replacements: Replacements, variants: tuple[Variant, ...] = ()
    ) -> None:
        self.control = control
        self.locator = locator
        self.replacements = replacements
        self.variants = variants
        self._linked: dict[int, tuple[Any, Any]] = {}

    def function(self, kernel: Any) -> Any:
        """The rewritten function of a ``JITFunction``. Raises ``OSError`` where there is no source."""
        known = self._linked.get(id(kernel))
        if known is not None:
            return known[1]
        made = self._link(kernel)
        self._linked[id(kernel)] = (kernel, made)
        return made

    def call(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a device function."""
        return self.control.call(self.function(kernel), args, kwargs)

    def _link(self, kernel: Any) -> Any:
        function = kernel.fn
        code = function.__code__
        lines, first = source_lines(kernel)
        captured = {
            name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
        supplied = captured | self.replacements.among(code.co_names, function.__globals__)
        rewritten = rewrite("".join(lines), first, code.co_filename, tuple(supplied), self.variants)
        namespace: dict[str, Any] = {}
        exec(rewritten.code, function.__globals__, namespace)
        made = namespace[FACTORY](self.control, *supplied.values())
        made.__name__ = made.__qualname__ = function.__name__  # what Python calls it when its arguments don't fit
        made.__defaults__ = function.__defaults__
        made.__kwdefaults__ = function.__kwdefaults__
        made.__dict__["source"] = (tuple(lines), first)
        self.locator.add(rewritten.places)
        return made


class Replacements:
    """What names mean inside kernels."""

    def __init__(self, by_builtin_name: dict[str, Any], by_value: dict[int, Any]) -> None:
        self.by_builtin_name = by_builtin_name
        self.by_value = by_value

    def among(self, names: tuple[str, ...], scope: dict[str, Any]) -> dict[str, Any]:
        """Replacements for those of ``names`` that need one, given a function's globals."""
        found = {}
        for name in names:
            if name in scope:
                value = scope[name]
                replacement = self.by_value.get(id(value))
                if replacement is not None:
                    found[name] = replacement
            elif name in self.by_builtin_name and hasattr(builtins, name):
                found[name] = self.by_builtin_name[name]
        return found


def may_wait(kernel: Any) -> bool:
    """Does the kernel, or a function that it can call, hold a ``while`` loop or poll memory?"""
    seen: set[int] = set()
    open_ = [kernel]
    while open_:
        current = open_.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if any("while" in line or "atomic_poll" in line for line in source_lines(current)[0]):
            return True
        code, scope = current.fn.__code__, current.fn.__globals__
        captured = (cell.cell_contents for cell in current.fn.__closure__ or ())
        named = (scope.get(name) for name in code.co_names)
        open_ += [
            one
            for one in (*captured, *named)
            if isinstance(one, JITFunction) and not str(one.fn.__module__).startswith("triton.")
        ]
    return False
