"""One run of the judge: a learner's text in, findings and figures out, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tritontui.engine.messages import Judge, Reply


class Conversation(Protocol):
    """What the judge needs of the child's session."""

    device: str
    """``cpu`` or ``cuda:N``."""
    target: str
    """What is compiled for when a request names no target, such as ``sm_90``."""

    def cancelled(self, run: int) -> bool:
        """Whether ``run`` was cancelled; asked at every stage boundary and between two cases."""
        ...


def judge(request: Judge, emit: Callable[[Reply], None], session: Conversation) -> None:
    """Judge ``request.source``; each stage's answers are emitted as they are ready.

    Emits StageStarted, then Found / Traced / CaseDone / Compiled / Measured, then StageDone or StageSkipped, for each
    stage of ``request.stages`` that this child's device can do, in the order trace, legality, cases, compile, measure;
    and Done (or Broken, when the exercise itself is at fault) last. Never raises for anything a learner can write.
    """
    raise NotImplementedError
