"""One run in one child, from the request to its end: stages, deadlines, cancelling, death."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from tritontui.engine import losses
from tritontui.engine.child import Child
from tritontui.engine.clock import TICK_SECONDS, AwakeClock
from tritontui.engine.limits import CANCEL_SECONDS, FIRST_REPLY, GPU_WAIT, KILL_SECONDS, Limit
from tritontui.engine.messages import (
    Cancel,
    Done,
    Found,
    Interrupt,
    Reply,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
    Stalled,
    TraceScript,
    Work,
)

Deliver = Callable[[Reply], None]


class Note(Enum):
    """What happens to a run besides the child's replies."""

    LATE = auto()
    CANCELLED = auto()


@dataclass(frozen=True)
class Death:
    """The child is gone."""

    exit_code: int


class Follower:
    """``replace`` gives the child up and has a fresh one started; its death is then told by ``die``."""

    def __init__(
        self,
        child: Child,
        request: Work,
        deliver: Deliver,
        *,
        limits: Mapping[StageName, Limit],
        replace: Callable[[], None],
        on_stage: Callable[[StageName], None],
    ) -> None:
        self.run = request.run
        self._child = child
        self._request = request
        self._deliver = deliver
        self._limits = limits
        self._replace = replace
        self._on_stage = on_stage
        self._events: asyncio.Queue[Reply | Death | Note] = asyncio.Queue()
        self._clock = AwakeClock()
        self._stage: StageName = "trace"
        self._seconds = FIRST_REPLY.hard
        self._stalled: Stalled | None = None
        self._cancelled = False
        self._killed = False
        self._gpu_fault = False

    async def follow(self) -> None:
        """Send the request and deliver all that comes of it but Done; return when the run is over."""
        self._allow(FIRST_REPLY.hard)
        self._child.forget_stderr()
        self._child.send(self._request)
        ticker = asyncio.create_task(self._tick())
        try:
            while not self._take(await self._events.get()):
                pass
        finally:
            ticker.cancel()

    # ------------------------------------------------------------ told by the worker

    def take(self, reply: Reply) -> None:
        """A reply of this run."""
        self._events.put_nowait(reply)

    def die(self, exit_code: int) -> None:
        """The child is dead."""
        self._events.put_nowait(Death(exit_code))

    def cancel(self) -> None:
        """Ask the child to stop; it is killed if it doesn't."""
        if not self._cancelled:
            self._cancelled = True
            self._child.send(Cancel(self.run))
            self._events.put_nowait(Note.CANCELLED)

    def interrupt(self) -> bool:
        """Ctrl-C for the script that the child runs, if it does; else False."""
        if self._cancelled or not isinstance(self._request, TraceScript):
            return False
        self._child.send(Interrupt(self.run))
        return True

    # ------------------------------------------------------------ events

    def _take(self, event: Reply | Death | Note) -> bool:
        """True when the run is over."""
        match event:
            case Done():
                self._leave(tainted=event.tainted)
                return True
            case Death():
                self._tell_death(event.exit_code)
                return True
            case Note.LATE:
                return self._kill()
            case Note.CANCELLED:
                self._allow(CANCEL_SECONDS)
                return False
            case StageStarted():
                self._stage, self._stalled = event.stage, None
                self._on_stage(event.stage)
                self._allow(self._limits[event.stage].hard)
            case StageDone() | StageSkipped():
                self._allow(FIRST_REPLY.hard)
            case Stalled():
                self._stalled = event
            case Found():
                found = {finding.id for finding in event.findings}
                self._gpu_fault |= "gpu-fault" in found
                if "gpu-waiting" in found:
                    self._allow(GPU_WAIT.hard)
            case _:
                pass
        self._deliver(event)
        return False

    def _kill(self) -> bool:
        """True when even that didn't help: a process stuck in the kernel, which can't be waited for."""
        if self._killed:
            self._tell_death(None)
            return True
        self._killed = True
        self._replace()
        self._allow(KILL_SECONDS)
        return False

    def _tell_death(self, exit_code: int | None) -> None:
        if self._cancelled:
            return
        if self._killed or exit_code is None:
            words = losses.deadline_passed(self._request, self._stage, self._seconds, self._child.stderr, self._stalled)
        else:
            words = losses.died(self._request, self._stage, exit_code, self._child.stderr, self._stalled)
        for reply in words:
            self._deliver(reply)

    def _leave(self, *, tainted: bool) -> None:
        if self._gpu_fault or tainted:
            self._replace()
        if self._gpu_fault:
            self._deliver(losses.gpu_fault(self.run, self._stage))

    # ------------------------------------------------------------ time

    def _allow(self, seconds: float) -> None:
        if self._killed or self._cancelled:
            seconds = min(seconds, CANCEL_SECONDS)
        else:
            self._seconds = seconds
        limited = not isinstance(self._request, TraceScript) or self._killed or self._cancelled
        self._clock.restart(seconds if limited else float("inf"))  # a script may take as long as it likes

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self._clock.tick():
                self._events.put_nowait(Note.LATE)
