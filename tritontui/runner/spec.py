"""What an exercise's ``exercise.py`` declares: the specification a submission is judged by.

A lesson author imports from here and nowhere else::

    from tritontui.runner.spec import Case, Exercise

    def inputs(case, generator):
        n, dtype = case["n"], case.get("dtype", torch.float32)
        return [torch.randn(n, generator=generator).to(dtype), torch.randn(n, generator=generator).to(dtype)]

    EXERCISE = Exercise(entry="add", kernel="add_kernel", inputs=inputs, reference=lambda x, y: x + y, …)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Tolerance:
    """|got − expected| ≤ atol + rtol·|expected|, in float64."""

    rtol: float
    atol: float
    reason: str
    """Why this much and no more; shown to the learner. English; the Italian one is ``reason_it``."""
    reason_it: str = ""


EXACT = Tolerance(0.0, 0.0, "integers and copies are exact", "interi e copie sono esatti")


@dataclass(frozen=True)
class Case:
    """One input the submission must get right. ``values`` are read by the exercise's ``inputs``."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    seeds: Sequence[int] = (0, 1)
    """Each seed draws fresh inputs; all must pass."""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)


@dataclass(frozen=True)
class Exercise:
    """The specification of one exercise."""

    entry: str
    """Host function the submission must define."""
    inputs: Callable[[Case, torch.Generator], list[Any]]
    """Arguments of ``entry`` for a case: CPU tensors (moved to the device by the judge) and scalars."""
    reference: Callable[..., Any]
    """Right answer from the same arguments; floating tensors arrive in float64 when ``reference_in_float64``."""
    cases: Sequence[Case]
    trace_case: Case
    """Small case of the access map: some hundreds of elements, ragged."""
    measure_case: Case | None = None
    """Large case; None: not measured. ``inputs`` may make its tensors on the device given in ``case["device"]``."""
    aliases: Sequence[str] = ()
    """Other names under which ``entry`` is accepted."""
    kernel: str | None = None
    """Name of the kernel that must have written the output; None: any kernel of the submission."""
    tolerances: Mapping[torch.dtype, Tolerance] = field(default_factory=dict)
    """By output dtype; what is missing comes from ``runner.check.DEFAULT_TOLERANCES``."""
    reference_in_float64: bool = True
    ideal_bytes: Callable[..., int] | None = None
    """Least bytes to and from memory for these arguments."""
    ideal_flops: Callable[..., int] | None = None
    reads_per_write: float = 1.0
    """Bytes read per byte written, to choose the ceiling; inf: read only."""
    outputs: Sequence[str] = ()
    """Kernel parameters that must be written whole."""
    baseline: Callable[..., Any] | None = None
    """PyTorch's own operator for the measured case; default: ``reference`` in the inputs' dtype."""
    allowed_host_calls: Sequence[str] = ()
    """torch functions that the contract lets the host code call on the inputs or the output (``contiguous``…)."""
