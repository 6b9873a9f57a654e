"""Triton's compiler without a launch: what a launch would compile, and the IR that it begins with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from tritontui.runner.replaced import replaced


@dataclass(frozen=True)
class Specialisation:
    """One way Triton compiles a kernel: its source, with types, constants and alignments of one launch's arguments."""

    source: Any
    """``triton.compiler.ASTSource``."""
    target: GPUTarget
    options: dict[str, Any]

    @property
    def key(self) -> str:
        """Equal for equal code compiled equally; the kernel's line numbers count."""
        return f"{self.source.hash()} {self.target} {sorted(self.options.items(), key=str)}"


class _Captured(BaseException):
    def __init__(self, specialisation: Specialisation) -> None:
        self.specialisation = specialisation


def specialise(kernel: JITFunction, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> Specialisation:
    """What a launch of ``kernel`` with these arguments would compile, by Triton's own rules; nothing is compiled.

    The active driver must answer ``get_current_device`` with something that stands for its target, since Triton keeps
    a binder for each device. Raises what the launcher raises for arguments that it refuses.
    """
    device = driver.active.get_current_device()
    compiled = kernel.device_caches[device][0]  # makes the binder, and the attribute that is replaced here
    before = dict(compiled)

    def capture(source: Any, target: GPUTarget, options: dict[str, Any], **_: Any) -> Any:
        raise _Captured(Specialisation(source, target, dict(options)))

    compiled.clear()
    try:
        with replaced((kernel, "compile", capture)):
            kernel.warmup(grid=(1,), **arguments, **options)
    except _Captured as captured:
        return captured.specialisation
    finally:
        compiled.update(before)
    raise RuntimeError(f"{kernel.fn.__name__}: Triton compiled nothing")


def make_ttir(specialisation: Specialisation) -> str:
    """Triton IR of a specialisation: the front end and the first passes, a few milliseconds.

    Raises CompilationError (or what a pass raises) when the kernel isn't legal.
    """
    source, target = specialisation.source, specialisation.target
    backend = make_backend(target)
    options = backend.parse_options(dict(specialisation.options))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    known = {
        "target": target,
        "options": options,
        "codegen_fns": backend.get_codegen_implementation(options),
        "module_map": backend.get_module_map(),
        "context": context,
    }
    wanted = inspect.signature(source.make_ir).parameters
    module = source.make_ir(**{name: known[name] for name in wanted})
    stages: dict[str, Callable[[Any, dict[str, Any]], Any]] = {}
    stage_arguments = (stages, options, source.language)
    backend.add_stages(*stage_arguments[: len(inspect.signature(backend.add_stages).parameters)])
    return str(stages["ttir"](module, {"target": target}))
