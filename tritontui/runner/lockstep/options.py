"""What a tracing session records, how its launches are ordered, and where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

STEP_BYTES = 64 << 20
"""For the steps of one run."""

MaskedFill = Literal["zero", "high", "low"]
Order = Literal["lockstep", "forward", "reverse", "shuffled"]
Configs = Literal["first", "all"]


class Replaced(NamedTuple):
    """An expression or a statement of the learner's file, by its place as ``ast`` counts, and what takes its place."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


Variant = tuple[Replaced, ...]
"""What is replaced at once."""


@dataclass(frozen=True)
class TraceOptions:
    """Options of ``tracing``; the defaults are those of one live run."""

    record: bool = True
    """Keep every access in the traces. Guards, shadows and events work either way."""
    masked_fill: MaskedFill = "zero"
    """What lanes read that are masked off by a load without ``other``: zero (as NVIDIA does today), or a finite
    extreme of the dtype, to see whether the result depends on them."""
    masked_fill_lines: frozenset[int] = frozenset()
    """Only loads on these lines get ``masked_fill``; empty: all of them."""
    follow_padding: bool = False
    """Follow masked-off lanes of loads, and note (event ``padding-counted``) where a reduction or a product counts
    them, so that leaving them out would have given another result, and that result reaches an active store."""
    order: Order = "lockstep"
    """All programs at once, or one at a time: ascending, descending, or shuffled by ``seed``."""
    seed: int = 0
    configs: Configs = "first"
    """Which configs of an autotuned kernel run: the first that survives pruning, or each in turn, as a tuner would."""
    tuned_with: Mapping[str, Any] = field(default_factory=dict)
    """The ``triton.Config`` of an autotuned kernel, by the kernel's name, whether pruning left it or not."""
    memory_bytes: int = 512 << 20
    """Recording stops (``Trace.complete`` is False) when its arrays hold more."""
    seconds: float = 10.0
    """A launch that runs longer ends in ``BudgetExceeded``; one that may be ``sampled``, in six times as long."""
    sampled: bool = False
    """A launch whose time runs out between chunks doesn't end in ``BudgetExceeded``: of the programs that are left
    some at the corners of the grid run, and the host code goes on. ``Trace.left_out`` says how many didn't."""
    programs: int | None = None
    """Only the first so many programs of each grid run; None: all."""
    spin_rounds: int = 2_000
    """Rounds of a loop that only waits (memory unchanged) before it counts as making no progress."""
    chunk_lanes: int = 1 << 21
    """Elements of one value over all programs of a chunk; larger grids run chunk by chunk."""
    step_bytes: int = 0
    """Room for every name's value after every line (``Trace.steps``), half of what is left for each launch; 0: no
    steps are recorded."""
    outputs: tuple[str, ...] = ()
    """Kernel parameters that the exercise declares as outputs: their tensors count as uninitialised in the trace."""
    variants: tuple[Variant, ...] = ()
    """Other texts of parts of the learner's file, to see what another kernel would have given."""
    variant: int = 0
    """Which of them takes effect, from 1; 0: none. All are compiled at once, so that trying one costs only its run."""

    @property
    def most_seconds(self) -> float:
        """When a launch ends whatever it does. A script outlives a slow launch; only one without end is stopped."""
        return 6 * self.seconds if self.sampled else self.seconds
