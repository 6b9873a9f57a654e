"""Rules for statements, names and functions that a kernel can't use."""

from __future__ import annotations

import ast
import builtins
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import first_name, last_name, parameters, text
from tritontui.diagnosis.scene import Rule, Scene, closest, simple

_STATEMENTS = {
    "Break": "break",
    "Continue": "continue",
    "Try": "try",
    "TryStar": "try",
    "Lambda": "lambda",
    "Import": "import",
    "ImportFrom": "import",
    "ListComp": "comprehension",
    "SetComp": "comprehension",
    "DictComp": "comprehension",
    "GeneratorExp": "comprehension",
    "Dict": "dict",
    "Set": "set",
    "Raise": "raise",
    "Delete": "del",
    "ClassDef": "class",
    "FunctionDef": "nested-function",
    "AsyncFunctionDef": "nested-function",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Yield": "yield",
    "YieldFrom": "yield",
    "Await": "await",
    "Match": "match",
    "NamedExpr": ":=",
    "Starred": "starred",
    "JoinedStr": "f-string",
    "With": "with",
    "for … else": "while-else",
    "while … else": "while-else",
}
"""The learner's word for the syntax node that the compiler names."""

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

_ASKING = {"input": "input", "breakpoint": "debugger", "set_trace": "debugger"}
"""Functions that stop and wait for somebody to type, and the kind of ``unsupported-function``."""


# ---------------------------------------------------------------- statements


def _statement(scene: Scene, match: re.Match[str]) -> Finding:
    node = match["node"].strip()
    return scene.finding("unsupported-statement", statement=_STATEMENTS.get(node, node.lower()))


def _return_in_loop(scene: Scene, _match: re.Match[str]) -> Finding:
    """The compiler blames the block around it; the ``return`` itself stands further down."""
    blocks = scene.reading.at(scene.line, ast.For, ast.While, ast.If, ast.With)
    returns = [node.lineno for block in blocks for node in ast.walk(block) if isinstance(node, ast.Return)]
    after = [line for line in returns if scene.line is not None and line >= scene.line]
    return scene.finding("unsupported-statement", at=min(after, default=None), statement="return-in-loop")


def _returned_value(scene: Scene, _match: re.Match[str]) -> Finding:
    """A later pass of the compiler finds it, and knows no line."""
    named = scene.reading.defined(str(scene.context.get("kernel") or ""))
    lines = [
        node.lineno
        for kernel in ([named] if named is not None else scene.reading.kernels())
        for node in ast.walk(kernel)
        if isinstance(node, ast.Return) and node.value is not None and text(node.value) != "None"
    ]
    return scene.finding("unsupported-statement", at=min(lines, default=None), statement="return-value")


def _operator(scene: Scene, match: re.Match[str]) -> Finding:
    symbol = match["symbol"]
    return scene.finding("unsupported-statement", statement="power" if symbol == "**" else symbol)


def _missing_operator(scene: Scene, match: re.Match[str]) -> Finding | None:
    symbols = {"__pow__": "power", "__rpow__": "power", "__matmul__": "@"}
    symbol = symbols.get(match["method"])
    return scene.finding("unsupported-statement", statement=symbol) if symbol else None


_OPERATORS = {"MatMult": "@", "Pow": "power", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not"}


def _unknown_operator(scene: Scene, match: re.Match[str]) -> Finding | None:
    symbol = _OPERATORS.get(match["name"])
    return scene.finding("unsupported-statement", statement=symbol) if symbol else None


def _loop_over(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``for i in offs``: the compiler expects a call there."""
    if not scene.in_kernel or next(iter(scene.reading.at(scene.line, ast.For)), None) is None:
        return None
    return scene.finding("unsupported-statement", statement="iterable")


def _calls_itself(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """The compiler inlines what a kernel calls, and doesn't find the function that it is still in the middle of; the
    interpreter goes down until Python gives up."""
    function = scene.reading.function(scene.line)
    if not scene.in_kernel or function is None:
        return None
    return scene.finding("unsupported-statement", statement="recursion")


def _print(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``print(x)`` in a kernel is ``tl.device_print``, which begins with a text."""
    call = scene.reading.call(scene.line, None, "print", "device_print")
    return scene.finding("unsupported-statement", statement="print") if scene.in_kernel and call else None


def _silent(scene: Scene, match: re.Match[str]) -> Finding | None:
    """Triton up to 3.6 refuses some statements with a bare assertion: the line says which."""
    if match.string:
        return None
    for node in scene.reading.at(scene.line, ast.Assign, ast.AugAssign, ast.FunctionDef):
        if isinstance(node, ast.FunctionDef) and node.lineno == scene.line:
            return scene.finding("unsupported-statement", statement="nested-function")
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Subscript):
                return _indexed(scene, target, assigned=True)
            if target is not None and any(isinstance(one, ast.Starred) for one in ast.walk(target)):
                return scene.finding("unsupported-statement", statement="starred")
    return None


# ---------------------------------------------------------------- indexing and attributes


def _index(scene: Scene, _match: re.Match[str]) -> Finding | None:
    subscript = scene.reading.subscript(scene.line, scene.column)
    if subscript is None:
        return scene.finding("block-indexing", name="", index="", assigned=False) if scene.in_kernel else None
    return _indexed(scene, subscript, assigned=isinstance(subscript.ctx, ast.Store))


def _assigned_index(scene: Scene, _match: re.Match[str]) -> Finding:
    stores = [
        node
        for node in scene.reading.at(scene.line, ast.Subscript)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    ]
    if not stores:
        return scene.finding("block-indexing", name="", index="", assigned=True)
    return _indexed(scene, stores[0], assigned=True)


def _indexed(scene: Scene, subscript: ast.Subscript, *, assigned: bool) -> Finding:
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


def _counted_too_late(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``triton.next_power_of_2(n)``: what counts in compilation is given a value that only the launch brings."""
    call = next((call for call in scene.reading.at(scene.line, ast.Call) if first_name(call.func) == "triton"), None)
    if not scene.in_kernel or call is None:
        return None
    return scene.finding("unsupported-function", function=text(call.func), kind="host")


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


# ---------------------------------------------------------------- names


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


def _asking(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """The kernel ran as Python, and asked."""
    call = scene.reading.call(scene.line, None, *_ASKING)
    if call is None or not scene.in_kernel:
        return None
    return scene.finding("unsupported-function", function=text(call.func), kind=_ASKING[last_name(call.func)])


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


def _host_function(scene: Scene, _match: re.Match[str]) -> Finding | None:
    call = scene.reading.call(scene.line, scene.column)
    if call is None or not scene.in_kernel:
        return None
    kind = "torch" if first_name(call.func) == "torch" else "module"
    return scene.finding("unsupported-function", function=text(call.func), kind=kind)


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


STATEMENT_RULES = (
    Rule(r"unsupported AST node type: (?P<node>.+)", _statement),
    Rule(r"Cannot have `return` statements inside|loop body should only have one block", _return_in_loop),
    Rule(r"'tt\.return' .*illegal", _returned_value, kinds=("log",)),
    Rule(
        r"only tuple comprehensions|nested comprehensions", simple("unsupported-statement", statement="comprehension")
    ),
    Rule(r"Only `range` and `static_range` iterators", simple("unsupported-statement", statement="iterable")),
    Rule(r"starred assignment targets", simple("unsupported-statement", statement="starred")),
    Rule(r"nested function definition", simple("unsupported-statement", statement="nested-function")),
    Rule(r"Cannot evaluate f-string", simple("unsupported-statement", statement="f-string")),
    Rule(r"Attribute assignment is not supported", simple("unsupported-statement", statement="attribute-assignment")),
    Rule(r"AST \w+ operator '(?P<name>\w+)' is not", _unknown_operator),
    Rule(r"'(?P<name>\w+)' object has no attribute '?__name__", _unknown_operator),  # so up to 3.6
    Rule(r"'(?:Name|Attribute|Subscript|BinOp|List|Tuple)' object has no attribute '?func", _loop_over),
    Rule(r"", _calls_itself, kinds=("RecursionError",)),
    Rule(r"^[\w.<>]+__\w*$", _calls_itself, kinds=("KeyError",)),  # a function's name and its arguments' types
    Rule(r" is not string$", _print, kinds=("AssertionError",)),
    Rule(r"simultaneous multiple comparison", simple("unsupported-statement", statement="chained-comparison")),
    Rule(r"unsupported operand type\(s\) for (?P<symbol>\*\*|@).*'tensor'", _operator),
    Rule(r"'tensor' object has no attribute '(?P<method>__r?(?:pow|matmul)__)'", _missing_operator),
    Rule(r"", _silent, kinds=("AssertionError", "StaticAssertion", "StopIteration")),
    Rule(r"__setitem__ is not supported|'tensor' object does not support item assignment", _assigned_index),
    Rule(r"Did you forget to add @triton\.jit", _pointer_subscript),
    Rule(r"Did you forget to add @triton\.jit", _counted_too_late),
    Rule(r"unsupported tensor index", _index),
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
    Rule(r"'(?:tensor|pointer_type|block_type)' object has no attribute '(?P<name>\w+)'", _attribute),
    Rule(r"list index out of range|'int' object is not callable|tuple index out of range", _hidden_attribute),
    Rule(r"'?(?P<name>\w{1,99})'? is not defined", _undefined),
    Rule(r"", _asking, kinds=("BdbQuit", "EOFError")),
)
