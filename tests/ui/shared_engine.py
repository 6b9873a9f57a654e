"""Real engines that the tests of the interface share: a child takes seconds to start, and is made to be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from tritontui.engine.child import COMMAND
from tritontui.engine.engine import Engine
from tritontui.engine.status import EngineStatus
from tritontui.ui.shell import Shell


class SharedEngine(Engine):
    """Lent to one application after the other, which start and close it as their own; ``end`` really closes it."""

    def __init__(self, device: str, command: Sequence[str]) -> None:
        super().__init__(device, on_status=self._tell, command=command)
        self._told: Callable[[EngineStatus], None] | None = None
        self._started = False

    def lend(self, app: Shell) -> None:
        """To ``app``, until it closes it."""
        app._engine, self._told = self, lambda _status: app._engine_changed()

    async def start(self) -> None:
        """Says how the children are, as it would be said once they are up."""
        if self._started:
            self._tell(self.status)
        else:
            self._started = True
            await super().start()

    async def close(self) -> None:
        """End what the application began, and wait for it: the next one finds the child idle."""
        self._told = None
        if self._job is not None:
            self._cancel(self._job)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def end(self) -> None:
        await super().close()

    def _tell(self, status: EngineStatus) -> None:
        if self._told is not None:
            self._told(status)


_engines: dict[str, SharedEngine] = {}


def shared_engine(device: str = "cpu", command: Sequence[str] = COMMAND) -> SharedEngine:
    """That of this process's tests on ``device``; all of them run in one event loop."""
    if device not in _engines:
        _engines[device] = SharedEngine(device, command)
    return _engines[device]


async def end_shared_engines() -> None:
    while _engines:
        await _engines.popitem()[1].end()
