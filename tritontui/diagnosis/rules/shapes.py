"""Rules for shapes: constants that make them, blocks that don't fit, products of matrices."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import integer, last_name, parameters, text
from tritontui.diagnosis.scene import Rule, Scene, simple, sizes

_SHAPING = ("arange", "zeros", "full", "reshape", "broadcast_to", "view", "static_range", "make_tensor_descriptor")
"""Functions of ``tl`` whose arguments decide a shape."""


# ---------------------------------------------------------------- constants


def _not_constexpr(scene: Scene, _match: re.Match[str]) -> Finding:
    """Which of the sizes isn't a constant, and what it is instead."""
    call = _shaping_call(scene)
    function = scene.reading.function(scene.line)
    declared = parameters(function) if function else {}
    for size in _sizes_of(call):
        names = [node.id for node in ast.walk(size) if isinstance(node, ast.Name)]
        for name in names:
            value = scene.arguments.get(name)
            if declared.get(name) and not isinstance(value, float):
                continue
            number = _number(scene, function, name)
            return scene.finding(
                "not-constexpr",
                function=last_name(call.func) if call else "",
                name=name if len(names) == 1 else text(size),
                parameter=name in declared and not declared[name],
                number=number,
                value=value if declared.get(name) else None,
                start=_is_start(call, size),
            )
    shown = last_name(call.func) if call else ""
    return scene.finding("not-constexpr", function=shown, name="", parameter=False, number="", value=None, start=False)


def _is_start(call: ast.Call | None, size: ast.expr) -> bool:
    """Whether ``size`` is where a range of two ends begins: what is wanted there is a sum, not a constant."""
    return call is not None and last_name(call.func) == "arange" and len(call.args) > 1 and size is call.args[0]


def _shaping_call(scene: Scene) -> ast.Call | None:
    return scene.reading.call(scene.line, scene.column, *_SHAPING)


def _sizes_of(call: ast.Call | None) -> list[ast.expr]:
    """The expressions that decide the shape: the range's ends, or the elements of the shape."""
    if call is None:
        return []
    arguments = [*call.args, *(one.value for one in call.keywords if one.arg in ("start", "end", "shape"))]
    match last_name(call.func):
        case "arange" | "static_range":
            return arguments
        case "zeros" | "full":
            shape = arguments[:1]
        case _:
            shape = arguments[1:2]
    return [element for one in shape for element in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]


def _number(scene: Scene, function: ast.AST | None, name: str) -> str:
    """The constant that ``name`` was set to inside the kernel, as text."""
    given = scene.reading.assignments(function, name) if function else []
    values = [one.value for one in given if isinstance(one, (ast.Assign, ast.AnnAssign))]
    return text(values[0]) if len(values) == 1 and isinstance(values[0], ast.Constant) else ""


def _not_power_of_two(scene: Scene, match: re.Match[str]) -> Finding:
    call = _shaping_call(scene)
    elements = _sizes_of(call)
    if call is not None and last_name(call.func) == "arange":
        first, last = elements[:2] if len(elements) > 1 else (ast.Constant(0), next(iter(elements), None))
        name = text(last) if text(first) == "0" else f"{text(last)} - {text(first)}"
        ends = [integer(end, scene.arguments) for end in (first, last)]
        size = ends[1] - ends[0] if ends[0] is not None and ends[1] is not None else 0
    else:
        axis = int(match.groupdict().get("axis") or 0)
        element = elements[axis] if axis < len(elements) else None
        name, size = text(element), integer(element, scene.arguments) or 0
        if any((integer(one, scene.arguments) or 0) < 0 for one in elements):
            return scene.finding("shape-mismatch", problem="guessed", argument=name)
    return scene.finding(
        "not-power-of-two",
        function=last_name(call.func) if call else "",
        name="" if name == str(size) else name,
        size=size or None,
        next=1 << (size - 1).bit_length() if size > 0 else None,
    )


def _empty_range(scene: Scene, _match: re.Match[str]) -> Finding:
    if scene.context.get("empty"):
        return scene.finding("empty-input", kind="", message="", own=False)
    return scene.finding("empty-range", range=text(scene.reading.call(scene.line, scene.column, "arange")))


# ---------------------------------------------------------------- shapes


def _ranks(scene: Scene, match: re.Match[str]) -> Finding:
    left, right = sizes(match["left"]), sizes(match["right"])
    return scene.finding("shape-mismatch", problem="rank", left=left, right=right)


def _scalar_pointer(scene: Scene, match: re.Match[str]) -> Finding:
    return scene.finding("shape-mismatch", problem="scalar-pointer", argument=match["argument"].lower())


# ---------------------------------------------------------------- products of matrices


def _silent_accumulator(scene: Scene, match: re.Match[str]) -> Finding | None:
    """Triton up to 3.6 checks the accumulator of a dot without a word."""
    call = scene.reading.call(scene.line, scene.column, "dot")
    if call is None or match.string:
        return None
    return scene.finding("dot-dtype", problem="accumulator", left="", right="")


SHAPE_RULES = (
    Rule(r"arange's arguments must be of type tl\.constexpr", _not_constexpr),
    Rule(r"must have type `?constexpr", _not_constexpr),
    Rule(r"used as tl\.static_range .* is not a constexpr", _not_constexpr),
    Rule(r"arange's range must be a power of 2", _not_power_of_two),
    Rule(r"Shape element (?P<axis>\d+) must be a power of 2", _not_power_of_two),
    Rule(
        r"numel \((?P<elements>\d+)\) exceeds triton maximum tensor numel \((?P<limit>\d+)\)", simple("block-too-large")
    ),
    Rule(r"arange's end argument must be greater than the start", _empty_range),
    Rule(
        r"incompatible dimensions at index (?P<axis>\d+): (?P<left>\d+) and (?P<right>\d+)",
        simple("shape-mismatch", problem="broadcast"),
    ),
    Rule(
        r"expanded size of the tensor \((?P<left>\d+)\) must match the existing size \((?P<right>\d+)\) "
        r"at non-singleton dimension (?P<axis>\d+)",
        simple("shape-mismatch", problem="broadcast"),
    ),
    Rule(r"argument to have shape (?P<left>\[.*?\]) but got (?P<right>\[.*\])", _ranks),
    Rule(r"Cannot broadcast, rank mismatch: (?P<left>\[.*?\]), (?P<right>\[.*\])", _ranks),
    Rule(r"expected tensors of equal rank", simple("shape-mismatch", problem="other")),
    Rule(
        r"(?P<argument>Mask|Value|Other) argument cannot be block type if pointer argument is not a block",
        _scalar_pointer,
    ),
    Rule(r"reshape\(\) cannot change total number", simple("shape-mismatch", problem="reshape")),
    Rule(
        r"invalid axis (?P<axis>-?\d+)\. Expected -?\d+ <= axis < (?P<rank>\d+)",
        simple("shape-mismatch", problem="axis"),
    ),
    Rule(
        r"(?:reduction|scan) axis .*must be < inputs rank \((?P<rank>\d+)\)", simple("shape-mismatch", problem="other")
    ),
    Rule(
        r"permute dims must have the same length as input shape(?:, got (?P<rank>\d+))?",
        simple("shape-mismatch", problem="transpose"),
    ),
    Rule(r"tl\.trans invoked with a 0- or 1-dimensional", simple("shape-mismatch", problem="transpose", rank=1)),
    Rule(r"too many indices for tensor of rank (?P<rank>\d+)", simple("shape-mismatch", problem="indices")),
    Rule(
        r"Input shapes should have M >= (?P<m>\d+), N >= (?P<n>\d+) and K >= (?P<k>\d+)",
        simple("dot-shape", problem="small"),
    ),
    Rule(
        r"second index of first shape \((?P<left>\d+)\) must be equal to first index of second shape \((?P<right>\d+)",
        simple("dot-shape", problem="inner"),
    ),
    Rule(r"must have equal reduction dimensions", simple("dot-shape", problem="inner")),
    Rule(
        r"must have equal ranks >= 2|Both inputs must be either 2D or 3D|must be block tensors",
        simple("dot-shape", problem="rank"),
    ),
    Rule(r"must have equal batch shapes", simple("dot-shape", problem="batch")),
    Rule(r"accumulator shape is incompatible|expected accumulator shape", simple("dot-shape", problem="accumulator")),
    Rule(r"expected accumulator dtype (?P<left>\w+), got (?P<right>\w+)", simple("dot-dtype", problem="accumulator")),
    Rule(
        r"Both operands must be same dtype\. Got (?P<left>\w+) and (?P<right>\w+)",
        simple("dot-dtype", problem="differ"),
    ),
    Rule(r"Unsupported (?:lhs|rhs) dtype (?P<left>\w+)", simple("dot-dtype", problem="unsupported")),
    Rule(r"only int8 supported|out_dtype=bfloat16 is unsupported", simple("dot-dtype", problem="unsupported")),
    Rule(r"^$", _silent_accumulator, kinds=("AssertionError",)),
)
