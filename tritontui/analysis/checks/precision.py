"""Sums kept in too few bits: ``low-precision-accumulation`` by atomics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import walk_sites
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.i18n import percent

MANTISSA_BITS = {"fp16": 11, "bf16": 8}
"""Including the implied one: integers above 2^bits are no longer all exact."""
FEWEST_ADDITIONS = 64
"""To one element; fewer lose too little to speak of."""
LOST_FROM = 0.02
"""Of the sum, relative."""
MOST_ADDITIONS = 1 << 20
UNKNOWN = {"name": "", "case": "", "index": [], "expected": "", "got": ""}
"""Of the values only the error is known."""


def findings(trace: Trace) -> list[Finding]:
    """One finding per site whose additions, replayed in the tensor's own dtype, lose a part of the sum."""
    return list(_findings(trace))


def _findings(trace: Trace) -> Iterator[Finding]:
    for index, site in enumerate(trace.sites):
        dtype = trace.tensors[site.tensor].dtype if site.tensor >= 0 else ""
        if site.op != "atomic" or dtype not in MANTISSA_BITS:
            continue
        lost = _lost(*_additions(trace, index), dtype)
        if lost >= LOST_FROM:
            yield Finding(
                id="low-precision-accumulation",
                severity="error",
                line=site.line,
                column=site.column,
                tensor=trace.tensors[site.tensor].name,
                params={
                    "dtype": dtype,
                    "operation": "tl.atomic_add",
                    "worst": percent(lost),
                    **UNKNOWN,
                },
            )


def _additions(trace: Trace, site: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Element and value of each addition, in the order in which they happened."""
    elements, values = [], []
    for block in walk_sites(trace, (site,)):
        added = block.values()
        if block.access.atomic != "add" or added is None:
            continue
        whole = block.every_program()
        elements.append(whole.offsets[whole.touched])
        values.append(np.broadcast_to(added, whole.touched.shape)[whole.touched].astype(np.float32))
    if not elements:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    return np.concatenate(elements), np.concatenate(values)


def _lost(elements: NDArray[np.int64], values: NDArray[np.float32], dtype: str) -> float:
    """Largest relative error of any element's sum that started at 0 and was rounded after every addition."""
    if not FEWEST_ADDITIONS <= len(elements) <= MOST_ADDITIONS:
        return 0.0
    order = np.argsort(elements, kind="stable")
    elements, values = elements[order], values[order]
    begins = np.flatnonzero(np.concatenate(([True], elements[1:] != elements[:-1])))
    counts = np.diff(np.concatenate((begins, [len(elements)])))
    crowded = counts >= FEWEST_ADDITIONS
    begins, counts = begins[crowded], counts[crowded]
    if not len(begins):
        return 0.0
    total, exact = np.zeros(len(begins), np.float32), np.zeros(len(begins))
    for step in range(int(counts.max())):
        here = step < counts
        added = np.where(here, values[np.minimum(begins + step, len(values) - 1)], np.float32(0))
        total = _rounded(total + added, dtype)
        exact += added
    sizes = np.abs(exact)
    errors = np.abs(total.astype(np.float64) - exact) / np.where(sizes > 0, sizes, np.inf)
    return float(errors.max(initial=0.0))


def _rounded(values: NDArray[np.float32], dtype: str) -> NDArray[np.float32]:
    """To the nearest number of ``dtype``, ties to even."""
    if dtype == "fp16":
        return values.astype(np.float16).astype(np.float32)
    bits = values.view(np.uint32)
    up = ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
    return np.asarray(((bits + up) & np.uint32(0xFFFF0000)).view(np.float32))
