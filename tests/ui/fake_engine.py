"""An engine that answers as it is told: a test decides when each point of a sweep comes in, and what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    CaseDone,
    CaseResult,
    Compiled,
    CompilerReport,
    Done,
    Found,
    LaunchSummary,
    Measured,
    Measurement,
    Reply,
    SiteSummary,
    StageDone,
    StageSkipped,
    StageStarted,
    SweepKind,
    SweepPoint,
    SweepStarted,
    Traced,
    Tuned,
    TunedConfig,
    Workload,
)
from tritontui.engine.status import EngineStatus

BLOCKS, WARPS = [32, 256, 1024, 16384], [1, 2, 4, 16]
GBPS = [638, 640, 637, 317, 4317, 4325, 4331, 1966, 4289, 4300, 4303, 4180, 1053, 3900, 4265, 4266]
"""Of vector addition on an H200, by block and number of warps."""
SIZES = {10: 3.6, 14: 4.4, 18: 5.8, 20: 8.9, 22: 18.6, 24: 53.3, 26: 190.7}
"""µs by log2(n), of the same."""
WRONG = "# wrong"


def measurement(**changes: Any) -> Measurement:
    """Vector addition of 2^27 float32 on an H200."""
    known = {
        "case": "n = 2²⁷", "device": "cuda:0", "gpu": "NVIDIA H200", "median_us": 374.2, "low_us": 373.6,
        "high_us": 375.1, "ideal_bytes": 3 << 29, "gbps": 4304.0, "ceiling_gbps": 4328.0, "peak_gbps": 4814.0,
        "torch_us": 373.9, "torch_gbps": 4308.0, "tflops": 0.3587, "host_us": 14.4, "ideal_flops": 1 << 27,
        "peak_fp32_tflops": 66.9, "peak_tensor_tflops": 1070.0,
    }  # fmt: skip
    return Measurement(**{**known, **changes})


def tuned(run: int) -> Tuned:
    """Four configs: one chosen, one slower, one too large for the card, one pruned."""
    too_large = Finding(
        id="shared-memory-exceeded", severity="error", params={"required": 196_608, "limit": 166_912, "target": "sm_80"}
    )
    return Tuned(
        run=run, device="cuda:0", kernel="add_kernel", line=6, case="n = 2²⁷", key={"n": 1 << 27}, seconds=0.42,
        configs=[
            TunedConfig(values={"BLOCK": 256, "num_warps": 4}, median_us=374.2, chosen=True),
            TunedConfig(values={"BLOCK": 1024, "num_warps": 8}, median_us=381.0),
            TunedConfig(values={"BLOCK": 16384, "num_warps": 4}, problem=too_large),
            TunedConfig(values={"BLOCK": 32, "num_warps": 1}, pruned=True),
        ],
    )  # fmt: skip


def launch_plan(run: int, device: str) -> SweepStarted:
    axes = {"BLOCK": BLOCKS, "num_warps": WARPS}
    return SweepStarted(
        run=run, device=device, kind="launch", axes=axes, own={"BLOCK": 256, "num_warps": 4}, total=len(GBPS),
        fixed={"ROWS": 8192},
    )  # fmt: skip


def launch_points(run: int, device: str) -> Iterator[SweepPoint]:
    """Sixteen points, of which the CPU refuses one; without times from the CPU."""
    problem = Finding(
        id="shared-memory-exceeded", severity="error", params={"required": 300_000, "limit": 232_448, "target": "sm_90"}
    )
    for index, gbps in enumerate(GBPS):
        row, column = divmod(index, len(WARPS))
        values = {"BLOCK": BLOCKS[row], "num_warps": WARPS[column]}
        refused = index == 12
        if device == "cpu":
            yield SweepPoint(
                run=run, device=device, index=index, values=values, problem=problem if refused else None,
                registers=None if refused else 16, occupancy=None if refused else 1.0 if column else 0.5,
                occupancy_limit="blocks",
            )  # fmt: skip
        elif not refused:
            us = (3 << 29) / gbps * 1e-3
            yield SweepPoint(
                run=run, device=device, index=index, values=values, median_us=us, low_us=us * 0.998, high_us=us * 1.002,
                gbps=gbps, host_us=14.0,
            )  # fmt: skip


def size_replies(run: int) -> Iterator[Reply]:
    sizes = [1 << power for power in SIZES]
    yield SweepStarted(run=run, device="cuda:0", kind="size", axes={"n": sizes}, own={}, total=len(sizes))
    for index, (n, us) in enumerate(zip(sizes, SIZES.values(), strict=True)):
        yield SweepPoint(
            run=run, device="cuda:0", index=index, values={"n": n}, median_us=us, low_us=us, high_us=us,
            gbps=12 * n / us * 1e-3, torch_us=us * 1.08, host_us=14.4,
        )  # fmt: skip


class FakeEngine:
    """Judges every text right but those with ``WRONG``; a sweep says what is put into ``sweeping``."""

    def __init__(self, *, gpu: bool = True) -> None:
        self.status = EngineStatus("H200", "ready", "ready") if gpu else EngineStatus("CPU", "ready")
        self.measurement = measurement() if gpu else None
        self.tuned = False
        self.sweeping: asyncio.Queue[Reply | Exception] = asyncio.Queue()
        self.sweeps: list[SweepKind] = []
        self.judged = 0
        self.cancelled = 0
        self._runs = 0

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def tile(self, request: object) -> None: ...

    async def inspect(self, request: object) -> None: ...

    async def listing(self, request: object) -> None: ...

    async def steps(self, request: object) -> None: ...

    async def judge(self, exercise: Path, source: str, filename: str, **how: Any) -> AsyncIterator[Reply]:
        self._runs += 1
        self.judged += 1
        run, stages = self._runs, how["stages"]
        wrong = WRONG in source
        yield StageStarted(run, "trace")
        site = SiteSummary(
            site=0, line=12, column=4, op="store", tensor="out", dtype="float32", lane_shape=[256], programs=4,
            executions=1, lanes_on=1000, lanes_off=24, lanes_out=0, sectors=128, sectors_ideal=128,
        )  # fmt: skip
        yield Traced(
            run,
            [
                LaunchSummary(
                    launch=0, kernel="add_kernel", line=6, grid=[4], tensors=[], scalars={}, sites=[site],
                    mode="lockstep", kernel_ms=1.0, analysis_ms=1.0,
                )
            ],
            ideal_bytes=4000,
        )  # fmt: skip
        if wrong:
            yield Found(run, "trace", [Finding(id="program-id-unused", severity="error", line=7)])
        yield StageDone(run, "trace", 53.0)
        for stage in ("legality", "cases"):
            yield StageStarted(run, stage)
            if stage == "cases":
                yield CaseDone(run, "cpu", CaseResult(name="n = 1000", passed=not wrong, milliseconds=1.0), 0, 1)
            yield StageDone(run, stage, 12.0)
        yield StageStarted(run, "compile")
        yield Workload(run=run, case="n = 2²⁷", bytes=3 << 29, flops=1 << 27)
        yield Compiled(
            run,
            CompilerReport(
                kernel="add_kernel", target="sm_90", registers=16, spill_bytes=0, shared_bytes=0, num_warps=4,
                num_stages=3, occupancy=1.0, occupancy_limit="warps", widths=[], seconds=0.06, listings={},
            ),
        )  # fmt: skip
        yield StageDone(run, "compile", 61.0)
        if "measure" in stages:
            if self.measurement is None or wrong:
                yield StageSkipped(run, "measure", "failed-before" if wrong else "no-gpu")
            else:
                if self.tuned:
                    yield tuned(run)
                yield StageStarted(run, "measure", "cuda:0")
                yield Measured(run, self.measurement)
                yield StageDone(run, "measure", 300.0, "cuda:0")
        yield Done(run)

    async def sweep(self, exercise: Path, source: str, filename: str, *, kind: SweepKind) -> AsyncIterator[Reply]:
        self._runs += 1
        self.sweeps.append(kind)
        try:
            while True:
                reply = await self.sweeping.get()
                if isinstance(reply, Exception):
                    raise reply
                yield reply
                if isinstance(reply, Done):
                    return
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise

    def say(self, *replies: Reply | Exception) -> None:
        """What the sweep says next."""
        for reply in replies:
            self.sweeping.put_nowait(reply)
