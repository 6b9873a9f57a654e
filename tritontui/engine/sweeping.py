"""One sweep through the children: the CPU says at which points the kernel is legal and right, the GPU times those."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from msgspec.structs import replace

from tritontui.diagnosis.finding import Finding
from tritontui.engine.follower import Deliver
from tritontui.engine.messages import (
    Broken,
    Found,
    Lost,
    Reply,
    StageSkipped,
    StageStarted,
    SweepPoint,
    SweepRequest,
    SweepStarted,
)
from tritontui.engine.worker import Worker


class Sweeper:
    """Hands out the points and goes on after one that a child didn't survive."""

    def __init__(self, request: SweepRequest, deliver: Deliver, *, wanted: Callable[[], bool]) -> None:
        self._request = request
        self._deliver = deliver
        self._wanted = wanted
        self._plan: SweepStarted | None = None
        self._good: list[int] = []
        """Points that the last device had nothing to say against."""

    @property
    def promising(self) -> bool:
        """Whether some point is worth timing."""
        return bool(self._good) and self._wanted()

    async def run(self, worker: Worker, target: str | None) -> None:
        """Try in ``worker`` all points, or those that were good where they were tried before."""
        again = self._plan is not None
        left = list(self._good)
        self._good = []
        while self._wanted():
            turn = _Turn(self._deliver)
            request = replace(self._request, target=target)
            if self._plan is not None:
                request = replace(request, axes=self._plan.axes, points=left, own=self._plan.own)
            await worker.run(request, turn.take, wanted=self._wanted)
            self._plan = self._plan or turn.plan
            if self._plan is None or turn.broken:
                return
            if not again:
                left, again = list(range(self._plan.total)), True
            left = [index for index in left if index not in turn.reported]
            self._good += [index for index, right in turn.reported.items() if right]
            if not left or turn.guilt is None:
                return
            index = left.pop(0)
            values = _values(self._plan, index)
            self._deliver(
                SweepPoint(run=self._request.run, device=worker.device, index=index, values=values, problem=turn.guilt)
            )
            if not left:
                return


class _Turn:
    """The replies of one request; what ended it early is kept for the point it happened at."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self.plan: SweepStarted | None = None
        self.reported: dict[int, bool] = {}
        """Points tried; True: nothing is wrong there."""
        self.guilt: Finding | None = None
        self.broken = False

    def take(self, reply: Reply) -> None:
        match reply:
            case SweepStarted():
                self.plan = reply
            case SweepPoint():
                self.reported[reply.index] = reply.problem is None
            case Found() if self.plan is not None and (errors := [f for f in reply.findings if f.severity == "error"]):
                self.guilt = self.guilt or errors[0]
                return
            case Lost() if self.plan is not None:
                return
            case Broken():
                self.broken = True
            case StageStarted() | StageSkipped():
                pass
            case _:
                pass
        self._deliver(reply)


def _values(plan: SweepStarted, index: int) -> dict[str, int]:
    """The values of point ``index``: the last axis varies fastest."""
    values = {}
    step = prod(len(axis) for axis in plan.axes.values())
    for name, axis in plan.axes.items():
        step //= len(axis)
        values[name] = axis[index // step % len(axis)]
    return values
