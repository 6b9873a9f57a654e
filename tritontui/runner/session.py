"""What lives in a runner child between requests: its device, the traces it keeps, and whether a run is still wanted."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritontui.engine.messages import GpuInfo, StageName
from tritontui.runner.lockstep.errors import Stopped
from tritontui.runner.scripts.interrupts import Interrupts

if TYPE_CHECKING:
    from tritontui.analysis.trace import Trace


class Interruption(Stopped):
    """Ends a run from outside the judge; ``serve`` answers it. Whoever catches BaseException lets these pass.

    Not an Exception, so that a learner's ``except Exception`` lets it pass too.
    """


class RunCancelled(Interruption):
    """The engine no longer wants this run."""


class DeadlinePassed(Interruption):
    """The learner's code was still running at the soft deadline of ``stage``, ``seconds`` after its start."""

    def __init__(self, line: int | None, stage: StageName, seconds: float) -> None:
        super().__init__(f"stopped after {seconds:g} s at line {line}")
        self.line = line
        self.stage: StageName = stage
        self.seconds = seconds


class LearnerExit(Interruption):
    """The learner's code asked for the end of the process, by ``call``, with exit code ``status``."""

    def __init__(self, call: str, line: int | None, status: int) -> None:
        super().__init__(f"{call} at line {line}")
        self.call = call
        self.line = line
        self.status = status


@dataclass
class Session:
    """Given to every handler of a request. Main thread only, but for ``cancelled`` and ``cancel``."""

    device: str
    """``cpu`` or ``cuda:N``."""
    target: str
    """What is compiled for, unless a request says otherwise: ``sm_90``."""
    gpu: GpuInfo | None = None
    cache: dict[Hashable, Any] = field(default_factory=dict)
    """What is worth keeping between runs (loaded exercises, the card's ceilings), under the owner's own keys."""
    interrupts: Interrupts = field(default_factory=Interrupts)

    def __post_init__(self) -> None:
        self._learner_files: set[str] = set()
        self._cancelled: set[int] = set()
        self._traces: tuple[int, Sequence[Trace]] = (0, ())
        self._lock = threading.Lock()

    # ------------------------------------------------------------ cancelling

    def cancelled(self, run: int) -> bool:
        """Whether the engine has given ``run`` up; ask at stage boundaries and between cases."""
        return run in self._cancelled

    def check_cancelled(self, run: int) -> None:
        """Raises RunCancelled when ``run`` is no longer wanted; ``serve`` answers ``Done(cancelled=True)``."""
        if self.cancelled(run):
            raise RunCancelled

    def cancel(self, run: int) -> None:
        """Called by the thread that reads requests."""
        with self._lock:
            self._cancelled.add(run)

    # ------------------------------------------------------------ learner's code

    def add_learner_file(self, path: str | Path) -> None:
        """Code whose ``co_filename`` is ``path`` is the learner's: stalls and exits are blamed on its lines."""
        self._learner_files.add(str(path))

    def is_learner_file(self, filename: str) -> bool:
        return filename in self._learner_files

    def forget_learner_files(self) -> None:
        self._learner_files.clear()

    def end_run(self, run: int) -> None:
        """``serve`` says that ``run`` is over: its files and its cancelling are forgotten, its traces are kept."""
        self.forget_learner_files()
        with self._lock:
            self._cancelled.discard(run)

    # ------------------------------------------------------------ traces

    def keep_traces(self, run: int, traces: Sequence[Trace]) -> None:
        """Keep the traces of ``run``'s launches for tile and inspect requests; those of earlier runs are dropped.

        ``traces`` may go on growing: what is there can be asked for while the run goes on, and after it was stopped.
        """
        self._traces = (run, traces)

    def traces(self, run: int) -> Sequence[Trace]:
        """The traces kept for ``run``, one a launch; empty when another run has replaced them."""
        kept, traces = self._traces
        return traces if kept == run else ()
