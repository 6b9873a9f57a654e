"""The conditions of a measurement: the GPU held for oneself, its sensors looked at meanwhile, and what they mean."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritontui.diagnosis.finding import Finding
from tritontui.runner.measuring.hardware import Sensors, others
from tritontui.runner.measuring.timing import Times

SAMPLE_SECONDS = 0.02
LOCK_SECONDS = 0.02
"""Between two looks at a lock that another process holds."""
PAUSE_SECONDS = 0.03
"""After a measurement: longer than LOCK_SECONDS, so that whoever waits comes in between two points of a sweep."""
NOISE = 0.05
"""Quantiles 0.2 and 0.8 further apart than this share of the median are said to be noisy."""
CACHE_MULTIPLE = 4
"""Data under so many times L2 is still partly there when the kernel ends: what was written needn't reach memory."""
EMPTY_MULTIPLE = 2.0
"""A kernel under so many times the empty one's time is mostly launch."""


@dataclass
class Condition:
    """What the GPU was seen in while it was measured."""

    throttled: set[str] = field(default_factory=set)
    busy: set[int] = field(default_factory=set)
    """Processes that computed on it."""
    power_capped: bool = False

    @property
    def undisturbed(self) -> bool:
        return not self.throttled and not others(self.busy)


@contextmanager
def sampled(sensors: Sensors) -> Iterator[Condition]:
    """Look at the sensors again and again until the block ends."""
    condition = Condition()
    ended = threading.Event()
    began = time.time()

    def look() -> None:
        while True:
            condition.throttled |= sensors.throttled()
            condition.power_capped |= sensors.power_capped()
            condition.busy |= sensors.busy_processes(began)
            if ended.wait(SAMPLE_SECONDS):
                return

    thread = threading.Thread(target=look, name="sensors", daemon=True)
    thread.start()
    try:
        yield condition
    finally:
        ended.set()
        thread.join()


@contextmanager
def gpu_to_oneself(
    path: Path | None, waiting: Callable[[], None], check_cancelled: Callable[[], None]
) -> Iterator[float]:
    """Hold the GPU's device node locked, so that two measurements don't share the card; gives the seconds waited.

    Ends with a pause, in which whoever waits can take it: a sweep leaves the card to others between two points. A card
    without a device node, or one that may not be opened, is used without the lock.
    """
    try:
        node = None if path is None else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        node = None
    if node is None:
        yield 0.0
        return
    started = time.monotonic()
    try:
        if not _locked(node):
            waiting()
            while not _locked(node):
                check_cancelled()
                time.sleep(LOCK_SECONDS)
            yield time.monotonic() - started
        else:
            yield 0.0
    finally:
        os.close(node)  # which ends the lock
        time.sleep(PAUSE_SECONDS)


def _locked(node: int) -> bool:
    try:
        fcntl.flock(node, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a system without such locks: waiting for one would never end
        return True
    return True


def remarks(
    times: Times,
    host_us: float,
    empty_us: float,
    moved: int,
    cache_bytes: int,
    condition: Condition,
    waited: float,
) -> list[Finding]:
    """What must be said beside the figure."""
    spread = (times.high - times.low) / times.median
    notes: Sequence[tuple[bool, str, Mapping[str, Any]]] = (
        (
            times.median < max(host_us, EMPTY_MULTIPLE * empty_us),
            "launch-bound",
            {"device_us": times.median, "host_us": host_us, "empty_us": empty_us},
        ),
        (
            0 < moved < CACHE_MULTIPLE * cache_bytes,
            "fits-in-cache",
            {"bytes": moved, "cache_bytes": cache_bytes, "whole": moved <= cache_bytes},
        ),
        (
            spread > NOISE,
            "noisy-measurement",
            {"spread_percent": 100 * spread, "low_us": times.low, "high_us": times.high},
        ),
        (others(condition.busy) > 0, "gpu-busy", {"processes": others(condition.busy)}),
        (
            bool(condition.throttled),
            "gpu-throttled",
            {"reasons": sorted(condition.throttled), "hot": "thermal" in condition.throttled},
        ),
        (condition.power_capped, "gpu-power-capped", {}),
        (waited > 0, "gpu-waited", {"seconds": round(waited, 1)}),
    )
    return [
        Finding(id=identifier, severity="note", params=dict(params)) for holds, identifier, params in notes if holds
    ]
