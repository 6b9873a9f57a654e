"""Faults of host code that its values alone don't show: checks, conditions, what is returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.runner.mutants.registry import kind
from tests.runner.mutants.source import Change, Edit, Solution

OTHER = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}


def in_host(solution: Solution, edit: Edit, node: ast.AST) -> Change:
    """What a trial finds is told on the function, or on the line where it returned or raised."""
    own = solution.host
    also = [(own.lineno, "the function that the trials call")]
    also += [
        (one.lineno, "where it ends")
        for host in solution.hosts
        for one in ast.walk(host)
        if isinstance(one, (ast.Return, ast.Raise))
    ]
    if solution.launches:
        also.append((solution.launch.lineno, "the launch that nothing kept away"))
    return Change([edit], solution.start(node), also=also)


def checks(solution: Solution) -> Iterator[ast.If]:
    """``if …:`` whose body only raises or returns."""
    for host in solution.hosts:
        for node in solution.nodes(host, ast.If):
            assert isinstance(node, ast.If)
            if not node.orelse and isinstance(node.body[-1], (ast.Raise, ast.Return)):
                yield node


@kind("check of the host forgotten", needs_kernel=False)
def check_forgotten(solution: Solution) -> Iterator[Change]:
    for node in checks(solution):
        change = in_host(solution, solution.replace(node, "pass"), node)
        after = [
            one.lineno
            for one in ast.walk(solution.tree)
            if isinstance(one, ast.stmt) and one.lineno > (node.end_lineno or 0)
        ]
        yield Change(change.edits, change.at, also=[*change.also, (min(after), "what it kept from running")])


@kind("check of the host turned round", needs_kernel=False)
def check_turned(solution: Solution) -> Iterator[Change]:
    for node in checks(solution):
        yield in_host(solution, solution.replace(node.test, f"not ({solution.segment(node.test)})"), node)


@kind("comparison of the host", needs_kernel=False)
def comparison(solution: Solution) -> Iterator[Change]:
    for host in solution.hosts:
        for node in solution.nodes(host, ast.Compare):
            assert isinstance(node, ast.Compare)
            if len(node.ops) == 1 and type(node.ops[0]) in OTHER:
                left, right = solution.segment(node.left), solution.segment(node.comparators[0])
                yield in_host(solution, solution.replace(node, f"{left} {OTHER[type(node.ops[0])]} {right}"), node)


@kind("and for or in the host", needs_kernel=False)
def joined(solution: Solution) -> Iterator[Change]:
    for host in solution.hosts:
        for node in solution.nodes(host, ast.BoolOp):
            assert isinstance(node, ast.BoolOp)
            word = " and " if isinstance(node.op, ast.Or) else " or "
            yield in_host(solution, solution.replace(node, word.join(map(solution.segment, node.values))), node)


@kind("the other answer returned", needs_kernel=False)
def other_answer(solution: Solution) -> Iterator[Change]:
    for host in solution.hosts:
        for node in solution.nodes(host, ast.Return):
            assert isinstance(node, ast.Return)
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
                yield in_host(solution, solution.replace(node.value, str(not node.value.value)), node)


@kind("refusal returned instead of raised", needs_kernel=False)
def returned(solution: Solution) -> Iterator[Change]:
    for host in solution.hosts:
        for node in solution.nodes(host, ast.Raise):
            yield in_host(solution, solution.replace(node, "return None"), node)
