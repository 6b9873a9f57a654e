"""Every launch of a run looked at as it ends: its findings, its figures, and experiments on it while time allows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from os import getpid
from typing import Any

import torch

from tritontui import analysis
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import LaunchSummary
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.lockstep import LaunchRecord
from tritontui.runner.tracing.adopt import adopt
from tritontui.runner.tracing.experiments import Launching, launch_experiments, tuning_experiment
from tritontui.runner.triton_compat import JITFunction

MOST_LAUNCHES = 64
"""Launches that are kept whole; of later ones, those like an earlier one are only counted."""
HOPELESS = frozenset(
    {"out-of-bounds-read", "out-of-bounds-write", "write-conflict", "read-after-write", "duplicate-indices"}
)
"""Errors that would show in every comparison, so that experiments could only repeat them."""

Told = Callable[[LaunchSummary, list[Finding]], None]


@dataclass(frozen=True)
class Token:
    """What is known when a launch begins."""

    launcher: Any
    launching: Launching | None
    """What experiments need; None: none are to be made."""


@dataclass
class Study:
    """An observer of launches (``lockstep.session.Observer``). Those of a child that was forked are its own affair."""

    file: str
    source: str
    """Text of ``file``."""
    seconds: float
    """What may still be spent on experiments, over all launches."""
    told: Told | None = None
    """Given every launch that was looked at, and what was found; what a tuner did comes with its last launch."""
    counted: Callable[[int], None] | None = None
    """Given how many launches there are, when one was only counted."""
    traces: list[Trace] = field(default_factory=list)
    launches: list[LaunchRecord] = field(default_factory=list)
    summaries: list[LaunchSummary] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)
    """Numbers of the launches that were only counted: their traces are empty."""

    def __post_init__(self) -> None:
        self._process = getpid()
        self._tried: set[tuple[Any, ...]] = set()
        self._kinds: set[tuple[Any, ...]] = set()

    def before(self, launcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Token:
        with torch._C.DisableTorchFunction():  # what a watch on the host code counts is the learner's alone
            kind = (id(launcher), *((tensor.shape, tensor.stride()) for tensor in tensors_in((args, kwargs))))
            if self.seconds <= 0 or kind in self._tried or getpid() != self._process:
                return Token(launcher, None)
            self._tried.add(kind)
            return Token(launcher, Launching.before(launcher, args, kwargs, self.file))

    def after(self, token: Token, traces: list[Trace], launches: list[LaunchRecord]) -> None:
        if not launches or getpid() != self._process:
            return
        with torch._C.DisableTorchFunction():
            if isinstance(token.launcher, JITFunction):
                self._look(token.launching, traces[-1], launches[-1])
            elif token.launching is not None:
                self._compare_configs(token.launching, launches[-1])

    def _look(self, launching: Launching | None, trace: Trace, launch: LaunchRecord) -> None:
        number = len(self.traces)
        self.traces.append(trace)
        self.launches.append(launch)
        kind = (trace.kernel, trace.line, trace.grid)
        if number >= MOST_LAUNCHES and kind in self._kinds and not trace.stopped:
            self._drop(number, trace, launch)
            return
        self._kinds.add(kind)
        began = time.perf_counter()
        adopt(trace, launch, self.file, self.source)
        found = analysis.launch_findings(trace)
        summary = analysis.summarise(trace, number)
        summary.analysis_ms = (time.perf_counter() - began) * 1e3
        code = launch.kernel.fn.__code__
        summary.file, summary.kernel_line = code.co_filename, code.co_firstlineno
        try:
            if launching is not None and trace.complete and not _hopeless(found):
                found += self._timed(lambda: list(launch_experiments(launching, trace, launch)))
        finally:  # Ctrl-C ends the experiments: what the launch did is told
            self.summaries.append(summary)
            self._say(summary, trace, found)

    def _drop(self, number: int, trace: Trace, launch: LaunchRecord) -> None:
        """Keep its place in the numbering and nothing else."""
        if self.counted is not None:
            self.counted(number + 1)
        self.dropped.add(number)
        trace.accesses.clear()
        trace.steps = None
        launch.arguments.clear()

    def _compare_configs(self, launching: Launching, launch: LaunchRecord) -> None:
        tensors = tensors_in(launch.arguments)
        found = self._timed(lambda: list(tuning_experiment(launching, tensors, launch)))
        if found:
            self._say(self.summaries[-1], self.traces[-1], found)

    def _timed(self, work: Callable[[], list[Finding]]) -> list[Finding]:
        began = time.monotonic()
        found = work()
        self.seconds -= time.monotonic() - began
        return found

    def _say(self, summary: LaunchSummary, trace: Trace, found: list[Finding]) -> None:
        for finding in found:
            place(finding, trace, self.file)
        self.findings += found
        if self.told is not None:
            self.told(summary, found)


def place(finding: Finding, trace: Trace | None, learners: str) -> None:
    """Say in which file the finding's line stands, where that isn't the learner's; None: of no launch in particular."""
    file = finding.file or (trace.file if trace is not None else None)
    finding.file = None if file == learners else file


def _hopeless(found: list[Finding]) -> bool:
    return any(finding.severity == "error" and finding.id in HOPELESS for finding in found)
