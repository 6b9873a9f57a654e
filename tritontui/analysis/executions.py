"""The executions of one site: its iterations, one by one or all together, and where their lanes belong."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.affine import AffineForm, form_of
from tritontui.analysis.blocks import Block, program_block
from tritontui.analysis.map.footprint import Footprint, footprint
from tritontui.analysis.trace import Access, Trace

Kept = TypeVar("Kept")


class Executions:
    """What one site did. Raises LookupError when the launch has no such site, or the site no such execution."""

    def __init__(self, trace: Trace, site: int, execution: int | None = None) -> None:
        if not 0 <= site < len(trace.sites):
            raise LookupError(f"no site {site}")
        self.trace, self.site, self.execution = trace, site, execution
        self.every = self._kept("accesses", [access for access in trace.accesses if access.site == site])
        self.iterations = self._kept("iterations", sorted({access.iteration for access in self.every}))
        """Loop counters of each execution, in order; one empty tuple where there is no loop."""
        if execution is not None and not 0 <= execution < len(self.iterations):
            raise LookupError(f"no execution {execution} among {len(self.iterations)}")

    @property
    def iteration(self) -> tuple[int, ...]:
        """Loop counters of the one that was asked for; () for all of them."""
        return () if self.execution is None else self.iterations[self.execution]

    @property
    def chosen(self) -> list[Access]:
        """The accesses of the execution that was asked for."""
        if self.execution is None:
            return self.every
        return [access for access in self.every if access.iteration == self.iteration]

    @property
    def others(self) -> list[Access]:
        """The accesses of the executions beside it."""
        return [] if self.execution is None else [one for one in self.every if one.iteration != self.iteration]

    def footprint(self) -> Footprint:
        """Of the chosen accesses; made at the first request and kept with the trace."""
        key = ("footprint", self.site, self.execution)
        if key not in self.trace.kept:
            self.trace.kept[key] = footprint(self.chosen)
        kept: Footprint = self.trace.kept[key]
        return kept

    def form(self) -> AffineForm | None:
        """The affine form that all executions have in common."""
        key = ("form", self.site)
        if key not in self.trace.kept:
            self.trace.kept[key] = form_of(self.trace, self.every) if self.every else None
        kept: AffineForm | None = self.trace.kept[key]
        return kept

    def lane_indices(self, access: Access, program: int) -> NDArray[np.int64]:
        """What the terms of ``form`` count, for each lane: program, lane and loop indices. Shape (lanes, terms)."""
        form = self.form()
        assert form is not None
        shape = access.offsets.shape[1:]
        lanes = np.indices(shape, np.int64).reshape(len(shape), -1).T
        count = max(len(lanes), 1)
        coordinates = [int(axis[0]) for axis in self.trace.coordinates(np.array([program]))]
        loops = [*access.iteration, *[0] * len(form.iteration)][: len(form.iteration)]
        columns = [np.full(count, value, np.int64) for value in coordinates]
        columns += [lanes[:, axis] for axis in range(len(shape))]
        columns += [np.full(count, value, np.int64) for value in loops]
        return np.stack(columns, axis=1)

    def block(self, program: int) -> Block | None:
        """The program's block in the first of the chosen accesses that it took part in."""
        for access in self.chosen:
            found = program_block(access, program)
            if found is not None:
                return found
        return None

    def _kept(self, name: Hashable, made: Kept) -> Kept:
        kept: Kept = self.trace.kept.setdefault((name, self.site), made)
        return kept
