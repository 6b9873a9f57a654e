"""What the engine is doing, for the status line."""

from __future__ import annotations

from typing import Literal, NamedTuple

Phase = Literal["starting", "ready", "tracing", "compiling", "checking", "measuring", "restarting", "failed", "closed"]

PHASE_OF_STAGE: dict[str, Phase] = {
    "trace": "tracing",
    "legality": "compiling",
    "cases": "checking",
    "compile": "compiling",
    "measure": "measuring",
    "sweep": "measuring",
}

_LOUDEST: tuple[Phase, ...] = (
    "failed", "restarting", "measuring", "checking", "compiling", "tracing", "starting", "ready", "closed",
)  # fmt: skip


class EngineStatus(NamedTuple):
    """``phase`` names one word for the line (each Phase is an English word to translate); the rest is detail."""

    device: str
    """Short name for the learner: ``CPU``, or the GPU's (``H200``)."""
    cpu: Phase = "starting"
    gpu: Phase | None = None
    """None: no GPU child."""
    problem: str = ""
    """Why a child couldn't start, in the words of the one that failed; English, technical."""

    @property
    def phase(self) -> Phase:
        """The phase of the two children that matters most to the learner now."""
        phases = [self.cpu] if self.gpu is None else [self.cpu, self.gpu]
        return min(phases, key=_LOUDEST.index)
