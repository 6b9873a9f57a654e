"""What this very card can do: bandwidth by read : write mix, and the time of a kernel that does nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import msgspec
import platformdirs
import torch
import triton

from tritontui.runner.measuring import kernels
from tritontui.runner.measuring.conditions import sampled
from tritontui.runner.measuring.hardware import Sensors
from tritontui.runner.measuring.timing import median_us

ELEMENT_BYTES = 4
MOST_BYTES = 3 << 29
"""Of the largest set of tensors: far over any L2, and quick."""
BLOCKS = (256, 1024, 4096)
"""A ceiling is what the best of these block sizes reaches: no single one is best on every card."""
RECIPE = 2
"""Counts the ways in which ceilings have been measured, so that figures kept by an older one are not used."""
CACHE_MULTIPLE = 8
"""A measured set is at least this many times L2, where memory allows."""
FREE_SHARE = 4
"""At most 1 / this of the free memory is taken."""


class Ceilings(msgspec.Struct, frozen=True, kw_only=True):
    """Bandwidths in GB/s (1e9 bytes a second), the empty kernel in µs."""

    copy_gbps: float
    """One byte read per byte written."""
    add_gbps: float
    """Two bytes read per byte written."""
    read_gbps: float
    fill_gbps: float
    empty_us: float

    def for_mix(self, reads_per_write: float) -> float:
        """The ceiling for a kernel that reads so many bytes per byte written: between the two nearest mixes measured.

        Interpolated over the share of bytes that are reads, in which fill is 0, copy 1/2, add 2/3 and reading alone 1.
        """
        share = 1.0 if reads_per_write == float("inf") else reads_per_write / (1.0 + reads_per_write)
        points = [(0.0, self.fill_gbps), (1 / 2, self.copy_gbps), (2 / 3, self.add_gbps), (1.0, self.read_gbps)]
        for (low, low_gbps), (high, high_gbps) in pairwise(points):
            if share <= high:
                return low_gbps + (high_gbps - low_gbps) * (share - low) / (high - low)
        return self.read_gbps


def ceilings(device: torch.device, sensors: Sensors, folder: Path | None = None) -> Ceilings:
    """This card's ceilings, from ``folder`` (the user's cache), or measured now (a second or so) and kept there."""
    path = (folder or platformdirs.user_cache_path("tritontui")) / f"ceilings-{_card(sensors)}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Ceilings)
    except (OSError, msgspec.DecodeError):
        pass
    with sampled(sensors) as condition:
        measured = measure_ceilings(device)
    if condition.undisturbed:  # what a hot or a shared card gives is no ceiling
        _keep(path, measured)
    return measured


def _card(sensors: Sensors) -> str:
    """Names the card, its driver and what the kernels were compiled by."""
    return hashlib.sha256(f"{sensors.identity()} {triton.__version__} {RECIPE}".encode()).hexdigest()[:16]


def _keep(path: Path, measured: Ceilings) -> None:
    """A cache that can't be written costs a second each time, no more."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_suffix(f".{id(measured):x}")
        fresh.write_bytes(msgspec.json.encode(measured))
        fresh.replace(path)
    except OSError:
        return


def measure_ceilings(device: torch.device) -> Ceilings:
    """Measure all of them on ``device``. Raises torch.OutOfMemoryError when not even a little memory is free."""
    # A whole number of the largest blocks: an n that 16 doesn't divide costs Triton the wide loads.
    n = max(1, working_set(device) // (3 * ELEMENT_BYTES * BLOCKS[-1])) * BLOCKS[-1]
    left, right, target = (torch.ones(n, device=device) for _ in range(3))
    sums = torch.empty(n // BLOCKS[0], device=device)

    def best_gbps(elements: int, call: Callable[[int], object]) -> float:
        quickest = min(median_us(partial(call, block)) for block in BLOCKS)
        return elements * ELEMENT_BYTES / quickest * 1e-3

    return Ceilings(
        copy_gbps=best_gbps(2 * n, lambda block: kernels.copy_kernel[(n // block,)](left, target, n, block=block)),
        add_gbps=best_gbps(3 * n, lambda block: kernels.add_kernel[(n // block,)](left, right, target, n, block=block)),
        read_gbps=best_gbps(n, lambda block: kernels.read_kernel[(n // block,)](left, sums, n, block=block)),
        fill_gbps=best_gbps(n, lambda block: kernels.fill_kernel[(n // block,)](target, n, block=block)),
        empty_us=median_us(lambda: kernels.empty_kernel[(1,)](n)),
    )


def working_set(device: torch.device) -> int:
    """Bytes worth measuring on: several times L2, within a share of the free memory, not more than is quick."""
    cache = int(getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0))
    free, _ = torch.cuda.mem_get_info(device)
    return max(1 << 20, min(max(MOST_BYTES, CACHE_MULTIPLE * cache), int(free) // FREE_SHARE))
