"""A runner child that is always there: started at once, kept warm, replaced when it dies, given one run at a time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from tritontui.engine.child import COMMAND, Child
from tritontui.engine.clock import TICK_SECONDS, AwakeClock
from tritontui.engine.environment import child_environment
from tritontui.engine.follower import Deliver, Follower
from tritontui.engine.limits import LIMITS, QUERY_SECONDS, START_SECONDS, Limit
from tritontui.engine.messages import (
    Broken,
    Inspection,
    InspectRequest,
    Listing,
    ListingRequest,
    Probe,
    Probed,
    Ready,
    Reply,
    StageName,
    Steps,
    StepsRequest,
    Tile,
    TileRequest,
    Unanswered,
    Work,
)
from tritontui.engine.status import PHASE_OF_STAGE, Phase

Question = TileRequest | InspectRequest | ListingRequest | StepsRequest | Probe
Answer = Tile | Inspection | Listing | Steps | Probed | Unanswered

_PROBE = 0
"""Number of the question that carries none."""

_IDLE_DEATHS = 3
"""Deaths in a row without a run to blame; then the worker gives up until it is asked for something."""


class Worker:
    """``on_change`` is called in the event loop whenever ``phase`` changes."""

    def __init__(
        self,
        device: str,
        folder: Path,
        on_change: Callable[[], None],
        *,
        limits: Mapping[StageName, Limit] = LIMITS,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.device = device
        self.phase: Phase = "starting"
        self.ready: Ready | None = None
        """What the child said of itself; None until it did."""
        self.problem: Broken | None = None
        """Why there is no child, when ``phase`` is ``failed``."""
        self._folder = folder
        self._on_change = on_change
        self._arguments = ["--device", device]
        self._limits = limits
        self._command = command
        self._child: Child | None = None
        self._follower: Follower | None = None
        self._answers: dict[int, asyncio.Future[Answer | None]] = {}
        self._numbers = itertools.count(1)
        self._idle_deaths = 0
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()
        """Set while the child is ready, or there is known to be none."""
        self._wanted = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    def start(self) -> None:
        """Begin to keep a child alive; it warms up in the background."""
        self._keeper = asyncio.create_task(self._keep_alive(), name=f"runner on {self.device}")

    async def close(self) -> None:
        """Kill the child and keep none any more."""
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        self._enter("closed")
        self._settled.set()

    # ------------------------------------------------------------ work

    async def run(self, request: Work, deliver: Deliver, *, wanted: Callable[[], bool]) -> None:
        """Hand ``request`` to the child when its turn has come, if still ``wanted``, and deliver the replies but Done.

        A child that dies or has to be killed is told by Found and Lost, one that can't be started by Broken.
        """
        async with self._turn:
            child = await self._available()
            if not wanted():
                return
            if child is None:
                problem = self.problem or Broken(0, "the runner is closed", "")
                deliver(Broken(request.run, problem.message, problem.details))
            else:
                await self._run_in(child, request, deliver)

    def cancel(self, run: int) -> None:
        """Stop ``run`` if it is the one going on."""
        if self._follower is not None and self._follower.run == run:
            self._follower.cancel()

    def interrupt(self) -> bool:
        """Ctrl-C for the script that the child runs, if it does; else False."""
        return self._follower is not None and self._follower.interrupt()

    async def ask(self, question: Question, seconds: float = QUERY_SECONDS) -> Answer | None:
        """The answer to a question, beside the runs; None when the child is gone or silent for ``seconds``."""
        child = await self._available()
        if child is None:
            return None
        number = _PROBE if isinstance(question, Probe) else next(self._numbers)
        future: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._answers[number] = future
        child.send(question if isinstance(question, Probe) else replace(question, request=number))
        try:
            answer = await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            return None
        finally:
            self._answers.pop(number, None)
        if isinstance(question, Probe) or answer is None:
            return answer
        return replace(answer, request=question.request)  # whoever asks numbers questions as they like

    async def _run_in(self, child: Child, request: Work, deliver: Deliver) -> None:
        self._follower = Follower(
            child,
            request,
            deliver,
            limits=self._limits,
            replace=self._replace_child,
            on_stage=lambda stage: self._enter(PHASE_OF_STAGE[stage]),
        )
        try:
            await self._follower.follow()
        finally:
            self._idle_deaths = 0
            self._follower = None
            if self._settled.is_set():
                self._enter("ready")

    async def available(self) -> bool:
        """Wait until the child is ready, or it is known that there will be none."""
        return await self._available() is not None

    async def _available(self) -> Child | None:
        """The child, once it is ready; None when it can't be had. A failed one is tried again when it is asked for."""
        if self.phase == "failed":
            self._settled.clear()
            self._wanted.set()
        await self._settled.wait()
        return None if self.phase in ("failed", "closed") else self._child

    # ------------------------------------------------------------ the child's life

    async def _keep_alive(self) -> None:
        while True:
            self.ready, self.problem = None, None
            exit_code = await self._live()
            self._idle_deaths += self._follower is None
            started = self.ready is not None
            self._settled.clear()
            self._tell_death(exit_code)
            if started and self._idle_deaths < _IDLE_DEATHS:
                self._enter("restarting")
                continue
            if self.problem is None:
                self.problem = _early_end(exit_code, self._child.stderr if self._child else "")
            self._enter("failed")
            self._settled.set()
            await self._wanted.wait()
            self._wanted.clear()
            self._idle_deaths = 0
            self._enter("restarting")

    async def _live(self) -> int:
        """One child from start to death; its exit code."""
        child = self._child = Child(self._arguments, self._take, folder=self._folder, command=self._command)
        try:
            await child.start(child_environment(self.device, self._folder))
        except OSError as error:
            self.problem = Broken(0, f"can't start {self._command[0]}: {error.strerror}", traceback.format_exc())
            return -1
        patience = asyncio.create_task(self._kill_unless_ready(child))
        try:
            return await child.talk()
        finally:
            patience.cancel()

    async def _kill_unless_ready(self, child: Child) -> None:
        clock = AwakeClock()
        clock.restart(START_SECONDS)
        while self.ready is None:
            await asyncio.sleep(TICK_SECONDS)
            if clock.tick():
                self.problem = Broken(0, f"the runner wasn't ready after {START_SECONDS:g} s", child.stderr)
                child.kill()
                return

    def _replace_child(self) -> None:
        """Kill it; nothing is handed to it any more, and its death brings a fresh one."""
        self._settled.clear()
        self._enter("restarting")
        if self._child is not None:
            self._child.kill()

    def _tell_death(self, exit_code: int) -> None:
        if self._follower is not None:
            self._follower.die(exit_code)
        for number in self._answers:
            self._answer(number, None)

    # ------------------------------------------------------------ replies

    def _take(self, reply: Reply) -> None:
        match reply:
            case Ready():
                self.ready = reply
                self._enter("ready")
                self._settled.set()
            case Broken(run=0):
                self.problem = reply
            case Probed():
                self._answer(_PROBE, reply)
            case Tile() | Inspection() | Listing() | Steps() | Unanswered():
                self._answer(reply.request, reply)
            case _:
                if self._follower is not None and reply.run == self._follower.run:
                    self._follower.take(reply)

    def _answer(self, number: int, answer: Answer | None) -> None:
        future = self._answers.get(number)
        if future is not None and not future.done():
            future.set_result(answer)

    def _enter(self, phase: Phase) -> None:
        if phase != self.phase and self.phase != "closed":
            self.phase = phase
            self._on_change()


def _early_end(exit_code: int, stderr: str) -> Broken:
    """The last line of a traceback is the one that says it."""
    last_line = stderr.strip().rpartition("\n")[2] or f"exit code {exit_code}"
    return Broken(0, f"the runner ended before it was ready: {last_line}", stderr)
