"""How much memory a CPU child may take, so that a learner's list without end stops itself and nothing else."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

_SHARE = 0.75
"""Of the memory that is free when the child starts."""
_KIB = 1024


def limit_memory() -> None:
    """Let allocations fail (MemoryError, with its line) before the machine is short; and let Linux end us first."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    free = available_bytes()
    if free is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (int(free * _SHARE), hard))


def available_bytes(proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What is left for new work, in this machine and in this container; None where neither says so."""
    known = [value for value in (_machine(proc), _container(proc, cgroup)) if value is not None]
    return min(known, default=None)


def _machine(proc: Path) -> int | None:
    try:
        lines = (proc / "meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * _KIB
    return None


def _container(proc: Path, cgroup: Path) -> int | None:
    """cgroup v2 only; ``max`` means no limit."""
    try:
        own = (proc / "self" / "cgroup").read_text().strip().rpartition("::")[2]
        folder = cgroup / own.lstrip("/")
        limit = (folder / "memory.max").read_text().strip()
        return None if limit == "max" else int(limit) - int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return None
