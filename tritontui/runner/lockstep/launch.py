"""One launch: from ``kernel[grid](...)`` to its trace."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import triton
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
    Stopped,
    UnsupportedStatement,
    kernel_error,
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
from tritontui.runner.lockstep.steps import StepRecorder
from tritontui.runner.triton_compat import constexpr_parameters

_AXIS_LIMITS = ((1 << 31) - 1, 65535, 65535)
"""CUDA's, for x, y and z."""
_TRITON = str(Path(triton.__file__).parent)
HELD_BACK = 2.0
"""Seconds of a launch's time that are kept for the chosen programs at the end of its grid."""
SAMPLE_BYTES = 64 << 20
"""Room to record those."""


@dataclass(frozen=True)
class Request:
    """A launch as the host asked for it, with its arguments bound to parameters."""

    kernel: Any
    bound: dict[str, Any]
    grid: tuple[int, ...]
    options: dict[str, Any]
    line: int | None
    file: str = ""
    """That ``line`` counts in."""


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


def corners(grid: tuple[int, int, int], first: int, total: int) -> NDArray[np.intp]:
    """Programs from ``first`` on with the first, second, middle or last position along each axis, and ``total - 1``.

    Where offsets are affine in the program's ids and masks cut at edges, the extremes of both are among them.
    """
    marks = [sorted({0, min(1, size - 1), size // 2, size - 1}) for size in grid]
    chosen = np.ravel_multi_index(np.ix_(*marks), grid).ravel()
    return np.asarray(np.union1d(chosen[(chosen >= first) & (chosen < total)], [total - 1]), np.intp)


class Launch:
    """Runs one request: all programs at once, or in chunks, or one at a time when they wait for one another."""

    def __init__(
        self,
        request: Request,
        language: Language,
        options: TraceOptions,
        shadows: Shadows,
        file: str | None,
        step_bytes: int = 0,
    ) -> None:
        self.request = request
        self.language = language
        self.options = options
        kernel = request.kernel
        self.recorder = Recorder(options.record, options.memory_bytes)
        self.locator = Locator(file)
        self.control = Control(language.semantic, options.most_seconds, options.spin_rounds)
        self.enough = time.monotonic() + options.seconds - HELD_BACK
        """From then on a launch that may be sampled begins no other chunk."""
        self.linker = Linker(self.control, self.locator, language.replacements, options.variants)
        self.control.variant = options.variant
        self.printer = Printer()
        self.can_wait = options.order == "lockstep" and may_wait(kernel)
        self.memory = Memory(self.control, self.recorder, self.locator, options, self.can_wait)
        self.arguments = Arguments(language.semantic, shadows, options.outputs)
        x, y, z = (*request.grid, 1, 1, 1)[:3]
        self.total = x * y * z
        if step_bytes:
            self.control.steps = StepRecorder(
                self.recorder, self.total, step_bytes, file or kernel.fn.__code__.co_filename, _TRITON
            )
        self.done = 0
        """Programs that have run to their end, of ``total``."""
        self.stopped = False
        """An error has ended it."""
        self.left_out = 0
        """Programs that aren't going to run, for want of time."""
        grid = (x, y, z)
        self.run_state = Run(
            control=self.control,
            memory=self.memory,
            recorder=self.recorder,
            locator=self.locator,
            printer=self.printer,
            grid=grid,
            chunk_lanes=options.chunk_lanes,
            assertions=bool(request.options.get("debug")),
            num_warps=int(request.options.get("num_warps", Run.num_warps)),
        )
        self.mode = "lockstep" if options.order == "lockstep" else f"one by one, {options.order}"

    def run(self) -> tuple[Trace, KernelError | KeyboardInterrupt | None]:
        """Run it; the trace is complete, or as far as the error, or Ctrl-C, let it come."""
        request, began = self.request, time.perf_counter()
        error: KernelError | KeyboardInterrupt | None = None
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
            except Stopped as stop:
                if self.mode == "lockstep":  # one by one, programs may wait for each other: how many ended says little
                    stop.programs = self.done, self.total
                raise
            except KeyboardInterrupt as interrupt:
                self._stopped("interrupted", interrupt, self._place(interrupt))
                error = interrupt
        self.printer.flush()
        return self._trace((time.perf_counter() - began) * 1e3), error

    # ------------------------------------------------------------ which programs, when

    def _all_programs(self, values: dict[str, Any]) -> None:
        limit, total = self.options.programs, self.total
        if limit is not None and limit < total:
            self.recorder.complete = False
            self.recorder.covered = f"programs 0 to {limit - 1} of {total}"
            total = limit
        function = self.linker.function(self.request.kernel)
        if self.options.order != "lockstep":
            self._one_by_one(function, values, self._ordered(total))
            return
        try:
            self._in_chunks(function, values, total)
        except NoProgress:
            if total == 1:
                raise
            self._after_waiting(function, values, total)

    def _after_waiting(self, function: Any, values: dict[str, Any], total: int) -> None:
        """Programs waited for others that lockstep held back: undo everything, and go one at a time."""
        self.memory.roll_back()
        self.recorder.clear()
        self.printer.clear()
        if self.control.steps is not None:
            self.control.steps.back_to((0, 0))
        self.mode = "one by one: programs wait for one another"
        self._one_by_one(function, values, range(total))

    def _ordered(self, total: int) -> Sequence[int]:
        if self.options.order == "reverse":
            return range(total - 1, -1, -1)
        if self.options.order == "shuffled":
            shuffled: list[int] = np.random.default_rng(self.options.seed).permutation(total).tolist()
            return shuffled
        return range(total)

    def _one_by_one(self, function: Any, values: dict[str, Any], programs: Sequence[int]) -> None:
        self.done = 0
        for program in programs:
            self._go(function, values, np.array([program]))
            self.done += 1

    def _in_chunks(self, function: Any, values: dict[str, Any], total: int) -> None:
        """As many programs at once as memory allows; the size is found by trying."""
        size = min(total, self.options.chunk_lanes)
        while self.done < total:
            mark, steps = self.recorder.mark(), self.control.steps
            step_mark = steps.mark() if steps is not None else (0, 0)
            self.run_state.writes_before = self.control.writes
            try:
                self._go(function, values, np.arange(self.done, min(self.done + size, total)))
            except GridTooWide as wide:
                self.recorder.back_to(mark)
                if steps is not None:
                    steps.back_to(step_mark)
                size = max(1, min(size // 2, self.options.chunk_lanes // wide.lanes))
                continue
            self.done += size
            if self.options.sampled and self.done < total and time.monotonic() > self.enough:
                self._sample(function, values, total)
                return

    def _sample(self, function: Any, values: dict[str, Any], total: int) -> None:
        """Of the programs that time doesn't reach, those at the corners, recorded whatever came before."""
        recorder = self.recorder
        chosen = corners(self.run_state.grid, self.done, total)
        self.left_out = total - self.done - len(chosen)
        recorder.keep, recorder.room = self.options.record, max(recorder.room, SAMPLE_BYTES)
        recorder.complete = False
        recorder.covered = f"programs 0 to {self.done - 1} and {len(chosen)} others of {total}"
        self._go(function, values, chosen)
        self.done += len(chosen)

    def _go(self, function: Any, values: dict[str, Any], programs: NDArray[np.intp]) -> None:
        control = self.control
        control.active = programs
        control.frames.clear()
        control.iterations.clear()
        self.run_state.ids.clear()
        if control.steps is not None:
            control.steps.begin()
        control.check_time()
        control.call(function, (), values)

    # ------------------------------------------------------------ what comes out

    def _kernel_error(self, cause: Exception) -> KernelError:
        place = self._place(cause)
        line, column = place or (None, None)
        kinds = {NoProgress: "no-progress", BudgetExceeded: "out-of-time"}
        self._stopped(kinds.get(type(cause)), cause, place)
        error = kernel_error(cause, line, column, self.request.kernel.fn.__name__)
        error.__cause__ = cause.with_traceback(self.locator.trimmed(cause.__traceback__))
        return error

    def _place(self, cause: BaseException) -> tuple[int, int] | None:
        if isinstance(cause, UnsupportedStatement):
            return cause.line, cause.column
        return self.locator.of_traceback(cause.__traceback__)

    def _stopped(self, kind: str | None, cause: BaseException, place: tuple[int, int] | None) -> None:
        """Note that it came no further; ``kind`` of the event, if that is one."""
        line, steps = place[0] if place else None, self.control.steps
        if steps is not None and line:
            steps.stopped(line, self.control.active, self.control.iterations)
        self.recorder.complete, self.stopped = False, True
        if kind is not None:
            programs = tuple(int(one) for one in self.control.active[:16])
            self.recorder.event(kind, place or (0, 0), programs, message=str(cause), done=self.done, total=self.total)
        if not self.recorder.covered:
            where = f"stopped at line {line}" if line else "stopped"
            self.recorder.covered = f"{where}, after {self.done} of {self.total} programs"

    def _trace(self, milliseconds: float) -> Trace:
        recorder = self.recorder
        return Trace(
            kernel=self.request.kernel.fn.__name__,
            line=self.request.line,
            file=self.request.kernel.fn.__code__.co_filename,
            launched_in=self.request.file,
            grid=self.request.grid,
            tensors=self.arguments.tensors,
            scalars=self.arguments.scalars(self.request.bound),
            sites=recorder.sites,
            accesses=recorder.accesses,
            events=recorder.events,
            mode=self.mode,
            complete=recorder.complete,
            covered=recorder.covered,
            left_out=self.left_out,
            stopped=self.stopped,
            recorded_to=recorder.recorded_to,
            kernel_ms=milliseconds,
            steps=self.control.steps.recording if self.control.steps is not None else None,
        )
