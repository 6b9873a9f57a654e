"""The lockstep interpreter: a Triton kernel run once for all programs of its grid, every access recorded.

Every value has a program axis first, of size 1 where all programs agree. Programs are numbered in C order of the
grid: ``numpy.unravel_index(program, grid)`` gives ``(pid0, pid1, pid2)``.
"""

from tritontui.runner.lockstep.autotune import Choice
from tritontui.runner.lockstep.errors import (
    BlockTruthValue,
    BranchTypeMismatch,
    BudgetExceeded,
    GridAxisTooLong,
    KernelError,
    LockstepError,
    NoProgress,
    UndefinedVariable,
    UnsupportedOperation,
    UnsupportedStatement,
    WrongDevice,
)
from tritontui.runner.lockstep.options import TraceOptions
from tritontui.runner.lockstep.session import LaunchRecord, Session, tracing

__all__ = [
    "BlockTruthValue",
    "BranchTypeMismatch",
    "BudgetExceeded",
    "Choice",
    "GridAxisTooLong",
    "KernelError",
    "LaunchRecord",
    "LockstepError",
    "NoProgress",
    "Session",
    "TraceOptions",
    "UndefinedVariable",
    "UnsupportedOperation",
    "UnsupportedStatement",
    "WrongDevice",
    "tracing",
]
