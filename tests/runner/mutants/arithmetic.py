"""Faults in what a program reckons: values, types, reductions, loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.runner.mutants.addressing import binary, once, operator_change
from tests.runner.mutants.registry import kind
from tests.runner.mutants.source import Change, Solution

OTHER_OPERATOR: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*"}


def values(solution: Solution) -> Iterator[ast.BinOp]:
    """Arithmetic on what was loaded or summed, not on offsets."""
    own = {"x", "y", "acc", "numerator", "denominator", "peak", "bias"}
    for node in binary(solution, *OTHER_OPERATOR):
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if names & own and not any(name.endswith(("_ptr", "_ptrs")) for name in names):
            yield node


@kind("wrong operator")
def wrong_operator(solution: Solution) -> Iterator[Change]:
    for node in values(solution):
        yield operator_change(solution, node, OTHER_OPERATOR[type(node.op)])


@kind("operands exchanged")
def exchanged(solution: Solution) -> Iterator[Change]:
    for node in values(solution):
        if isinstance(node.op, (ast.Sub, ast.Div)):
            yield once(solution, node, f"{solution.segment(node.right)} {symbol(node)} ({solution.segment(node.left)})")


def symbol(node: ast.BinOp) -> str:
    return "-" if isinstance(node.op, ast.Sub) else "/"


@kind("one operand for both")
def same_operand(solution: Solution) -> Iterator[Change]:
    for node in values(solution):
        if isinstance(node.left, ast.Name) and isinstance(node.right, ast.Name):
            yield once(solution, node.right, node.left.id)


@kind("operation left out")
def left_out(solution: Solution) -> Iterator[Change]:
    for node in values(solution):
        yield once(solution, node, solution.segment(node.left))


@kind("sign forgotten")
def sign(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        yield once(solution, call.args[1], f"-{solution.segment(call.args[1])}")


@kind("doubled")
def doubled(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        yield once(solution, call.args[1], f"2 * {solution.segment(call.args[1])}")


@kind("wrong constant")
def constant(solution: Solution) -> Iterator[Change]:
    for node in solution.nodes(solution.kernel, ast.Constant):
        statement = solution.statement_of(node)
        if not isinstance(node, ast.Constant) or not isinstance(node.value, float):
            continue
        if isinstance(statement, ast.Assign) and "tl.load" not in ast.unparse(statement):
            yield once(solution, node, f"{node.value + 1.0}")


# ---------------------------------------------------------------- padding


@kind("other left out")
def no_other(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        if edit := solution.without_keyword(call, "other"):
            yield Change([edit], solution.start(call))


@kind("wrong other")
def wrong_other(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        for keyword in call.keywords:
            if keyword.arg == "other":
                yield once(solution, keyword.value, "0.0" if "inf" in ast.unparse(keyword.value) else "1.0")


@kind("other without mask")
def other_alone(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        edit = solution.without_keyword(call, "mask")
        if edit and any(keyword.arg == "other" for keyword in call.keywords):
            yield Change([edit], solution.start(call))


# ---------------------------------------------------------------- reductions


@kind("wrong axis of a reduction")
def wrong_reduction_axis(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "sum", "max"):
        for keyword in call.keywords:
            if keyword.arg == "axis":
                yield once(solution, keyword.value, "1")


@kind("another reduction")
def another_reduction(solution: Solution) -> Iterator[Change]:
    others = {"sum": ("max",), "max": ("min", "sum")}
    for call in solution.calls(solution.kernel, "sum", "max"):
        assert isinstance(call.func, ast.Attribute)
        for other in others[call.func.attr]:
            yield once(solution, call.func, f"tl.{other}")


@kind("reduction left out")
def no_reduction(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "sum", "max"):
        yield once(solution, call, solution.segment(call.args[0]))


@kind("another function")
def another_function(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "exp"):
        yield once(solution, call.func, "tl.exp2")


# ---------------------------------------------------------------- types


@kind("cast left out")
def no_cast(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "to"):
        assert isinstance(call.func, ast.Attribute)
        yield once(solution, call, solution.segment(call.func.value))


@kind("narrower type")
def narrower(solution: Solution) -> Iterator[Change]:
    """The accumulator, or a cast, in 16 bits."""
    yield from dtype_changes(solution, "tl.float16")


@kind("whole-number type")
def whole_numbers(solution: Solution) -> Iterator[Change]:
    yield from dtype_changes(solution, "tl.int32")


@kind("a dtype of torch")
def torch_dtype(solution: Solution) -> Iterator[Change]:
    yield from dtype_changes(solution, "torch.float32")


def dtype_changes(solution: Solution, new: str) -> Iterator[Change]:
    for node in solution.nodes(solution.kernel, ast.Attribute):
        if solution.segment(node) == "tl.float32":
            yield once(solution, node, new)


@kind("accumulator begun as a number")
def scalar_accumulator(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "zeros"):
        yield once(solution, call, "0")


@kind("accumulator of another shape")
def accumulator_shape(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "zeros"):
        shape = call.args[0]
        if isinstance(shape, ast.Tuple) and len(shape.elts) == 2:
            yield once(solution, shape, f"({solution.segment(shape.elts[1])}, {solution.segment(shape.elts[0])})")
        elif isinstance(shape, ast.Tuple):
            yield once(solution, shape, f"({solution.segment(shape.elts[0])} * 2,)")


@kind("accumulator begun with ones")
def ones(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "zeros"):
        yield once(solution, call, f"tl.full({solution.segment(call.args[0])}, 1.0, tl.float32)")


# ---------------------------------------------------------------- products of matrices


@kind("product replaces the sum")
def dot_without_accumulator(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "dot"):
        if len(call.args) == 3:
            yield Change([(solution.end(call.args[1]), solution.end(call.args[2]), "")], solution.start(call))


@kind("operands of dot exchanged")
def dot_operands(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "dot"):
        a, b = call.args[:2]
        yield Change(
            [solution.replace(a, solution.segment(b)), solution.replace(b, solution.segment(a))], solution.start(a)
        )


@kind("TF32")
def tf32(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "dot"):
        if edit := solution.without_keyword(call, "input_precision"):
            yield Change([edit], solution.start(call))


@kind("* for dot")
def star_for_dot(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "dot"):
        a, b, *rest = (solution.segment(one) for one in call.args)
        yield once(solution, call, " + ".join([*rest, f"{a} * {b}"]))


@kind("tile transposed before dot")
def transposed_operand(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "dot"):
        for operand in call.args[:2]:
            yield once(solution, operand, f"tl.trans({solution.segment(operand)})")


# ---------------------------------------------------------------- loops


@kind("loop one round short")
def short_loop(solution: Solution) -> Iterator[Change]:
    for loop in loops(solution):
        bound = loop.iter.args[min(1, len(loop.iter.args) - 1)]
        yield once(solution, bound, f"{solution.segment(bound)} - 1")


@kind("loop rounded down")
def rounded_down_loop(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "cdiv"):
        yield once(solution, call, " // ".join(solution.segment(one) for one in call.args))


@kind("loop rounded down with /")
def divided_loop(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "cdiv"):
        yield once(solution, call, " / ".join(solution.segment(one) for one in call.args))


@kind("step missing from a loop")
def no_step(solution: Solution) -> Iterator[Change]:
    for loop in loops(solution):
        if len(loop.iter.args) == 3:
            yield Change([(solution.end(loop.iter.args[1]), solution.end(loop.iter.args[2]), "")], solution.start(loop))


@kind("loop index not used")
def index_unused(solution: Solution) -> Iterator[Change]:
    """``start + …`` and ``K - k * BK`` without the loop's part."""
    for loop in loops(solution):
        assert isinstance(loop.target, ast.Name)
        for node in ast.walk(loop):
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
                sides = [
                    {one.id for one in ast.walk(side) if isinstance(one, ast.Name)} for side in (node.left, node.right)
                ]
                if loop.target.id in sides[0] and "arange" in ast.unparse(node.right):
                    yield once(solution, node, solution.segment(node.right))
                elif loop.target.id in sides[1] and isinstance(node.left, ast.Name):
                    yield once(solution, node, solution.segment(node.left))


@kind("= for +=")
def replaced(solution: Solution) -> Iterator[Change]:
    for statement in solution.statements(solution.kernel):
        if isinstance(statement, ast.AugAssign):
            gap = (solution.end(statement.target), solution.start(statement.value), " = ")
            yield Change([gap], solution.start(statement))


@kind("-= for +=")
def subtracted(solution: Solution) -> Iterator[Change]:
    for statement in solution.statements(solution.kernel):
        if isinstance(statement, ast.AugAssign):
            gap = (solution.end(statement.target), solution.start(statement.value), " -= ")
            yield Change([gap], solution.start(statement))


@kind("statement inside the loop")
def into_the_loop(solution: Solution) -> Iterator[Change]:
    """What follows the loop is indented into it."""
    for loop in loops(solution):
        after = [one for one in solution.kernel.body if one.lineno > (loop.end_lineno or 0)]
        if after:
            edits = [(solution.whole_lines(one)[0], solution.whole_lines(one)[0], "    ") for one in after]
            also = [(one.lineno, "it stands in the loop too") for one in after]
            yield Change(edits, solution.start(after[0]), also=also)


@kind("accumulator inside the loop")
def reset_in_loop(solution: Solution) -> Iterator[Change]:
    for loop in loops(solution):
        before = [one for one in solution.kernel.body if one.lineno < loop.lineno and "zeros" in ast.unparse(one)]
        for statement in before:
            place = solution.whole_lines(loop.body[0])[0]
            moved = f"        {solution.segment(statement)}\n"
            assert isinstance(statement, ast.Assign)
            names = frozenset({ast.unparse(statement.targets[0])})
            yield Change([solution.without(statement), (place, place, moved)], place, names)


def loops(solution: Solution) -> Iterator[ast.For]:
    for node in solution.nodes(solution.kernel, ast.For):
        assert isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
        yield node


# ---------------------------------------------------------------- atomics


@kind("no atomic operation")
def no_atomic(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "atomic_add"):
        address, value = (solution.segment(one) for one in call.args)
        mask = solution.segment(call.keywords[0].value)
        yield once(
            solution, call, f"tl.store({address}, tl.load({address}, mask={mask}, other=0) + {value}, mask={mask})"
        )


@kind("another atomic operation")
def another_atomic(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "atomic_add"):
        yield once(solution, call.func, "tl.atomic_max")
