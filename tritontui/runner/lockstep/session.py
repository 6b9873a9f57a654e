"""``tracing``: while it is active, every launch of a Triton kernel runs in lockstep on the CPU and leaves a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tritontui.analysis.trace import Trace
from tritontui.runner.lockstep.options import TraceOptions


@dataclass(frozen=True)
class LaunchRecord:
    """One launch as the host code wrote it: what the compiler needs to compile the same kernel."""

    kernel: Any
    """The ``JITFunction``."""
    arguments: dict[str, Any]
    """By parameter name, constexprs included, the tensors themselves."""
    options: dict[str, Any]
    """``num_warps`` and the like."""
    grid: tuple[int, ...]
    line: int | None
    """Line of the launch in the learner's file."""


@dataclass
class Session:
    """What the launches of one ``tracing`` block left behind, in order; ``traces[i]`` belongs to ``launches[i]``."""

    options: TraceOptions
    file: str | None
    """The learner's file: lines are counted in it. None: the file of each launched kernel."""
    traces: list[Trace] = field(default_factory=list)
    launches: list[LaunchRecord] = field(default_factory=list)


@contextmanager
def tracing(options: TraceOptions | None = None, *, file: str | None = None) -> Iterator[Session]:
    """Run every ``kernel[grid](...)`` in the block in lockstep on the CPU tensors passed.

    Raises, out of the launch itself: ``KernelError`` when the kernel stops (with the learner's line), ``TypeError`` or
    ``KeyError`` for arguments that Triton's launcher would refuse, ``GridAxisTooLong``, ``WrongDevice``.
    A launch that raised still leaves its partial trace (``complete`` is False).
    """
    raise NotImplementedError
    yield
