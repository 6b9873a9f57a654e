"""What the interpreter noticed while it ran, as findings: ``int32-overflow``, ``nan-born``, ``python-bool-on-mask``,
``uninitialised-read``, ``interrupted``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import numpy as np

from tritontui.analysis.blocks import walk
from tritontui.analysis.checks.partial import unjudged
from tritontui.analysis.source import Source, parse
from tritontui.analysis.trace import Event, Trace
from tritontui.analysis.views import elements
from tritontui.diagnosis.finding import Finding

_OPERATIONS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult}


def findings(trace: Trace) -> list[Finding]:
    """At most one finding of each kind per line."""
    source = parse(trace.source)
    found = [*_overflows(trace, source), *_bools(trace, source), *_uninitialised(trace), *_nans(trace, source)]
    return [*found, *_interrupted(trace)]


def _of_kind(trace: Trace, kind: str) -> Iterator[Event]:
    """The first event of a kind on each line."""
    seen: set[int] = set()
    for event in trace.events:
        if event.kind == kind and event.line not in seen:
            seen.add(event.line)
            yield event


def _overflows(trace: Trace, source: Source) -> Iterator[Finding]:
    """Reaching an address is an error; reaching only a store may be meant (a hash), so it is a warning."""
    addresses = {event.line for event in trace.events if event.params.get("reaches") == "address"}
    for event in _of_kind(trace, "int32-overflow"):
        reaches = "address" if event.line in addresses else "store"
        same = [e for e in trace.events if e.line == event.line and e.params.get("reaches", "store") == reaches]
        shown = same[0] if same else event
        yield _finding(
            trace,
            shown,
            "int32-overflow",
            "error" if reaches == "address" else "warning",
            expression=_expression(source, shown),
            value=shown.params.get("value"),
            wrapped=shown.params.get("wrapped"),
            reaches=reaches,
            reach_line=shown.params.get("use_line", shown.line),
        )


def _interrupted(trace: Trace) -> Iterator[Finding]:
    for event in _of_kind(trace, "interrupted"):
        counts = {"done": event.params["done"], "programs": event.params["total"]}
        yield _finding(trace, event, "interrupted", "note", **counts, unjudged=unjudged(trace) or None)


def _bools(trace: Trace, source: Source) -> Iterator[Finding]:
    for event in _of_kind(trace, "python-bool-on-mask"):
        operator = str(event.params.get("operator", ""))
        yield _finding(
            trace,
            event,
            "python-bool-on-mask",
            "error",
            expression=str(event.params.get("expression") or _bool_text(source, event, operator)),
            operator=operator,
        )


def _uninitialised(trace: Trace) -> Iterator[Finding]:
    sizes = {tensor.name: elements(tensor) for tensor in trace.tensors}
    for event in _of_kind(trace, "uninitialised-read"):
        tensor = event.params.get("tensor")
        found = _finding(
            trace,
            event,
            "uninitialised-read",
            "warning",
            index=event.params.get("first_offset", 0),
            count=event.params.get("count", 0),
            size=sizes.get(str(tensor), 0),
            partly=event.params.get("partly", False),
        )
        found.tensor = tensor
        yield found


def _nans(trace: Trace, source: Source) -> Iterator[Finding]:
    """NaN born of finite numbers, or of the first infinity, where an active store holds NaN.

    Whether it is meant, only a reference can tell.
    """
    stored = _stored_nan_line(trace)
    if stored is None:
        return
    for event in list(_of_kind(trace, "nan-born")) or list(_of_kind(trace, "inf-born"))[:1]:
        yield _finding(
            trace,
            event,
            "nan-born",
            "warning",
            value=event.params.get("value", "nan"),
            expression=_expression(source, event),
            count=event.params.get("count", 0),
            store_line=stored,
            judged=False,
        )


def _stored_nan_line(trace: Trace) -> int | None:
    """Line of the first store that puts a NaN into memory."""
    for block in walk(trace, "store"):
        values = block.values()
        if values is None or values.dtype.kind != "f":
            continue
        if (np.isnan(values) & block.touched).any():
            return trace.sites[block.access.site].line
    return None


def _finding(trace: Trace, event: Event, identifier: str, severity: str, **params: object) -> Finding:
    return Finding(
        id=identifier,
        severity=severity,  # type: ignore[arg-type]
        line=event.line,
        column=event.column or None,
        program=trace.program_id(event.programs[0]) if event.programs else None,
        lanes=list(event.lanes),
        params=params,
    )


def _expression(source: Source, event: Event) -> str:
    """Source text of the operation at the event's place; the whole line where columns aren't known."""
    if not 1 <= event.line <= len(source.lines):
        return ""
    at_place = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.BinOp, ast.Call, ast.AugAssign))
        and node.lineno == event.line
        and node.col_offset + 1 == event.column
    ]
    kind = _OPERATIONS.get(str(event.params.get("operation")))
    exact = [node for node in at_place if kind is not None and isinstance(getattr(node, "op", None), kind)]
    if not at_place:
        return source.lines[event.line - 1].split("#")[0].strip()
    return source.segment(_outermost(exact or at_place))


def _outermost(nodes: Sequence[ast.AST]) -> ast.AST:
    return max(nodes, key=lambda node: (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)))


def _bool_text(source: Source, event: Event, operator: str) -> str:
    kinds: dict[str, type[ast.AST]] = {"and": ast.BoolOp, "or": ast.BoolOp, "not": ast.UnaryOp}
    wanted = kinds.get(operator)
    for node in ast.walk(source.tree):
        if wanted is not None and isinstance(node, wanted) and getattr(node, "lineno", 0) == event.line:
            return source.segment(node)
    return source.lines[event.line - 1].strip() if 1 <= event.line <= len(source.lines) else ""
