"""Faults that can be read off the learner's text, once it is known which kernels it launched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, takewhile
from typing import NamedTuple

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.names import Names
from tritontui.diagnosis.reading import Reading, last_name, parameters, text


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
            pair = next(_pairs(call, list(parameters(kernel))), None) if kernel is not None else None
            if pair is not None and kernel is not None:
                found.append(
                    _finding(
                        "arguments-exchanged",
                        pair.first,
                        function=kernel.name,
                        first=text(pair.first),
                        second=text(pair.second),
                        first_parameter=pair.first_parameter,
                        second_parameter=pair.second_parameter,
                    )
                )
    return found


class _Pair(NamedTuple):
    """Two arguments that have changed places, and the parameters at which they stand."""

    first: ast.expr
    second: ast.expr
    first_parameter: str
    second_parameter: str


def _pairs(call: ast.Call, names: Sequence[str]) -> Iterator[_Pair]:
    plain = list(takewhile(lambda one: not isinstance(one, ast.Starred), call.args))[: len(names)]
    given = [_plain(text(one)) for one in plain]
    wanted = [_plain(name) for name in names]
    for first, second in combinations(range(len(plain)), 2):
        crossed = given[first] == wanted[second] and given[second] == wanted[first]
        if (crossed and given[first] != given[second]) or _strides_reversed(call, first, second):
            yield _Pair(plain[first], plain[second], names[first], names[second])
    yield from _strides_of_another(call, names, dict(zip(given, wanted, strict=False)))


def _strides_of_another(call: ast.Call, names: Sequence[str], passed: Mapping[str, str]) -> Iterator[_Pair]:
    """``*b.stride(), *a.stride()`` where the kernel has ``stride_am, stride_ak, stride_bk, stride_bn``.

    ``passed``: at which parameter each argument stands, both without ``_ptr``.
    """
    placed = [(argument, passed.get(_plain(tensor)), name) for argument, tensor, name in _strides(call, names, passed)]
    for (first, given, one), (second, also, other) in combinations(placed, 2):
        owners = _owner(one, passed.values()), _owner(other, passed.values())
        if given != also and (given, also) == owners[::-1]:
            yield _Pair(first, second, one, other)


def _strides(call: ast.Call, names: Sequence[str], passed: Mapping[str, str]) -> Iterator[tuple[ast.expr, str, str]]:
    """Arguments that are strides, of which tensor, and the parameter at which each stands.

    Of ``*x.stride()`` it is the first of those that are one tensor's by their names.
    """
    for argument, name in zip(call.args, names, strict=False):
        if isinstance(argument, ast.Starred):
            break
        if match := re.fullmatch(r"(\w+)\.stride\(\d\)", text(argument)):
            yield argument, match[1], name
    starred = [(one, match[1]) for one in call.args if (match := re.fullmatch(r"\*(\w+)\.stride\(\)", text(one)))]
    groups = groupby((name for name in names if "stride" in name), key=lambda name: _owner(name, passed.values()))
    taken = [next(group) for owner, group in groups if owner]
    if len(starred) == len(taken):
        yield from ((argument, tensor, name) for (argument, tensor), name in zip(starred, taken, strict=True))


def _owner(name: str, pointers: Iterable[str]) -> str:
    """Whose stride ``name`` is: ``a`` of ``stride_am`` and of ``a_stride_row``; ``""`` of one that no pointer is in."""
    rest = re.sub(r"_?strides?_?", "", name.lower(), count=1)
    return max((one for one in pointers if one and rest.startswith(one)), key=len, default="")


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
