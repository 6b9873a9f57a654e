"""``tracing``: while it is active, every launch of a Triton kernel runs in lockstep on the CPU and leaves a trace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock, get_ident
from types import FrameType
from typing import Any, Protocol

import triton

from tritontui.analysis.trace import Trace
from tritontui.runner.lockstep.autotune import Choice, run_autotuned
from tritontui.runner.lockstep.errors import KernelError, StaticAssertion
from tritontui.runner.lockstep.language import language
from tritontui.runner.lockstep.launch import Launch, Request, checked_grid
from tritontui.runner.lockstep.launched import Launched
from tritontui.runner.lockstep.options import TraceOptions
from tritontui.runner.lockstep.shadows import Shadows
from tritontui.runner.triton_compat import (
    Autotuner,
    CompiledKernel,
    JITFunction,
    compiled_launch,
    interpreted_process,
    launch_options,
)

_NOT_THE_LEARNERS = (str(Path(triton.__file__).parent), str(Path(__file__).parent))


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
    tuner: Any = None
    """The ``Autotuner`` that chose the config, if one did."""
    error: KernelError | None = None
    """What stopped the kernel."""


class Observer(Protocol):
    """Who wants to know of every launch while it happens. A tuner's launches are observed one by one and as a whole."""

    def before(self, launcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``launcher.run(*args, **kwargs)`` is about to happen; the answer is handed to ``after``."""
        ...

    def after(self, token: Any, traces: list[Trace], launches: list[LaunchRecord]) -> None:
        """It has happened, with these launches; the last one may have failed."""
        ...


@dataclass
class Session:
    """What the launches of one ``tracing`` block left behind, in order; ``traces[i]`` belongs to ``launches[i]``."""

    options: TraceOptions
    file: str | None
    """The learner's file: lines are counted in it. None: the file of each launched kernel."""
    traces: list[Trace] = field(default_factory=list)
    launches: list[LaunchRecord] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    """One for each launch of an autotuned kernel."""
    shadows: Shadows = field(default_factory=Shadows)
    observer: Observer | None = None
    """Told of every launch."""
    tuner: Any = None
    """The ``Autotuner`` that is launching now."""
    spare: bool = False
    """As in ``autotune.Notes``."""

    def __post_init__(self) -> None:
        self._step_room = self.options.step_bytes

    def observed(self, launcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any], work: Callable[[], Any]) -> Any:
        """``work``, which launches, with the observer told before and after, also when it raises."""
        if self.observer is None:
            return work()
        token, first = self.observer.before(launcher, args, kwargs), len(self.traces)
        try:
            return work()
        finally:
            self.observer.after(token, self.traces[first:], self.launches[first:])

    def run(self, kernel: Any, args: tuple[Any, ...], grid: Any, kwargs: dict[str, Any]) -> Launched:
        """Run one launch of a ``JITFunction``. Raises as ``tracing`` says."""
        line, file = self._place_of_launch(kernel.fn.__code__.co_filename)
        bound, options = _bound(kernel, args, kwargs)
        for hook in kernel.pre_run_hooks:
            hook(*args, **kwargs)
        sizes = checked_grid(grid, bound)
        request = Request(kernel, bound, sizes, options, line, file)
        with self.shadows.paused():
            launch = Launch(request, language(), self.options, self.shadows, self.file, self._step_room // 2)
            trace, error = launch.run()
        if launch.control.steps is not None:
            self._step_room -= launch.control.steps.used_bytes
        stopped = error if isinstance(error, KernelError) else None
        if self.spare and stopped is not None and isinstance(stopped.cause, StaticAssertion):
            raise stopped
        record = LaunchRecord(kernel, bound, options, sizes, line, self.tuner, stopped)
        self.traces.append(trace)
        self.launches.append(record)
        if error is not None:
            raise error
        return Launched(kernel, bound, options)

    def _place_of_launch(self, kernel_file: str) -> tuple[int | None, str]:
        """Line and file: the innermost line of the learner's file, or else of the file that holds the kernel."""
        places: dict[str, int] = {}
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if self.file is None and not name.startswith(_NOT_THE_LEARNERS):
                return frame.f_lineno, name
            places.setdefault(name, frame.f_lineno)
            frame = frame.f_back
        place = next((name for name in (self.file, kernel_file) if name in places), None)
        return (None, "") if place is None else (places[place], place)


def _bound(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments by parameter name, and the launch's options. Raises ``KeyError``, ``TypeError`` as Triton would."""
    names = set(kernel.arg_names)
    known = launch_options()
    options = {}
    passed = {}
    for name, value in kwargs.items():
        if name in names:
            passed[name] = value
        elif name in known:
            options[name] = value
        else:
            raise KeyError(f"Keyword argument {name} was specified but unrecognised")
    bound = kernel.signature.bind(*args, **passed)
    bound.apply_defaults()
    return dict(bound.arguments), options


@contextmanager
def tracing(
    options: TraceOptions | None = None, *, file: str | None = None, observer: Observer | None = None
) -> Iterator[Session]:
    """Run every ``kernel[grid](...)`` in the block in lockstep on the CPU tensors passed.

    Raises, out of the launch itself: ``KernelError`` when the kernel stops (with the learner's line), ``TypeError`` or
    ``KeyError`` for arguments that Triton's launcher would refuse, ``GridAxisTooLong``, ``WrongDevice``.
    A launch that raised still leaves its partial trace (``complete`` is False).
    ``kernel.warmup`` still compiles. ``triton.language`` itself is patched only while a kernel runs.
    """
    if interpreted_process():
        raise RuntimeError("TRITON_INTERPRET is set in this process: kernels can be neither traced nor compiled in it")
    session = Session(options or TraceOptions(), file, observer=observer)
    one_at_a_time = RLock()  # the language is patched for the whole process, whichever of its threads launches
    run_jit, run_tuner, run_compiled = JITFunction.run, Autotuner.run, CompiledKernel.__getitem__
    inner, own_thread = not run_jit.__module__.startswith("triton."), get_ident()

    def is_anothers() -> bool:
        """Of blocks in one another, as experiments make them, the inner ones trace the thread that began them."""
        return inner and get_ident() != own_thread

    def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup or is_anothers():
            return run_jit(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        known = {**kwargs, "grid": grid, "warmup": False}
        with one_at_a_time:
            return session.observed(kernel, args, known, lambda: session.run(kernel, args, grid, kwargs))

    def tune(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("warmup") or is_anothers():
            return run_tuner(tuner, *args, **kwargs)
        with one_at_a_time:
            session.tuner = tuner
            try:
                work = partial(run_autotuned, tuner, args, kwargs, session.options, session)
                return session.observed(tuner, args, kwargs, work)
            finally:
                session.tuner = None

    def launcher(compiled: Any, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any, stream: Any = None) -> Any:  # noqa: ARG001
            kernel, known = compiled_launch(compiled, args)
            return run(kernel, grid=grid, warmup=False, **known)

        return launch

    JITFunction.run, Autotuner.run, CompiledKernel.__getitem__ = run, tune, launcher
    try:
        with session.shadows:
            yield session
    finally:
        JITFunction.run, Autotuner.run, CompiledKernel.__getitem__ = run_jit, run_tuner, run_compiled
