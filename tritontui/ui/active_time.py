"""How long the learner really works: time counts while keys come, and up to two minutes after each."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSE_S = 120.0
"""Whoever has touched no key for longer isn't reading any more."""


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
