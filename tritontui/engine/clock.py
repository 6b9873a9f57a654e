"""Deadlines that count only the time in which this process could have noticed an answer."""

from __future__ import annotations

import time
from collections.abc import Callable

TICK_SECONDS = 0.25
"""How often a deadline is looked at."""


class AwakeClock:
    """While the interface is suspended (``$EDITOR``, Ctrl-Z) or its terminal isn't read, no tick comes or counts."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._last = now()
        self._left = 0.0

    def restart(self, seconds: float) -> None:
        """``seconds`` from now."""
        self._last = self._now()
        self._left = seconds

    def tick(self) -> bool:
        """Take off the time since the last tick, two ticks at most; True when nothing is left."""
        now = self._now()
        self._left -= min(now - self._last, 2 * TICK_SECONDS)
        self._last = now
        return self._left <= 0
