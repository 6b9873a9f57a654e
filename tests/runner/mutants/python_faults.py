"""Faults of Python's in a kernel: names, statements, functions, arguments, what only the host knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.runner.mutants.addressing import once
from tests.runner.mutants.registry import kind
from tests.runner.mutants.source import Change, Solution


def misspelt(name: str) -> str:
    """Two letters in the middle exchanged, or the last one doubled."""
    if len(name) < 4:
        return name + name[-1]
    middle = len(name) // 2
    return name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]


@kind("statement forgotten")
def forgotten(solution: Solution) -> Iterator[Change]:
    statements = list(solution.statements(solution.kernel))
    for statement in statements:
        if isinstance(statement, (ast.For, ast.If)):
            continue
        if isinstance(statement, ast.Expr) and len(statements) == 1:
            continue
        names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        after = [one for one in statements if one.lineno > (statement.end_lineno or 0) and used(one) & names]
        place = after[0] if after else solution.kernel
        also = [(one.lineno, "it uses what the missing line makes") for one in after]
        also += [(solution.kernel.lineno, "the kernel lacks it"), (solution.launch.lineno, "what is launched lacks it")]
        yield Change([solution.without(statement)], solution.start(place), frozenset(names), also)


def used(statement: ast.stmt) -> set[str]:
    parts: list[ast.AST] = [statement]
    if isinstance(statement, ast.For):
        parts = [statement.iter]
    return {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}


@kind("name misspelt")
def wrong_name(solution: Solution) -> Iterator[Change]:
    """The first use of each variable."""
    seen = set()
    for node in solution.nodes(solution.kernel, ast.Name):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in ("tl", "range", *seen):
            seen.add(node.id)
            yield once(solution, node, misspelt(node.id))


@kind("function of tl misspelt")
def wrong_function(solution: Solution) -> Iterator[Change]:
    seen = set()
    for node in solution.nodes(solution.kernel, ast.Attribute):
        if isinstance(node, ast.Attribute) and solution.segment(node.value) == "tl" and node.attr not in seen:
            seen.add(node.attr)
            yield once(solution, node, f"tl.{misspelt(node.attr)}")


@kind("keyword of tl misspelt")
def wrong_keyword(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load", "store", "sum"):
        for keyword in call.keywords[:1]:
            assert keyword.arg is not None
            start = solution.start(keyword)
            yield Change([(start, start + len(keyword.arg), misspelt(keyword.arg))], start)


@kind("arguments of store exchanged")
def store_arguments(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        a, b = call.args[:2]
        yield Change(
            [solution.replace(a, solution.segment(b)), solution.replace(b, solution.segment(a))], solution.start(a)
        )


@kind("mask passed as the value")
def mask_by_position(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        for keyword in call.keywords:
            if keyword.arg == "mask":
                yield once(solution, call.args[1], solution.segment(keyword.value))


@kind("constexpr forgotten")
def no_constexpr(solution: Solution) -> Iterator[Change]:
    for one in solution.parameters:
        if one.annotation is not None:
            yield Change([(solution.start(one), solution.end(one), one.arg)], solution.start(one), frozenset({one.arg}))


@kind("size known only at the launch")
def runtime_size(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "arange"):
        lengths = [one.arg for one in solution.parameters if one.arg in ("n", "count", "columns", "n_cols", "N", "K")]
        if lengths:
            yield once(solution, call.args[1], lengths[0])


@kind("block size that is no power of two")
def odd_block(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "arange"):
        yield once(solution, call.args[1], f"{solution.segment(call.args[1])} - 6")


@kind("if on a block")
def block_condition(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        statement = solution.statement_of(call)
        mask = next((one for one in call.keywords if one.arg == "mask"), None)
        if statement is not None and mask is not None and (edit := solution.without_keyword(call, "mask")):
            column = solution.start(statement) - solution.whole_lines(statement)[0]
            place = solution.start(statement)
            opener = f"if {solution.segment(mask.value)}:\n{' ' * (column + 4)}"
            yield Change([edit, (place, place, opener)], place)


@kind("python's function")
def python_function(solution: Solution) -> Iterator[Change]:
    twins = {"max": "max", "sum": "sum", "exp": "math.exp", "zeros": "list", "arange": "range"}
    for call in solution.calls(solution.kernel, *twins):
        assert isinstance(call.func, ast.Attribute)
        yield once(solution, call, f"{twins[call.func.attr]}({', '.join(solution.segment(one) for one in call.args)})")


@kind("torch's function")
def torch_function(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "max", "sum", "exp", "zeros", "arange", "dot", "full"):
        assert isinstance(call.func, ast.Attribute)
        name = {"dot": "matmul"}.get(call.func.attr, call.func.attr)
        yield once(solution, call, f"torch.{name}({', '.join(solution.segment(one) for one in call.args)})")


@kind("tl forgotten")
def no_prefix(solution: Solution) -> Iterator[Change]:
    seen = set()
    for node in solution.nodes(solution.kernel, ast.Attribute):
        if isinstance(node, ast.Attribute) and solution.segment(node.value) == "tl" and node.attr not in seen:
            seen.add(node.attr)
            if node.attr not in ("max", "sum", "constexpr"):
                yield once(solution, node, node.attr)


@kind("method for a function")
def method(solution: Solution) -> Iterator[Change]:
    """``x.exp()``, as torch has it."""
    for call in solution.calls(solution.kernel, "exp"):
        yield once(solution, call, f"({solution.segment(call.args[0])}).exp(dim=0)")


@kind("shape asked of a pointer")
def pointer_shape(solution: Solution) -> Iterator[Change]:
    for node in solution.nodes(solution.kernel, ast.Compare):
        right = node.comparators[0]  # type: ignore[attr-defined]
        if isinstance(right, ast.Name) and right.id in ("n", "n_cols", "columns", "count", "N"):
            pointer = solution.pointers[0]
            yield once(solution, right, f"{pointer}.shape[0]")
            yield once(solution, right, f"{pointer}.numel()")


@kind("element of a block")
def block_element(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        if isinstance(call.args[1], ast.Name):
            yield once(solution, call.args[1], f"{call.args[1].id}[0]")


@kind("break")
def with_break(solution: Solution) -> Iterator[Change]:
    for loop in solution.nodes(solution.kernel, ast.For):
        assert isinstance(loop, ast.For)
        place = solution.whole_lines(loop.body[-1])[1]
        index = ast.unparse(loop.target)
        text = f"        if {index} > 1000:\n            break\n"
        yield Change([(place, place, text)], place, inserted=1)


@kind("a kernel that returns a value")
def returned_value(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        yield once(solution, call, f"return {solution.segment(call.args[1])}")


@kind("returns early")
def early_return(solution: Solution) -> Iterator[Change]:
    for loop in solution.nodes(solution.kernel, ast.For):
        assert isinstance(loop, ast.For)
        place = solution.start(loop.body[0])
        yield Change([(place, place, "return\n        ")], place)


@kind("global for an argument")
def global_name(solution: Solution) -> Iterator[Change]:
    """A number of the file, defined beside the kernel."""
    for call in solution.calls(solution.kernel, "arange")[:1]:
        start = solution.whole_lines(solution.host)[0]
        edits = [solution.replace(call.args[1], "SIZE"), (start, start, "SIZE = 64\n\n\n")]
        yield Change(edits, solution.start(call))


@kind("print with an f-string")
def f_string(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        statement = solution.statement_of(call)
        if statement is not None:
            place = solution.start(statement)
            indent = " " * (place - solution.whole_lines(statement)[0])
            value = solution.segment(call.args[1])
            yield Change([(place, place, f'print(f"{{{value}}}")\n{indent}')], place)


@kind("colon missing")
def no_colon(solution: Solution) -> Iterator[Change]:
    for function in (solution.kernel, solution.host):
        place = solution.data.rfind(b":", 0, solution.start(function.body[0]))
        yield Change([(place, place + 1, "")], place - 1)


@kind("bracket missing")
def no_bracket(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load", "arange")[:2]:
        place = solution.end(call) - 1
        also = [(solution.line_of(place) + 1, "where Python notices that the bracket is open")]
        yield Change([(place, place + 1, "")], place, also=also)


@kind("indented too far")
def indented(solution: Solution) -> Iterator[Change]:
    statement = solution.kernel.body[1]
    place = solution.whole_lines(statement)[0]
    yield Change([(place, place, "    ")], solution.start(statement))
