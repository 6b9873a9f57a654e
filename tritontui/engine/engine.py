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
from tritontui.engine.gpus import Gpu, find_gpu
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
from tritontui.engine.scratch import Scratch
from tritontui.engine.status import EngineStatus
from tritontui.engine.sweeping import Sweeper
from tritontui.engine.worker import Worker

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
        self._device = device
        self._on_status = on_status
        self._limits = limits
        self._command = command
        self._runs = itertools.count(1)
        self._gpu_found: Gpu | None = None
        self._cpu: Worker | None = None
        self._gpu: Worker | None = None
        self._scratch: Scratch | None = None
        self._search: asyncio.Task[None] | None = None
        self._tidying: asyncio.Task[None] | None = None
        self._job: Job | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._status = EngineStatus("CPU")

    # ------------------------------------------------------------ life

    @property
    def status(self) -> EngineStatus:
        """What the engine is doing now."""
        return self._status

    @property
    def gpu(self) -> Gpu | None:
        """The GPU that is used; None while it is being looked for, which takes well under a second."""
        return self._gpu_found

    @property
    def pids(self) -> list[int]:
        """Process ids of the children that run now, the CPU's first."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

    async def start(self) -> None:
        """Start the children and return at once; they warm up in the background."""
        self._scratch = Scratch()
        self._cpu = self._worker("cpu")
        self._cpu.start()
        self._search = asyncio.create_task(self._find_gpu(), name="search for a GPU")
        self._tidying = asyncio.create_task(asyncio.to_thread(self._scratch.remove_abandoned), name="tidying")

    async def _find_gpu(self) -> None:
        self._gpu_found = await asyncio.to_thread(find_gpu, self._device)
        if self._gpu_found is not None:
            self._gpu = self._worker(self._gpu_found.device)
            self._gpu.start()
            self._note_status()

    async def close(self) -> None:
        """End the children and all they started, and every run."""
        if self._job is not None:
            self._job.end(cancelled=True)
        for task in (*self._tasks, *filter(None, (self._search, self._tidying))):
            task.cancel()
        await asyncio.gather(*(worker.close() for worker in self._workers))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._scratch is not None:
            await asyncio.to_thread(self._scratch.close)

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
            request.run, lambda job: self._cpu_worker.run(request, job.deliver, wanted=lambda: not job.ended)
        )

    async def tile(self, request: TileRequest) -> Tile | None:
        """What the map shows; None when the traces of ``request.run`` are gone or the child died."""
        answer = await self._cpu_worker.ask(request)
        return answer if isinstance(answer, Tile) else None

    async def inspect(self, request: InspectRequest) -> Inspection | None:
        """One lane; None as in ``tile``."""
        answer = await self._cpu_worker.ask(request)
        return answer if isinstance(answer, Inspection) else None

    async def listing(self, request: ListingRequest) -> Listing | None:
        """A listing of what ``request.run`` compiled; None when that is gone, or can't be had here."""
        answer = await self._cpu_worker.ask(request)
        return answer if isinstance(answer, Listing) else None

    async def steps(self, request: StepsRequest) -> Steps | None:
        """A program's way through a launch; None as in ``tile``."""
        answer = await self._cpu_worker.ask(request)
        return answer if isinstance(answer, Steps) else None

    async def probe(self) -> list[Check]:
        """What works here, the CPU child's checks first; a child that can't start is a failed check."""
        await self._searched()
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

    async def _searched(self) -> None:
        if self._search is not None:
            await asyncio.shield(self._search)

    async def _judge(self, job: Job, request: Judge) -> None:
        await self._searched()
        safety = Safety()
        on_gpu = self._gpu_stages(request)
        await asyncio.gather(
            self._on_cpu(job, request, {*request.stages, *(_GUARDS if on_gpu else ())}, safety),
            self._on_gpu(job, request, on_gpu, safety),
        )
        if "measure" in request.stages and not on_gpu:
            job.deliver(StageSkipped(request.run, "measure", safety.objection or "no-gpu"))

    async def _sweep(self, job: Job, request: SweepRequest) -> None:
        await self._searched()
        sweeper = Sweeper(request, job.deliver, wanted=lambda: not job.ended)
        if self._gpu is None:
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu"))
        await sweeper.run(self._cpu_worker, request.target or (self._gpu_found.target if self._gpu_found else None))
        if self._gpu is None or not sweeper.promising:
            return
        if self._may_do_without_gpu and not await self._gpu.available():
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu", self._gpu.device))
        else:
            await sweeper.run(self._gpu, None)

    async def _experiment(self, job: Job, request: ExperimentRequest) -> None:
        await self._searched()
        gpu = self._gpu
        if gpu is None or (self._may_do_without_gpu and not await gpu.available()):
            job.deliver(StageSkipped(request.run, "sweep", "no-gpu"))
            return
        wrong: list[Reply] = []

        def note(reply: Reply) -> None:
            if isinstance(reply, OwnRefused | Found | Lost | Broken):
                wrong.append(reply)
            job.deliver(reply)

        if request.own:
            target = self._gpu_found.target if self._gpu_found else None
            here = msgspec.structs.replace(request, target=target)
            await self._cpu_worker.run(here, note, wanted=lambda: not job.ended)
        if not wrong:
            await gpu.run(request, job.deliver, wanted=lambda: not job.ended)

    async def _on_cpu(self, job: Job, request: Judge, wanted: set[StageName], safety: Safety) -> None:
        def deliver(reply: Reply) -> None:
            safety.note(reply)
            job.deliver(reply)

        stages = [stage for stage in _CPU_STAGES if stage in wanted]
        if stages:
            target = request.target or (self._gpu_found.target if self._gpu_found else None)
            here = msgspec.structs.replace(request, stages=stages, target=target)
            await self._cpu_worker.run(here, deliver, wanted=lambda: not job.ended)
        safety.end()

    async def _on_gpu(self, job: Job, request: Judge, stages: list[StageName], safety: Safety) -> None:
        if not stages:
            return
        assert self._gpu is not None
        refusal = await safety.decision
        if refusal is None and self._may_do_without_gpu and not await self._gpu.available():
            refusal = "no-gpu"
        if refusal is None:
            here = msgspec.structs.replace(request, stages=stages)
            await self._gpu.run(here, job.deliver, wanted=lambda: not job.ended)
            return
        for stage in stages:
            job.deliver(StageSkipped(request.run, stage, refusal, self._gpu.device))

    def _gpu_stages(self, request: Judge) -> list[StageName]:
        if self._gpu is None or (self._may_do_without_gpu and self._gpu.phase == "failed"):
            return []
        return [stage for stage in _GPU_STAGES if stage in request.stages]

    @property
    def _soft_seconds(self) -> dict[StageName, float]:
        """Deadlines that differ from those a child knows."""
        return {stage: limit.soft for stage, limit in self._limits.items() if limit != LIMITS[stage]}

    @property
    def _may_do_without_gpu(self) -> bool:
        """It was found, not asked for: when its child can't start, the CPU judges alone."""
        return self._device == "auto"

    # ------------------------------------------------------------ children

    @property
    def _cpu_worker(self) -> Worker:
        if self._cpu is None:
            raise RuntimeError("the engine hasn't been started")
        return self._cpu

    @property
    def _workers(self) -> list[Worker]:
        return [worker for worker in (self._cpu, self._gpu) if worker is not None]

    def _worker(self, device: str) -> Worker:
        assert self._scratch is not None
        return Worker(device, self._scratch.path, self._note_status, limits=self._limits, command=self._command)

    def _note_status(self) -> None:
        problems = [worker.problem.message for worker in self._workers if worker.problem is not None]
        gpu = self._gpu
        if gpu is not None and gpu.phase == "failed" and self._may_do_without_gpu:
            gpu = None
        status = EngineStatus(
            device=self._gpu_found.name if gpu and self._gpu_found else "CPU",
            cpu=self._cpu_worker.phase,
            gpu=gpu.phase if gpu else None,
            problem=problems[0] if problems else "",
        )
        if status != self._status:
            self._status = status
            if self._on_status is not None:
                self._on_status(status)
