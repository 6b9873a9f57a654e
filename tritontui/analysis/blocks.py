"""Walking over a trace in blocks of programs × lanes, whatever form its accesses are kept in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Access, Separable, SharedRows, Trace
from tritontui.diagnosis.finding import LaneRange

LANES_AT_ONCE = 1 << 21
"""Size of a block: some tens of megabytes of temporaries."""


@dataclass(frozen=True)
class Block:
    """Some programs of one access. Lanes (L) are flattened row by row; R is 1 where all programs agree, else P."""

    access: Access
    programs: NDArray[np.int64]
    """Linear ids, shape (P,)."""
    offsets: NDArray[np.int64]
    """Shape (R, L)."""
    wanted: NDArray[np.bool_]
    """Lanes that the learner's mask keeps, shape (R, L)."""
    out: NDArray[np.bool_] | None
    """Wanted lanes outside the storage, shape (R, L); None: none."""
    start: int
    """Position of ``programs[0]`` in ``access.programs``."""

    @property
    def shared(self) -> bool:
        """Whether one row stands for several programs."""
        return len(self.offsets) < len(self.programs)

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """Lanes that reach memory: wanted and inside the storage."""
        return self.wanted if self.out is None else self.wanted & ~self.out

    def every_program(self) -> Block:
        """The same block with R = P."""
        if not self.shared:
            return self
        shape = (len(self.programs), self.offsets.shape[1])
        out = None if self.out is None else np.broadcast_to(self.out, shape)
        offsets, wanted = np.broadcast_to(self.offsets, shape), np.broadcast_to(self.wanted, shape)
        return Block(self.access, self.programs, offsets, wanted, out, self.start)

    def values(self) -> NDArray[np.generic] | None:
        """Stored values, broadcastable to (R, L); None when the access has none."""
        values = self.access.values
        if values is None:
            return None
        if len(values) > 1:
            values = values[self.start : self.start + len(self.programs)]
        lanes = self.access.offsets.shape[1:]
        return np.broadcast_to(values, (len(values), *lanes)).reshape(len(values), -1)


def blocks(access: Access, lanes_at_once: int = LANES_AT_ONCE) -> Iterator[Block]:
    """``access`` in blocks of at most ``lanes_at_once`` lanes (at least one program), in program order."""
    count, lanes = len(access.programs), int(np.prod(access.offsets.shape[1:], dtype=np.int64))
    if all(_rows(part) == 1 for part in (access.offsets, access.mask, access.out)):
        if count:
            yield _block(access, 0, count, rows=1)
        return
    step = max(1, lanes_at_once // max(1, lanes))
    for start in range(0, count, step):
        stop = min(count, start + step)
        yield _block(access, start, stop, rows=stop - start)


def program_block(access: Access, program: int) -> Block | None:
    """The block of one program alone; None when it did not take part."""
    position = int(np.searchsorted(access.programs, program))
    if position == len(access.programs) or access.programs[position] != program:
        return None
    return _block(access, position, position + 1, rows=1)


def walk(trace: Trace, *ops: str) -> Iterator[Block]:
    """Blocks of all accesses of these kinds (all kinds if none is named) that belong to a tensor, in order."""
    wanted = {index for index, site in enumerate(trace.sites) if site.tensor >= 0 and (not ops or site.op in ops)}
    yield from walk_sites(trace, wanted)


def walk_sites(trace: Trace, sites: Collection[int]) -> Iterator[Block]:
    """Blocks of all accesses of these sites, in order."""
    for access in trace.accesses:
        if access.site in sites:
            yield from blocks(access)


def dense_offsets(access: Access) -> NDArray[np.int64]:
    """The offsets as one array, shape (P or 1, *lane_shape)."""
    offsets = access.offsets
    return offsets.dense() if isinstance(offsets, Separable) else offsets


def same_places(left: Access, right: Access) -> bool:
    """Whether two accesses address the same element offsets, lane by lane and program by program."""
    if left.offsets.shape[1:] != right.offsets.shape[1:] or not np.array_equal(left.programs, right.programs):
        return False
    one, other = dense_offsets(left), dense_offsets(right)
    return bool((one == other).all())


def lane_ranges(lanes: NDArray[np.bool_]) -> list[LaneRange]:
    """Runs of true lanes as inclusive ranges; ``lanes`` is flattened row by row."""
    padded = np.concatenate(([False], lanes.ravel(), [False]))
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def _rows(part: NDArray[np.generic] | Separable | SharedRows | None) -> int:
    return 1 if part is None else part.shape[0]


def _block(access: Access, start: int, stop: int, rows: int) -> Block:
    lanes = access.offsets.shape[1:]
    offsets, mask, out = access.offsets, access.mask, access.out
    if isinstance(offsets, Separable):
        part = offsets.rows if len(offsets.rows) == 1 else offsets.rows[start:stop]
        offsets = Separable(part, offsets.lanes).dense()
    elif len(offsets) > 1:
        offsets = offsets[start:stop]
    if isinstance(mask, SharedRows):
        mask = mask.rows[mask.index[start:stop]]
    elif mask is not None and len(mask) > 1:
        mask = mask[start:stop]
    if out is not None and len(out) > 1:
        out = out[start:stop]

    def flat(array: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.broadcast_to(array, (rows, *lanes)).reshape(rows, -1)

    wanted = np.ones((1,) * (1 + len(lanes)), bool) if mask is None else mask
    return Block(
        access=access,
        programs=access.programs[start:stop],
        offsets=flat(offsets).astype(np.int64, copy=False),
        wanted=flat(wanted).astype(np.bool_, copy=False),
        out=None if out is None else flat(out).astype(np.bool_, copy=False),
        start=start,
    )
