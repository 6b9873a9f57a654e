"""Faults that can be read off the learner's text, once it is known which kernels it launched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.names import Names
from tritontui.diagnosis.reading import FunctionDef, Reading, last_name, parameters, text


def returned_values(source: str, kernels: Iterable[str]) -> list[Finding]:
    """``unsupported-statement``: a kernel that was launched returns a value.

    Triton's front end lets it pass, and a later pass of the compiler fails without a word.
    """
    reading = Reading(source)
    found = []
    for name in dict.fromkeys(kernels):
        kernel = reading.defined(name)
        for node in ast.walk(kernel) if kernel is not None else ():
            if isinstance(node, ast.Return) and node.value is not None and text(node.value) != "None":
                found.append(_finding("unsupported-statement", node, statement="return-value"))
    return found


def stored_masks(source: str, kernels: Iterable[str]) -> list[Finding]:
    """``mask-stored``: the value of a store is a condition.

    That may be meant: ask only about a kernel whose values are known to be wrong.
    """
    reading = Reading(source)
    wanted = set(kernels)
    found = []
    for kernel in reading.kernels():
        names = Names(kernel, frozenset())
        for call in ast.walk(kernel) if kernel.name in wanted else ():
            if isinstance(call, ast.Call) and last_name(call.func) == "store" and len(call.args) > 1:
                value = call.args[1]
                if names.is_mask(value):
                    found.append(_finding("mask-stored", call, value=text(value), pointer=first_pointer(call.args[0])))
    return found


def first_pointer(address: ast.expr) -> str:
    """``out_ptr`` of ``out_ptr + offs``."""
    while isinstance(address, ast.BinOp):
        address = address.left
    return text(address)


def exchanged_arguments(source: str, kernels: Iterable[str]) -> list[Finding]:
    """``arguments-exchanged``: two arguments of a launch stand where, by their names, the other one belongs.

    Names prove nothing: ask only about a launch that is known to go wrong.
    """
    reading = Reading(source)
    wanted = set(kernels)
    found = []
    for call in ast.walk(reading.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript) and last_name(call.func.value) in wanted:
            kernel = reading.defined(last_name(call.func.value))
            pair = next(_pairs(call, kernel), None) if kernel is not None else None
            if pair is not None and kernel is not None:
                first, second, names = pair
                found.append(
                    _finding(
                        "arguments-exchanged",
                        call.args[first],
                        function=kernel.name,
                        first=text(call.args[first]),
                        second=text(call.args[second]),
                        first_parameter=names[first],
                        second_parameter=names[second],
                    )
                )
    return found


def _pairs(call: ast.Call, kernel: FunctionDef) -> Iterator[tuple[int, int, list[str]]]:
    """Positions of two arguments that have changed places."""
    plain = list(takewhile(lambda one: not isinstance(one, ast.Starred), call.args))
    names = list(parameters(kernel))[: len(plain)]
    given = [_plain(text(one)) for one in plain[: len(names)]]
    wanted = [_plain(name) for name in names]
    for first in range(len(names)):
        for second in range(first + 1, len(names)):
            crossed = given[first] == wanted[second] and given[second] == wanted[first]
            if (crossed and given[first] != given[second]) or _strides_reversed(call, first, second):
                yield first, second, names


def _plain(name: str) -> str:
    """``x`` of ``x_ptr``, ``X`` and ``p_x``."""
    return re.sub(r"_?(?:ptr|pointer)s?$|^p(?:tr)?_", "", name.lower())


def _strides_reversed(call: ast.Call, first: int, second: int) -> bool:
    """``x.stride(1), x.stride(0)`` side by side."""
    pattern = r"(\w+)\.stride\((\d)\)"
    left, right = (re.fullmatch(pattern, text(call.args[position])) for position in (first, second))
    if left is None or right is None or second != first + 1:
        return False
    return left[1] == right[1] and int(left[2]) == int(right[2]) + 1


def _finding(identifier: str, node: ast.AST, **params: object) -> Finding:
    return Finding(
        id=identifier,
        severity=entry(identifier).severity,
        line=getattr(node, "lineno", None),
        column=getattr(node, "col_offset", -1) + 1 or None,
        params=dict(params),
    )
