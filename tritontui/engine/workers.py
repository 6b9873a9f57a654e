"""The children of one engine: one on the CPU always, one on the GPU where there is a GPU; both warm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tritontui.engine.gpus import Gpu, find_gpu
from tritontui.engine.limits import Limit
from tritontui.engine.messages import StageName
from tritontui.engine.scratch import Scratch
from tritontui.engine.status import EngineStatus
from tritontui.engine.worker import Worker


class Workers:
    """``device`` is ``auto``, ``cpu`` or ``cuda:N``; ``on_status`` is called in the event loop on every change."""

    def __init__(
        self,
        device: str,
        on_status: Callable[[EngineStatus], None] | None,
        limits: Mapping[StageName, Limit],
        command: Sequence[str],
    ) -> None:
        self.status = EngineStatus("CPU")
        self.found: Gpu | None = None
        """None while a GPU is being looked for, too."""
        self.gpu: Worker | None = None
        self._cpu: Worker | None = None
        self._device = device
        self._on_status = on_status
        self._limits = limits
        self._command = command
        self._scratch: Scratch | None = None
        self._search: asyncio.Task[None] | None = None
        self._tidying: asyncio.Task[None] | None = None

    def __iter__(self) -> Iterator[Worker]:
        """Those that there are, the CPU's first."""
        return iter([worker for worker in (self._cpu, self.gpu) if worker is not None])

    @property
    def cpu(self) -> Worker:
        """Raises RuntimeError before ``start``."""
        if self._cpu is None:
            raise RuntimeError("the engine hasn't been started")
        return self._cpu

    @property
    def scratch(self) -> Path:
        """The folder of temporary files, which ends with the children. Raises RuntimeError before ``start``."""
        if self._scratch is None:
            raise RuntimeError("the engine hasn't been started")
        return self._scratch.path

    @property
    def target(self) -> str | None:
        """What the GPU's code is compiled for; None where no GPU has been found."""
        return None if self.found is None else self.found.target

    async def start(self) -> None:
        """Start the children and return at once; they warm up in the background."""
        self._scratch = Scratch()
        self._cpu = self._started("cpu")
        self._search = asyncio.create_task(self._find_gpu(), name="search for a GPU")
        self._tidying = asyncio.create_task(asyncio.to_thread(self._scratch.remove_abandoned), name="tidying")

    async def searched(self) -> None:
        """Wait until it is known whether there is a GPU."""
        if self._search is not None:
            await asyncio.shield(self._search)

    async def close(self) -> None:
        """End the children and all they started."""
        for task in filter(None, (self._search, self._tidying)):
            task.cancel()
        await asyncio.gather(*(worker.close() for worker in self))

    async def tidy(self) -> None:
        """Remove the temporary files; nothing may run any more."""
        if self._scratch is not None:
            await asyncio.to_thread(self._scratch.close)

    async def gpu_is_usable(self) -> bool:
        """Whether work may be given to the GPU's child; waits for one that is starting.

        Where a GPU was asked for, not found, one that can't start is given work all the same, and says why not.
        """
        return self.gpu is not None and (not self._may_do_without_gpu or await self.gpu.available())

    @property
    def gpu_is_given_up(self) -> bool:
        """Whether there is none, or the one that was found has been seen to fail: the CPU judges alone."""
        return self.gpu is None or (self._may_do_without_gpu and self.gpu.phase == "failed")

    @property
    def _may_do_without_gpu(self) -> bool:
        """It was found, not asked for."""
        return self._device == "auto"

    async def _find_gpu(self) -> None:
        self.found = await asyncio.to_thread(find_gpu, self._device)
        if self.found is not None:
            self.gpu = self._started(self.found.device)
            self._note_status()

    def _started(self, device: str) -> Worker:
        worker = Worker(device, self.scratch, self._note_status, limits=self._limits, command=self._command)
        worker.start()
        return worker

    def _note_status(self) -> None:
        problems = [worker.problem.message for worker in self if worker.problem is not None]
        gpu = None if self.gpu_is_given_up else self.gpu
        status = EngineStatus(
            device=self.found.name if gpu and self.found else "CPU",
            cpu=self.cpu.phase,
            gpu=gpu.phase if gpu else None,
            problem=problems[0] if problems else "",
        )
        if status != self.status:
            self.status = status
            if self._on_status is not None:
                self._on_status(status)
