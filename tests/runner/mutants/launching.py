"""Faults of the host function: grid, arguments, output."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from tests.runner.mutants.addressing import ACCESSES, once
from tests.runner.mutants.python_faults import misspelt
from tests.runner.mutants.registry import kind
from tests.runner.mutants.source import Change, Solution

TOUCHED = "where programs that are too many, or too few, would touch memory"


def grid_tuple(solution: Solution) -> ast.Tuple | None:
    """The tuple that is the grid, wherever it is written."""
    inside = solution.launch.func
    assert isinstance(inside, ast.Subscript)
    if isinstance(inside.slice, ast.Tuple):
        return inside.slice
    for node in ast.walk(solution.host):
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "grid"
            and isinstance(node.value, ast.Tuple)
        ):
            return node.value
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            return node.value
    return None


def in_grid(solution: Solution, node: ast.AST, text: str) -> Change:
    also = [(call.lineno, TOUCHED) for call in solution.calls(solution.kernel, *ACCESSES)]
    also.append((solution.launch.lineno, "the launch that gets this grid"))
    return Change([solution.replace(node, text)], solution.start(node), also=also)


@kind("grid rounded down")
def rounded_down(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.host, "cdiv"):
        statement = solution.statement_of(call)
        if statement is None or "count =" in solution.segment(statement):
            continue
        yield in_grid(solution, call, " // ".join(solution.segment(one) for one in call.args))


@kind("/ in the grid")
def divided(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.host, "cdiv"):
        statement = solution.statement_of(call)
        if statement is None or "count =" in solution.segment(statement):
            continue
        yield in_grid(solution, call, " / ".join(solution.segment(one) for one in call.args))


@kind("grid without its comma")
def no_comma(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None and len(grid.elts) == 1:
        yield in_grid(solution, grid, f"({solution.segment(grid.elts[0])})")


@kind("grid as a list")
def grid_list(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None:
        yield in_grid(solution, grid, f"[{', '.join(solution.segment(one) for one in grid.elts)}]")


@kind("one program")
def one_program(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None:
        for element in grid.elts:
            yield in_grid(solution, element, "1")


@kind("a program too many")
def one_more(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None:
        for element in grid.elts:
            yield in_grid(solution, element, f"{solution.segment(element)} + 1")


@kind("as many programs as elements")
def one_each(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.host, "cdiv"):
        if "count =" not in solution.segment(solution.statement_of(call) or call):
            yield in_grid(solution, call, solution.segment(call.args[0]))


@kind("axes of the grid exchanged")
def exchanged_grid(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None and len(grid.elts) == 2:
        yield in_grid(solution, grid, f"({solution.segment(grid.elts[1])}, {solution.segment(grid.elts[0])})")


@kind("axis of the grid missing")
def missing_axis(solution: Solution) -> Iterator[Change]:
    grid = grid_tuple(solution)
    if grid is not None and len(grid.elts) == 2:
        change = in_grid(solution, grid, f"({solution.segment(grid.elts[0])},)")
        asking = [(one.lineno, "the axis that is asked for") for one in solution.calls(solution.kernel, "program_id")]
        yield Change(change.edits, change.at, also=[*change.also, *asking])


@kind("no grid")
def no_grid(solution: Solution) -> Iterator[Change]:
    function = solution.launch.func
    assert isinstance(function, ast.Subscript)
    yield once(solution, function, solution.segment(function.value))


@kind("round brackets for the grid")
def round_brackets(solution: Solution) -> Iterator[Change]:
    function = solution.launch.func
    assert isinstance(function, ast.Subscript)
    yield once(solution, function, f"{solution.segment(function.value)}({solution.segment(function.slice)})")


@kind("no jit")
def no_jit(solution: Solution) -> Iterator[Change]:
    decorator = solution.kernel.decorator_list[0]
    start = solution.start(decorator) - 1
    also = [(solution.launch.lineno, "where the plain function is launched")]
    yield Change([(start, solution.end(decorator) + 1, "")], solution.start(solution.kernel), also=also)


# ---------------------------------------------------------------- arguments


@kind("arguments of the launch exchanged")
def exchanged_arguments(solution: Solution) -> Iterator[Change]:
    arguments = solution.launch.args
    for position, (one, other) in enumerate(itertools.pairwise(arguments)):
        edits = [
            solution.replace(one, solution.segment(other)),
            solution.replace(other, solution.segment(one)),
        ]
        names = frozenset(parameter.arg for parameter in solution.parameters[position : position + 2])
        also = [(solution.launch.lineno, "the launch"), (other.lineno, "the other argument")]
        yield Change(edits, solution.start(one), names, also)


@kind("argument of the launch missing")
def missing_argument(solution: Solution) -> Iterator[Change]:
    for position, one in enumerate(solution.launch.args):
        start, end = solution.start(one), solution.end(one)
        after = re.match(rb",\s*", solution.data[end:])
        names = frozenset(parameter.arg for parameter in solution.parameters[position:])
        also = [(solution.launch.lineno, "the launch")]
        yield Change([(start, end + (after.end() if after else 0), "")], start, names, also)


@kind("argument of the launch one off")
def argument_off_by_one(solution: Solution) -> Iterator[Change]:
    for position, one in enumerate(solution.launch.args):
        name = solution.parameters[position].arg
        if not name.endswith("_ptr"):
            also = [(solution.launch.lineno, "the launch")]
            for new in (f"{solution.segment(one)} - 1", f"{solution.segment(one)} + 1"):
                yield Change([solution.replace(one, new)], solution.start(one), frozenset({name}), also)


@kind("keyword of the launch misspelt")
def wrong_keyword(solution: Solution) -> Iterator[Change]:
    for keyword in solution.launch.keywords:
        assert keyword.arg is not None
        start = solution.start(keyword)
        also = [(solution.launch.lineno, "the launch")]
        yield Change([(start, start + len(keyword.arg), misspelt(keyword.arg))], start, also=also)


@kind("keyword of the launch missing")
def no_keyword(solution: Solution) -> Iterator[Change]:
    for keyword in solution.launch.keywords:
        edit = solution.without_keyword(solution.launch, str(keyword.arg))
        assert edit is not None
        yield Change([edit], solution.start(solution.launch), also=[(keyword.lineno, "where it stood")])


@kind("block of the launch halved")
def halved_block(solution: Solution) -> Iterator[Change]:
    """The grid still counts with the old one."""
    for keyword in solution.launch.keywords:
        if isinstance(keyword.value, ast.Constant):
            names = frozenset({str(keyword.arg)})
            also = [(solution.launch.lineno, "the launch")]
            also += [(call.lineno, TOUCHED) for call in solution.calls(solution.kernel, *ACCESSES)]
            also += [
                (call.lineno, "it can't work on so small a block") for call in solution.calls(solution.kernel, "dot")
            ]
            new = str(keyword.value.value // 2)
            yield Change([solution.replace(keyword.value, new)], solution.start(keyword), names, also)


@kind("block of the launch that is no power of two")
def odd_block(solution: Solution) -> Iterator[Change]:
    for keyword in solution.launch.keywords:
        also = [(solution.launch.lineno, "the launch")]
        new = "100" if isinstance(keyword.value, ast.Constant) else "n_cols + 3"
        yield Change(
            [solution.replace(keyword.value, new)], solution.start(keyword), frozenset({str(keyword.arg)}), also
        )


@kind("block is the width itself")
def block_is_width(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.host, "next_power_of_2"):
        also = [(solution.launch.lineno, "the launch")]
        yield Change([solution.replace(call, "n_cols")], solution.start(call), frozenset({"BLOCK"}), also)


# ---------------------------------------------------------------- the output


@kind("nothing returned")
def nothing_returned(solution: Solution) -> Iterator[Change]:
    statement = solution.host.body[-1]
    assert isinstance(statement, ast.Return)
    also = [(solution.host.lineno, "the function")]
    also += [
        (one.lineno, "the only return that is left") for one in ast.walk(solution.host) if isinstance(one, ast.Return)
    ]
    yield Change([(solution.start(statement), solution.end(statement), "pass")], solution.start(statement), also=also)


@kind("input returned")
def input_returned(solution: Solution) -> Iterator[Change]:
    statement = solution.host.body[-1]
    assert isinstance(statement, ast.Return) and statement.value is not None
    yield once(solution, statement.value, solution.host.args.args[0].arg)


@kind("nothing launched")
def nothing_launched(solution: Solution) -> Iterator[Change]:
    statement = solution.statement_of(solution.launch)
    assert statement is not None
    returns = [one.lineno for one in ast.walk(solution.host) if isinstance(one, ast.Return)]
    also = [(line, "what is returned was never written") for line in returns]
    yield Change([(solution.start(statement), solution.end(statement), "pass")], solution.start(statement), also=also)


@kind("torch computes it")
def torch_computes(solution: Solution) -> Iterator[Change]:
    statement = solution.host.body[-1]
    assert isinstance(statement, ast.Return) and statement.value is not None
    yield once(solution, statement.value, f"{solution.segment(statement.value)} * 1")


@kind("output of another dtype")
def output_dtype(solution: Solution) -> Iterator[Change]:
    for statement in allocations(solution):
        call = statement.value
        also = [(solution.host.body[-1].lineno, "where it is returned")]
        dtype = next((one for one in call.keywords if one.arg == "dtype"), None)
        if dtype is not None:
            yield Change([solution.replace(dtype.value, "torch.float64")], solution.start(call), also=also)
        else:
            place = solution.end(call) - 1
            yield Change([(place, place, ", dtype=torch.float64")], solution.start(call), also=also)


@kind("output of another shape")
def output_shape(solution: Solution) -> Iterator[Change]:
    for statement in allocations(solution):
        shape = statement.value.args[0]
        if isinstance(shape, ast.Tuple):
            new = f"({', '.join(solution.segment(one) for one in reversed(shape.elts))})"
            also = [(solution.host.body[-1].lineno, "where it is returned")]
            yield Change([solution.replace(shape, new)], solution.start(shape), also=also)


@kind("output not zeroed")
def not_zeroed(solution: Solution) -> Iterator[Change]:
    for statement in allocations(solution):
        if ast.unparse(statement.value.func) == "torch.zeros":
            also = [
                (call.lineno, "the addition to memory that nobody has set")
                for call in solution.calls(solution.kernel, "atomic_add")
            ]
            yield Change([solution.replace(statement.value.func, "torch.empty")], solution.start(statement), also=also)


@kind("contiguous copy before the launch")
def contiguous_copy(solution: Solution) -> Iterator[Change]:
    name = solution.host.args.args[0].arg
    statement = solution.host.body[0]
    place = solution.start(statement)
    if "stride" in solution.text:
        yield Change([(place, place, f"{name} = {name}.contiguous()\n    ")], place)


def allocations(solution: Solution) -> Iterator[ast.Assign]:
    for node in solution.nodes(solution.host, ast.Assign):
        assert isinstance(node, ast.Assign)
        if re.match(r"torch\.(empty|zeros)", ast.unparse(node.value)):
            yield node
