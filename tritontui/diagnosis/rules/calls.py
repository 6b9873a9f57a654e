"""Rules for calls in a kernel that mean something else to Triton than to whoever wrote them."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import first_name, last_name, text
from tritontui.diagnosis.scene import Rule, Scene, simple

_LANE_BY_LANE = {"max": "tl.maximum", "min": "tl.minimum", "sum": "+"}
"""What works on two blocks lane by lane, by the reduction that is written in its place."""
_SHAPED = ("zeros", "full", "reshape", "view", "broadcast_to")


def _reduction_of_two(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``tl.max(x, y)``: Triton takes the second argument for an axis, and says so in many ways."""
    call = scene.reading.call(scene.line, None, *_LANE_BY_LANE) if scene.in_kernel else None
    if call is None or first_name(call.func) != "tl" or not call.args:
        return None
    first, second = call.args[0], call.args[1] if len(call.args) > 1 else None
    two = second is not None and not (isinstance(second, ast.Constant) and isinstance(second.value, int))
    if not two and not isinstance(first, (ast.List, ast.Tuple)):
        return None
    name = last_name(call.func)
    return scene.finding("reduction-of-two", function=f"tl.{name}", other=_LANE_BY_LANE[name])


def _python_call(scene: Scene, match: re.Match[str]) -> Finding | None:
    if not scene.in_kernel:
        return None
    return scene.finding("unsupported-function", function=match["name"], kind="python")


def _python_extreme(scene: Scene, match: re.Match[str]) -> Finding | None:
    """Triton up to 3.9 says ``min`` of both."""
    call = scene.reading.call(scene.line, None, "min", "max")
    name = text(call.func) if call is not None else match["said"]
    return scene.finding("unsupported-function", function=name, kind="one-block") if scene.in_kernel else None


def _host_call(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``math.exp(y)`` asks for one number of Python's."""
    call = scene.reading.call(scene.line, scene.column)
    if not scene.in_kernel or call is None or not isinstance(call.func, ast.Attribute):
        return None
    return scene.finding("unsupported-function", function=text(call.func), kind="module")


def _foreign_call(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``np.exp(y)``: Triton's blocks reach a function of another library, which asks them for what they can't do."""
    for call in scene.reading.at(scene.line, ast.Call):
        if isinstance(call.func, ast.Attribute) and first_name(call.func) not in ("tl", "triton", ""):
            kind = "torch" if first_name(call.func) == "torch" else "module"
            return scene.finding("unsupported-function", function=text(call.func), kind=kind)
    return None


def _item(scene: Scene, _match: re.Match[str]) -> Finding | None:
    call = scene.reading.call(scene.line, None, "item")
    if call is None:
        return None
    return scene.finding("unsupported-function", function=f"{text(call.func)}()", kind="item")


def _missing_argument(scene: Scene, match: re.Match[str]) -> Finding | None:
    call = scene.reading.call(scene.line, scene.column)
    if not scene.in_kernel or call is None:
        return None
    return scene.finding("kernel-arguments", problem="missing", function=text(call.func), names=[match["name"]])


def _shape(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``tl.zeros(64, …)``: a shape has parentheses and a comma."""
    call = scene.reading.call(scene.line, None, *_SHAPED)
    if not scene.in_kernel or call is None:
        return None
    return scene.finding("shape-mismatch", problem="not-a-tuple", argument=text(call.args[0] if call.args else None))


def _dtype_as_text(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``y.to("float32")``"""
    call = scene.reading.call(scene.line, None, "to", "cast", "zeros", "full")
    given = [*call.args, *(one.value for one in call.keywords)] if call is not None else []
    texts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if not scene.in_kernel or not texts:
        return None
    return scene.finding("torch-dtype", name=f'"{texts[0]}"', dtype=texts[0].split(".")[-1], quoted=True)


def _endless(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``while True:`` has no condition that a running program could decide."""
    loop = next(iter(scene.reading.at(scene.line, ast.While)), None)
    if not scene.in_kernel or loop is None or not isinstance(loop.test, ast.Constant):
        return None
    return scene.finding("unsupported-statement", at=loop.lineno, statement="while-true")


_REDUCTION_SAYS = (
    r"argument must be provided outside of JIT functions|create_reduce\(\)|invalid axis|incompatible function arguments"
    r"|'(?:tuple|list|tensor|int|float|constexpr_type)' object has no attribute|cannot be interpreted as an integer"
    r"|unsupported operand type|Boolean value of Tensor with more than one value|unhashable type|'dtype' is not in list"
)

CALL_RULES = (
    Rule(_REDUCTION_SAYS, _reduction_of_two),
    Rule(r"(?P<said>min|max) requires at least 2 values", _python_extreme),
    Rule(r"^(?P<name>float|int)\(\) argument must be", _python_call),
    Rule(r"must be real number, not tensor|only (?:size-1|length-1|0-dimensional) arrays can be converted", _host_call),
    Rule(r"can only unsplat single-element tensors", _item),
    Rule(r"'(?:append|extend|insert)' is not in list", simple("unsupported-statement", statement="list")),
    Rule(
        r"'(?:tuple|list)' object has no attribute '?(?:append|extend)",
        simple("unsupported-statement", statement="list"),
    ),
    Rule(r"missing a required argument: '(?P<name>\w+)'", _missing_argument),
    Rule(r"'int' object is not iterable", _shape),
    Rule(r"'(?P<got>tuple|list|dict)' object has no attribute '?dtype", simple("not-a-value")),
    Rule(r"'dtype' is not in list", simple("not-a-value", got="tuple")),
    Rule(r"'NoneType' object has no attribute 'to_tensor'", _foreign_call),
    Rule(r"'?str'? object has no attribute|of type <class 'str'> to tensor", _dtype_as_text),
    Rule(r"'constexpr' object has no attribute '?handle", _endless),
)
