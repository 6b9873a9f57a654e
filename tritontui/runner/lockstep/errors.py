# ruff: noqa: N818 - named after what happened, as the findings are
"""Errors that a launch can end in. Those of the learner's kernel always arrive as ``KernelError``, with a line."""

from __future__ import annotations

from typing import Any

from tritontui.runner.triton_compat import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct


class LockstepError(Exception):
    """Base of what the interpreter itself raises."""


class KernelError(LockstepError):
    """A kernel stopped at ``line``, ``column`` of the learner's file, because of ``cause`` (also ``__cause__``)."""

    __module__ = "tritontui"  # where a traceback says that it is from: a script of one's own prints those

    def __init__(self, cause: BaseException, line: int | None, column: int | None, kernel: str) -> None:
        self.message = f"{type(cause).__name__}: {cause}"
        Exception.__init__(self, self.message)
        self.cause = cause
        self.line = line
        self.column = column
        self.kernel = kernel

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelError, (self.cause, self.line, self.column, self.kernel)


class Stopped(BaseException):
    """Base of what ends a launch from outside. ``programs``: how many of it had come to their end, and of how many;
    None: not told."""

    programs: tuple[int, int] | None = None


class BlockTruthValue(LockstepError):
    """``if``, ``while``, ``and``-less truth of a block with more than one value: the compiler rejects it."""

    def __init__(self) -> None:
        super().__init__("Boolean value of Tensor with more than one value is ambiguous")


class BranchTypeMismatch(LockstepError):
    """A variable has different types after the two sides of a branch, or before and after a loop."""

    def __init__(self, types: list[str]) -> None:
        super().__init__(f"Mismatched type between branches: {', '.join(types)}")
        self.types = types


class UndefinedVariable(LockstepError, NameError):
    """A variable is read on a path that never assigned it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not defined")
        self.variable = name


class UnsupportedStatement(LockstepError):
    """A statement that neither the compiler nor this interpreter accepts inside a kernel (``break``, ``try``…)."""

    def __init__(self, statement: str, line: int, column: int) -> None:
        super().__init__(f"unsupported AST node type: {statement}")
        self.statement = statement
        self.line = line
        self.column = column


class StaticAssertion(LockstepError, AssertionError):
    """``tl.static_assert``, or ``assert`` on a constant, failed: the compiler refuses this specialisation."""


class DeviceAssertion(LockstepError, AssertionError):
    """``tl.device_assert`` failed in debug mode, which ends the launch."""


class UnsupportedOperation(LockstepError):
    """An operation that has no meaning without a GPU, such as inline assembly."""


class NoProgress(LockstepError):
    """Programs wait in a loop that nothing can end: memory, variables and the active set no longer change."""

    def __init__(self, waiting: int, programs: list[int]) -> None:
        super().__init__(f"{waiting} programs wait in a loop and nothing changes any more")
        self.waiting = waiting
        self.programs = programs


class BudgetExceeded(LockstepError):
    """The time of a launch ran out; the trace holds what was covered."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"still running after {seconds:.0f} s")


class GridAxisTooLong(LockstepError, ValueError):
    """An axis of the grid is longer than CUDA allows (2³¹−1, 65535, 65535)."""

    def __init__(self, axis: int, size: int, limit: int) -> None:
        super().__init__(f"grid axis {axis} is {size}, over the limit of {limit}")
        self.axis = axis
        self.size = size
        self.limit = limit


class WrongDevice(LockstepError, ValueError):
    """A tensor that does not live in this process's main memory was passed to a traced kernel."""

    def __init__(self, name: str, device: str) -> None:
        super().__init__(f"tensor {name} lives on {device}; kernels are traced on CPU tensors")
        self.tensor = name
        self.device = device


def _caught_as(kind: type[CompilationError]) -> type[KernelError]:
    """``KernelError`` that is one of Triton's as well, under the same name."""
    return type("KernelError", (KernelError, kind), {"__module__": KernelError.__module__, "src": None, "node": None})


_REFUSED = _caught_as(CompilationError)
_REFUSED_AS = {
    StaticAssertion: _caught_as(CompileTimeAssertionFailure),
    UnsupportedStatement: _caught_as(UnsupportedLanguageConstruct),
}
_ONLY_WHEN_RUN = (NoProgress, BudgetExceeded, DeviceAssertion, UnsupportedOperation, MemoryError)


def kernel_error(cause: Exception, line: int | None, column: int | None, kernel: str) -> KernelError:
    """The error in which a launch ends because of ``cause``.

    What a kernel's Python raises, Triton raises in compilation, as its own ``CompilationError``: host code that catches
    that, to do without the kernel for one, catches this.
    """
    if isinstance(cause, _ONLY_WHEN_RUN):
        return KernelError(cause, line, column, kernel)
    return _REFUSED_AS.get(type(cause), _REFUSED)(cause, line, column, kernel)
