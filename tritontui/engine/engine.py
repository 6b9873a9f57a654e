"""Asks the runner children for work and gets typed answers back; owns the children, their deadlines and restarts."""

from __future__ import annotations

import asyncio
import itertools
import re
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tritontui.course.model import Experiment
from tritontui.engine.child import COMMAND
from tritontui.engine.gpus import Gpu
from tritontui.engine.job import Job
from tritontui.engine.limits import LIMITS, PROBE_SECONDS, Limit
from tritontui.engine.messages import (
    ALL_STAGES,
    Broken,
    Check,
    ExperimentRequest,
    Found,
    Inspection,
    InspectRequest,
    Judge,
    Listing,
    ListingRequest,
    Lost,
    OwnRefused,
    OwnText,
    Probe,
    Probed,
    Reply,
    StageName,
    StageSkipped,
    Steps,
    StepsRequest,
    SweepKind,
    SweepRequest,
    Tile,
    TileRequest,
    TraceScript,
)
from tritontui.engine.safety import Safety
from tritontui.engine.status import EngineStatus
from tritontui.engine.sweeping import Sweeper
from tritontui.engine.worker import Worker
from tritontui.engine.workers import Workers

_GUARDS: tuple[StageName, ...] = ("trace", "legality")
"""Stages that must have gone well before a GPU sees the kernel."""
_CPU_STAGES: tuple[StageName, ...] = ("trace", "legality", "cases", "compile")
_GPU_STAGES: tuple[StageName, ...] = ("cases", "measure")


class Engine:
    """One CPU child always, one GPU child where there is a GPU; both warm.

    ``device`` is ``auto``, ``cpu`` or ``cuda:N``; ``on_status`` is called in the event loop on every change.
    Raises ValueError for another device. ``limits`` and ``command`` (what starts a child) are there for tests. All
    methods belong to one event loop.
    """

    def __init__(
        self,
        device: str = "auto",
        on_status: Callable[[EngineStatus], None] | None = None,
        *,
        limits: Mapping[StageName, Limit] = LIMITS,
        command: Sequence[str] = COMMAND,
    ) -> None:
        if re.fullmatch(r"auto|cpu|cuda:\d+", device) is None:
            raise ValueError(f"{device}: not auto, cpu or cuda:N")
        self._limits = limits
        self._workers = Workers(device, on_status, limits, command)
        self._runs = itertools.count(1)
        self._job: Job | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------ life

    @property
    def status(self) -> EngineStatus:
        """What the engine is doing now."""
        return self._workers.status

    @property
    def gpu(self) -> Gpu | None:
        """The GPU that is used; None while it is being looked for, which takes well under a second."""
        return self._workers.found

    @property
    def pids(self) -> list[int]:
        """Process ids of the children that run now, the CPU's first."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

    async def start(self) -> None:
        """Start the children and return at once; they warm up in the background."""
        await self._workers.start()

    async def close(self) -> None:
        """End the children and all they started, and every run."""
        if self._job is not None:
            self._job.end(cancelled=True)
        for task in self._tasks:
            task.cancel()
        await self._workers.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._workers.tidy()

    # ------------------------------------------------------------ work

    def judge(
        self,
        exercise: Path,
        source: str,
        filename: str,
        *,
        stages: Sequence[StageName] = ALL_STAGES,
        target: str | None = None,
        knobs: Mapping[str, int | float | str] | None = None,
        max_changed_lines: int | None = None,
    ) -> AsyncIterator[Reply]:
        """The replies of one run, from both children, ending with one Done.

        A newer run (or closing the iterator) cancels the older, whose iterator ends with ``Done(cancelled=True)``.
        Waits for children that are still starting. Lost stands for a child that died or was killed; its Finding
        comes before it in a Found. Broken means that tritontui or the machine is at fault.
        """
        request = Judge(
            run=next(self._runs),
            exercise=str(exercise),
            source=source,
            filename=filename,
            stages=list(stages),
            target=target,
            knobs=dict(knobs or {}),
            max_changed_lines=max_changed_lines,
            soft_seconds=self._soft_seconds,
        )
        return self._begin(request.run, lambda job: self._judge(job, request))

    def sweep(
        self,
        exercise: Path,
        source: str,
        filename: str,
        *,
        kind: SweepKind,
        axes: Mapping[str, Sequence[int]] | None = None,
        target: str | None = None,
    ) -> AsyncIterator[Reply]:
        """The replies of one sweep: SweepStarted, a SweepPoint for each point and device, one Done.

        ``axes`` None: those that the exercise declares. Where the text itself is at fault a Found says why nothing
        is tried; a point at which a child is lost has that as its problem, and the others go on. Cancelling as in
        ``judge``. ``engine/sweep.py`` gathers the replies.
        """
        request = SweepRequest(
            run=next(self._runs),
            exercise=str(exercise),
            source=source,
            filename=filename,
            kind=kind,
            axes={name: list(values) for name, values in (axes or {}).items()},
            target=target,
            soft_seconds=self._soft_seconds,
        )
        return self._begin(request.run, lambda job: self._sweep(job, request))

    def experiment(self, experiment: Experiment, own: Sequence[OwnText] = ()) -> AsyncIterator[Reply]:
        """The replies of one experiment: ExperimentStarted, an ExperimentPoint for each point, one Done.

        ``own``: the texts that it uses. Where one is wrong an OwnRefused says so and nothing is timed; without a GPU
        there is a StageSkipped. Cancelling as in ``judge``. ``engine/experiment.py`` gathers the replies.
        """
        request = ExperimentRequest(
            run=next(self._runs),
            experiment=str(experiment.folder),
            grid={
                entry: {axis: list(values) for axis, values in axes.items()} for entry, axes in experiment.grid.items()
            },
            own=list(own),
            soft_seconds=self._soft_seconds,
        )
        return self._begin(request.run, lambda job: self._experiment(job, request))

    def trace_script(
        self,
        path: Path,
        arguments: Sequence[str],
        cwd: Path,
        *,
        entry: str = "",
        stdin: str = "",
        output_bytes: int = 0,
    ) -> AsyncIterator[Reply]:
        """Run a script under the tracer in the CPU child; ends with Done. No deadline: close the iterator to stop.

        ``entry``, ``stdin``, ``output_bytes``: as in ``TraceScript``.
        """
        request = TraceScript(
            run=next(self._runs),
            path=str(path),
            arguments=list(arguments),
            working_directory=str(cwd),
            entry=entry,
            stdin=stdin,
            output_bytes=output_bytes,
        )
        return self._begin(
            request.run, lambda job: self._workers.cpu.run(request, job.deliver, wanted=lambda: not job.ended)
        )

    def interrupt_script(self) -> bool:
        """Ctrl-C for the script that is running, which is told how it takes that; False when none is running yet.

        Once it has ended, the run ends with ``Done(cancelled=True)``.
        """
        return any(worker.interrupt() for worker in self._workers)

    async def tile(self, request: TileRequest) -> Tile | None:
        """What the map shows; None when the traces of ``request.run`` are gone or the child died."""
        answer = await self._workers.cpu.ask(request)
        return answer if isinstance(answer, Tile) else None

    async def inspect(self, request: InspectRequest) -> Inspection | None:
        """One lane; None as in ``tile``."""
        answer = await self._workers.cpu.ask(request)
        return answer if isinstance(answer, Inspection) else None

    async def listing(self, request: ListingRequest) -> Listing | None:
        """A listing of what ``request.run`` compiled; None when that is gone, or can't be had here."""
        answer = await self._workers.cpu.ask(request)
        return answer if isinstance(answer, Listing) else None

    async def steps(self, request: StepsRequest) -> Steps | None:
        """A program's way through a launch; None as in ``tile``."""
        answer = await self._workers.cpu.ask(request)
        return answer if isinstance(answer, Steps) else None

    async def probe(self) -> list[Check]:
        """What works here, the CPU child's checks first; a child that can't start is a failed check."""
        await self._workers.searched()
        return [check for worker in self._workers for check in await self._probe(worker)]

    async def _probe(self, worker: Worker) -> list[Check]:
        answer = await worker.ask(Probe(), PROBE_SECONDS)
        if isinstance(answer, Probed):
            return answer.checks
        problem = worker.problem
        detail = "no answer" if problem is None else problem.message
        return [Check(id="runner-start", ok=False, detail=detail, params={"device": worker.device})]

    # ------------------------------------------------------------ runs

    def _begin(self, run: int, work: Callable[[Job], Coroutine[Any, Any, None]]) -> AsyncIterator[Reply]:
        if self._job is not None:
            self._cancel(self._job)
        job = self._job = Job(run, on_abandon=self._cancel)
        task = asyncio.get_running_loop().create_task(self._conduct(job, work(job)), name=f"run {run}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job.stream()

    def _cancel(self, job: Job) -> None:
        job.end(cancelled=True)
        for worker in self._workers:
            worker.cancel(job.run)

    async def _conduct(self, job: Job, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # a defect of ours: said as one, and the next run has its chance
            job.deliver(Broken(job.run, f"{type(error).__name__}: {error}", traceback.format_exc()))
        finally:
            job.end()

    async def _judge(self, job: Job, request: Judge) -> None:
        await self._workers.searched()
        safety = Safety()
        on_gpu = self._gpu_stages(request)
        await asyncio.gather(
            self._on_cpu(job, request, {*request.stages, *(_GUARDS if on_gpu else ())}, safety),
            self._on_gpu(job, request, on_gpu, safety),
        )
        if "measure" in request.stages and not on_gpu:
            job.deliver(StageSkipped(request.run, "measure", safety.objection or "no-gpu"))

    async def _sweep(self, job: Job, request: SweepRequest) -> None:
        await self._workers.searched()
        sweeper = Sweeper(request, job.deliver, wanted=lambda: not job.ended)
        gpu = self._workers.gpu
        if gpu is None:
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu"))
        await sweeper.run(self._workers.cpu, request.target or self._workers.target)
        if gpu is None or not sweeper.promising:
            return
        if await self._workers.gpu_is_usable():
            await sweeper.run(gpu, None)
        else:
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu", gpu.device))

    async def _experiment(self, job: Job, request: ExperimentRequest) -> None:
        await self._workers.searched()
        gpu = self._workers.gpu
        if gpu is None or not await self._workers.gpu_is_usable():
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu"))
            return
        wrong: list[Reply] = []

        def note(reply: Reply) -> None:
            if isinstance(reply, OwnRefused | Found | Lost | Broken):
                wrong.append(reply)
            job.deliver(reply)

        if request.own:
            here = msgspec.structs.replace(request, target=self._workers.target)
            await self._workers.cpu.run(here, note, wanted=lambda: not job.ended)
        if not wrong:
            await gpu.run(request, job.deliver, wanted=lambda: not job.ended)

    async def _on_cpu(self, job: Job, request: Judge, wanted: set[StageName], safety: Safety) -> None:
        def deliver(reply: Reply) -> None:
            safety.note(reply)
            job.deliver(reply)

        stages = [stage for stage in _CPU_STAGES if stage in wanted]
        if stages:
            target = request.target or self._workers.target
            here = msgspec.structs.replace(request, stages=stages, target=target)
            await self._workers.cpu.run(here, deliver, wanted=lambda: not job.ended)
        safety.end()

    async def _on_gpu(self, job: Job, request: Judge, stages: list[StageName], safety: Safety) -> None:
        gpu = self._workers.gpu
        if gpu is None or not stages:
            return
        refusal = await safety.decision
        if refusal is None and not await self._workers.gpu_is_usable():
            refusal = "no-gpu"
        if refusal is None:
            here = msgspec.structs.replace(request, stages=stages)
            await gpu.run(here, job.deliver, wanted=lambda: not job.ended)
            return
        for stage in stages:
            job.deliver(StageSkipped(request.run, stage, refusal, gpu.device))

    def _gpu_stages(self, request: Judge) -> list[StageName]:
        if self._workers.gpu_is_given_up:
            return []
        return [stage for stage in _GPU_STAGES if stage in request.stages]

    @property
    def _soft_seconds(self) -> dict[StageName, float]:
        """Deadlines that differ from those a child knows."""
        return {stage: limit.soft for stage, limit in self._limits.items() if limit != LIMITS[stage]}
