"""Rules for types: of conditions, of variables in loops and branches, of addresses, of what a function accepts."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import first_name, last_name, text
from tritontui.diagnosis.scene import Rule, Scene, short_type, simple

_CONDITIONS = {ast.IfExp: "if", ast.While: "while", ast.If: "if", ast.Assert: "assert"}

# ---------------------------------------------------------------- conditions


def _truth_value(scene: Scene, _match: re.Match[str]) -> Finding:
    """Of a block: ``and``, ``or``, ``not`` are one fault, a condition of ``if`` or ``while`` another."""
    line = scene.line
    for connective in scene.reading.at(line, ast.BoolOp):
        operator = "and" if isinstance(connective.op, ast.And) else "or"
        return scene.finding("python-bool-on-mask", expression=text(connective), operator=operator)
    for negation in scene.reading.at(line, ast.UnaryOp):
        if isinstance(negation.op, ast.Not):
            return scene.finding("python-bool-on-mask", expression=text(negation), operator="not")
    for kind, keyword in _CONDITIONS.items():
        node: ast.AST
        for node in scene.reading.at(line, kind):
            condition: ast.expr = getattr(node, "test")  # noqa: B009 - the type checker can't tell
            if condition.lineno == line or kind is ast.IfExp:
                return scene.finding("block-truth-value", condition=text(condition), keyword=keyword)
    return scene.finding("block-truth-value", condition="", keyword="")


def _ternary(scene: Scene, match: re.Match[str]) -> Finding | None:
    """A condition that is a block, or two branches of different types."""
    for choice in scene.reading.at(scene.line, ast.IfExp):
        if _is_block(scene, choice.test):
            return scene.finding("block-truth-value", condition=text(choice.test), keyword="if")
        before, after = (short_type(match[name]) for name in ("before", "after"))
        return scene.finding("branch-type", name=text(choice), before=before, after=after)
    return None


def _is_block(scene: Scene, value: ast.expr) -> bool:
    """Whether a range or something loaded goes into ``value``."""
    function = scene.reading.function(scene.line)
    seen: set[str] = set()
    left: list[ast.AST] = [value]
    while left and function is not None:
        for node in ast.walk(left.pop()):
            if isinstance(node, ast.Call) and last_name(node.func) in ("arange", "load"):
                return True
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                given = scene.reading.assignments(function, node.id)
                left += [one.value for one in given if isinstance(one, (ast.Assign, ast.AugAssign))]
    return False


# ---------------------------------------------------------------- loops and branches


def _carried(scene: Scene, match: re.Match[str]) -> Finding:
    """The compiler blames the loop; the learner looks for the statement in it that changes the type."""
    name = match["name"]
    found = match.groupdict()
    before, after = _type(found.get("before")), _type(found.get("after"))
    return scene.finding(
        "loop-carried-type",
        at=_changed_in_loop(scene, name),
        name=name,
        before=before,
        after=after,
        shapes=before.split("[")[0] == after.split("[")[0],
    )


def _type(text_of_type: str | None) -> str:
    """Short; classes of Triton's front end by their last name (``constexpr``)."""
    found = re.fullmatch(r"<class '(?:[\w.]+\.)?(\w+)'>", text_of_type or "")
    return found[1] if found else short_type(text_of_type or "")


def _changed_in_loop(scene: Scene, name: str) -> int | None:
    for loop in scene.reading.at(scene.line, ast.For, ast.While):
        inside = [one.lineno for one in scene.reading.assignments(loop, name) if one is not loop]
        if inside:
            return inside[-1]
    return None


def _branches(scene: Scene, match: re.Match[str]) -> Finding:
    found = match.groupdict()
    before, after = short_type(found["before"]), short_type(found["after"])
    return scene.finding("branch-type", name=found.get("name") or "", before=before, after=after)


# ---------------------------------------------------------------- addresses and operands


def _operands(scene: Scene, match: re.Match[str]) -> Finding:
    left, right = short_type(match["left"]), short_type(match["right"])
    pointers = [one.startswith(("pointer<", "*")) for one in (left, right)]
    if all(pointers):
        return scene.finding("pointer-arithmetic-type", problem="two-pointers")
    if any(pointers):
        dtype = right if pointers[0] else left
        problem = "float-offset" if re.match(r"(?:fp|float|bf)", dtype) else "operator"
        return scene.finding("pointer-arithmetic-type", problem=problem, dtype=dtype)
    return scene.finding(
        "dtype-unsupported", function="", got=left if left == right else f"{left}, {right}", allowed=[]
    )


def _not_a_pointer(scene: Scene, match: re.Match[str]) -> Finding:
    """Perhaps the launch passes ``x.data_ptr()``, a number to Triton, where it should pass ``x``."""
    for call in ast.walk(scene.reading.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript):
            for argument in (*call.args, *(one.value for one in call.keywords)):
                if isinstance(argument, ast.Call) and last_name(argument.func) == "data_ptr":
                    kernel, given = last_name(call.func.value), text(argument)
                    return scene.finding(
                        "kernel-arguments", argument.lineno, problem="address", function=kernel, names=[], got=given
                    )
    return scene.finding(
        "pointer-arithmetic-type", problem="not-a-pointer", function=match["function"], got=short_type(match["got"])
    )


def _not_loaded(scene: Scene, match: re.Match[str]) -> Finding:
    """Addresses where values are meant: what is stored, or the variable that holds them."""
    call = scene.reading.call(scene.line, scene.column, "store", "to")
    value: ast.expr | None = None
    if call is not None and last_name(call.func) == "store" and len(call.args) > 1:
        value = call.args[1]
    elif call is not None and isinstance(call.func, ast.Attribute):
        value = call.func.value
    return scene.finding(
        "pointer-arithmetic-type", problem="not-loaded", name=text(value), dtype=short_type(match["got"])
    )


def _dtype(scene: Scene, match: re.Match[str]) -> Finding:
    call = scene.reading.call(scene.line, scene.column)
    allowed = re.findall(r"\w+", match["allowed"])
    function = last_name(call.func) if call is not None else ""
    return scene.finding("dtype-unsupported", function=function, got=match["got"], allowed=allowed)


def _mask_dtype(scene: Scene, _match: re.Match[str]) -> Finding:
    call = scene.reading.call(scene.line, scene.column, "load", "store")
    mask: ast.expr | None = None
    if call is not None:
        place = 1 if last_name(call.func) == "load" else 2
        named = (one.value for one in call.keywords if one.arg == "mask")
        mask = next(iter((*named, *call.args[place : place + 1])), None)
    return scene.finding("mask-not-boolean", mask=text(mask))


def _atomic(scene: Scene, match: re.Match[str]) -> Finding:
    """A sum in 16 bits is a fault of its own, whether this GPU can do it or not."""
    function, got = match["function"], short_type(match["got"])
    if function == "atomic_add" and got in ("bf16", "fp16", "bfloat16", "float16"):
        return scene.finding(
            "low-precision-accumulation",
            dtype=got,
            operation=f"tl.{function}",
            worst="",
            name="",
            case="",
            index=[],
            expected="",
            got="",
        )
    return scene.finding("dtype-unsupported", function=function, got=got, allowed=[])


def _torch_dtype(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """Only in a kernel: Triton's interpreter says alike of a launch without a grid."""
    if not scene.in_kernel:
        return None
    names = [text(node) for node in scene.reading.at(scene.line, ast.Attribute) if first_name(node) == "torch"]
    return scene.finding("torch-dtype", name=names[0] if names else "", dtype=names[0].split(".")[-1] if names else "")


TYPE_RULES = (
    Rule(
        r"Ternary expression with dynamic condition has inconsistent types (?P<before>.+) and (?P<after>.+)", _ternary
    ),
    Rule(r"'torch\.dtype' object has no attribute '\w+'", _torch_dtype),
    Rule(r"cannot convert (?P<value>.+?) of type <class '(?:[\w.]+\.)?(?P<got>\w+)'> to tensor", simple("not-a-value")),
    Rule(r"'(?P<got>str|NoneType)' object has no attribute '(?:dtype|type|scalar|handle)'", simple("not-a-value")),
    Rule(r"Boolean value of Tensor with more than one value", _truth_value),
    Rule(r"'scf\.(?:if|condition)' op operand #0 must be 1-bit", _truth_value, kinds=("log",)),
    Rule(
        r"initial value for `(?P<name>\w+)` is of type (?P<before>.+?), "
        r"but the \w+ block redefines it as (?P<after>.+)",
        _branches,
    ),
    Rule(
        r"Loop-carried variable (?P<name>\w+) has initial type (?P<before>.+?) "
        r"but is re-assigned to (?P<after>.+?) in loop",
        _carried,
    ),
    Rule(
        r"Loop carried variable (?P<name>\w+) changed type(?:, was (?P<after>.+?) but is now (?P<before>.+))?", _carried
    ),
    Rule(r"cannot reassign constexpr (?P<name>\w+) in the loop", _carried),
    Rule(
        r"Mismatched type for (?P<name>\w+) between then block \((?P<before>.+?)\) and else block \((?P<after>.+?)\)",
        _branches,
    ),
    Rule(r"dynamic condition has inconsistent types (?P<before>\S+) and (?P<after>\S+)", _branches),
    Rule(r"Mismatched type between branches: (?P<before>[^,]+), (?P<after>[^,]+)", _branches),
    Rule(r"cannot add pointers together", simple("pointer-arithmetic-type", problem="two-pointers")),
    Rule(r"invalid operands of type (?P<left>.+?) and (?P<right>[^'\")]+)", _operands),
    Rule(r"cannot cast (?P<got>pointer<.+?) to ", _not_loaded),
    Rule(r"unexpected type pointer<", simple("pointer-arithmetic-type", problem="operator")),
    Rule(r"Unsupported ptr type (?P<got>.+?)(?:\.__repr__\(\))? in `tl\.(?P<function>\w+)`", _not_a_pointer),
    Rule(r"`other` cannot be provided without `mask`", simple("other-without-mask")),
    Rule(r"Expected dtype (?P<allowed>\[.+?\]) but got (?P<got>\w+)", _dtype),
    Rule(r"Mask must have boolean scalar type", _mask_dtype),
    Rule(r"(?P<function>atomic_\w+) (?:does not support|not supported for dtype) (?P<got>\S+)", _atomic),
    Rule(
        r"type (?P<got>fp8\w+) not supported in this architecture", simple("dtype-unsupported", function="", allowed=[])
    ),
    Rule(
        r"For loop bounds and step must all be ints, are \((?P<types>.+)\)",
        lambda scene, match: scene.finding("loop-bound-type", types=match["types"].split(", ")),
    ),
)
