"""A kernel's launches: their options, what was launched, and launches with other constants."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from triton.compiler.compiler import CompiledKernel
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from tritontui.runner.replaced import replaced

COMPILED_ATTRIBUTES = frozenset(
    {
        *("asm", "function", "hash", "kernel", "metadata", "metadata_group", "module", "name", "packed_metadata"),
        *("src", "n_max_threads", "n_regs", "n_spills", "_init_handles", "launch_metadata", "run"),
    }
)
"""What host code may ask of a ``CompiledKernel``."""


@functools.cache
def launch_options() -> frozenset[str]:
    """Keywords of a launch that are options of the compiler and not parameters of the kernel."""
    known = {"num_warps", "num_stages", "num_ctas", "maxnreg", "debug", "enable_fp_fusion", "grid", "warmup"}
    try:
        from triton.backends.nvidia.compiler import CUDAOptions

        known |= set(CUDAOptions.__dataclass_fields__)
    except (ImportError, AttributeError):
        pass
    return frozenset(known)


def compiled_launch(compiled: CompiledKernel, args: Sequence[Any]) -> tuple[JITFunction, dict[str, Any]]:
    """The kernel behind ``compiled[grid](*args)``, and the keywords with which its own launch would do the same.

    What it was compiled with counts: its constants, whatever is passed in their place, its warps and stages.
    """
    kernel, metadata = compiled.src.fn, compiled.metadata
    constants = {kernel.arg_names[path[0]]: value for path, value in compiled.src.constants.items() if len(path) == 1}
    chosen = {name: getattr(metadata, name) for name in ("num_warps", "num_stages", "num_ctas")}
    return kernel, {**dict(zip(kernel.arg_names, args, strict=False)), **constants, **chosen}


@contextmanager
def launches_noted() -> Iterator[list[tuple[JITFunction, dict[str, Any], dict[str, Any]]]]:
    """While active nothing is launched: each launch leaves (kernel, arguments by name, options) in the list."""
    noted: list[tuple[JITFunction, dict[str, Any], dict[str, Any]]] = []

    def note(self: JITFunction, *args: Any, **kwargs: Any) -> None:
        names = set(self.arg_names)
        options = {k: v for k, v in kwargs.items() if k not in names and k not in ("grid", "warmup")}
        bound = self.signature.bind(*args, **{k: v for k, v in kwargs.items() if k in names})
        bound.apply_defaults()
        noted.append((self, dict(bound.arguments), options))

    with replaced((JITFunction, "run", note)):
        yield noted


@contextmanager
def launches_with(values: Mapping[str, int]) -> Iterator[None]:
    """While active each launch gets ``values`` in place of its own constants and options of these names.

    A grid that is a function sees them. A tuner tunes nothing: it launches its first config, changed likewise.
    """
    run_jit = JITFunction.run

    def run(self: JITFunction, *args: Any, **kwargs: Any) -> Any:
        names = self.arg_names
        positional = dict(zip(names, args, strict=False))
        given = (values.get(name, value) for name, value in positional.items())
        named = {k: v for k, v in values.items() if k not in positional and (k in names or k in launch_options())}
        return run_jit(self, *given, *args[len(positional) :], **{**kwargs, **named})

    def tune(self: Autotuner, *args: Any, **kwargs: Any) -> Any:
        first = self.configs[0].all_kwargs()
        return self.fn.run(*args, **{**first, **kwargs})

    with replaced((JITFunction, "run", run), (Autotuner, "run", tune)):
        yield
