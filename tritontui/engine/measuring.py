"""What an experiment and a sweep have in common: how a run that measures goes on, and how it ends."""

from __future__ import annotations

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Broken, Done, Lost, Reply, StageSkipped


class MeasuringRun:
    """Add the replies of one run as they come."""

    def __init__(self) -> None:
        self.run: int | None = None
        """Number of the run, from its first reply."""
        self.findings: list[Finding] = []
        """Of the run as a whole: why nothing was tried, ``gpu-fault``, ``no-progress``…"""
        self.unmeasured: str | None = None
        """Why there are no times: ``no-gpu``."""
        self.broken: Broken | None = None
        self.lost: Lost | None = None
        self.waiting = False
        """Another measurement has the GPU, and this one waits for it."""
        self.finished = False
        self.cancelled = False

    def add(self, reply: Reply) -> None:
        """Take one reply in. Replies of another run than the first one seen are ignored."""
        run = getattr(reply, "run", None)
        self.run = run if self.run is None else self.run
        if run != self.run:
            return
        match reply:
            case StageSkipped():
                self.unmeasured = reply.reason
            case Broken():
                self.broken = reply
            case Lost():
                self.lost = reply
            case Done():
                self.finished, self.cancelled, self.waiting = True, reply.cancelled, False
            case _:
                self._take(reply)

    def _take(self, reply: Reply) -> None:
        """What only this kind of run hears of."""
        raise NotImplementedError
