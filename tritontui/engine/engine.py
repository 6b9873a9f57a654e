"""Asks the runner children for work and gets typed answers back; owns the children, their deadlines and restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from tritontui.engine.messages import (
    ALL_STAGES,
    Check,
    Inspection,
    InspectRequest,
    Reply,
    StageName,
    Tile,
    TileRequest,
)
from tritontui.engine.status import EngineStatus


class Engine:
    """One CPU child always, one GPU child where there is a GPU; both warm.

    ``device`` is ``auto``, ``cpu`` or ``cuda:N``; ``on_status`` is called in the event loop on every change.
    """

    def __init__(self, device: str = "auto", on_status: Callable[[EngineStatus], None] | None = None) -> None:
        raise NotImplementedError

    @property
    def status(self) -> EngineStatus:
        raise NotImplementedError

    async def start(self) -> None:
        """Start the children and return at once; they warm up behind."""
        raise NotImplementedError

    async def close(self) -> None:
        """End the children and all they started."""
        raise NotImplementedError

    def judge(
        self,
        exercise: Path,
        source: str,
        filename: str,
        *,
        stages: Sequence[StageName] = ALL_STAGES,
        target: str | None = None,
    ) -> AsyncIterator[Reply]:
        """The replies of one run, from both children, ending with one Done.

        A newer call (or closing the iterator) cancels the older, whose iterator ends with ``Done(cancelled=True)``.
        Waits for children that are still starting. Lost stands for a child that died or was killed; its Finding
        comes before it in a Found. Broken means that tritontui or the machine is at fault.
        """
        raise NotImplementedError

    async def tile(self, request: TileRequest) -> Tile | None:
        """What the map shows; None when the traces of ``request.run`` are gone or the child died."""
        raise NotImplementedError

    async def inspect(self, request: InspectRequest) -> Inspection | None:
        """One lane; None as in ``tile``."""
        raise NotImplementedError

    async def probe(self) -> list[Check]:
        """What works here, CPU child's checks first; a child that can't start is a failed check."""
        raise NotImplementedError

    def trace_script(self, path: Path, arguments: Sequence[str], cwd: Path) -> AsyncIterator[Reply]:
        """Run a script under the tracer in the CPU child; ends with Done. No deadline: close the iterator to stop."""
        raise NotImplementedError
