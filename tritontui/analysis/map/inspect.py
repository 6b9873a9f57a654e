"""One lane of one program: where it goes, and the arithmetic that sends it there, in the learner's own names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tritontui.analysis.affine import lane_strides
from tritontui.analysis.blocks import Block, lane_ranges
from tritontui.analysis.executions import Executions
from tritontui.analysis.map.expression import Evaluator, UnknownError
from tritontui.analysis.map.overlays import programs_at, write_counts, writers
from tritontui.analysis.source import parse, pointer_of
from tritontui.analysis.trace import Access, Trace
from tritontui.analysis.views import contains, index_of
from tritontui.engine.messages import Inspection, InspectRequest


def inspect(trace: Trace, request: InspectRequest, source: str | None = None) -> Inspection:
    """The lane's offset in one of the program's executions of the site.

    ``source``: the learner's text, when it isn't the trace's own. Raises LookupError when there is no such site, when
    the program never ran it (in the iteration asked for), or when the block has no such lane.
    """
    executions = Executions(trace, request.site, request.execution)
    block = executions.block(request.program)
    if block is None:
        raise LookupError(f"program {request.program} never ran site {request.site}")
    access, lanes = block.access, block.offsets.shape[1]
    if not 0 <= request.lane < lanes:
        raise LookupError(f"no lane {request.lane} among {lanes}")
    site = trace.sites[request.site]
    offset = int(block.offsets[0, request.lane])
    index = tuple(int(axis) for axis in np.unravel_index(request.lane, access.offsets.shape[1:] or (1,)))
    lane_index = index if access.offsets.shape[1:] else ()
    text = trace.source if source is None else source
    formula, names, steps = _in_words(trace, request, access, text, lane_index, offset) or (
        _in_numbers(access, block, lane_index, offset),
        {},
        [],
    )
    tensor = trace.tensors[site.tensor] if site.tensor >= 0 else None
    outside = np.zeros(lanes, bool) if block.out is None else block.out[0] & block.wanted[0]
    if tensor is not None:
        outside = outside | (block.wanted[0] & ~contains(tensor, block.offsets[0]))
    written = tensor if request.writes else None
    counts = write_counts(trace, written) if written is not None else None
    at = offset - tensor.storage_first if tensor is not None else 0
    return Inspection(
        run=request.run,
        request=request.request,
        program=[int(axis) for axis in np.unravel_index(request.program, trace.grid)],
        lane=request.lane,
        lane_index=list(lane_index),
        offset=offset,
        active=bool(block.wanted[0, request.lane]),
        inside=tensor is None or bool(contains(tensor, np.asarray([offset]))[0]),
        formula=formula,
        names=names,
        masked_ranges=lane_ranges(~block.wanted[0]),
        out_ranges=lane_ranges(outside),
        index=index_of(tensor, offset) if tensor is not None else [],
        corner=index_of(tensor, int(block.offsets[0, 0])) if tensor is not None else [],
        steps=steps,
        masked_lanes=int(np.count_nonzero(~block.wanted[0])),
        programs=len(programs_at(executions.footprint(), offset)),
        writes=int(counts[at]) if counts is not None and 0 <= at < len(counts) else None,
        writers=writers(trace, written, offset) if written is not None else 0,
    )


def _in_words(
    trace: Trace, request: InspectRequest, access: Access, text: str, lane: tuple[int, ...], offset: int
) -> tuple[str, dict[str, str], list[str]] | None:
    """Formula, names and steps from the learner's text; None unless it gives exactly the offset that was recorded."""
    site, source = trace.sites[request.site], parse(text)
    call, function = source.call_of(site), source.function_at(site.line)
    pointer = pointer_of(call) if call is not None else None
    if pointer is None or function is None or function.name != trace.kernel:
        return None
    whole = Evaluator(
        source=source,
        function=function,
        line=site.line,
        program=tuple(int(axis) for axis in np.unravel_index(request.program, trace.grid)),
        grid=trace.grid,
        scalars=trace.scalars,
        pointers=frozenset(tensor.name for tensor in trace.tensors),
        iteration=access.iteration,
    )
    stepwise = replace(whole, names={}, steps={})
    try:
        term, folded = whole.evaluate(pointer), stepwise.evaluate(pointer)
        place = term.clip(lane)
        found, formula, last = int(term.value[place]), term.render(place), folded.render(place)
    except (UnknownError, ValueError, IndexError, OverflowError, ZeroDivisionError):
        return None
    if found != offset:
        return None
    steps = list((stepwise.steps or {}).values())
    if last and last != str(offset):
        steps.append(f"offset = {last} = {offset}")
    return (f"{formula} = {offset}" if formula and formula != str(offset) else str(offset)), whole.names, steps


def _in_numbers(access: Access, block: Block, lane: tuple[int, ...], offset: int) -> str:
    """``768 + 232·1 = 1000``: the block's first offset and the lane's steps, where the block is affine."""
    first = int(block.offsets[0, 0])
    strides = lane_strides(block.offsets[0].reshape(access.offsets.shape[1:]) - first)
    if strides is None or not any(lane):
        return str(offset)
    moving = [(index, stride) for index, stride in zip(lane, strides, strict=True) if index and stride]
    steps = [f"{index}·{stride}" if stride != 1 else str(index) for index, stride in moving]
    return f"{' + '.join([str(first), *steps])} = {offset}" if steps else str(offset)
