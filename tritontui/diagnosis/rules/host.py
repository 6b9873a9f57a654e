"""Rules for Python itself and for the host code."""

from __future__ import annotations

import ast
import builtins
import re
from typing import TypeGuard

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import last_name, text
from tritontui.diagnosis.scene import Rule, Scene, closest, simple
from tritontui.diagnosis.syntax import check_syntax, syntax_error

REMOVED = {
    ("triton.language", "advance"): "`tl.make_tensor_descriptor`",
    ("triton.language", "make_block_ptr"): "`tl.make_tensor_descriptor`",
    ("triton.language", "libdevice"): "`from triton.language.extra import libdevice`",
    ("triton.language.math", "tanh"): "`from triton.language.extra import libdevice`",
    ("triton.language.math", "pow"): "`from triton.language.extra import libdevice`",
    ("triton.language", "tanh"): "`from triton.language.extra import libdevice`",
    ("triton.language", "pow"): "`from triton.language.extra import libdevice`",
    ("triton.language.extra.cuda", "libdevice"): "`from triton.language.extra import libdevice`",
    ("triton", "ops"): "",
    ("triton.testing", "allclose"): "`torch.testing.assert_close`",
}
"""What older Tritons had, by module and name, with what to write today ("" if nothing took its place)."""

# fmt: off
TL_NAMES = (
    "abs", "arange", "argmax", "argmin", "associative_scan", "atomic_add", "atomic_and", "atomic_cas", "atomic_max",
    "atomic_min", "atomic_or", "atomic_xchg", "atomic_xor", "bfloat16", "broadcast", "broadcast_to", "cast", "cat",
    "cdiv", "ceil", "clamp", "constexpr", "cos", "cumprod", "cumsum", "debug_barrier", "device_assert",
    "device_print", "div_rn", "dot", "erf", "exp", "exp2", "expand_dims", "fdiv", "flip", "float16", "float32",
    "float64", "floor", "fma", "full", "gather", "histogram", "int1", "int16", "int32", "int64", "int8",
    "interleave", "join", "load", "log", "log2", "max", "max_contiguous", "maximum", "min", "minimum",
    "multiple_of", "num_programs", "permute", "philox", "program_id", "rand", "randint", "randn", "range", "ravel",
    "reduce", "reshape", "rsqrt", "sigmoid", "sin", "softmax", "sort", "split", "sqrt", "static_assert",
    "static_print", "static_range", "store", "sum", "swizzle2d", "trans", "uint16", "uint32", "uint64", "uint8",
    "view", "where", "xor_sum", "zeros", "zeros_like",
)
# fmt: on
"""What kernels use of ``triton.language``, for suggestions."""
TRITON_NAMES = ("Config", "autotune", "cdiv", "heuristics", "jit", "language", "next_power_of_2", "testing")

_TL = "triton.language"
_MEANT = {
    (_TL, "jit"): "triton.jit",
    (_TL, "autotune"): "triton.autotune",
    (_TL, "relu"): "tl.maximum",
    (_TL, "mean"): "tl.sum",
    (_TL, "matmul"): "tl.dot",
    (_TL, "mm"): "tl.dot",
    (_TL, "transpose"): "tl.trans",
    (_TL, "concat"): "tl.cat",
    (_TL, "concatenate"): "tl.cat",
    (_TL, "stack"): "tl.join",
    (_TL, "ones"): "tl.full",
    (_TL, "empty"): "tl.zeros",
    (_TL, "clip"): "tl.clamp",
    (_TL, "float"): "tl.float32",
    (_TL, "half"): "tl.float16",
    (_TL, "double"): "tl.float64",
    (_TL, "int"): "tl.int32",
    (_TL, "bool"): "tl.int1",
    (_TL, "block_id"): "tl.program_id",
    (_TL, "thread_id"): "tl.arange",
    (_TL, "next_power_of_2"): "triton.next_power_of_2",
    (_TL, "inf"): 'float("inf")',
    (_TL, "nan"): 'float("nan")',
    ("triton", "kernel"): "triton.jit",
}
"""What is meant by names of other libraries, where no name of Triton's is spelt alike."""
_SHOWN_MODULES = {"triton.language": "tl", "triton.language.core": "tl", "triton.language.math": "tl.math"}


_MODULES = {
    "tl": "import triton.language as tl",
    "triton": "import triton",
    "torch": "import torch",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "F": "import torch.nn.functional as F",
}
"""What files usually call a module, and how it comes by that name."""
_HOST_MODULES = ("math", "np", "numpy")
_CUDA_NAMES = {
    "threadIdx": "tl.arange",
    "blockIdx": "tl.program_id",
    "blockDim": "",
    "gridDim": "tl.num_programs",
    "__syncthreads": "",
}
"""Names of CUDA, and what does their work here ("" where nothing has to)."""
_INFINITY = 'float("inf")'


def _name_error(scene: Scene, match: re.Match[str]) -> Finding | None:
    name = match["name"]
    function = scene.reading.function(scene.line)
    kernel = function is not None and function in list(scene.reading.kernels())
    if kernel and name in _HOST_MODULES and (of_host := _of_a_host_module(scene, name)) is not None:
        return of_host
    names = scene.reading.names(function)
    known = names if kernel else names | set(dir(builtins))
    inside, module = "kernel" if kernel else "host", _MODULES.get(name, "")
    if name in _CUDA_NAMES:
        inside, suggestion = "cuda", _CUDA_NAMES[name]
    else:
        suggestion = "" if module else _own_module(name, kernel) or closest(name, known)
    return scene.finding("name-error", name=name, owner="", suggestion=suggestion, inside=inside, module=module)


def _of_a_host_module(scene: Scene, module: str) -> Finding | None:
    """``math.exp(x)`` and ``-math.inf``: importing it would not help."""
    for node in scene.reading.at(scene.line, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == module:
            if node.attr == "inf":
                return scene.finding("name-error", name=text(node), owner="", suggestion=_INFINITY, inside="kernel")
            return scene.finding("unsupported-function", function=text(node), kind="module")
    return None


def _own_module(name: str, kernel: bool) -> str:
    """A name of Triton's that was written without its module."""
    if name in ("inf", "nan"):
        return f'float("{name}")'
    if kernel:
        return f"tl.{name}" if name in TL_NAMES else ""
    return f"triton.{name}" if name in TRITON_NAMES else ""


def _module_attribute(scene: Scene, match: re.Match[str]) -> Finding:
    module, name = match["module"], match["name"]
    owner = _SHOWN_MODULES.get(module, module)
    line = scene.line or scene.reading.attribute_line(name)
    if (module, name) in REMOVED:
        return scene.finding("removed-api", line, name=f"{owner}.{name}", replacement=REMOVED[module, name])
    if (meant := _MEANT.get((module, name))) is not None:
        return scene.finding("name-error", line, name=name, owner=owner, suggestion=meant, inside=_inside(scene))
    found = closest(name, {"triton.language": TL_NAMES, "triton": TRITON_NAMES}.get(module, ()))
    return scene.finding(
        "name-error", line, name=name, owner=owner, suggestion=found and f"{owner}.{found}", inside=_inside(scene)
    )


def _inside(scene: Scene) -> str:
    return "kernel" if scene.in_kernel else "host"


def _missing_import(scene: Scene, match: re.Match[str]) -> Finding:
    module, name = match["module"], match["name"]
    if (module, name) in REMOVED:
        return scene.finding("removed-api", name=f"{module}.{name}", replacement=REMOVED[module, name])
    known = {"tl": "import triton.language as tl"}.get(name) or closest(name, _NAMES_OF.get(module, ()))
    return scene.finding("module-missing", module=module, name=name, suggestion=known)


_NAMES_OF = {"triton": (*TRITON_NAMES, "runtime", "compiler"), _TL: TL_NAMES}


def _missing_module(scene: Scene, match: re.Match[str]) -> Finding:
    package, _, name = match["module"].rpartition(".")
    if (package, name) in REMOVED:
        return scene.finding("removed-api", name=match["module"], replacement=REMOVED[package, name])
    if package in _NAMES_OF:  # it is there, but has no such module
        found = closest(name, _NAMES_OF[package])
        return scene.finding("module-missing", module=package, name=name, suggestion=found and f"{package}.{found}")
    return scene.finding("module-missing", module=match["module"], name="", suggestion="")


def _syntax(scene: Scene, match: re.Match[str]) -> Finding:
    """As the editor would say it; what stands in another file, or parsing can't see, in Python's words."""
    words = re.sub(r" \([^()]*, line \d+\)$", "", match.string)
    return check_syntax(scene.failure.source) or syntax_error(scene.failure.source, words, scene.line, scene.column)


def _not_a_kernel(scene: Scene, _match: re.Match[str]) -> Finding | None:
    launch = scene.reading.launch(scene.line)
    if launch is None:
        return None
    return scene.finding("jit-missing", function=text(launch.value) if isinstance(launch.value, ast.Name) else "")


def _empty(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """Anything that isn't known better, on tensors without an element."""
    if not scene.context.get("empty"):
        return None
    plain = scene.unknown().params
    own = next(scene.reading.at(scene.line, ast.Raise), None) is not None
    return scene.finding("empty-input", **plain, own=own)


def _refused(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """The learner's own ``raise``, where an exercise has passed arguments that are right."""
    own = next(scene.reading.at(scene.line, ast.Raise), None)
    entry = scene.context.get("entry")
    if own is None or not entry or scene.in_kernel:
        return None
    plain = scene.unknown().params
    if plain["kind"] == "NotImplementedError":
        return None
    got = f"{plain['kind']}: {plain['message']}" if plain["message"] else plain["kind"]
    return scene.finding("wrapper-contract", reason="refuses", entry=entry, got=got)


def _assertion(scene: Scene, match: re.Match[str]) -> Finding | None:
    call = scene.reading.call(scene.line, None, "device_assert", "static_assert")
    if call is None:
        return _own_assertion(scene)
    identifier = "static-assert" if last_name(call.func) == "static_assert" else "device-assert"
    return scene.finding(identifier, message=" ".join(match.string.split()))


def _too_shallow(scene: Scene, match: re.Match[str]) -> Finding | None:
    """The learner has set how deep calls may go, and whatever comes then is too deep."""
    name = "sys.setrecursionlimit"
    call = next((node for node in ast.walk(scene.reading.tree) if _calls(node, name.rpartition(".")[2])), None)
    if call is None:
        return None
    params = {"name": name, "kind": "RecursionError", "message": match.string}
    return scene.finding("changed-for-all", at=call.lineno, **params)


def _calls(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and last_name(node.func) == name


def _own_assertion(scene: Scene) -> Finding | None:
    """An ``assert`` of the learner's own, such as a comparison with the expected result."""
    if scene.in_kernel:
        return None
    for statement in scene.reading.at(scene.line, ast.Assert):
        return scene.finding("host-exception", **scene.unknown().params, condition=text(statement.test))
    return None


RULES = (
    Rule(r"", _syntax, kinds=("SyntaxError", "IndentationError", "TabError")),
    Rule(r"", _too_shallow, kinds=("RecursionError",)),
    Rule(r"", _assertion, kinds=("AssertionError", "StaticAssertion", "DeviceAssertion")),
    Rule(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'", _missing_import),
    Rule(r"No module named '(?P<module>[\w.]+)'", _missing_module),
    Rule(r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'", _module_attribute),
    Rule(r"'function' object is not subscriptable", _not_a_kernel),
    Rule(r"(?:name )?'?(?P<name>\w{1,99})'? is not defined", _name_error),
    Rule(r"local variable '(?P<name>\w+)'", _name_error, kinds=("UnboundLocalError",)),
    Rule(r"", _empty),
    Rule(r"", _refused),
    Rule(r"(?P<seconds>\d+) s", simple("trace-budget"), kinds=("BudgetExceeded",)),
    Rule(r"(?P<message>.*)", simple("untraceable"), kinds=("UnsupportedOperation",)),
)
