"""Rules for values of the host that aren't what they are taken for: a shape for a number, a method for its result."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import last_name, text
from tritontui.diagnosis.scene import Rule, Scene, closest

_TENSOR_NAMES = (
    "shape", "numel", "stride", "size", "dim", "device", "dtype", "contiguous", "view", "reshape", "clone", "to",
    "float", "half", "sum", "max", "min", "mean", "T", "t", "cpu", "cuda", "item", "new_empty", "zero_", "fill_",
    "copy_", "element_size", "is_contiguous", "data_ptr", "ndim", "permute", "expand", "squeeze", "unsqueeze",
)  # fmt: skip
_MEANT = {"length": "numel", "len": "numel", "count": "numel", "nelem": "numel", "astype": "to", "copy": "clone"}
"""What a tensor has for what other libraries call so."""


def _host(make: Callable[[Scene, re.Match[str]], Finding | None]) -> Callable[[Scene, re.Match[str]], Finding | None]:
    return lambda scene, match: None if scene.in_kernel else make(scene, match)


def _shape(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``triton.cdiv(x.shape, 256)``"""
    shown = _stands_for(scene, _is_shape)
    return scene.finding("host-value", problem="shape", expression=shown) if shown else None


def _uncalled(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``n = x.numel``"""
    shown = _stands_for(scene, lambda value: isinstance(value, ast.Attribute) and value.attr not in ("shape", "T"))
    return scene.finding("host-value", problem="uncalled", expression=shown) if shown else None


def _is_shape(value: ast.expr) -> bool:
    """Whether ``value`` is a tuple with a number for each axis."""
    if isinstance(value, ast.Call):
        return not value.args and last_name(value.func) in ("size", "stride")
    return isinstance(value, ast.Tuple) or last_name(value) == "shape"


def _stands_for(scene: Scene, wanted: Callable[[ast.expr], bool]) -> str:
    """What on the line is ``wanted``, or a name for it: of those, the value that the name got."""
    functions = {id(call.func) for call in scene.reading.at(scene.line, ast.Call)}
    for node in scene.reading.at(scene.line, ast.Attribute, ast.Call):
        if wanted(node) and id(node) not in functions and not _is_module(node):
            return text(node)
    scope = scene.reading.function(scene.line) or scene.reading.tree
    for name in scene.reading.at(scene.line, ast.Name):
        for given in scene.reading.assignments(scope, name.id):
            if isinstance(given, ast.Assign) and given.lineno < (scene.line or 0) and wanted(given.value):
                return text(given.value)
    return ""


def _is_module(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("triton", "torch", "tl")
    )


def _attribute(scene: Scene, match: re.Match[str]) -> Finding:
    name = match["name"]
    meant = _MEANT.get(name) or closest(name, _TENSOR_NAMES)
    return scene.finding(
        "host-value", problem="attribute", name=name, suggestion=meant, expression=_before(scene, name)
    )


def _none(scene: Scene, match: re.Match[str]) -> Finding:
    name = match["name"]
    return scene.finding("host-value", problem="none", name=name, expression=_before(scene, name))


def _before(scene: Scene, attribute: str) -> str:
    """What stands before ``.attribute`` on the line."""
    found = (node for node in scene.reading.at(scene.line, ast.Attribute) if node.attr == attribute)
    return text(next((node.value for node in found), None))


def _index(scene: Scene, _match: re.Match[str]) -> Finding | None:
    for node in scene.reading.at(scene.line, ast.Subscript):
        if _is_shape(node.value):
            return scene.finding("host-value", problem="index", expression=text(node))
    for call in scene.reading.at(scene.line, ast.Call):
        if last_name(call.func) in ("size", "stride") and call.args:
            return scene.finding("host-value", problem="index", expression=text(call))
    return None


def _unpack(scene: Scene, match: re.Match[str]) -> Finding | None:
    given = next(iter(scene.reading.at(scene.line, ast.Assign)), None)
    if given is None:
        return None
    got = int(match["got"]) if match.groupdict().get("got") else None
    return scene.finding(
        "host-value", problem="unpack", expression=text(given.value), expected=int(match["expected"]), got=got
    )


def _input(scene: Scene, _match: re.Match[str]) -> Finding:
    return scene.finding("host-value", problem="input", expression="input()")


def _debugger(scene: Scene, _match: re.Match[str]) -> Finding:
    call = scene.reading.call(scene.line, None, "breakpoint", "set_trace")
    shown = f"{text(call.func)}()" if call is not None else "breakpoint()"
    return scene.finding("host-value", problem="debugger", expression=shown)


_SIZE = r"(?:torch\.Size|tuple)"

RULES = (
    Rule(
        rf"can only concatenate tuple \(not \"?\w+\"?\) to {_SIZE}|unsupported operand type\(s\) for \S+: '{_SIZE}'"
        rf"|and '{_SIZE}'|can't multiply sequence|'{_SIZE}' object cannot be interpreted",
        _host(_shape),
        kinds=("TypeError",),
    ),
    Rule(
        r"'(?:builtin_function_or_method|method|builtin_method)'",
        _host(_uncalled),
        kinds=("TypeError", "AttributeError"),
    ),
    Rule(r"'Tensor' object has no attribute '(?P<name>\w+)'", _host(_attribute), kinds=("AttributeError",)),
    Rule(r"'NoneType' object has no attribute '(?P<name>\w+)'", _host(_none), kinds=("AttributeError",)),
    Rule(r"(?:tuple|list) index out of range|Dimension out of range", _host(_index), kinds=("IndexError",)),
    Rule(
        r"(?:not enough|too many) values to unpack \(expected (?P<expected>\d+)(?:, got (?P<got>\d+))?\)",
        _host(_unpack),
        kinds=("ValueError",),
    ),
    Rule(r"EOF when reading a line", _host(_input), kinds=("EOFError",)),
    Rule(r"", _host(_debugger), kinds=("BdbQuit",)),
)
