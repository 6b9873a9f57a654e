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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import TypeVar

from tritontui.runner.lockstep.errors import UnsupportedStatement
from tritontui.runner.lockstep.location import Places
from tritontui.runner.lockstep.options import Variant
from tritontui.runner.lockstep.variants import RUNTIME, stands_for, with_variants

Node = TypeVar("Node", bound=ast.AST)

FACTORY = "_lockstep_factory"
_FUNCTION = "_lockstep_function"
"""What a rewritten function is called inside the factory: under its own name it would hide itself from its calls."""

_REJECTED = (
    *(ast.Break, ast.Continue, ast.Try, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
    *(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await),
)


_OWN_SCOPE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
"""What they assign is theirs."""


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
    _reject(function, first_line, indent)
    local = local_names(function)
    transformer = _Transformer(local, _returns_early(function), first_line - 1, indent)
    body = transformer.block(function.body)
    has_constructs = transformer.counter > 0
    arguments = {argument.arg for argument in _arguments(function)}
    assigned = [name for name in local if name not in arguments]
    if has_constructs and assigned:
        body.insert(0, _prologue(assigned))
    own = [name for name in local if name in arguments]
    body.insert(0, _located(transformer.step("enter", function, own), function))
    function.body = body
    if variants:
        with_variants(function, variants, first_line - 1, indent)
    function.decorator_list = []
    function.returns = None
    for argument in _arguments(function):
        argument.annotation = None
    function.args.defaults = [ast.Constant(None) for _ in function.args.defaults]
    function.args.kw_defaults = [None if one is None else ast.Constant(None) for one in function.args.kw_defaults]
    module = _factory(function, parameters)
    ast.fix_missing_locations(module)
    ast.increment_lineno(module, first_line - 1)
    code = compile(module, filename, "exec")
    return Rewritten(code, parameters, Places(_function_code(code), indent))


def _function_code(module: CodeType) -> CodeType:
    """Code of the function that the factory in ``module`` returns."""
    factory = next(one for one in module.co_consts if isinstance(one, CodeType))
    return next(one for one in factory.co_consts if isinstance(one, CodeType))


def local_names(function: ast.FunctionDef) -> list[str]:
    """Parameters and every name that the function assigns, in order of appearance."""
    names = dict.fromkeys(argument.arg for argument in _arguments(function))
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names[node.id] = None
    return list(names)


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    args = function.args
    optional = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *optional]


def _reject(function: ast.FunctionDef, first_line: int, indent: int) -> None:
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, _REJECTED):
                line = node.lineno + first_line - 1
                raise UnsupportedStatement(type(node).__name__, line, node.col_offset + indent + 1)


def _returns_early(function: ast.FunctionDef) -> bool:
    """Is there a return besides one as the last statement?"""
    last = function.body[-1]
    return any(node is not last for node in _returns(function.body))


def _returns(statements: list[ast.stmt]) -> Iterator[ast.Return]:
    for statement in statements:
        if isinstance(statement, ast.Return):
            yield statement
        for inner in ("body", "orelse"):  # of all statements that aren't rejected
            yield from _returns(getattr(statement, inner, []))
        for case in getattr(statement, "cases", []):
            yield from _returns(case.body)


def _prologue(names: list[str]) -> ast.stmt:
    call = _call("undefined", [ast.Constant(name) for name in names])
    return ast.Assign([_names(names, ast.Store())], call)


def _factory(function: ast.FunctionDef, parameters: tuple[str, ...]) -> ast.Module:
    arguments = ast.arguments([], [ast.arg(name) for name in (RUNTIME, *parameters)], None, [], [], None, [])
    function.name = _FUNCTION
    result = ast.Return(ast.Name(_FUNCTION, ast.Load()))
    factory = ast.FunctionDef(FACTORY, arguments, [function, result], [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        factory.type_params = []  # type: ignore[attr-defined]
    return ast.Module([factory], [])


def _names(names: list[str], context: ast.expr_context) -> ast.Tuple:
    return ast.Tuple([ast.Name(name, type(context)()) for name in names], context)


def _call(method: str, arguments: list[ast.expr], on: str = RUNTIME) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name(on, ast.Load()), method, ast.Load()), arguments, [])


class _Transformer(ast.NodeTransformer):
    def __init__(self, local: list[str], returns_early: bool, lines_before: int, indent: int) -> None:
        self.local = local
        self.local_set = frozenset(local)
        self.returns_early = returns_early
        self.lines_before = lines_before
        self.indent = indent
        self.counter = 0

    # ------------------------------------------------------------ statements

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements after one that may have ended some programs run only while any is left."""
        out: list[ast.stmt] = []
        for position, statement in enumerate(statements):
            told = self.told(statement)
            made = self.visit(statement)
            out += made if isinstance(made, list) else [made]
            out += told
            if isinstance(statement, ast.Return):
                break
            rest = statements[position + 1 :]
            if self.returns_early and rest and any(True for _ in _returns([statement])):
                guard = ast.If(_call("alive", []), self.block(rest), [])
                out.append(_located(guard, rest[0]))
                break
        return out or [ast.Pass()]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = self.visit(node.value) if node.value is not None else ast.Constant(None)
        value = _call("returned", [self.line(node), value])
        if not self.returns_early:
            return _located(ast.Return(value), node)
        return _located(ast.Expr(_call("leave_function", [value])), node)

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        """Refused by the compiler where it gets there, and not on the side of a constant that it leaves out."""
        place = [ast.Constant(node.lineno + self.lines_before), ast.Constant(node.col_offset + self.indent + 1)]
        return _located(ast.Expr(_call("unsupported", [ast.Constant("Raise"), *place])), node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        number = self.next()
        branch, arm = f"_b{number}", f"_a{number}"
        names, counts = self.touched(node, node.body + node.orelse, node.test)
        inside: list[ast.stmt] = []
        if names:
            enter = _call("enter", [_names(names, ast.Load()), *counts], branch)
            inside.append(ast.Assign([_names(names, ast.Store())], enter))
        body = self.block(node.body)
        orelse = self.block(node.orelse) if node.orelse else []
        inside.append(ast.If(ast.Name(arm, ast.Load()), body, orelse))
        inside.append(ast.Expr(_call("leave", [_names(names, ast.Load())], branch)))
        test = self.visit(node.test)
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(branch, ast.Store())], _call("branch", [self.line(node), test])),
            ast.For(
                ast.Name(arm, ast.Store()),
                ast.Attribute(ast.Name(branch, ast.Load()), "arms", ast.Load()),
                inside,
                [],
            ),
            self.joined(branch, names, []),
        ]
        return [_located(statement, node) for statement in out]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if node.orelse:
            raise UnsupportedStatement("for … else", node.lineno, node.col_offset + 1)
        loop = f"_f{self.next()}"
        names, counts = self.touched(node, node.body, node.target)
        iterable = self.visit(node.iter)
        setup = [self.line(node), iterable, _names(names, ast.Load()), *counts]
        index = ast.Assign([node.target], _call("index", [], loop))
        round_ = self.step("loop", node, _stored(node.target))
        body = self.block(node.body)
        inside = [self.assigned(loop, "enter", names), index, round_, *body]
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(loop, ast.Store())], _call("loop", setup)),
            self.assigned(loop, "start", names, pass_values=False),
            ast.While(_call("more", [], loop), inside, []),
            self.joined(loop, names, [_names(names, ast.Load())]),
        ]
        return [_located(statement, node) for statement in out]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        if node.orelse:
            raise UnsupportedStatement("while … else", node.lineno, node.col_offset + 1)
        loop = f"_w{self.next()}"
        names, counts = self.touched(node, node.body, node.test)
        body = self.block(node.body)
        test: ast.expr = _call("test", [self.visit(node.test)], loop)
        if any(True for _ in _returns([node])):
            test = ast.BoolOp(ast.And(), [_call("alive", []), test])
        setup: list[ast.expr] = [self.line(node), _names(names, ast.Load()), *counts]
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(loop, ast.Store())], _call("while_loop", setup)),
            self.assigned(loop, "start", names, pass_values=False),
            ast.While(test, [self.assigned(loop, "enter", names), *body], []),
            self.joined(loop, names, [_names(names, ast.Load())]),
        ]
        return [_located(statement, node) for statement in out]

    def visit_With(self, node: ast.With) -> ast.stmt:
        node.items = [self.visit(item) for item in node.items]
        node.body = self.block(node.body)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        message = self.visit(node.msg) if node.msg is not None else ast.Constant("")
        return _located(ast.Expr(_call("assertion", [self.visit(node.test), message])), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return _located(ast.Pass(), node)
        return _located(ast.Assign([node.target], self.visit(node.value)), node)

    # ------------------------------------------------------------ expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """``a and b`` → ``_L.both(t, b) if _L.goes_on(t := a, True) else t``: no lambda, so locals stay fast."""
        is_and = isinstance(node.op, ast.And)
        result: ast.expr = self.visit(node.values[0])
        for operand in node.values[1:]:
            name = f"_k{self.next()}"
            kept = ast.NamedExpr(ast.Name(name, ast.Store()), result)
            goes_on = _call("goes_on", [kept, ast.Constant(is_and)])
            combined = _call("both" if is_and else "either", [ast.Name(name, ast.Load()), self.visit(operand)])
            result = ast.IfExp(goes_on, combined, ast.Name(name, ast.Load()))
        return stands_for(_located(result, node), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """In the compiler constants are wrapped, and some kernels unwrap them."""
        node.value = self.visit(node.value)
        if node.attr == "value" and isinstance(node.ctx, ast.Load):
            return _located(_call("unwrapped", [node.value]), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _located(_call("negate", [node.operand]), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [self.visit(node.left), *(self.visit(one) for one in node.comparators)]
        result: ast.expr | None = None
        for position, operator in enumerate(node.ops):
            left, right = operands[position], operands[position + 1]
            if position + 1 < len(node.ops):
                name = f"_k{self.next()}"
                right = ast.NamedExpr(ast.Name(name, ast.Store()), right)
                operands[position + 1] = ast.Name(name, ast.Load())
            if isinstance(operator, (ast.Is, ast.IsNot)):
                left, right = _call("plain", [left]), _call("plain", [right])
            compared = _located(ast.Compare(left, [operator], [right]), node)
            result = compared if result is None else _call("both", [result, compared])
        assert result is not None
        return stands_for(_located(result, node), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.next()
        read = [name for name in self.local if name in _loaded([node.body, node.orelse])]
        arguments = ast.arguments([], [ast.arg(name) for name in read], None, [], [], None, [])
        call = _call(
            "ternary",
            [
                self.visit(node.test),
                ast.Lambda(arguments, self.visit(node.body)),
                ast.Lambda(arguments, self.visit(node.orelse)),
                _names(read, ast.Load()),
            ],
        )
        return _located(call, node)

    # ------------------------------------------------------------ what one steps through

    def line(self, node: ast.stmt) -> ast.expr:
        """The statement's line in its file."""
        return ast.Constant(node.lineno + self.lines_before)

    def told(self, statement: ast.stmt) -> list[ast.stmt]:
        """After a statement that ran, what it assigned; others tell of themselves."""
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Assert)):
            return []
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return []  # a docstring
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            return []
        reads = isinstance(statement, (ast.Assign, ast.AnnAssign)) and _only_reads(statement.value)
        return [_located(self.step("load" if reads else "line", statement, _stored(statement)), statement)]

    def step(self, kind: str, node: ast.stmt, names: list[str]) -> ast.stmt:
        known = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        return ast.Expr(_call("step", [ast.Constant(kind), self.line(node), known, _names(names, ast.Load())]))

    # ------------------------------------------------------------ helpers

    def next(self) -> int:
        self.counter += 1
        return self.counter

    def touched(self, node: ast.stmt, body: list[ast.stmt], also: ast.expr) -> tuple[list[str], list[ast.expr]]:
        """Names the construct assigns, then those it only reads; how many of them it changes, and how many it assigns.

        A construct with a return in it may end programs, which changes every variable of the function.
        """
        stored: set[str] = set()
        loaded: set[str] = set()
        for part in [*body, also]:
            for inner in ast.walk(part):
                if isinstance(inner, ast.Name):
                    (loaded if isinstance(inner.ctx, ast.Load) else stored).add(inner.id)
                elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                    loaded.add(inner.target.id)
        assigned = [name for name in self.local if name in stored]
        others = [name for name in self.local if name not in stored]
        if any(True for _ in _returns([node])):
            names, changed = assigned + others, len(self.local)
        else:
            names, changed = assigned + [name for name in others if name in loaded], len(assigned)
        return names, [ast.Constant(changed), ast.Constant(len(assigned))]

    def assigned(self, on: str, method: str, names: list[str], *, pass_values: bool = True) -> ast.stmt:
        arguments: list[ast.expr] = [_names(names, ast.Load())] if pass_values else []
        call = _call(method, arguments, on)
        if not names:
            return ast.Expr(call)
        return ast.Assign([_names(names, ast.Store())], call)

    def joined(self, on: str, names: list[str], arguments: list[ast.expr]) -> ast.stmt:
        call = _call("join", arguments, on)
        return ast.Assign([_names(names, ast.Store())], call) if names else ast.Expr(call)


def _stored(node: ast.AST) -> list[str]:
    """Names that a statement assigns, or a field of which it assigns."""
    names: dict[str, None] = {}
    stack = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, _OWN_SCOPE):
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(inner))))
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names[inner.id] = None
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            base: ast.expr = inner.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name):
                names[base.id] = None
    return list(names)


def _only_reads(value: ast.expr | None) -> bool:
    """Is it just what a load or an atomic reads, perhaps converted?"""
    while isinstance(value, ast.Call):
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name != "to" or not isinstance(function, ast.Attribute):
            return name == "load" or name.startswith("atomic_")
        value = function.value
    return False


def _place(node: ast.AST, original: ast.AST) -> None:
    """Where ``original`` begins; were it to end on another line, Python would count a method call to that one."""
    line, column = original.lineno, original.col_offset  # type: ignore[attr-defined]
    node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    node.col_offset = node.end_col_offset = column  # type: ignore[attr-defined]


def _loaded(nodes: list[ast.expr]) -> set[str]:
    return {
        inner.id
        for node in nodes
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def _located(made: Node, original: ast.AST) -> Node:
    """Give ``made`` and the new nodes in it the place of ``original``; nodes that have a place keep it."""
    stack: list[ast.AST] = [made]
    while stack:
        node = stack.pop()
        if not hasattr(node, "lineno") and "lineno" in node._attributes:
            _place(node, original)
            stack.extend(ast.iter_child_nodes(node))
        elif "lineno" not in node._attributes:
            stack.extend(ast.iter_child_nodes(node))
    return made
