"""Statements and expressions of a kernel, turned into calls on the runtime: the pieces of ``rewriter``'s picture."""

from __future__ import annotations

import ast

from tritontui.runner.lockstep.errors import UnsupportedStatement
from tritontui.runner.lockstep.syntax import (
    loaded_names,
    located,
    names_tuple,
    only_reads,
    returns_in,
    runtime_call,
    stored_names,
)
from tritontui.runner.lockstep.variants import stands_for

_OF_NUMBERS = frozenset({"to", "dtype"})
"""What kernels ask of a scalar, and a Python number doesn't have."""


class Transformer(ast.NodeTransformer):
    def __init__(self, local: list[str], returns_early: bool, lines_before: int, indent: int) -> None:
        self.local = local
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
            if self.returns_early and rest and any(True for _ in returns_in([statement])):
                guard = ast.If(runtime_call("alive", []), self.block(rest), [])
                out.append(located(guard, rest[0]))
                break
        return out or [ast.Pass()]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = self.visit(node.value) if node.value is not None else ast.Constant(None)
        value = runtime_call("returned", [self.line(node), value])
        if not self.returns_early:
            return located(ast.Return(value), node)
        return located(ast.Expr(runtime_call("leave_function", [value])), node)

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        """Refused by the compiler where it gets there, and not on the side of a constant that it leaves out."""
        place = [ast.Constant(number) for number in self.place(node)]
        return located(ast.Expr(runtime_call("unsupported", [ast.Constant("Raise"), *place])), node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        number = self.next()
        branch, arm = f"_b{number}", f"_a{number}"
        names, counts = self.touched(node, node.body + node.orelse, node.test)
        inside: list[ast.stmt] = []
        if names:
            enter = runtime_call("enter", [names_tuple(names, ast.Load()), *counts], branch)
            inside.append(ast.Assign([names_tuple(names, ast.Store())], enter))
        body = self.block(node.body)
        orelse = self.block(node.orelse) if node.orelse else []
        inside.append(ast.If(ast.Name(arm, ast.Load()), body, orelse))
        inside.append(ast.Expr(runtime_call("leave", [names_tuple(names, ast.Load())], branch)))
        test = self.visit(node.test)
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(branch, ast.Store())], runtime_call("branch", [self.line(node), test])),
            ast.For(
                ast.Name(arm, ast.Store()),
                ast.Attribute(ast.Name(branch, ast.Load()), "arms", ast.Load()),
                inside,
                [],
            ),
            self.joined(branch, names, []),
        ]
        return [located(statement, node) for statement in out]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if node.orelse:
            raise UnsupportedStatement("for … else", *self.place(node))
        loop = f"_f{self.next()}"
        names, counts = self.touched(node, node.body, node.target)
        iterable = self.visit(node.iter)
        setup = [self.line(node), iterable, names_tuple(names, ast.Load()), *counts]
        index = ast.Assign([node.target], runtime_call("index", [], loop))
        round_ = self.step("loop", node, stored_names(node.target))
        body = self.block(node.body)
        inside = [self.assigned(loop, "enter", names), index, round_, *body]
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(loop, ast.Store())], runtime_call("loop", setup)),
            self.assigned(loop, "start", names, pass_values=False),
            ast.While(runtime_call("more", [], loop), inside, []),
            self.joined(loop, names, [names_tuple(names, ast.Load())]),
        ]
        return [located(statement, node) for statement in out]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        if node.orelse:
            raise UnsupportedStatement("while … else", *self.place(node))
        loop = f"_w{self.next()}"
        names, counts = self.touched(node, node.body, node.test)
        body = self.block(node.body)
        test: ast.expr = runtime_call("test", [self.visit(node.test)], loop)
        if any(True for _ in returns_in([node])):
            test = ast.BoolOp(ast.And(), [runtime_call("alive", []), test])
        setup: list[ast.expr] = [self.line(node), names_tuple(names, ast.Load()), *counts]
        out: list[ast.stmt] = [
            ast.Assign([ast.Name(loop, ast.Store())], runtime_call("while_loop", setup)),
            self.assigned(loop, "start", names, pass_values=False),
            ast.While(test, [self.assigned(loop, "enter", names), *body], []),
            self.joined(loop, names, [names_tuple(names, ast.Load())]),
        ]
        return [located(statement, node) for statement in out]

    def visit_With(self, node: ast.With) -> ast.stmt:
        node.items = [self.visit(item) for item in node.items]
        node.body = self.block(node.body)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        message = self.visit(node.msg) if node.msg is not None else ast.Constant("")
        return located(ast.Expr(runtime_call("assertion", [self.visit(node.test), message])), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return located(ast.Pass(), node)
        return located(ast.Assign([node.target], self.visit(node.value)), node)

    # ------------------------------------------------------------ expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """``a and b`` → ``_L.both(t, b) if _L.goes_on(t := a, True) else t``: no lambda, so locals stay fast."""
        is_and = isinstance(node.op, ast.And)
        result: ast.expr = self.visit(node.values[0])
        for operand in node.values[1:]:
            name = f"_k{self.next()}"
            kept = ast.NamedExpr(ast.Name(name, ast.Store()), result)
            goes_on = runtime_call("goes_on", [kept, ast.Constant(is_and)])
            combined = runtime_call("both" if is_and else "either", [ast.Name(name, ast.Load()), self.visit(operand)])
            result = ast.IfExp(goes_on, combined, ast.Name(name, ast.Load()))
        return stands_for(located(result, node), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """In the compiler constants are wrapped, and some kernels unwrap them; variables are tensors, numbers too."""
        node.value = self.visit(node.value)
        if node.attr == "value" and isinstance(node.ctx, ast.Load):
            return located(runtime_call("unwrapped", [node.value]), node)
        if node.attr in _OF_NUMBERS and isinstance(node.value, ast.Name):
            node.value = located(runtime_call("numeric", [node.value]), node.value)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return located(runtime_call("negate", [node.operand]), node)
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
                left, right = runtime_call("plain", [left]), runtime_call("plain", [right])
            compared = located(ast.Compare(left, [operator], [right]), node)
            result = compared if result is None else runtime_call("both", [result, compared])
        assert result is not None
        return stands_for(located(result, node), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.next()
        read = [name for name in self.local if name in loaded_names([node.body, node.orelse])]
        arguments = ast.arguments([], [ast.arg(name) for name in read], None, [], [], None, [])
        call = runtime_call(
            "ternary",
            [
                self.visit(node.test),
                ast.Lambda(arguments, self.visit(node.body)),
                ast.Lambda(arguments, self.visit(node.orelse)),
                names_tuple(read, ast.Load()),
            ],
        )
        return located(call, node)

    # ------------------------------------------------------------ what one steps through

    def line(self, node: ast.stmt) -> ast.expr:
        """The statement's line in its file."""
        return ast.Constant(self.place(node)[0])

    def place(self, node: ast.stmt) -> tuple[int, int]:
        """Its line and column (from 1) in the file."""
        return node.lineno + self.lines_before, node.col_offset + self.indent + 1

    def told(self, statement: ast.stmt) -> list[ast.stmt]:
        """After a statement that ran, what it assigned; others tell of themselves."""
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Assert)):
            return []
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return []  # a docstring
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            return []
        reads = isinstance(statement, (ast.Assign, ast.AnnAssign)) and only_reads(statement.value)
        return [located(self.step("load" if reads else "line", statement, stored_names(statement)), statement)]

    def step(self, kind: str, node: ast.stmt, names: list[str]) -> ast.stmt:
        known = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        return ast.Expr(
            runtime_call("step", [ast.Constant(kind), self.line(node), known, names_tuple(names, ast.Load())])
        )

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
        if any(True for _ in returns_in([node])):
            names, changed = assigned + others, len(self.local)
        else:
            names, changed = assigned + [name for name in others if name in loaded], len(assigned)
        return names, [ast.Constant(changed), ast.Constant(len(assigned))]

    def assigned(self, on: str, method: str, names: list[str], *, pass_values: bool = True) -> ast.stmt:
        arguments: list[ast.expr] = [names_tuple(names, ast.Load())] if pass_values else []
        call = runtime_call(method, arguments, on)
        if not names:
            return ast.Expr(call)
        return ast.Assign([names_tuple(names, ast.Store())], call)

    def joined(self, on: str, names: list[str], arguments: list[ast.expr]) -> ast.stmt:
        call = runtime_call("join", arguments, on)
        return ast.Assign([names_tuple(names, ast.Store())], call) if names else ast.Expr(call)
