"""Faults in which elements a program touches: offsets, masks, strides, axes, pointers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.runner.mutants.registry import kind
from tests.runner.mutants.source import Change, Solution

ACCESSES = ("load", "store", "atomic_add")


def once(solution: Solution, node: ast.AST, text: str) -> Change:
    return Change([solution.replace(node, text)], solution.start(node))


def binary(solution: Solution, *operators: type[ast.operator]) -> Iterator[ast.BinOp]:
    for node in solution.nodes(solution.kernel, ast.BinOp):
        if isinstance(node, ast.BinOp) and isinstance(node.op, operators):
            yield node


def operator_change(solution: Solution, node: ast.BinOp, new: str) -> Change:
    """Another operator between the two operands."""
    gap = (solution.end(node.left), solution.start(node.right))
    between = solution.data[gap[0] : gap[1]].decode()
    changed = re.sub(r"(?<=[ )])(\S{1,2})(?= )", new, between, count=1)
    return Change([(*gap, changed)], solution.start(node.left))


def comparisons(solution: Solution) -> Iterator[ast.Compare]:
    for node in solution.nodes(solution.kernel, ast.Compare):
        assert isinstance(node, ast.Compare)
        yield node


def is_column(node: ast.AST) -> bool:
    """``v[:, None]``"""
    return isinstance(node, ast.Subscript) and ast.unparse(node).endswith("[:, None]")


def is_row(node: ast.AST) -> bool:
    """``v[None, :]``"""
    return isinstance(node, ast.Subscript) and ast.unparse(node).endswith("[None, :]")


# ---------------------------------------------------------------- masks


@kind("load without its mask")
def load_mask(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        edits = [edit for name in ("mask", "other") if (edit := solution.without_keyword(call, name))]
        if edits:
            yield Change(edits, solution.start(call))


@kind("store without its mask")
def store_mask(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store", "atomic_add"):
        if edit := solution.without_keyword(call, "mask"):
            yield Change([edit], solution.start(call))


@kind("no masks at all")
def all_masks(solution: Solution) -> Iterator[Change]:
    calls = solution.calls(solution.kernel, *ACCESSES)
    edits = [edit for call in calls for name in ("mask", "other") if (edit := solution.without_keyword(call, name))]
    if len(edits) > 1:
        also = [(call.lineno, "it lacks its mask too") for call in calls]
        yield Change(edits, edits[0][0], also=also)


@kind("<= for <")
def one_too_far(solution: Solution) -> Iterator[Change]:
    for node in comparisons(solution):
        if isinstance(node.ops[0], ast.Lt):
            yield once(solution, node, solution.segment(node).replace("<", "<=", 1))


@kind("> for <")
def turned_round(solution: Solution) -> Iterator[Change]:
    for node in comparisons(solution):
        if isinstance(node.ops[0], ast.Lt):
            yield once(solution, node, solution.segment(node).replace("<", ">", 1))


@kind("mask one short")
def one_short(solution: Solution) -> Iterator[Change]:
    for node in comparisons(solution):
        if isinstance(node.ops[0], ast.Lt):
            right = node.comparators[0]
            yield once(solution, right, f"{solution.segment(right)} - 1")


@kind("compared with another length")
def other_length(solution: Solution) -> Iterator[Change]:
    """Rows with the number of columns; an offset with the block's size."""
    lengths = {"rows": "columns", "columns": "rows", "M": "N", "N": "M", "n": "BLOCK", "n_cols": "BLOCK", "left": "K"}
    for node in comparisons(solution):
        right = node.comparators[0]
        if isinstance(right, ast.Name) and right.id in lengths:
            yield once(solution, right, lengths[right.id])


@kind("half of the mask missing")
def half_mask(solution: Solution) -> Iterator[Change]:
    for node in binary(solution, ast.BitAnd):
        for half in (node.left, node.right):
            yield once(solution, node, f"({solution.segment(half)})")


@kind("and for &")
def and_for_ampersand(solution: Solution) -> Iterator[Change]:
    for node in binary(solution, ast.BitAnd):
        yield operator_change(solution, node, "and")


@kind("| for &")
def or_for_and(solution: Solution) -> Iterator[Change]:
    for node in binary(solution, ast.BitAnd):
        yield operator_change(solution, node, "|")


@kind("comparisons without parentheses")
def no_parentheses(solution: Solution) -> Iterator[Change]:
    for node in binary(solution, ast.BitAnd):
        if isinstance(node.left, ast.Compare) and isinstance(node.right, ast.Compare):
            yield once(solution, node, f"{solution.segment(node.left)} & {solution.segment(node.right)}")


@kind("chained comparison")
def chained(solution: Solution) -> Iterator[Change]:
    for node in comparisons(solution):
        if isinstance(node.left, ast.Name):
            yield once(solution, node, f"0 <= {solution.segment(node)}")


@kind("mask with its axes swapped")
def swapped_mask(solution: Solution) -> Iterator[Change]:
    for node in binary(solution, ast.BitAnd):
        text = solution.segment(node)
        if "[:, None]" in text and "[None, :]" in text:
            yield once(solution, node, exchanged(text))


def exchanged(text: str) -> str:
    return text.replace("[:, None]", "\0").replace("[None, :]", "[:, None]").replace("\0", "[None, :]")


@kind("scalar mask")
def scalar_mask(solution: Solution) -> Iterator[Change]:
    """The program's first element is asked, not each lane's."""
    for node in comparisons(solution):
        if solution.segment(node).startswith("offs <"):
            yield once(solution, node.left, "pid * BLOCK" if "pid" in solution.text else "0")


# ---------------------------------------------------------------- offsets


@kind("pid not used")
def pid_unused(solution: Solution) -> Iterator[Change]:
    """``pid * BLOCK + lanes`` without its first term."""
    for node in binary(solution, ast.Add):
        if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mult) and "arange" in ast.unparse(node):
            if not isinstance(node.right, ast.Call):
                continue
            yield once(solution, node, solution.segment(node.right))


@kind("pid + BLOCK for pid * BLOCK")
def pid_plus(solution: Solution) -> Iterator[Change]:
    for node in block_starts(solution):
        yield operator_change(solution, node, "+")


@kind("pid without its BLOCK")
def pid_alone(solution: Solution) -> Iterator[Change]:
    for node in block_starts(solution):
        yield once(solution, node, solution.segment(node.left))


@kind("pid times the length")
def pid_times_length(solution: Solution) -> Iterator[Change]:
    lengths = [one.arg for one in solution.parameters if one.arg in ("n", "count", "columns", "N", "M")]
    for node in block_starts(solution):
        if lengths:
            yield once(solution, node.right, lengths[0])


def block_starts(solution: Solution) -> Iterator[ast.BinOp]:
    """``pid * BLOCK``"""
    for node in binary(solution, ast.Mult):
        first = ast.unparse(node.left)
        if isinstance(node.right, ast.Name) and node.right.id.isupper() and ("pid" in first or "program_id" in first):
            yield node


@kind("wrong axis of the grid")
def wrong_axis(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "program_id"):
        axis = call.args[0] if call.args else call.keywords[0].value
        yield once(solution, axis, "1" if ast.unparse(axis) == "0" else "0")


@kind("lanes begin at 1")
def lanes_from_one(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "arange"):
        end = solution.segment(call.args[1])
        yield once(solution, call, f"tl.arange(1, {end} + 1)")


@kind("lanes of one block too few")
def half_the_lanes(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "arange"):
        new = f"{solution.segment(call.args[1])} // 2"
        yield Change([solution.replace(call.args[1], new)], solution.start(call.args[1]), shapes=True)


@kind("address one too far")
def address_off_by_one(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, *ACCESSES):
        yield once(solution, call.args[0], f"{solution.segment(call.args[0])} + 1")


@kind("minus for plus in an address")
def minus_in_address(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, *ACCESSES):
        address = call.args[0]
        if isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add):
            yield operator_change(solution, address, "-")


@kind("offsets missing from an address")
def no_offsets(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, *ACCESSES):
        address = call.args[0]
        if isinstance(address, ast.BinOp) and isinstance(address.left, ast.Name):
            yield once(solution, address, solution.segment(address.left))


# ---------------------------------------------------------------- strides and axes


@kind("stride forgotten")
def no_stride(solution: Solution) -> Iterator[Change]:
    """``r * stride`` without the stride, or with 1 for it."""
    for node in binary(solution, ast.Mult):
        name = node.right.id if isinstance(node.right, ast.Name) else ""
        if "stride" in name or name in ("columns", "M", "N", "k"):
            yield once(solution, node, solution.segment(node.left))


@kind("stride of the other axis")
def other_stride(solution: Solution) -> Iterator[Change]:
    names = [one.arg for one in solution.parameters if "stride" in one.arg]
    for node in binary(solution, ast.Mult):
        if isinstance(node.right, ast.Name) and node.right.id in names and len(names) > 1:
            position = names.index(node.right.id)
            yield once(solution, node.right, names[position ^ 1 if position ^ 1 < len(names) else position - 1])


@kind("stride replaced by the width")
def width_for_stride(solution: Solution) -> Iterator[Change]:
    widths = [one.arg for one in solution.parameters if one.arg in ("columns", "n_cols", "N", "K")]
    for node in binary(solution, ast.Mult):
        along_rows = "row" in ast.unparse(node.left) or is_column(node.left)
        if isinstance(node.right, ast.Name) and "stride" in node.right.id and widths and along_rows:
            yield once(solution, node.right, widths[0])


@kind("height for width")
def height_for_width(solution: Solution) -> Iterator[Change]:
    others = {"columns": "rows", "N": "M", "M": "N"}
    for node in binary(solution, ast.Mult):
        other = others.get(node.right.id, "") if isinstance(node.right, ast.Name) else ""
        if any(one.arg == other for one in solution.parameters):
            yield once(solution, node.right, other)


@kind("index vectors exchanged")
def exchanged_vectors(solution: Solution) -> Iterator[Change]:
    """``[:, None]`` and ``[None, :]`` changed places in one address."""
    for statement in solution.statements(solution.kernel):
        if isinstance(statement, (ast.For, ast.If)):
            continue
        for node in ast.walk(statement):
            address = node.args[0] if isinstance(node, ast.Call) and access_name(node) in ACCESSES else None
            if isinstance(statement, ast.Assign) and statement.value is node and "ptr" in ast.unparse(node):
                address = node
            if address is not None and isinstance(address, ast.BinOp):
                text = solution.segment(address)
                if "[:, None]" in text and "[None, :]" in text:
                    yield once(solution, address, exchanged(text))


def access_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


@kind("axis not added")
def axis_not_added(solution: Solution) -> Iterator[Change]:
    """``v`` for ``v[:, None]``"""
    for node in solution.nodes(solution.kernel, ast.Subscript):
        if isinstance(node, ast.Subscript) and (is_column(node) or is_row(node)):
            yield once(solution, node, solution.segment(node.value))


@kind("column for row")
def column_for_row(solution: Solution) -> Iterator[Change]:
    for node in solution.nodes(solution.kernel, ast.Subscript):
        if isinstance(node, ast.Subscript) and (is_column(node) or is_row(node)):
            yield once(solution, node, exchanged(solution.segment(node)))


# ---------------------------------------------------------------- pointers


@kind("load from another pointer")
def another_pointer(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        yield from pointer_changes(solution, call)


@kind("store to another pointer")
def stored_elsewhere(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "store"):
        yield from pointer_changes(solution, call)


def pointer_changes(solution: Solution, call: ast.Call) -> Iterator[Change]:
    for name in ast.walk(call.args[0]):
        if isinstance(name, ast.Name) and (name.id in solution.pointers or name.id.endswith("_ptrs")):
            family = solution.pointers if name.id in solution.pointers else ["a_ptrs", "b_ptrs"]
            for other in family:
                if other != name.id and other in solution.text:
                    yield once(solution, name, other)


@kind("pointer indexed like an array")
def indexed(solution: Solution) -> Iterator[Change]:
    for call in solution.calls(solution.kernel, "load"):
        address = call.args[0]
        if isinstance(address, ast.BinOp) and isinstance(address.left, ast.Name):
            yield once(solution, call, f"{solution.segment(address.left)}[{solution.segment(address.right)}]")


@kind("no load at all")
def address_for_value(solution: Solution) -> Iterator[Change]:
    """The address itself is reckoned with."""
    for call in solution.calls(solution.kernel, "load"):
        yield once(solution, call, f"({solution.segment(call.args[0])})")


@kind("/ for //, in an offset")
def float_offset(solution: Solution) -> Iterator[Change]:
    for node in block_starts(solution):
        yield once(solution, node, f"{solution.segment(node)} * 4 / 4")
