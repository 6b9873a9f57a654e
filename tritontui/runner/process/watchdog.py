"""Interrupts the learner's code at a stage's soft deadline, or when the run is cancelled, and says where it stood.

Python can be interrupted (a signal handler that raises, which also ends ``time.sleep``); C++ and a waiting GPU can't:
there the engine's hard deadline kills the process, and the line sampled here is all that is left to tell. C code that
never lets go of the interpreter's lock stops this thread too; then faulthandler, which needs no lock, writes the line.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

from tritontui.engine.limits import FIRST_REPLY, LIMITS
from tritontui.engine.messages import StageName, Stalled
from tritontui.runner.session import DeadlinePassed, Interruption, RunCancelled

SIGNAL = signal.SIGUSR1
_AGAIN_SECONDS = 0.25
"""Between two interruptions: a bare ``except:`` in a loop swallows the first."""

_LOCKED_SECONDS = 0.5
"""So long after a deadline the lock is taken to be held by code that never gives it."""

_dump_later = faulthandler.dump_traceback_later
_cancel_dump = faulthandler.cancel_dump_traceback_later
_monotonic = time.monotonic
_pthread_kill = signal.pthread_kill  # the learner's code may run while signal's functions are wrapped


_PATCHING = str(Path(__file__).parents[1] / "lockstep" / "language.py")
"""Where ``triton.language`` is patched and restored: torn in the middle, it would stay half of each."""


def _is_patching(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename == _PATCHING


class Watchdog:
    """One thread that watches the main thread. ``begin``, ``enter`` and ``end`` are called by the main thread."""

    def __init__(self, is_learner_file: Callable[[str], bool], send: Callable[[Stalled], None], faults: int) -> None:
        """``faults`` is the descriptor that the engine reads faulthandler's reports from."""
        self._faults = faults
        self._is_learner_file = is_learner_file
        self._send = send
        self._main = threading.main_thread().ident or 0
        self._state = threading.Condition()
        self._run: int | None = None
        self._stage: StageName = "trace"
        self._seconds = 0.0
        self._due: float | None = None
        self._soft: Mapping[StageName, float] = {}
        self._reason: Interruption | None = None
        signal.signal(SIGNAL, self._interrupt)
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    # ------------------------------------------------------------ main thread

    def begin(self, run: int, *, first: StageName, soft: Mapping[StageName, float], limited: bool = True) -> None:
        """A run starts; until its first stage does, loading the text is timed. ``limited``: it has deadlines at all."""
        signal.signal(SIGNAL, self._interrupt)  # an earlier program may have taken it
        faulthandler.enable(self._faults, all_threads=False)  # or switched this off
        self._soft = soft
        with self._state:
            self._run, self._reason = run, None
        if limited:
            self._arm(first, soft.get(first, FIRST_REPLY.soft))

    def enter(self, stage: StageName) -> None:
        """``stage`` starts: its own deadline counts from now, and a passed one of the last stage is forgotten."""
        if isinstance(self._reason, DeadlinePassed):
            self._reason = None
        self._arm(stage, self._soft.get(stage, LIMITS[stage].soft))

    def allow(self, seconds: float) -> None:
        """The stage that goes on gets ``seconds`` more from now."""
        self._arm(self._stage, seconds)

    def end(self) -> None:
        """The run is over: nothing interrupts the main thread from here on."""
        self._reason = None
        _cancel_dump()
        with self._state:
            self._run, self._due, self._reason = None, None, None

    def learner_line(self, frame: FrameType | None) -> int | None:
        """Line of the innermost frame, from ``frame`` outwards, that is the learner's code."""
        while frame is not None:
            if self._is_learner_file(frame.f_code.co_filename):
                return frame.f_lineno
            frame = frame.f_back
        return None

    def _arm(self, stage: StageName, seconds: float) -> None:
        with self._state:
            self._stage, self._seconds = stage, seconds
            self._due = _monotonic() + seconds
            self._state.notify_all()
        _dump_later(seconds + _LOCKED_SECONDS, file=self._faults)

    def _interrupt(self, _signal: int, frame: FrameType | None) -> None:
        reason = self._reason
        line = self.learner_line(frame)
        if reason is None or line is None or _is_patching(frame):
            return  # not in the learner's code: our own is never torn
        if isinstance(reason, DeadlinePassed):
            reason.line = line
        raise reason

    # ------------------------------------------------------------ other threads

    def cancel(self, run: int) -> None:
        """Interrupt ``run`` if it is the one going on."""
        with self._state:
            if self._run == run:
                self._reason = RunCancelled()
                self._due = _monotonic()
                self._state.notify_all()

    def _watch(self) -> None:
        while True:
            with self._state:
                if not self._is_due():
                    self._state.wait(self._wait_seconds())
                    continue
                stalled = self._pass_deadline()
                self._due = _monotonic() + _AGAIN_SECONDS
            if stalled is not None:
                self._send(stalled)
            _pthread_kill(self._main, SIGNAL)

    def _is_due(self) -> bool:
        return self._due is not None and _monotonic() >= self._due

    def _wait_seconds(self) -> float | None:
        return None if self._due is None else max(0.0, self._due - _monotonic())

    def _pass_deadline(self) -> Stalled | None:
        """The first time a run is late: what to tell the engine. Later, and when it is cancelled: nothing."""
        if self._reason is not None or self._run is None:
            return None
        line = self.learner_line(sys._current_frames().get(self._main))
        self._reason = DeadlinePassed(line, self._stage, self._seconds)
        return Stalled(self._run, line, self._stage)
