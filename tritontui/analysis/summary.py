"""A launch in figures: what the interface lists and `trace --json` prints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import AffineForm
from tritontui.analysis.arrays import distinct
from tritontui.analysis.blocks import blocks
from tritontui.analysis.checks.partial import unjudged
from tritontui.analysis.checks.sectors import traffic
from tritontui.analysis.executions import Executions
from tritontui.analysis.trace import Access, Site, Tensor, Trace
from tritontui.analysis.views import extent
from tritontui.engine.messages import Affine, LaunchSummary, SiteSummary, TensorSummary, Term


def summarise(trace: Trace, launch: int, analysis_ms: float = 0.0) -> LaunchSummary:
    """The summary of ``trace``, the ``launch``-th of its run (from 0)."""
    by_site: dict[int, list[Access]] = defaultdict(list)
    for access in trace.accesses:
        by_site[access.site].append(access)
    return LaunchSummary(
        launch=launch,
        kernel=trace.kernel,
        line=trace.line,
        grid=list(trace.grid),
        tensors=[_tensor(tensor) for tensor in trace.tensors],
        scalars={name: _plain(value) for name, value in trace.scalars.items()},
        sites=[_site(trace, index, site, by_site[index]) for index, site in enumerate(trace.sites)],
        mode=trace.mode,
        left_out=trace.left_out,
        recorded_to=trace.recorded_to,
        unjudged=unjudged(trace),
        kernel_ms=trace.kernel_ms,
        analysis_ms=analysis_ms,
    )


def _tensor(tensor: Tensor) -> TensorSummary:
    return TensorSummary(
        name=tensor.name,
        dtype=tensor.dtype,
        shape=list(tensor.shape),
        stride=list(tensor.strides),
        elements=extent(tensor),
    )


def _site(trace: Trace, index: int, site: Site, accesses: Sequence[Access]) -> SiteSummary:
    on = off = out = 0
    executions = rounds_of(accesses)
    for access in accesses:
        for block in blocks(access):
            times = len(block.programs) if block.shared else 1
            wanted = int(np.count_nonzero(block.wanted)) * times
            on += wanted
            off += block.wanted.size * times - wanted
            if block.out is not None:
                out += int(np.count_nonzero(block.out & block.wanted)) * times
    moved = traffic(trace, accesses) if site.tensor >= 0 else None
    form = Executions(trace, index).form() if accesses and site.tensor >= 0 else None
    return SiteSummary(
        site=index,
        line=site.line,
        column=site.column,
        op=site.op,
        tensor=trace.tensors[site.tensor].name if site.tensor >= 0 else "",
        dtype=trace.tensors[site.tensor].dtype if site.tensor >= 0 else "",
        lane_shape=list(site.lane_shape),
        programs=len(executions),
        executions=int(executions.max(initial=0)),
        lanes_on=on,
        lanes_off=off,
        lanes_out=out,
        sectors=moved.sectors if moved else 0,
        sectors_ideal=moved.ideal if moved else 0,
        affine=_affine(trace, site, accesses, form) if form is not None else None,
    )


def rounds_of(accesses: Sequence[Access]) -> NDArray[np.int64]:
    """How often each program that took part did, shape (programs that did,): of a grid of 2³¹ only few may have run."""
    if not accesses:
        return np.empty(0, np.int64)
    chunks = {id(access.programs): access.programs for access in accesses}
    ran = distinct(np.concatenate(list(chunks.values())))
    dense = int(ran[-1]) == len(ran) - 1
    rounds = np.zeros(len(ran), np.int64)
    for access in accesses:
        rounds[access.programs if dense else np.searchsorted(ran, access.programs)] += 1
    return rounds


def _affine(trace: Trace, site: Site, accesses: Sequence[Access], form: AffineForm) -> Affine:
    """Terms that move the address; the loops' extents are how often the most eager program went round."""
    loops = [
        1 + max(access.iteration[k] for access in accesses if len(access.iteration) > k)
        for k in range(len(form.iteration))
    ]
    named = [
        *((f"pid{k}", stride, trace.grid[k]) for k, stride in enumerate(form.program)),
        *((f"lane{k}", stride, site.lane_shape[k]) for k, stride in enumerate(form.lanes)),
        *((f"iteration{k}", stride, loops[k]) for k, stride in enumerate(form.iteration)),
    ]
    terms = [Term(name=name, stride=stride, extent=size) for name, stride, size in named if stride]
    return Affine(base=form.base, terms=terms)


def _plain(value: Any) -> Any:
    """Scalars as they are; anything else (a dtype, a function) as its text."""
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
