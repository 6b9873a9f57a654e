"""One launch: from ``kernel[grid](...)`` to its trace."""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Trace
from tritontui.runner.lockstep.arguments import Arguments
from tritontui.runner.lockstep.builder import Run
from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.errors import (
    BudgetExceeded,
    GridAxisTooLong,
    KernelError,
    NoProgress,
    UnsupportedStatement,
)
from tritontui.runner.lockstep.language import Language
from tritontui.runner.lockstep.linker import Linker, may_wait
from tritontui.runner.lockstep.location import Locator
from tritontui.runner.lockstep.memory import Memory
from tritontui.runner.lockstep.options import TraceOptions
from tritontui.runner.lockstep.printing import Printer
from tritontui.runner.lockstep.recorder import Recorder
from tritontui.runner.lockstep.shadows import Shadows
from tritontui.runner.lockstep.shapes import GridTooWide
from tritontui.runner.triton_compat import constexpr_parameters

_AXIS_LIMITS = ((1 << 31) - 1, 65535, 65535)
"""CUDA's, for x, y and z."""


@dataclass(frozen=True)
class Request:
    """A launch as the host asked for it, with its arguments bound to parameters."""

    kernel: Any
    bound: dict[str, Any]
    grid: tuple[int, ...]
    options: dict[str, Any]
    line: int | None


def checked_grid(grid: Any, bound: dict[str, Any]) -> tuple[int, ...]:
    """The grid as ints. Raises what Triton's launcher would (``TypeError`` for an int, or for a float in the tuple,
    ``IndexError`` for no axis at all), and ``GridAxisTooLong``."""
    if callable(grid):
        grid = grid(bound)
    if len(grid) > 3:
        raise ValueError(f"grid must have at most 3 dimensions, got {len(grid)}")
    if len(grid) == 0:
        raise IndexError("tuple index out of range")
    sizes = tuple(operator.index(size) for size in grid)
    for axis, (size, limit) in enumerate(zip(sizes, _AXIS_LIMITS, strict=False)):
        if size > limit:
            raise GridAxisTooLong(axis, size, limit)
    return sizes


class Launch:
    """Runs one request: all programs at once, or in chunks, or one at a time when they wait for one another."""

    def __init__(
        self, request: Request, language: Language, options: TraceOptions, shadows: Shadows, file: str | None
    ) -> None:
        self.request = request
        self.language = language
        self.options = options
        kernel = request.kernel
        self.recorder = Recorder(options.record, options.memory_bytes)
        self.locator = Locator(file)
        self.control = Control(language.semantic, time.monotonic() + options.seconds, options.spin_rounds)
        self.linker = Linker(self.control, self.locator, language.replacements)
        self.printer = Printer()
        self.can_wait = options.order == "lockstep" and may_wait(kernel)
        self.memory = Memory(self.control, self.recorder, self.locator, options, self.can_wait)
        self.arguments = Arguments(language.semantic, shadows, options.outputs)
        x, y, z = (*request.grid, 1, 1, 1)[:3]
        grid = (x, y, z)
        self.run_state = Run(
            control=self.control,
            memory=self.memory,
            recorder=self.recorder,
            locator=self.locator,
            printer=self.printer,
            grid=grid,
            coordinates=np.indices(grid, dtype=np.int32).reshape(3, -1),
            chunk_lanes=options.chunk_lanes,
            assertions=bool(request.options.get("debug")),
        )
        self.mode = "lockstep" if options.order == "lockstep" else f"one by one, {options.order}"

    def run(self) -> tuple[Trace, KernelError | None]:
        """Run it; the trace is complete, or as far as the error let it come."""
        request, began = self.request, time.perf_counter()
        error: KernelError | None = None
        values = self.arguments.bind(request.kernel, request.bound, constexpr_parameters(request.kernel))
        self.memory.arguments = self.arguments.owners
        self.memory.owner_at = self.arguments.owner_at
        self.recorder.tensors = self.arguments.tensors
        watch = self.language.builder.watch
        self.language.builder.begin(self.run_state)
        with (
            self.language.active(self.linker),
            np.errstate(all="ignore"),
            np.errstate(invalid="call", divide="call", over="call", call=watch),
        ):
            try:
                self._all_programs(values)
            except Exception as cause:
                error = self._kernel_error(cause)
        self.printer.flush()
        return self._trace((time.perf_counter() - began) * 1e3), error

    # ------------------------------------------------------------ which programs, when

    def _all_programs(self, values: dict[str, Any]) -> None:
        everyone = np.arange(self.run_state.coordinates.shape[1])
        if self.options.programs is not None and self.options.programs < len(everyone):
            self.recorder.complete = False
            self.recorder.covered = f"programs 0 to {self.options.programs - 1} of {len(everyone)}"
            everyone = everyone[: self.options.programs]
        function = self.linker.function(self.request.kernel)
        if self.options.order != "lockstep":
            self._one_by_one(function, values, self._ordered(everyone))
            return
        try:
            self._in_chunks(function, values, everyone)
        except NoProgress as waiting:
            self._after_waiting(function, values, everyone, waiting)

    def _after_waiting(
        self, function: Any, values: dict[str, Any], everyone: NDArray[np.intp], waiting: NoProgress
    ) -> None:
        """Programs waited for others that lockstep held back: undo everything, and go one at a time."""
        if len(everyone) == 1:
            raise waiting
        self.memory.roll_back()
        self.recorder.clear()
        self.printer.clear()
        self.mode = f"one by one: {waiting}"
        self._one_by_one(function, values, everyone)

    def _ordered(self, everyone: NDArray[np.intp]) -> NDArray[np.intp]:
        if self.options.order == "reverse":
            return everyone[::-1]
        if self.options.order == "shuffled":
            return np.random.default_rng(self.options.seed).permutation(everyone)
        return everyone

    def _one_by_one(self, function: Any, values: dict[str, Any], programs: NDArray[np.intp]) -> None:
        for position in range(len(programs)):
            self._go(function, values, programs[position : position + 1])

    def _in_chunks(self, function: Any, values: dict[str, Any], everyone: NDArray[np.intp]) -> None:
        """As many programs at once as memory allows; the size is found by trying."""
        size, begin = max(1, len(everyone)), 0
        while begin < len(everyone):
            mark = self.recorder.mark()
            self.run_state.writes_before = self.control.writes
            try:
                self._go(function, values, everyone[begin : begin + size])
            except GridTooWide as wide:
                self.recorder.back_to(mark)
                size = max(1, min(size // 2, self.options.chunk_lanes // wide.lanes))
                continue
            begin += size

    def _go(self, function: Any, values: dict[str, Any], programs: NDArray[np.intp]) -> None:
        control = self.control
        control.active = programs
        control.frames.clear()
        control.iterations.clear()
        self.run_state.ids.clear()
        control.check_time()
        control.call(function, (), values)

    # ------------------------------------------------------------ what comes out

    def _kernel_error(self, cause: Exception) -> KernelError:
        place = self.locator.of_traceback(cause.__traceback__)
        if isinstance(cause, UnsupportedStatement):
            place = (cause.line, cause.column)
        line, column = place or (None, None)
        self.recorder.complete = False
        if isinstance(cause, (NoProgress, BudgetExceeded)):
            kind = "no-progress" if isinstance(cause, NoProgress) else "out-of-time"
            programs = tuple(int(one) for one in self.control.active[:16])
            self.recorder.event(kind, place or (0, 0), programs, message=str(cause))
        if not self.recorder.covered:
            self.recorder.covered = f"stopped at line {line}" if line else "did not start"
        error = KernelError(cause, line, column, self.request.kernel.fn.__name__)
        error.__cause__ = cause
        return error

    def _trace(self, milliseconds: float) -> Trace:
        recorder = self.recorder
        return Trace(
            kernel=self.request.kernel.fn.__name__,
            line=self.request.line,
            grid=self.request.grid,
            tensors=self.arguments.tensors,
            scalars=self.arguments.scalars(self.request.bound),
            sites=recorder.sites,
            accesses=recorder.accesses,
            events=recorder.events,
            mode=self.mode,
            complete=recorder.complete,
            covered=recorder.covered,
            kernel_ms=milliseconds,
        )
