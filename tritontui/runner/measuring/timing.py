"""Device time by Triton's own benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from triton.testing import do_bench

QUANTILES = (0.2, 0.5, 0.8)


@dataclass(frozen=True)
class Times:
    """µs: quantiles 0.2, 0.5 and 0.8."""

    low: float
    median: float
    high: float


def times_of(call: Callable[[], object], repeat_ms: int = 100) -> Times:
    """Device time of ``call`` by Triton's own benchmark, L2 flushed before each run."""
    low, median, high = do_bench(call, warmup=25, rep=repeat_ms, quantiles=QUANTILES)
    return Times(low * 1e3, median * 1e3, high * 1e3)


def median_us(call: Callable[[], object]) -> float:
    """µs."""
    return times_of(call).median
