"""How long the learner really works: time counts while keys come, and up to two minutes after each."""

from __future__ import annotations

import time
from collections.abc import Callable

from tritontui.course.model import Lesson, Step
from tritontui.ui.learner.ledger import Ledger

PAUSE_S = 120.0
"""Whoever has touched no key for longer isn't reading any more."""
WRITTEN_S = 30.0
"""Time that a machine that fails may take with it."""


class ActiveTime:
    """A stopwatch that runs for ``PAUSE_S`` after each key."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: float | None = None

    def take(self, *, key: bool) -> float:
        """Seconds of work since the last call; ``key``: one was pressed now, so that it runs on."""
        now = self._clock()
        seconds = 0.0 if self._last is None else min(now - self._last, PAUSE_S)
        if key:
            self._last = now
        elif self._last is not None:
            left = PAUSE_S - (now - self._last)
            self._last = None if left <= 0 else now
        return seconds


class TimeSpent:
    """Seconds of work, by lesson and step; they reach the disk twice a minute."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._active = ActiveTime()
        self._known: dict[str, dict[str, float]] = {}
        self._unwritten = 0.0
        """Seconds of this step that aren't in the progress file yet."""

    def of(self, lesson: Lesson) -> dict[str, float]:
        """By step."""
        if lesson.id not in self._known:
            self._known[lesson.id] = dict(self._ledger.read(self._ledger.progress.time_spent, {}, lesson.id))
        return self._known[lesson.id]

    def note_key(self, lesson: Lesson, step: Step) -> None:
        """The learner is there, at that step."""
        self._count(lesson, step, key=True)
        if self._unwritten >= WRITTEN_S:
            self._write(lesson, step)

    def leave(self, lesson: Lesson, step: Step) -> None:
        """The learner goes from that step."""
        self._count(lesson, step, key=False)
        if self._unwritten:
            self._write(lesson, step)

    def _count(self, lesson: Lesson, step: Step, *, key: bool) -> None:
        seconds = self._active.take(key=key)
        self._unwritten += seconds
        spent = self.of(lesson)
        spent[step.id] = spent.get(step.id, 0.0) + seconds

    def _write(self, lesson: Lesson, step: Step) -> None:
        self._ledger.write(self._ledger.progress.add_time, lesson.id, step.id, self._unwritten)
        self._unwritten = 0.0
