"""Constants that change from launch to launch, so that each launch is compiled anew."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from tritontui.diagnosis.finding import Finding, Severity
from tritontui.diagnosis.reading import Reading
from tritontui.runner.triton_compat import constexpr_parameters

FEWEST = 3
"""Different values from which a constant is said to change: two may be two variants."""


class Launched(Protocol):
    @property
    def kernel(self) -> Any: ...
    @property
    def arguments(self) -> Mapping[str, Any]: ...


def recompiling(launches: Iterable[Launched], source: str, severity: Severity = "warning") -> list[Finding]:
    """``recompiles-every-call`` for each ``tl.constexpr`` parameter that is a size of the data.

    A size of a block is a power of two; a constant of which several values aren't follows the data. ``source`` is the
    text that the kernels stand in.
    """
    values: dict[tuple[str, str], dict[int, None]] = {}
    for launch in launches:
        for name in constexpr_parameters(launch.kernel) & set(launch.arguments):
            if type(value := launch.arguments[name]) is int:
                values.setdefault((launch.kernel.fn.__name__, name), {})[value] = None
    found = []
    for (kernel, name), seen in values.items():
        sizes = [value for value in seen if value > 0 and value & (value - 1)]
        if len(seen) >= FEWEST and len(sizes) > 1:
            line, column = _place(source, kernel, name)
            params = {"argument": name, "values": len(seen), "seconds": None}
            one = Finding(id="recompiles-every-call", severity=severity, line=line, column=column, params=params)
            found.append(one)
    return found


def _place(source: str, kernel: str, name: str) -> tuple[int | None, int | None]:
    function = Reading(source).defined(kernel)
    for node in ast.walk(function.args) if function is not None else ():
        if isinstance(node, ast.arg) and node.arg == name:
            return node.lineno, node.col_offset + 1
    return None, None
