"""What is said of a launch of which not every program ran, or not everything was recorded: ``partly-traced``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from tritontui.analysis.affine import AffineForm
from tritontui.analysis.executions import Executions
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding

Cover = Literal["once", "gaps", "repeats"]


def findings(trace: Trace) -> list[Finding]:
    """``partly-traced``: how many programs ran, and what the affine form of the last store says of the others; or up to
    which line the launch was recorded; and of which outputs nobody knows whether they are written in full.

    The form holds for every program that was traced, the corners of the grid among them; that the others follow it is
    an assumption, and of a store without such a form nothing is said.
    """
    if not trace.left_out and trace.recorded_to is None:
        return []
    finding = Finding(id="partly-traced", severity="note", line=trace.line, file=trace.launched_in or None)
    finding.params = {
        "left_out": trace.left_out,
        "programs": trace.programs,
        "traced": trace.programs - trace.left_out,
        "until": trace.recorded_to,
        "stopped": trace.stopped or None,
        "unjudged": unjudged(trace) or None,
        **dict.fromkeys(("index", "last_index", "masked")),
        "form": "unknown",
    }
    stores = [index for index, site in enumerate(trace.sites) if site.op == "store" and site.tensor >= 0]
    if stores and trace.left_out:
        site = trace.sites[stores[-1]]
        finding.tensor = trace.tensors[site.tensor].name
        form = Executions(trace, stores[-1]).form()
        finding.params["form"] = "none"
        if form is not None:
            cover, first, last = whole_launch(trace, stores[-1], form)
            finding.params |= {"form": cover, "index": first, "last_index": last, "masked": site.has_mask}
    return [finding]


def unjudged(trace: Trace) -> list[str]:
    """Names of the launch's outputs, of which an incomplete trace can't tell whether they are written in full."""
    if trace.complete:
        return []
    written = dict.fromkeys(site.tensor for site in trace.sites if site.op != "load" and site.tensor >= 0)
    return [trace.tensors[index].name for index in written if trace.tensors[index].uninitialised]


def whole_launch(trace: Trace, site: int, form: AffineForm) -> tuple[Cover, int, int]:
    """How all programs of the grid together go over the tensor at that site, masks left aside: first and last offset,
    and whether each offset between them is hit once. Loops count as far as any traced program went round."""
    rounds = np.zeros(len(form.iteration), np.int64)
    for access in Executions(trace, site).every:
        for level, counter in enumerate(access.iteration):
            rounds[level] = max(rounds[level], counter + 1)
    extents = (*trace.grid, *trace.sites[site].lane_shape, *rounds.tolist())
    terms = [
        (step, size)
        for step, size in zip((*form.program, *form.lanes, *form.iteration), extents, strict=True)
        if size > 1
    ]
    reach = [step * (size - 1) for step, size in terms]
    first, last = form.base + sum(min(0, one) for one in reach), form.base + sum(max(0, one) for one in reach)
    return _cover(terms), first, last


def _cover(terms: Iterable[tuple[int, int]]) -> Cover:
    """Steps and counts, as digits of a number: from the smallest step up each must begin where those below it end."""
    below = 1
    gaps = False
    for step, size in sorted((abs(step), size) for step, size in terms):
        if step < below:
            return "repeats"
        gaps = gaps or step > below
        below = step * (size - 1) + below
    return "gaps" if gaps else "once"
