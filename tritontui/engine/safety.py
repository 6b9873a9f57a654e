"""Whether a kernel may go to the GPU: decided from what the CPU child has found so far."""

from __future__ import annotations

import asyncio
from typing import Literal

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Broken, CaseDone, Found, Lost, Reply, StageDone, StageSkipped, Traced

Refusal = Literal["not-safe", "not-legal", "failed-before", "no-gpu"]

_UNSAFE = frozenset(
    {"out-of-bounds-read", "out-of-bounds-write", "outside-view", "int32-overflow", "no-progress", "stride-ignored"}
)
"""Errors after which a GPU could be left hanging, or memory that isn't the kernel's be changed."""


class Safety:
    """Takes the replies of trace and legality; ``decision`` is set once: None lets the kernel pass."""

    def __init__(self) -> None:
        self.decision: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._unsafe = False
        self._wrong = False
        self._illegal = False
        self._traced = False

    def note(self, reply: Reply) -> None:
        """Take one reply of the CPU child in."""
        match reply:
            case Traced():
                self._traced = bool(reply.launches)
            case Found(stage="trace"):
                errors = {finding.id for finding in reply.findings if _is_error(finding)}
                self._unsafe |= bool(errors & _UNSAFE)
                self._wrong |= bool(errors)  # a larger case may go out of bounds where the small one only missed a part
            case Found(stage="legality"):
                self._illegal |= any(_is_error(finding) for finding in reply.findings)
            case CaseDone():
                self._wrong |= not reply.result.passed
            case StageDone(stage="legality"):
                self._decide()
            case StageSkipped(stage="legality", reason="no-kernel"):
                self._pass()
            case Lost() | Broken():
                self.end()
            case _:
                pass

    @property
    def objection(self) -> Refusal | None:
        """What is known by now against measuring the kernel."""
        if self._unsafe:
            return "not-safe"
        if self._illegal:
            return "not-legal"
        return "failed-before" if self._wrong else None

    def end(self) -> None:
        """The CPU child says no more: what isn't decided is refused."""
        self._refuse("failed-before")

    def _decide(self) -> None:
        objection = self.objection or (None if self._traced else "failed-before")
        if objection is None:
            self._pass()
        else:
            self._refuse(objection)

    def _pass(self) -> None:
        if not self.decision.done():
            self.decision.set_result(None)

    def _refuse(self, reason: Refusal) -> None:
        if not self.decision.done():
            self.decision.set_result(self.objection or reason)


def _is_error(finding: Finding) -> bool:
    return finding.severity == "error"
