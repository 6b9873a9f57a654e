"""What one launch did, as arrays: the interface between the lockstep interpreter and every analysis.

The program axis comes first in every array and has size 1 where all programs agree.
Offsets count *elements* of the tensor from the address the kernel was given (the view's first element).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.stepping.recording import Recording

Op = Literal["load", "store", "atomic"]


@dataclass(frozen=True)
class Tensor:
    """A tensor argument of the launch."""

    name: str
    """The kernel's parameter name (``x_ptr``)."""
    dtype: str
    """Triton's short name: ``fp32``, ``bf16``, ``i32``…"""
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""
    storage_first: int
    """Lowest valid element offset (≤ 0): where the storage begins, seen from the view's first element."""
    storage_end: int
    """One past the highest valid element offset of the storage."""
    uninitialised: bool
    """Allocated with ``empty`` (or declared an output by the exercise) and not written before this launch."""
    storage: int = 0
    """Equal for arguments that share one storage."""
    storage_shift: int = 0
    """Element offset of the view's first element in that storage."""


@dataclass(frozen=True)
class Site:
    """One load, store or atomic in the kernel's source (device functions included)."""

    line: int
    """In the learner's file."""
    column: int
    op: Op
    tensor: int
    """Index into ``Trace.tensors``; -1 when no active lane ever touched a tensor."""
    lane_shape: tuple[int, ...]
    has_mask: bool
    has_other: bool


@dataclass(frozen=True)
class Separable:
    """Offsets that are the same block of lanes in every program, moved by one number per program.

    offset of lane l in the i-th program = ``rows[i] + lanes[l]``. Most accesses are like this; kept so, a launch of
    a million programs costs a million numbers and not a million blocks.
    """

    rows: NDArray[np.int64]
    """Shape (P or 1,)."""
    lanes: NDArray[np.int64]
    """Shape lane_shape; the first lane is 0."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.rows), *self.lanes.shape)

    def dense(self) -> NDArray[np.int64]:
        """The full array, shape (P or 1, *lane_shape)."""
        return self.rows.reshape(-1, *(1,) * self.lanes.ndim) + self.lanes


@dataclass(frozen=True)
class SharedRows:
    """Masks of many programs, of which few differ: program i has ``rows[index[i]]``."""

    index: NDArray[np.int32]
    """Shape (P,)."""
    rows: NDArray[np.bool_]
    """Shape (distinct, *lane_shape)."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.index), *self.rows.shape[1:])

    def dense(self) -> NDArray[np.bool_]:
        """The full array, shape (P, *lane_shape)."""
        return self.rows[self.index]


@dataclass
class Access:
    """One execution of a site, by the programs that were active."""

    site: int
    iteration: tuple[int, ...]
    """Loop counters from the outermost loop in, as executed."""
    programs: NDArray[np.int64]
    """Linear ids, ascending, shape (P,)."""
    offsets: NDArray[np.int64] | Separable
    """Shape (P or 1, *lane_shape). Equal rows may be stored once (size 1). ``compact.compact`` makes it small."""
    mask: NDArray[np.bool_] | SharedRows | None
    """Broadcastable to (P, *lane_shape), as the learner wrote it (before the guard); None: all lanes active."""
    out: NDArray[np.bool_] | None = None
    """Active lanes outside the storage, broadcastable likewise; None: none. The guard masked them off."""
    values: NDArray[Any] | None = None
    """Values stored, broadcastable likewise; None for loads."""
    order: int = 0
    """Position in the launch's sequence of memory operations."""
    atomic: str = ""
    """For atomics: ``add``, ``max``, ``cas``, ``xchg``…"""
    semantic: str = "acq_rel"
    """For atomics: ``relaxed``, ``acquire``, ``release`` or ``acq_rel`` (Triton's default)."""
    other: NDArray[Any] | None = None
    """For masked loads: the padding the learner gave (size 1 along axes where it is one value); None: none given."""


@dataclass(frozen=True)
class Event:
    """Something noticed while running: an overflow being born, a NaN, a divergence, a message of tl.device_print.

    Kinds that become findings, and what ``params`` hold: ``int32-overflow`` (``value`` exact, ``wrapped``),
    ``nan-born`` (``value``: ``nan``, ``inf`` or ``-inf``; ``count`` of lanes), ``python-bool-on-mask`` (``operator``:
    ``and``, ``or``, ``not`` or ``if``), ``no-progress`` (``waiting``: number of programs).
    """

    kind: str
    line: int
    column: int
    programs: tuple[int, ...]
    lanes: tuple[tuple[int, int], ...] = ()
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class Trace:
    """A whole launch."""

    kernel: str
    line: int | None
    """Line of the launch in ``launched_in``."""
    grid: tuple[int, ...]
    tensors: list[Tensor]
    scalars: dict[str, Any]
    sites: list[Site]
    accesses: list[Access]
    events: list[Event]
    mode: str = "lockstep"
    """Or why it was run one program at a time."""
    complete: bool = True
    """False when a budget ended recording; ``covered`` then says what was covered."""
    covered: str = ""
    left_out: int = 0
    """Programs that never ran, because time was over: the outputs are not what the whole launch leaves."""
    stopped: bool = False
    """It didn't run to its end: an error, or the end of its time."""
    recorded_to: int | None = None
    """Line at which what the launch touched became more than is kept; None: all of it is."""
    kernel_ms: float = 0.0
    source: str = ""
    """Text of the file that the sites' lines count in; "": unknown."""
    file: str = ""
    """That file."""
    launched_in: str = ""
    """The file that ``line`` counts in."""
    steps: Recording | None = field(default=None, repr=False)
    """The launch line by line, where that was asked for."""
    kept: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What analyses derived from the trace and want to find again."""

    @property
    def programs(self) -> int:
        """Number of programs in the grid."""
        return int(np.prod(self.grid, dtype=np.int64))

    def coordinates(self, programs: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Grid coordinates of linear ids, one array per axis: id = (pid0·grid[1] + pid1)·grid[2] + pid2."""
        return tuple(axis.astype(np.int64) for axis in np.unravel_index(programs, self.grid))

    def program_id(self, linear: int) -> int | list[int]:
        """A program as findings name it: an int in a one-axis grid, else [pid0, pid1, …]."""
        if len(self.grid) == 1:
            return int(linear)
        return [int(axis) for axis in np.unravel_index(linear, self.grid)]
