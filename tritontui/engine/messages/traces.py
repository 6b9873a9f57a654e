"""What a trace gathered over all programs of a launch."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

SECTOR_BYTES = 32
"""The piece in which NVIDIA's memory moves data (CUDA C++ Best Practices Guide, "Coalesced access")."""


class Term(Struct, kw_only=True):
    """One term of an affine address: ``stride`` elements per step of ``name`` (``pid0``, ``lane0``, ``iteration0``)."""

    name: str
    stride: int
    extent: int


class Affine(Struct, kw_only=True):
    """offset = base + Σ stride·index, for every active lane of every program."""

    base: int
    terms: list[Term]


class SiteSummary(Struct, kw_only=True):
    """One load, store or atomic in the source, over all programs and iterations."""

    site: int
    line: int
    column: int
    op: Literal["load", "store", "atomic"]
    tensor: str
    dtype: str
    lane_shape: list[int]
    programs: int
    """Programs that reached it."""
    executions: int
    """Times it ran in the program that ran it most (loop iterations)."""
    lanes_on: int
    lanes_off: int
    lanes_out: int
    """Active lanes outside the tensor (masked off by the guard)."""
    sectors: int
    sectors_ideal: int
    affine: Affine | None = None


class TensorSummary(Struct, kw_only=True):
    name: str
    dtype: str
    shape: list[int]
    stride: list[int]
    elements: int
    """Elements that the view spans (largest offset + 1)."""


class LaunchSummary(Struct, kw_only=True):
    launch: int
    kernel: str
    line: int | None
    grid: list[int]
    tensors: list[TensorSummary]
    scalars: dict[str, Any]
    """The other arguments, constexprs included, by name."""
    sites: list[SiteSummary]
    mode: str
    """``lockstep``, or why it was run one program at a time."""
    kernel_ms: float
    analysis_ms: float
    file: str = ""
    """Where the kernel is written, the file in which its lines count; "": nobody told."""
    kernel_line: int = 0
    """Where it begins there, decorators included."""
    left_out: int = 0
    """Programs that never ran, for want of time."""
    recorded_to: int | None = None
    """Line at which what it touches became more than is kept; None: all of it is."""
    unjudged: list[str] = []
    """Outputs of which nobody can say, for the two above or an error, whether they are written in full."""


class Traced(Struct, tag=True):
    run: int
    launches: list[LaunchSummary]
    case: str = ""
    """Name of the traced case; "": nobody told, as of a script."""
    ideal_bytes: int = 0
    """What had to move to and from memory in the traced case, by the exercise; 0: it doesn't say."""
    names: dict[str, str] = {}
    """The case's name in each language, where it has words to translate."""
