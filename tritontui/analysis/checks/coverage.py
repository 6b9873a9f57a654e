"""Which elements of the outputs were written, over all launches of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.arrays import distinct
from tritontui.analysis.checks.axes import absent_axis
from tritontui.analysis.checks.memory import walk_storage
from tritontui.analysis.checks.unwritten import reason
from tritontui.analysis.source import goes_where_data_says, parse
from tritontui.analysis.trace import Tensor, Trace
from tritontui.analysis.views import elements, member_offsets
from tritontui.diagnosis.finding import Finding

LARGEST_OUTPUT = 1 << 28
"""Elements; coverage of larger outputs isn't followed."""


_ADDRESSES = frozenset({"i64", "u64"})
"""What may hold addresses of tensors that aren't among a launch's arguments."""


@dataclass
class _Output:
    """One output tensor, and where it was written."""

    trace: Trace
    """The first launch that had it."""
    tensor: Tensor
    members: NDArray[np.int64]
    """Offsets of its elements in the storage, in elements of its dtype."""
    line: int | None = None
    """Line of the last store that reached it."""
    file: str = ""
    """That ``line`` counts in."""
    programs: set[int] = field(default_factory=set)


def never_written(
    traces: Sequence[Trace],
    outputs: Iterable[str] = (),
    required: dict[int, NDArray[np.int64]] | None = None,
) -> list[Finding]:
    """``never-written`` for outputs of a whole run.

    An output is a tensor named in ``outputs``, or one that was uninitialised at its first launch, that no launch reads,
    and that some launch stores to or the host function returns. ``required`` narrows a storage (by its id) to the
    element offsets that must be written, for a host function that returns less than it allocated. Of what an
    incomplete trace may have written nothing is said, nor of one that is filled by indices (a cache, of which some
    slots are taken), unless it is named or required. With a grid that lacks an axis comes ``grid-axis-missing``.
    """
    outputs = set(outputs)
    partly = [trace for trace in traces if not trace.complete]
    if any(tensor.dtype in _ADDRESSES for trace in partly for tensor in trace.tensors):
        return []
    unknown = {tensor.storage for trace in partly for tensor in trace.tensors}
    found = []
    for output in _outputs(traces, outputs, required or {}):
        if output.tensor.storage in unknown:
            continue
        written = _written(traces, output)
        missing = np.flatnonzero(~written[output.members])
        if len(missing):
            due = output.tensor.name in outputs or output.tensor.storage in (required or {})
            if not due and _filled_where_data_says(traces, output.tensor):
                continue
            found.append(_finding(output, missing, traces))
            if (axis := absent_axis(output.trace)) is not None:
                found.append(axis)
    return found


def _filled_where_data_says(traces: Sequence[Trace], tensor: Tensor) -> bool:
    return any(
        site.op == "store" and site.tensor >= 0 and trace.tensors[site.tensor].storage == tensor.storage
        and goes_where_data_says(parse(trace.source), site)
        for trace in traces
        for site in trace.sites
    )  # fmt: skip


def consequence(trace: Trace, tensor: int, cause: str) -> Finding | None:
    """``never-written`` of an initialised tensor, as what follows from ``cause``; None if it was written whole."""
    target = trace.tensors[tensor]
    if elements(target) > LARGEST_OUTPUT or not trace.complete:
        return None
    output = _Output(trace, target, member_offsets(target) + target.storage_shift)
    missing = np.flatnonzero(~_written([trace], output)[output.members])
    if not len(missing):
        return None
    finding = _finding(output, missing, [trace])
    finding.caused_by = cause
    return finding


def _outputs(traces: Sequence[Trace], named: set[str], required: dict[int, NDArray[np.int64]]) -> list[_Output]:
    read = {
        trace.tensors[site.tensor].storage
        for trace in traces
        for site in trace.sites
        if site.op == "load" and site.tensor >= 0
    }
    found: dict[tuple[int, int], _Output] = {}
    for trace in traces:
        stored = {site.tensor for site in trace.sites if site.op != "load"}
        for index, tensor in enumerate(trace.tensors):
            due = index in stored or tensor.storage in required
            fresh = tensor.uninitialised and due and tensor.storage not in read
            key = (tensor.storage, tensor.storage_shift)
            if key in found or not (tensor.name in named or fresh) or elements(tensor) > LARGEST_OUTPUT:
                continue
            members = required.get(tensor.storage)
            if members is None:
                members = member_offsets(tensor) + tensor.storage_shift
            found[key] = _Output(trace, tensor, distinct(members))
    return list(found.values())


def _written(traces: Sequence[Trace], output: _Output) -> NDArray[np.bool_]:
    """Shadow bitmap of the output's storage up to its last member; notes who wrote it in ``output``."""
    size = int(output.members.max()) + 1 if len(output.members) else 0
    shadow = np.zeros(size, bool)
    for trace in traces:
        for block, tensor in walk_storage(trace, output.tensor.storage, "store", "atomic"):
            site = trace.sites[block.access.site]
            touched = block.touched
            if not touched.any():
                continue
            places = _in_units_of(output.tensor, tensor, block.offsets[touched])
            shadow[places[(places >= 0) & (places < size)]] = True
            output.line, output.file = site.line, trace.file
            writers = block.programs if block.shared else block.programs[touched.any(axis=1)]
            output.programs.update(writers.tolist())
    return shadow


def _in_units_of(output: Tensor, tensor: Tensor, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of ``tensor`` as storage offsets in ``output``'s elements; a wider element covers several of them."""
    start = offsets + tensor.storage_shift
    if tensor.itemsize == output.itemsize:
        return start
    first = start * tensor.itemsize // output.itemsize
    repeat = max(1, tensor.itemsize // output.itemsize)
    return (first[:, None] + np.arange(repeat)).ravel()


def _finding(output: _Output, missing: NDArray[np.int64], traces: Sequence[Trace]) -> Finding:
    places = output.members[missing] - output.tensor.storage_shift
    written = len(output.members) - len(missing)
    why = reason(traces, output.tensor, places, written)
    places_told = (
        (why.line, why.file),
        (output.line, output.file),
        (output.trace.line, output.trace.launched_in),
    )
    line, file = next((told for told in places_told if told[0] is not None), (None, ""))
    return Finding(
        id="never-written",
        severity="error",
        line=line,
        file=file or None,
        tensor=output.tensor.name,
        params={
            "index": int(places[0]),
            "last_index": int(places[-1]),
            "count": len(missing),
            "size": len(output.members),
            "written": written,
            "programs": len(output.programs),
            "why": why.name,
            **dict.fromkeys(("other", "owner", "lane", "axis", "needed", "step", "block")),
            **why.params,
        },
    )
