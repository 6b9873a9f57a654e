"""What Triton's language and its kernels are made of: functions, aggregates, descriptors, sources."""

from __future__ import annotations

import functools
import inspect
import sys
from types import FrameType, ModuleType
from typing import Any

import triton.language as tl
from triton.runtime.jit import JITFunction


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


_SORTING = frozenset({"sort", "sort_impl", "topk", "bitonic_merge", "_bitonic_merge", "_compare_and_swap"})


def in_sorting_network() -> bool:
    """Is the caller working for ``tl.sort`` or ``tl.topk``, which exchange lanes through sums and maxima?"""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _SORTING and frame.f_code.co_filename == tl.standard.__file__:
            return True
        frame = frame.f_back
    return False


def cuda_modules() -> tuple[ModuleType, ...]:
    """Where the language's functions for CUDA alone are: the package, and the modules that it takes them from."""
    from triton.language.extra import cuda
    from triton.language.extra.cuda import gdc, utils

    return cuda, utils, gdc


def libdevice_parents() -> tuple[ModuleType, ModuleType]:
    """The packages whose attribute ``libdevice`` is CUDA's math library: stubs for all targets, and CUDA's own."""
    import triton.language.extra.cuda.libdevice
    import triton.language.extra.libdevice

    return triton.language.extra, triton.language.extra.cuda


def libdevice() -> ModuleType:
    """CUDA's own functions, which the compiler puts in place of the stubs."""
    module: ModuleType = libdevice_parents()[1].libdevice
    return module


def unwrap_pointer_wrapper(value: Any) -> tuple[Any, Any]:
    """``(tensor, dtype)`` of ``triton.reinterpret``'s wrapper; ``(value, None)`` for a plain tensor."""
    base = getattr(value, "base", None)
    if type(value).__name__ == "TensorWrapper" and base is not None:
        return base, value.dtype
    return value, None


def interpreted_process() -> bool:
    """Was Triton imported with ``TRITON_INTERPRET`` set? Such a process has no ``JITFunction`` to trace or compile."""
    return not isinstance(tl.standard.zeros, JITFunction)
