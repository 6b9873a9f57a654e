"""A GPU whose times are known, to judge benchmarks by: no work is done, only two clocks move, in milliseconds.

The host's clock moves with what the host does. The device works behind its back: a launch returns at once and queues
its work, which begins when what was queued before it has ended. Nothing here knows torch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

LAUNCH_MS = 0.015
"""A launch from Python costs the host about as much on an H200: lesson 2's figures."""
HOST_STEP_MS = 0.0005
"""Whatever else the host asks of the driver: recording an event, finding the queue empty."""
READ_MS = 0.0001
"""Reading a clock. Not zero, so that a loop that waits for a time gets there."""
BYTES_PER_MS = 4e9
"""4,000 GB/s."""
CACHE_BYTES = 50 * 2**20
QUEUED_LAUNCHES = 1024
"""So many may wait; the next one blocks the host until there is room."""


def undisturbed(_: int) -> float:
    """No call is disturbed."""
    return 0.0


@dataclass(frozen=True)
class Work:
    """What one function costs on the device."""

    milliseconds: float
    """With none of its data in the L2 cache."""
    warm_milliseconds: float | None = None
    """With all of them there; None: they don't fit."""
    compile_milliseconds: float = 78.0
    """Of the host, at the first call."""
    disturbance: Callable[[int], float] = undisturbed
    """Milliseconds more (or fewer) that the n-th timed call takes, n from 1."""
    noise: float = 0.01
    """The other calls differ by at most this share."""


Event = Literal["call", "work", "read", "wait", "do_bench"]


@dataclass(frozen=True)
class Moment:
    """One thing that the host did."""

    what: Event
    line: int | None
    """In the submission."""
    queued: float
    """Milliseconds of work that the device still had before it when this was done."""
    took: float = 0.0
    """A call's or a piece of work's own time on the device, a wait's on the host."""
    disturbed: bool = False
    compiled: bool = False


@dataclass
class SimulatedDevice:
    """Device and host together; ``log`` keeps what was done."""

    work: Work
    """What the function under test is."""
    busy: float = 0.0
    """Milliseconds of work that somebody else has queued before the beginning."""
    line: Callable[[], int | None] = lambda: None
    """Where in the submission something is being asked."""
    log: list[Moment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now = 5e6
        """The host's clock. It doesn't begin at zero, as no clock does."""
        self.free_at = self.now + self.busy
        self._cached = 0.0
        self._waiting: deque[float] = deque()
        self._first_read: int | None = None
        self._called = self._timed_calls = 0
        self._random = Random(0)

    # ------------------------------------------------------------ what the host does

    def call(self) -> None:
        """The function under test: it compiles at the first call, launches, and returns."""
        work, queued = self.work, self.queued
        compiled = not self._called
        if compiled:
            self.now += work.compile_milliseconds
        warm = work.milliseconds if work.warm_milliseconds is None else work.warm_milliseconds
        took = work.milliseconds + (warm - work.milliseconds) * self._cached
        took *= 1 + work.noise * self._random.uniform(-1, 1)
        self._called += 1
        self._timed_calls += self._first_read is not None
        extra = work.disturbance(self._timed_calls) if self._timed_calls else 0.0
        self._enqueue(took + extra)
        self._cached = 1.0
        self._note("call", queued, took + extra, disturbed=extra != 0, compiled=compiled)

    def touch(self, nbytes: int) -> None:
        """Some other kernel that moves so many bytes, and drives as many others out of the cache."""
        queued, took = self.queued, nbytes / BYTES_PER_MS
        self._enqueue(took)
        self._cached *= max(0.0, 1 - nbytes / CACHE_BYTES)
        self._note("work", queued, took)

    def read(self) -> float:
        """The host's clock, now."""
        self.now += READ_MS
        self._note("read", self.queued)
        return self.now

    def mark(self) -> float:
        """What an event records: when the device will have got here."""
        self.now += HOST_STEP_MS
        self._note("read", 0.0)
        return max(self.now, self.free_at)

    def wait(self, until: float | None = None) -> None:
        """The host waits for the device's clock to reach ``until``; None: until nothing is queued any more."""
        queued, before = self.queued, self.now
        self.now = max(self.now + HOST_STEP_MS, self.free_at if until is None else until)
        self._note("wait", queued, self.now - before)

    def sleep(self, milliseconds: float) -> None:
        """The host does something else."""
        self.now += milliseconds

    def note_do_bench(self) -> None:
        """Somebody asks for the measurement itself."""
        self._note("do_bench", self.queued)

    # ------------------------------------------------------------ what is known of it

    @property
    def queued(self) -> float:
        """Milliseconds until the device is idle."""
        return max(0.0, self.free_at - self.now)

    @property
    def was_called(self) -> bool:
        """Whether the function under test ever was."""
        return self._called > 0

    @property
    def timed(self) -> Sequence[Moment]:
        """All that was done from the first reading of a clock on."""
        return [] if self._first_read is None else self.log[self._first_read :]

    def _enqueue(self, milliseconds: float) -> None:
        self.now += LAUNCH_MS
        if len(self._waiting) == QUEUED_LAUNCHES:
            self.now = max(self.now, self._waiting.popleft())
        self.free_at = max(self.now, self.free_at) + milliseconds
        self._waiting.append(self.free_at)

    def _note(self, what: Event, queued: float, took: float = 0.0, **more: bool) -> None:
        if what == "read" and self._first_read is None:
            self._first_read = len(self.log)
        self.log.append(Moment(what, self.line(), queued, took, **more))
