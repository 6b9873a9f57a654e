"""The numbers that a learner wrote into host code, for a while as if they had written others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType


@contextmanager
def written_otherwise(module: ModuleType, own: Mapping[str, int], values: Mapping[str, int]) -> Iterator[None]:
    """While active ``values`` stand where ``own`` values, by the same names, stood in the host code of ``module``.

    In ``BLOCK = 256`` at the top of the file, and wherever a function says 256, or 255, which rounds up to blocks:
    ``(n + 255) // 256``. A number that stands for two names isn't changed in functions, where they want different ones.
    """
    constants = {name: module.__dict__[name] for name in values if type(module.__dict__.get(name)) is int}
    functions = [f for f in vars(module).values() if isinstance(f, FunctionType) and f.__globals__ is vars(module)]
    codes = [(function, function.__code__) for function in functions]
    changes = _changes(own, values)
    module.__dict__.update({name: values[name] for name in constants})
    for function, code in codes:
        function.__code__ = _changed(code, changes)
    try:
        yield
    finally:
        module.__dict__.update(constants)
        for function, code in codes:
            function.__code__ = code


def _changes(own: Mapping[str, int], values: Mapping[str, int]) -> dict[int, int]:
    wanted: dict[int, set[int]] = {}
    for name, number in own.items():
        if name in values:
            wanted.setdefault(number, set()).add(values[name])
    sure = {number: others.pop() for number, others in wanted.items() if len(others) == 1}
    return {**{number - 1: other - 1 for number, other in sure.items()}, **sure}


def _changed(code: CodeType, changes: Mapping[int, int]) -> CodeType:
    """``code`` and the functions inside it, with other whole numbers among their constants."""

    def other(constant: object) -> object:
        if isinstance(constant, CodeType):
            return _changed(constant, changes)
        return changes.get(constant, constant) if type(constant) is int else constant

    return code.replace(co_consts=tuple(map(other, code.co_consts)))
