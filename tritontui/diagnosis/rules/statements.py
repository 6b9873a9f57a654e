"""Rules for statements and operators that a kernel can't use."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import text
from tritontui.diagnosis.rules.indexing import indexed
from tritontui.diagnosis.scene import Rule, Scene, simple

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


_OPERATORS = {"MatMult": "@", "Pow": "power", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not"}


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
    if not scene.in_kernel or function is None or not scene.reading.comes_back(function):
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
                return indexed(scene, target, assigned=True)
            if target is not None and any(isinstance(one, ast.Starred) for one in ast.walk(target)):
                return scene.finding("unsupported-statement", statement="starred")
    return None


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
)
