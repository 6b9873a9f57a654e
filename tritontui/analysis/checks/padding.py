"""Lanes that a mask switched off and that are counted all the same.

``masked-load-without-other`` and ``wrong-padding-value``; the experiments that show it are run elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from tritontui.analysis.blocks import blocks
from tritontui.analysis.source import Source, called_name, other_of, parse
from tritontui.analysis.trace import Access, Event, SharedRows, Site, Trace
from tritontui.diagnosis.finding import Finding

NEUTRAL = {
    "max": '-float("inf")',
    "argmax": '-float("inf")',
    "min": 'float("inf")',
    "argmin": 'float("inf")',
    "sum": "0",
    "cumsum": "0",
    "dot": "0",
    "xor_sum": "0",
    "product": "1",
    "prod": "1",
    "cumprod": "1",
}
"""What changes nothing when it is counted, by reduction, for floating-point numbers."""


def undefined_sites(trace: Trace) -> list[int]:
    """Masked loads without ``other`` that really had lanes switched off."""
    return [
        index
        for index, site in enumerate(trace.sites)
        if site.op == "load" and site.has_mask and not site.has_other and _some_off(trace, index)
    ]


def padded_sites(trace: Trace) -> list[int]:
    """Masked loads with ``other`` that really had lanes switched off."""
    return [
        index
        for index, site in enumerate(trace.sites)
        if site.op == "load" and site.has_mask and site.has_other and _some_off(trace, index)
    ]


def without_other(trace: Trace, site: int, store: Site) -> Finding:
    """The finding for a load whose undefined lanes change what ``store`` writes."""
    place, source = trace.sites[site], parse(trace.source)
    reduction = reduction_after(source, place)
    access, program, off = _most_off(trace, site)
    return Finding(
        id="masked-load-without-other",
        severity="warning",
        line=place.line,
        column=place.column,
        tensor=trace.tensors[place.tensor].name if place.tensor >= 0 else None,
        program=trace.program_id(program),
        params={
            "masked": off,
            "lanes_total": int(np.prod(access.offsets.shape[1:], dtype=np.int64)),
            "store_line": store.line,
            "store_tensor": trace.tensors[store.tensor].name if store.tensor >= 0 else "",
            "reduction": reduction,
            "neutral": _neutral(trace, place, reduction),
            "access": source.access_text(place),
        },
    )


def wrong_values(trace: Trace) -> Iterator[Finding]:
    """One finding per load whose padding the interpreter followed through a reduction into an active store."""
    source = parse(trace.source)
    reported: set[int] = set()
    for event in trace.events:
        if event.kind != "padding-counted" or event.line in reported:
            continue
        reported.add(event.line)
        yield _wrong_value(trace, source, event)


def _wrong_value(trace: Trace, source: Source, event: Event) -> Finding:
    candidates = [site for site in trace.sites if site.line == event.line and site.op == "load"]
    place = next((site for site in candidates if site.column == event.column), candidates[0])
    call = source.call_of(place)
    other = other_of(call) if call is not None else None
    reduction = str(event.params["reduction"])
    return Finding(
        id="wrong-padding-value",
        severity="error",
        line=event.line,
        column=event.column or None,
        tensor=trace.tensors[place.tensor].name if place.tensor >= 0 else None,
        program=trace.program_id(event.programs[0]) if event.programs else None,
        params={
            "other": source.segment(other) if other is not None else str(event.params["other"]),
            "masked": event.params["masked"],
            "lanes_total": event.params["lanes_total"],
            "store_line": event.params["store_line"],
            "store_tensor": event.params["store_tensor"],
            "reduction": reduction,
            "neutral": _advised(trace, source, place, reduction, event.params["other"]),
            "access": source.access_text(place),
        },
    )


def _advised(trace: Trace, source: Source, place: Site, reduction: str, other: object) -> str:
    """What ``other`` should be; "" where that depends on what is done before ``reduction``.

    So it is where another reduction takes the block first, and where ``other`` is neutral already: an exponential made
    something else of it.
    """
    neutral = _neutral(trace, place, reduction)
    if reduction_after(source, place) not in ("", reduction):
        return ""
    return "" if neutral and _number(neutral) == _number(str(other)) else neutral


def _number(text: str) -> float:
    """The value of ``-float("inf")``, or of a number as it is written; NaN of anything else."""
    try:
        return float(text.replace('float("inf")', "inf"))
    except ValueError:
        return float("nan")


def reduction_after(source: Source, place: Site) -> str:
    """The first reduction or product that the loaded block goes into, by the text; "" when none is seen."""
    load, function = source.call_of(place), source.function_at(place.line)
    if load is None or function is None:
        return ""
    flowing: set[str] = set()
    for statement in sorted(_statements(function), key=lambda node: node.lineno):
        counting = [call for call in _calls(statement) if called_name(call) in NEUTRAL and _takes(call, load, flowing)]
        if counting:
            return called_name(max(counting, key=lambda call: call.col_offset))
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and _takes(statement, load, flowing):
            flowing |= {node.id for node in ast.walk(statement) if _is_stored(node)}  # type: ignore[attr-defined]
    return ""


def _statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Simple statements of a function, those in branches and loops included."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (part for part in ast.walk(node) if isinstance(part, ast.Call))


def _takes(node: ast.AST, load: ast.Call, flowing: set[str]) -> bool:
    """Whether ``node`` uses the load itself or a name that its block has flowed into."""
    return any(part is load or (isinstance(part, ast.Name) and part.id in flowing) for part in ast.walk(node))


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _neutral(trace: Trace, place: Site, reduction: str) -> str:
    """Source text of the neutral element, for the dtype of what is loaded."""
    text = NEUTRAL.get(reduction, "")
    dtype = trace.tensors[place.tensor].dtype if place.tensor >= 0 else "fp32"
    if "inf" not in text or dtype[0] not in "iu":
        return text
    bits = int(dtype[1:])
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype[0] == "i" else (0, 2**bits - 1)
    return str(low if text.startswith("-") else high)


def _some_off(trace: Trace, site: int) -> bool:
    return any(access.site == site and _has_off(access) for access in trace.accesses)


def _has_off(access: Access) -> bool:
    mask = access.mask
    if mask is None:
        return False
    return not bool((mask.rows if isinstance(mask, SharedRows) else mask).all())


def _most_off(trace: Trace, site: int) -> tuple[Access, int, int]:
    """The execution and program in which most lanes were off while some were on: (access, program, lanes off)."""
    best: tuple[Access, int, int] | None = None
    for access in trace.accesses:
        if access.site != site:
            continue
        for block in blocks(access):
            off = (~block.wanted).sum(axis=1)
            partly = np.where(block.wanted.any(axis=1), off, 0)
            row = int(partly.argmax())
            if best is None or partly[row] > best[2]:
                best = (access, int(block.programs[row]), int(partly[row]))
    assert best is not None
    return best
