"""Rules for brackets and dots after a pointer or a block: ``x_ptr[i]``, ``x_ptr.shape``, ``block.mean()``."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import parameters, text
from tritontui.diagnosis.scene import Rule, Scene, closest

_HOST_ATTRIBUTES = (
    "shape",
    "numel",
    "stride",
    "size",
    "device",
    "ndim",
    "data_ptr",
    "is_contiguous",
    "element_size",
    "nelement",
)
"""What a PyTorch tensor can be asked and a pointer can't."""


_METHODS = {
    "unsqueeze": "expand_dims",
    "transpose": "trans",
    "t": "trans",
    "matmul": "dot",
    "mm": "dot",
    "mean": "sum",
    "clip": "clamp",
    "clamp": "clamp",
    "relu": "maximum",
    "repeat": "broadcast_to",
    "expand": "broadcast_to",
}
"""What kernels have for methods of PyTorch's tensors by other names."""


_CASTS = ("astype", "type", "float", "half", "bfloat16", "double", "int", "long", "short", "bool")


_BLOCK_FUNCTIONS = (
    "sum",
    "max",
    "min",
    "exp",
    "sqrt",
    "log",
    "abs",
    "sort",
    "reshape",
    "trans",
    "argmax",
    "argmin",
    "where",
)


def _index(scene: Scene, _match: re.Match[str]) -> Finding | None:
    subscript = scene.reading.subscript(scene.line, scene.column)
    if subscript is None:
        return scene.finding("block-indexing", name="", index="", assigned=False) if scene.in_kernel else None
    return indexed(scene, subscript, assigned=isinstance(subscript.ctx, ast.Store))


def _assigned_index(scene: Scene, _match: re.Match[str]) -> Finding:
    stores = [
        node
        for node in scene.reading.at(scene.line, ast.Subscript)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    ]
    if not stores:
        return scene.finding("block-indexing", name="", index="", assigned=True)
    return indexed(scene, stores[0], assigned=True)


def indexed(scene: Scene, subscript: ast.Subscript, *, assigned: bool) -> Finding:
    """``subscript`` on a pointer or on a block; ``assigned``: on the left of ``=``."""
    return scene.finding(
        "pointer-indexing" if _is_pointer(scene, subscript.value) else "block-indexing",
        name=text(subscript.value),
        index=text(subscript.slice).strip("()") if isinstance(subscript.slice, ast.Tuple) else text(subscript.slice),
        assigned=assigned,
    )


def _is_pointer(scene: Scene, value: ast.expr) -> bool:
    """A parameter that is neither constant nor number nor given a value in the kernel; or a sum with such a one."""
    if isinstance(value, ast.BinOp):
        return _is_pointer(scene, value.left) or _is_pointer(scene, value.right)
    function = scene.reading.function(scene.line)
    if function is None or not isinstance(value, ast.Name) or value.id in scene.arguments:
        return False
    return parameters(function).get(value.id) is False and not scene.reading.assignments(function, value.id)


def _pointer_subscript(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``x_ptr[offsets]`` ends in a builtin that is called without the compiler."""
    if not scene.in_kernel or scene.reading.subscript(scene.line, scene.column) is None:
        return None
    return _index(scene, match)


def _attribute(scene: Scene, match: re.Match[str]) -> Finding | None:
    name = match["name"]
    owner = _owner(scene, name)
    if owner is not None and name in _HOST_ATTRIBUTES and _is_pointer(scene, owner):
        return scene.finding("pointer-attribute", name=text(owner), attribute=name)
    return scene.finding(
        "name-error",
        name=name,
        owner=text(owner) if owner is not None else "",
        suggestion=_meant(name, text(owner)),
        inside="kernel",
    )


def _meant(name: str, owner: str) -> str:
    """What kernels have for a method of the host's tensors."""
    if name in _METHODS:
        return f"tl.{_METHODS[name]}"
    if name in _CASTS:
        return f"{owner}.to" if owner else ".to"
    found = closest(name, (*_BLOCK_FUNCTIONS, name + "_"))
    return f"tl.{found}" if found in _BLOCK_FUNCTIONS else ""


def _hidden_attribute(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``x_ptr.shape[0]`` and ``x_ptr.numel()`` fail one step later, in other words."""
    for name in _HOST_ATTRIBUTES if scene.in_kernel else ():
        owner = _owner(scene, name)
        if owner is not None and _is_pointer(scene, owner):
            return scene.finding("pointer-attribute", name=text(owner), attribute=name)
    return None


def _owner(scene: Scene, attribute: str) -> ast.expr | None:
    """What stands before ``.attribute`` on the line."""
    for node in scene.reading.at(scene.line, ast.Attribute):
        if isinstance(node, ast.Attribute) and node.attr == attribute:
            return node.value
    return None


INDEXING_RULES = (
    Rule(r"__setitem__ is not supported|'tensor' object does not support item assignment", _assigned_index),
    Rule(r"Did you forget to add @triton\.jit", _pointer_subscript),
    Rule(r"unsupported tensor index", _index),
    Rule(r"'(?:tensor|pointer_type|block_type)' object has no attribute '(?P<name>\w+)'", _attribute),
    Rule(r"list index out of range|'int' object is not callable|tuple index out of range", _hidden_attribute),
)
