"""A kernel's source, rewritten so that programs which disagree at a branch go through it in turn.

Every ``if``, ``for``, ``while`` and ``return`` becomes calls on the runtime ``_L`` (``control.Control``) that narrow
the local variables to the programs that take the branch and merge them again where the branches meet::

    if c:                      _b0 = _L.branch(c)
        x = 1                  for _a0 in _b0.arms:
    else:            →             (x, y) = _b0.enter((x, y), 1, 1)
        x = y                      if _a0: x = 1
                                   else:   x = y
                                   _b0.leave((x, y))
                               (x, y) = _b0.join()

Variables that a construct assigns come first in such a tuple, those it only reads after them. Nothing is executed
twice, line numbers stay, and an expression keeps its columns.

After each statement ``_L.step`` is told what it assigned: that is what one steps through.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from tritontui.runner.lockstep.errors import UnsupportedStatement
from tritontui.runner.lockstep.location import Places
from tritontui.runner.lockstep.options import Variant
from tritontui.runner.lockstep.syntax import RUNTIME, arguments_of, located, names_tuple, returns_in, runtime_call
from tritontui.runner.lockstep.transformer import Transformer
from tritontui.runner.lockstep.variants import with_variants

FACTORY = "_lockstep_factory"
_FUNCTION = "_lockstep_function"
"""What a rewritten function is called inside the factory: under its own name it would hide itself from its calls."""

_REJECTED = (
    *(ast.Break, ast.Continue, ast.Try, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
    *(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await),
)


@dataclass(frozen=True)
class Rewritten:
    """Compiled module that defines ``FACTORY``, a function of ``_L`` and the names in ``parameters``."""

    code: CodeType
    parameters: tuple[str, ...]
    places: Places


@lru_cache(maxsize=512)
def rewrite(
    source: str, first_line: int, filename: str, parameters: tuple[str, ...], variants: tuple[Variant, ...] = ()
) -> Rewritten:
    """Rewrite the function in ``source`` (with its decorators; it starts at ``first_line`` of ``filename``).

    ``parameters`` are names that the function reads from outside and that the caller wants to supply; ``variants``
    are compiled in beside what stands there, and ``_L.variant`` chooses.
    Raises ``UnsupportedStatement`` for statements that no kernel may hold.
    """
    text = textwrap.dedent(source)
    indent = len(source) - len(source.lstrip(" "))
    tree = ast.parse(text)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    name = function.name
    _reject(function, first_line, indent)
    local = local_names(function)
    transformer = Transformer(local, _returns_early(function), first_line - 1, indent)
    body = transformer.block(function.body)
    has_constructs = transformer.counter > 0
    arguments = {argument.arg for argument in arguments_of(function)}
    assigned = [name for name in local if name not in arguments]
    if has_constructs and assigned:
        body.insert(0, _prologue(assigned))
    own = [name for name in local if name in arguments]
    body.insert(0, located(transformer.step("enter", function, own), function))
    function.body = body
    if variants:
        with_variants(function, variants, first_line - 1, indent)
    function.decorator_list = []
    function.returns = None
    for argument in arguments_of(function):
        argument.annotation = None
    function.args.defaults = [ast.Constant(None) for _ in function.args.defaults]
    function.args.kw_defaults = [None if one is None else ast.Constant(None) for one in function.args.kw_defaults]
    module = _factory(function, parameters)
    ast.fix_missing_locations(module)
    ast.increment_lineno(module, first_line - 1)
    code = _with_name(compile(module, filename, "exec"), name)
    return Rewritten(code, parameters, Places(_function_code(code), indent))


def _with_name(module: CodeType, name: str) -> CodeType:
    """The factory's function called ``name``, as tracebacks show it; no name that it looks up is another by that."""
    function = _function_code(module)
    return _with_inner(module, _with_inner(_inner(module), function.replace(co_name=name)))


def _function_code(module: CodeType) -> CodeType:
    """Code of the function that the factory in ``module`` returns."""
    return _inner(_inner(module))


def _inner(code: CodeType) -> CodeType:
    """The one function that is defined right in ``code``."""
    return next(one for one in code.co_consts if isinstance(one, CodeType))


def _with_inner(code: CodeType, inner: CodeType) -> CodeType:
    constants = (inner if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=tuple(constants))


def local_names(function: ast.FunctionDef) -> list[str]:
    """Parameters and every name that the function assigns, in order of appearance."""
    names = dict.fromkeys(argument.arg for argument in arguments_of(function))
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names[node.id] = None
    return list(names)


def _reject(function: ast.FunctionDef, first_line: int, indent: int) -> None:
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, _REJECTED):
                line = node.lineno + first_line - 1
                raise UnsupportedStatement(type(node).__name__, line, node.col_offset + indent + 1)


def _returns_early(function: ast.FunctionDef) -> bool:
    """Is there a return besides one as the last statement?"""
    last = function.body[-1]
    return any(node is not last for node in returns_in(function.body))


def _prologue(names: list[str]) -> ast.stmt:
    call = runtime_call("undefined", [ast.Constant(name) for name in names])
    return ast.Assign([names_tuple(names, ast.Store())], call)


def _factory(function: ast.FunctionDef, parameters: tuple[str, ...]) -> ast.Module:
    arguments = ast.arguments([], [ast.arg(name) for name in (RUNTIME, *parameters)], None, [], [], None, [])
    function.name = _FUNCTION
    result = ast.Return(ast.Name(_FUNCTION, ast.Load()))
    factory = ast.FunctionDef(FACTORY, arguments, [function, result], [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        factory.type_params = []  # type: ignore[attr-defined]
    return ast.Module([factory], [])
