"""How long each stage may take, and how much a learner's program may print."""

from __future__ import annotations

from dataclasses import dataclass

from tritontui.engine.messages import StageName


@dataclass(frozen=True)
class Limit:
    """Seconds. At ``soft`` the child interrupts the learner's code; at ``hard`` the engine kills the child."""

    soft: float
    hard: float


LIMITS: dict[StageName, Limit] = {
    "trace": Limit(5.0, 8.0),  # a small case: milliseconds when right, so five seconds mean a loop without end
    "legality": Limit(10.0, 20.0),
    "cases": Limit(20.0, 30.0),  # every case, several seeds; a matrix product takes seconds on two cores
    "compile": Limit(30.0, 45.0),  # the compiler is C++: nothing interrupts it but the hard limit
    "measure": Limit(60.0, 90.0),
    "sweep": Limit(30.0, 60.0),  # each point: interpreted, compiled to the end, or timed
}

GPU_WAIT = Limit(600.0, 630.0)
"""From ``gpu-waiting`` on: another learner's measurement holds the GPU, and a sweep takes minutes."""

FIRST_REPLY = Limit(5.0, 8.0)
"""From the request to the first StageStarted: the submission is imported there."""

START_SECONDS = 120.0
"""Until a child says Ready: torch imports in 6 s from a cold disk, a busy NFS home takes ten times that."""

CANCEL_SECONDS = 2.0
"""A cancelled run that hasn't ended by then is killed; a fresh child takes about as long."""

KILL_SECONDS = 2.0
"""A killed process is reaped at once, unless it is stuck inside the kernel."""

QUERY_SECONDS = 10.0
"""A tile, an inspection or a listing that doesn't come."""

PROBE_SECONDS = 60.0
"""A probe tries everything out, after the run that goes on."""

OUTPUT_BYTES = 64 * 1024
"""Of one run's prints; the rest is counted and dropped."""
