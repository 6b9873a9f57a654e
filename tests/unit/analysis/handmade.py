"""Traces made by hand: what a kernel would have done, stated in a few arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tritontui.analysis import findings
from tritontui.analysis.trace import Access, Event, Op, Site, Tensor, Trace
from tritontui.analysis.views import contiguous_strides
from tritontui.diagnosis.finding import Finding


class Launch:
    """Collects tensors and accesses of one launch; ``trace()`` gives the whole."""

    def __init__(self, grid: Sequence[int] = (1,), source: str = "", **scalars: Any) -> None:
        self.grid = tuple(grid)
        self.source = source
        self.scalars = scalars
        self.tensors: list[Tensor] = []
        self.sites: list[Site] = []
        self.accesses: list[Access] = []
        self.events: list[Event] = []

    def tensor(
        self,
        name: str,
        shape: int | Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        first: int = 0,
        room: int | None = None,
        fresh: bool = False,
        storage: int | None = None,
        itemsize: int = 4,
        dtype: str = "fp32",
    ) -> int:
        """A tensor whose storage begins ``first`` elements before it and ends ``room`` after its beginning."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        steps = contiguous_strides(shape) if strides is None else tuple(strides)
        end = 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
        self.tensors.append(
            Tensor(
                name=name,
                dtype=dtype,
                itemsize=itemsize,
                shape=shape,
                strides=steps,
                storage_first=-first,
                storage_end=end if room is None else room,
                uninitialised=fresh,
                storage=len(self.tensors) if storage is None else storage,
                storage_shift=first,
            )
        )
        return len(self.tensors) - 1

    def site(
        self, op: Op, tensor: int, line: int, lane_shape: Sequence[int], masked: bool = False, column: int = 5
    ) -> int:
        self.sites.append(Site(line, column, op, tensor, tuple(lane_shape), masked, False))
        return len(self.sites) - 1

    def access(
        self,
        op: Op,
        tensor: int,
        offsets: Any,
        mask: Any = None,
        values: Any = None,
        *,
        line: int = 1,
        site: int | None = None,
        programs: Sequence[int] | None = None,
        iteration: Sequence[int] = (),
        semantic: str = "acq_rel",
        atomic: str = "",
    ) -> int:
        """One execution. ``offsets``: (P or 1, *lanes); lanes outside the storage are guarded."""
        offsets = np.asarray(offsets, np.int64)
        mask = None if mask is None else np.asarray(mask, bool)
        if site is None:
            site = self.site(op, tensor, line, offsets.shape[1:], mask is not None)
        target = self.tensors[tensor]
        everyone = np.arange(int(np.prod(self.grid))) if programs is None else np.asarray(programs)
        outside = (offsets < target.storage_first) | (offsets >= target.storage_end)
        out = outside if mask is None else outside & mask
        self.accesses.append(
            Access(
                site=site,
                iteration=tuple(iteration),
                programs=everyone.astype(np.int64),
                offsets=offsets,
                mask=mask,
                out=out if out.any() else None,
                values=None if values is None else np.asarray(values),
                order=len(self.accesses) + 1,
                semantic=semantic,
                atomic=atomic,
            )
        )
        return site

    def trace(self, kernel: str = "kernel") -> Trace:
        return Trace(
            kernel=kernel,
            line=99,
            grid=self.grid,
            tensors=self.tensors,
            scalars=self.scalars,
            sites=self.sites,
            accesses=self.accesses,
            events=self.events,
            source=self.source,
        )


def block_offsets(programs: int, lanes: int) -> Any:
    """pid·lanes + lane, shape (programs, lanes)."""
    return np.arange(programs)[:, None] * lanes + np.arange(lanes)


ADD = """\
@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)
"""


def addition(n: int = 1000, block: int = 256, masked: bool = True) -> Launch:
    """The vector addition of ``ADD``, right if ``masked``."""
    programs = -(-n // block)
    launch = Launch((programs,), source=ADD, n=n, BLOCK=block)
    offsets = block_offsets(programs, block)
    mask = offsets < n if masked else None
    for name, line in (("x_ptr", 6), ("y_ptr", 7)):
        launch.access("load", launch.tensor(name, n), offsets, mask, line=line)
    out = launch.tensor("out_ptr", n, fresh=True)
    launch.access("store", out, offsets, mask, np.zeros(offsets.shape, np.float32), line=8)
    return launch


def found(trace: Trace, identifier: str) -> list[Finding]:
    return [finding for finding in findings(trace) if finding.id == identifier]


def serious(trace: Trace) -> list[tuple[str, int | None]]:
    return [(finding.id, finding.line) for finding in findings(trace) if finding.severity != "note"]
