"""A launch line by line, as arrays: what the lockstep interpreter records and the step view reads.

As in ``trace``, the program axis comes first and has size 1 where all programs agree; a lane axis has size 1 where all
its lanes agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["enter", "line", "load", "loop", "branch", "return", "stopped"]
"""What happened at a line: a function was entered, a statement ran, a name was given just what a load (or an atomic)
read, a loop began a round, a condition was decided, a value was returned, an error ended the kernel."""


@dataclass(frozen=True)
class Value:
    """What a name holds, for the programs of its moment."""

    dtype: str
    """Triton's short name, ``*fp32`` for pointers; ``constexpr`` for what the compiler knows, ``descriptor``."""
    shape: tuple[int, ...] = ()
    """Of the block; () for a scalar."""
    data: NDArray[Any] | None = None
    """Shape (P or 1, *lanes), a lane axis of size 1 standing for its whole length. Of a pointer into a tensor: elements
    from the tensor's first, else bytes. None for what isn't a number."""
    text: str = ""
    """The tensor that a pointer points into; what a constexpr is, as Python writes it."""
    parts: tuple[Value, ...] = ()
    """Of a descriptor: its pointer, then its shape, then its strides; ``shape`` is that of its block."""


@dataclass(frozen=True)
class Moment:
    """One line executed by the programs that were active."""

    kind: Kind
    line: int
    call: int
    """Index into ``Recording.calls``."""
    iteration: tuple[int, ...]
    """Loop counters from the outermost loop in."""
    programs: NDArray[np.int64]
    """Linear ids of those programs that are kept, ascending."""
    values: tuple[tuple[str, Value], ...] = ()
    """What the line assigned, by name; of a branch its condition, of a return the value returned."""
    accesses: tuple[int, int] = (0, 0)
    """First of ``Trace.accesses`` that this line made, and one past the last."""


@dataclass(frozen=True)
class Call:
    """One call of the kernel, or of a device function."""

    function: str
    caller: int | None
    """Index of the call it was made in; None for the kernel's own."""
    depth: int
    source: tuple[str, ...]
    """Lines of the function's text."""
    first_line: int
    """Number of the first of them in its file."""
    in_file: bool
    """Whether that file is the learner's."""

    def text(self, line: int) -> str:
        """A line of the function, without its indentation; "" outside it."""
        index = line - self.first_line
        return self.source[index].strip() if 0 <= index < len(self.source) else ""


@dataclass
class Recording:
    """Every line of a launch, in the order of execution, for as many programs as there was room for."""

    programs: NDArray[np.int64]
    """Linear ids of the programs that are kept, ascending."""
    moments: list[Moment] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    complete: bool = True
    """False when the room ended before the kernel did."""
