"""Rules for names that a kernel doesn't know and functions that it can't call."""

from __future__ import annotations

import ast
import builtins
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import first_name, last_name, text
from tritontui.diagnosis.scene import Rule, Scene

_ASKING = {"input": "input", "breakpoint": "debugger", "set_trace": "debugger"}
"""Functions that stop and wait for somebody to type, and the kind of ``unsupported-function``."""


def _undefined(scene: Scene, match: re.Match[str]) -> Finding | None:
    """In a kernel: set in a branch or a loop only, or a function of Python's, or else (None) a misspelling."""
    name = match["name"]
    function = scene.reading.function(scene.line)
    if function is None or not scene.in_kernel:
        return None
    given = [one for one in scene.reading.assignments(function, name) if one.lineno < (scene.line or 0)]
    if given:
        inside = scene.reading.block_around(given[0], function)
        return scene.finding("branch-only-variable", name=name, inside=inside, set_line=given[0].lineno)
    if hasattr(builtins, name) and scene.reading.defined(name) is None:
        return _python_function(scene, name)
    return None


def _python_function(scene: Scene, name: str) -> Finding:
    loops = [node for node in scene.reading.at(scene.line, ast.For) if isinstance(node, ast.For)]
    if any(first_name(loop.iter) == name for loop in loops):
        return scene.finding("unsupported-statement", statement="iterable")
    return scene.finding("unsupported-function", function=name, kind=_ASKING.get(name, "python"))


def _global(scene: Scene, match: re.Match[str]) -> Finding:
    name = match["name"]
    if scene.reading.defined(name) is not None:
        return scene.finding("unsupported-function", function=name, kind="helper")
    return scene.finding("global-not-constexpr", name=name)


def _referenced(scene: Scene, match: re.Match[str]) -> Finding:
    """The compiler names the function before it reads the kernel, so without a line: find the call."""
    name = match["name"]
    call = _call_in_kernels(scene, name, foreign=True)
    module = first_name(call.func) if call is not None and isinstance(call.func, ast.Attribute) else ""
    if not module and scene.reading.defined(name) is not None:
        return scene.finding("unsupported-function", at=_call_line(scene, name), function=name, kind="helper")
    kind = _ASKING.get(name) or ("torch" if module == "torch" else "module" if module else "python")
    shown = text(call.func) if call is not None else name
    return scene.finding("unsupported-function", at=call.lineno if call else None, function=shown, kind=kind)


def _call_line(scene: Scene, name: str) -> int | None:
    call = _call_in_kernels(scene, name)
    return call.lineno if call is not None else None


def _call_in_kernels(scene: Scene, name: str, *, foreign: bool = False) -> ast.Call | None:
    """The first call of ``name``, or of anybody's but Triton's function of that name."""
    for kernel in scene.reading.kernels():
        for node in ast.walk(kernel):
            if isinstance(node, ast.Call) and last_name(node.func) == name:
                if foreign and first_name(node.func) in ("tl", "triton"):
                    continue
                return node
    return None


def _asking(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """The kernel ran as Python, and asked."""
    call = scene.reading.call(scene.line, None, *_ASKING)
    if call is None or not scene.in_kernel:
        return None
    return scene.finding("unsupported-function", function=text(call.func), kind=_ASKING[last_name(call.func)])


def _host_function(scene: Scene, _match: re.Match[str]) -> Finding | None:
    call = scene.reading.call(scene.line, scene.column)
    if call is None or not scene.in_kernel:
        return None
    kind = "torch" if first_name(call.func) == "torch" else "module"
    return scene.finding("unsupported-function", function=text(call.func), kind=kind)


def _counted_too_late(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``triton.next_power_of_2(n)``: what counts in compilation is given a value that only the launch brings."""
    call = next((call for call in scene.reading.at(scene.line, ast.Call) if first_name(call.func) == "triton"), None)
    if not scene.in_kernel or call is None:
        return None
    return scene.finding("unsupported-function", function=text(call.func), kind="host")


def _length(scene: Scene, _match: re.Match[str]) -> Finding | None:
    if not scene.in_kernel or scene.reading.call(scene.line, None, "len") is None:
        return None
    return scene.finding("unsupported-function", function="len", kind="python")


def _python_value(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``range(0, n)`` or ``list(…)`` where a block is reckoned with."""
    name = match["kind"]
    if not scene.in_kernel or scene.reading.call(scene.line, None, name) is None:
        return None
    return scene.finding("unsupported-function", function=name, kind="python")


def _removed(scene: Scene, _match: re.Match[str]) -> Finding:
    call = scene.reading.call(scene.line, None, "make_block_ptr", "advance")
    name = text(call.func) if call is not None else "tl.make_block_ptr"
    return scene.finding("removed-api", name=name, replacement="`tl.make_tensor_descriptor`")


FUNCTION_RULES = (
    Rule(r"Did you forget to add @triton\.jit", _counted_too_late),
    Rule(r"Block pointers have been removed", _removed),
    Rule(r"Cannot access global variable (?P<name>\w+) from within", _global),
    Rule(
        r"Unsupported function referenced: <(?:function|ufunc '|built-in (?:method|function)|bound method|class '?)"
        r" ?(?:[\w.<>]+\.)?(?P<name>\w+)",
        _referenced,
    ),
    Rule(r"must be Tensor, not tensor", _host_function),
    Rule(r"object of type '(?:tensor|constexpr)' has no len\(\)", _length),
    Rule(r"'(?P<kind>range|list|tuple|map|zip|enumerate|float|int)' object has no attribute '\w+'", _python_value),
    Rule(r"cannot convert .+? of type <class '(?P<kind>range|list|map|zip|enumerate)'> to tensor", _python_value),
    Rule(r"'?(?P<name>\w{1,99})'? is not defined", _undefined),
    Rule(r"", _asking, kinds=("BdbQuit", "EOFError")),
)
