"""Every touch on Triton's private names, and nothing else anywhere: what to change when Triton moves (3.4 to 3.9)."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # 3.9 warns unless it is set

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import CompiledKernel, make_backend
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
from triton.language.semantic import TritonSemantic
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction, KernelInterface

from tritontui.runner.replaced import replaced

try:
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    TensorDescriptor = None

COMPILED_ATTRIBUTES = frozenset(
    {
        *("asm", "function", "hash", "kernel", "metadata", "metadata_group", "module", "name", "packed_metadata"),
        *("src", "n_max_threads", "n_regs", "n_spills", "_init_handles", "launch_metadata", "run"),
    }
)
"""What host code may ask of a ``CompiledKernel``."""

__all__ = [
    "COMPILED_ATTRIBUTES",
    "Autotuner",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "CompiledKernel",
    "GPUTarget",
    "Heuristics",
    "JITFunction",
    "KernelInterface",
    "Specialisation",
    "TensorDescriptor",
    "TritonSemantic",
    "Tuning",
    "UnsupportedLanguageConstruct",
    "aggregate_fields",
    "builtin_body",
    "combine_functions",
    "compiled_launch",
    "constexpr_parameters",
    "descriptor_classes",
    "driver",
    "in_sorting_network",
    "interpreted_process",
    "ir",
    "is_builtin",
    "is_builtin_method",
    "launch_options",
    "launches_noted",
    "launches_with",
    "libdevice",
    "libdevice_parents",
    "make_ttir",
    "new_aggregate",
    "source_lines",
    "specialise",
    "tl",
    "triton",
    "tunings_noted",
    "unwrap_pointer_wrapper",
]


def is_builtin(value: Any) -> bool:
    """Is ``value`` a function of the language that needs ``_semantic``?"""
    return bool(tl.core.is_builtin(value)) and callable(value)


def is_builtin_method(member: Any) -> bool:
    """Is ``member`` of a class such a function? Triton before 3.7 doesn't mark ``tensor.exp`` and its like."""
    return is_builtin(member) or (inspect.isfunction(member) and "_semantic" in inspect.signature(member).parameters)


def builtin_body(function: Any) -> Any:
    """The function under ``@builtin``'s check that ``_semantic`` was passed."""
    return getattr(function, "__wrapped__", function)


def source_lines(kernel: Any) -> tuple[list[str], int]:
    """Source of a ``JITFunction`` with its decorators, and the number of the first line. Raises ``OSError``."""
    lines = getattr(kernel, "raw_src", None)
    first = getattr(kernel, "starting_line_number", None)
    if lines is not None and first is not None:
        return list(lines), int(first)
    found, number = inspect.getsourcelines(kernel.fn)
    return found, number


def constexpr_parameters(kernel: Any) -> set[str]:
    """Names of the parameters annotated ``tl.constexpr``."""
    return {parameter.name for parameter in kernel.params if parameter.is_constexpr}


_AGGREGATE_LOCK = "_aggregate_init_complete"


def aggregate_fields(value: Any) -> tuple[str, ...] | None:
    """Field names of an instance of an ``@aggregate`` class; None for anything else."""
    if not hasattr(type(value), "_get_instance"):
        return None
    return tuple(name for name in vars(value) if name != _AGGREGATE_LOCK)


def new_aggregate(like: Any, values: dict[str, Any]) -> Any:
    """An instance of ``like``'s aggregate class with these field values, without running its constructor."""
    instance = type(like)._get_instance()
    vars(instance).update(vars(like))
    vars(instance).update(values)
    return instance


def descriptor_classes() -> list[type]:
    """Classes whose methods are the language's, besides ``tl.tensor``."""
    names = ("tensor_descriptor_base", "tensor_descriptor", "_experimental_tensor_descriptor")
    return [getattr(tl.core, name) for name in names if hasattr(tl.core, name)]


@functools.cache
def combine_functions() -> dict[str, Any]:
    """The standard library's combine functions by what they do; absent where this Triton lacks them."""
    names = {
        "sum": "_sum_combine",
        "max": "_elementwise_max",
        "min": "_elementwise_min",
        "xor": "_xor_combine",
        "or": "_or_combine",
        "product": "_prod_combine",
        "argmax_left": "_argmax_combine_tie_break_left",
        "argmax_fast": "_argmax_combine_tie_break_fast",
        "argmin_left": "_argmin_combine_tie_break_left",
        "argmin_fast": "_argmin_combine_tie_break_fast",
    }
    found = {key: getattr(tl.standard, name, None) for key, name in names.items()}
    return {key: function for key, function in found.items() if function is not None}


def in_sorting_network() -> bool:
    """Is the caller working for ``tl.sort`` or ``tl.topk``, which exchange lanes through sums and maxima?"""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _SORTING and frame.f_code.co_filename == tl.standard.__file__:
            return True
        frame = frame.f_back
    return False


_SORTING = frozenset({"sort", "sort_impl", "topk", "bitonic_merge", "_bitonic_merge", "_compare_and_swap"})


def libdevice_parents() -> tuple[ModuleType, ModuleType]:
    """The packages whose attribute ``libdevice`` is CUDA's math library: stubs for all targets, and CUDA's own."""
    import triton.language.extra.cuda.libdevice
    import triton.language.extra.libdevice

    return triton.language.extra, triton.language.extra.cuda


def libdevice() -> ModuleType:
    """CUDA's own functions, which the compiler puts in place of the stubs."""
    module: ModuleType = libdevice_parents()[1].libdevice
    return module


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


def unwrap_pointer_wrapper(value: Any) -> tuple[Any, Any]:
    """``(tensor, dtype)`` of ``triton.reinterpret``'s wrapper; ``(value, None)`` for a plain tensor."""
    base = getattr(value, "base", None)
    if type(value).__name__ == "TensorWrapper" and base is not None:
        return base, value.dtype
    return value, None


def interpreted_process() -> bool:
    """Was Triton imported with ``TRITON_INTERPRET`` set? Such a process has no ``JITFunction`` to trace or compile."""
    return not isinstance(tl.standard.zeros, JITFunction)


def compiled_launch(compiled: CompiledKernel, args: Sequence[Any]) -> tuple[JITFunction, dict[str, Any]]:
    """The kernel behind ``compiled[grid](*args)``, and the keywords with which its own launch would do the same.

    What it was compiled with counts: its constants, whatever is passed in their place, its warps and stages.
    """
    kernel, metadata = compiled.src.fn, compiled.metadata
    constants = {kernel.arg_names[path[0]]: value for path, value in compiled.src.constants.items() if len(path) == 1}
    chosen = {name: getattr(metadata, name) for name in ("num_warps", "num_stages", "num_ctas")}
    return kernel, {**dict(zip(kernel.arg_names, args, strict=False)), **constants, **chosen}


# ---------------------------------------------------------------- the compiler, without a launch


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


@dataclass(frozen=True)
class Tuning:
    """What one launch of an autotuned kernel chose from, and how."""

    kernel: JITFunction
    arguments: dict[str, Any]
    """Of the launch, by name, without what the configs set."""
    key: tuple[str, ...]
    configs: list[Any]
    """``triton.Config``, in the order in which they were written."""
    kept: list[Any]
    """Those that pruning left."""
    times_ms: dict[Any, tuple[float, ...]]
    """Median, low, high by config; infinite where it couldn't run. Empty: chosen before, or the only one."""
    best: Any
    seconds: float | None
    heuristics: tuple[Mapping[str, Callable[[dict[str, Any]], Any]], ...] = ()
    """What ``@triton.heuristics`` below the tuner reckons from the arguments and a config, the outermost first."""

    @property
    def sizes(self) -> dict[str, int]:
        """The arguments that are whole numbers."""
        return {name: value for name, value in self.arguments.items() if type(value) is int}


@contextmanager
def tunings_noted() -> Iterator[list[Tuning]]:
    """While active each launch of an autotuned kernel with several configs leaves a Tuning."""
    noted: list[Tuning] = []
    run_tuner, prune = Autotuner.run, Autotuner.prune_configs
    kept: list[Any] = []

    def prune_noted(self: Autotuner, *args: Any, **kwargs: Any) -> Any:
        kept[:] = prune(self, *args, **kwargs)
        return list(kept)

    def run(self: Autotuner, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "configs_timings", None)
        kept.clear()
        result = run_tuner(self, *args, **kwargs)
        if len(self.configs) > 1:
            after = getattr(self, "configs_timings", None)
            fresh = {} if after is None or after is before else after
            noted.append(_tuning(self, args, kwargs, kept or self.configs, fresh))
        return result

    with replaced((Autotuner, "run", run), (Autotuner, "prune_configs", prune_noted)):
        yield noted


def tuned_kernel(tuner: Autotuner) -> JITFunction:
    """What the tuner tunes."""
    kernel = tuner.fn
    while not isinstance(kernel, JITFunction):  # heuristics stand between
        kernel = kernel.fn
    return kernel


def _heuristics(tuner: Autotuner) -> Iterator[Mapping[str, Any]]:
    below = tuner.fn
    while not isinstance(below, JITFunction):
        if isinstance(below, Heuristics):
            yield below.values
        below = below.fn


def _tuning(tuner: Autotuner, args: Any, kwargs: Any, kept: Sequence[Any], timings: Mapping[Any, Any]) -> Tuning:
    named = {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}
    return Tuning(
        kernel=tuned_kernel(tuner),
        arguments={name: value for name, value in named.items() if name in tuner.arg_names},
        key=tuple(tuner.keys),
        configs=list(tuner.configs),
        kept=list(kept),
        times_ms={config: tuple(t) if isinstance(t, (list, tuple)) else (t, t, t) for config, t in timings.items()},
        best=tuner.best_config,
        seconds=getattr(tuner, "bench_time", None) if timings else None,
        heuristics=tuple(_heuristics(tuner)),
    )
