"""Every touch on Triton's private names, and nothing else anywhere: what to change when Triton moves (3.4 to 3.9)."""

from __future__ import annotations

import os

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # 3.9 warns unless it is set

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import CompiledKernel
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
from triton.language.semantic import TritonSemantic
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction, KernelInterface

from tritontui.runner.triton_compat.compiling import (
    Specialisation,
    make_ttir,
    specialise,
)
from tritontui.runner.triton_compat.language import (
    aggregate_fields,
    builtin_body,
    combine_functions,
    constexpr_parameters,
    cuda_modules,
    descriptor_classes,
    in_sorting_network,
    interpreted_process,
    is_builtin,
    is_builtin_method,
    libdevice,
    libdevice_parents,
    new_aggregate,
    source_lines,
    unwrap_pointer_wrapper,
)
from tritontui.runner.triton_compat.launching import (
    COMPILED_ATTRIBUTES,
    compiled_launch,
    launch_options,
    launches_noted,
    launches_with,
)
from tritontui.runner.triton_compat.tuning import (
    Tuning,
    tuned_kernel,
    tunings_noted,
)

try:
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    TensorDescriptor = None

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
    "cuda_modules",
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
    "tuned_kernel",
    "tunings_noted",
    "unwrap_pointer_wrapper",
]
