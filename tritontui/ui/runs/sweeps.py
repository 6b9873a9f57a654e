"""Sweeps of the learner's kernel: begun once it is right, followed live, and never mistaken for those of another text.

The engine does one thing at a time: a sweep ends when the text is judged anew, and begins no sooner than the verdict.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from tritontui.ui.runs.controller import Controller, View

if TYPE_CHECKING:
    from tritontui.course.model import ExerciseFolder
    from tritontui.engine.messages import Reply, SweepKind
    from tritontui.engine.sweep import SweepResult

SHOWN_EVERY_S = 0.25
"""Points may come by the hundred: they are shown no more often."""

Refusal = Literal["no-exercise", "exploration", "sealed", "wrong"]


class Sweeping(Protocol):
    """The part of the engine that is needed here."""

    def sweep(self, exercise: Path, source: str, filename: str, *, kind: SweepKind) -> AsyncIterator[Reply]: ...


@dataclass
class Trial:
    """One sweep of one text."""

    source: str
    result: SweepResult
    running: bool = True
    stopped: bool = False
    """Before its end: by the learner, or by another text."""
    recorded_on: str = ""
    """The GPU of a course's recorded figures; empty: the learner's own."""

    def is_of(self, text: str) -> bool:
        """Whether it says something about ``text``."""
        return bool(self.recorded_on) or self.source == text


class Sweeps:
    """``changed`` is called on the event loop, at most once in ``SHOWN_EVERY_S`` while points come in."""

    def __init__(
        self,
        engine: Callable[[], Sweeping],
        controller: Controller,
        changed: Callable[[], None],
        *,
        filename: Callable[[ExerciseFolder], str],
        shown_every: float = SHOWN_EVERY_S,
    ) -> None:
        self._engine = engine
        self._controller = controller
        self._changed = changed
        self._filename = filename
        self._shown_every = shown_every
        self._trials: dict[tuple[str, SweepKind], Trial] = {}
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._running: Trial | None = None
        self.wanted: SweepKind | None = None
        """Begins as soon as the text has been judged, and is right."""
        self._wanted_for = ""
        self.refused: Refusal | None = None
        """Why the last one that was asked for didn't begin."""

    def trial(self, kind: SweepKind) -> Trial | None:
        """The last one of this exercise."""
        exercise = self._controller.view.exercise
        return self._trials.get((exercise.id, kind)) if exercise is not None else None

    @property
    def running(self) -> Trial | None:
        """The one that goes on now."""
        return self._running

    # ------------------------------------------------------------ asked for

    def start(self, kind: SweepKind) -> None:
        """Begin it; where the text isn't judged yet, once that is done."""
        self.stop()
        self.refused = self._refusal(self._controller.view)
        if self.refused is None:
            self.wanted, self._wanted_for = kind, self._controller.text
            view = self._controller.view
            if view.verdict is None and not view.running:
                self._controller.judge()
            self.follow(self._controller.view)
        self._changed()

    def stop(self) -> None:
        """End what runs; what is known of it stays."""
        self.wanted = None
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._running is not None:
            self._running.running, self._running.stopped = False, True
            self._running = None
            self._tell()

    def follow(self, view: View) -> None:
        """The controller shows another view: of another text, or of one that is judged at last."""
        if self._running is not None and not self._is_current(self._running, view):
            self.stop()
        if self._wanted_for != self._controller.text:
            self.wanted = None
        if self.refused != self._refusal(view):
            self.refused = None
        if self.wanted is None or view.running or view.verdict is None:
            return
        kind, self.wanted = self.wanted, None
        self.refused = self._refusal(view)
        if self.refused is None and view.exercise is not None:
            self._controller.hold()
            self._begin(view.exercise, kind, view.source)

    def _is_current(self, trial: Trial, view: View) -> bool:
        exercise = view.exercise
        return exercise is not None and exercise.id == trial.result.exercise and trial.is_of(self._controller.text)

    @staticmethod
    def _refusal(view: View) -> Refusal | None:
        if view.exercise is None:
            return "no-exercise"
        if not view.exercise.judged:
            return "exploration"
        if view.sealed:
            return "sealed"
        slow = view.report is not None and view.report.merely_slow
        return "wrong" if view.verdict in ("fail", "error") and not slow else None

    # ------------------------------------------------------------ one sweep

    def _begin(self, exercise: ExerciseFolder, kind: SweepKind, text: str) -> None:
        from tritontui.engine.sweep import SweepResult

        trial = self._trials[exercise.id, kind] = self._running = Trial(text, SweepResult(exercise.id))
        self._task = asyncio.create_task(self._run(trial, exercise, kind))

    async def _run(self, trial: Trial, exercise: ExerciseFolder, kind: SweepKind) -> None:
        from tritontui.engine.messages import Broken, Done

        replies = self._engine().sweep(exercise.folder, trial.source, self._filename(exercise), kind=kind)
        try:
            async for reply in replies:
                trial.result.add(reply)
                self._tell_soon()
        except Exception as error:  # a defect, ours: shown as one
            run = trial.result.run or 0
            trial.result.add(Broken(run, f"{type(error).__name__}: {error}", traceback.format_exc()))
            trial.result.add(Done(run))
        trial.running, trial.stopped = False, trial.result.cancelled
        self._task = self._running = None
        self._tell()

    def _tell_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._shown_every, self._tell)

    def _tell(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._changed()

    async def close(self) -> None:
        """End what runs and wait for it."""
        task = self._task
        self.stop()
        if self._timer is not None:
            self._timer.cancel()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
