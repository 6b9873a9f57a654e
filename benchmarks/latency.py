"""How long a learner waits: from an edit to trace and legality, to the full verdict, and for a child to be ready.

    python benchmarks/latency.py [--edits 20] [--starts 3] [--device auto|cpu|cuda:N]

Every edit changes a line inside the kernel, so that nothing can be answered from a cache. Times are seen from the
interface's side of the pipe. Prints the machine, then median, best and worst; exits 1 when a median is over its target
(stated for two cores, without a GPU).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from tritontui.course.loader import load_course
from tritontui.course.model import ExerciseFolder
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageDone
from tritontui.engine.report import Report

START = "start, all children ready"
FIRST = "first run of a fresh child"
LEGALITY = "edit to trace and legality"
VERDICT = "edit to the CPU's verdict"
EVERYTHING = "edit to the last reply"
TARGET_MS = {LEGALITY: 150, VERDICT: 500}


@dataclass
class Waits:
    """Milliseconds, by what was waited for."""

    times: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, since: float) -> None:
        self.times.setdefault(name, []).append(1000 * (time.perf_counter() - since))

    def lines(self) -> list[str]:
        head = f"{'':32}{'median':>10}{'best':>10}{'worst':>10}{'target':>10}"
        return [head, *(self._line(name, times) for name, times in self.times.items())]

    def missed(self) -> list[str]:
        return [name for name, limit in TARGET_MS.items() if statistics.median(self.times[name]) > limit]

    def _line(self, name: str, times: list[float]) -> str:
        target = f"≤ {TARGET_MS[name]}" if name in TARGET_MS else ""
        return f"{name:32}{statistics.median(times):8.0f} ms{min(times):7.0f} ms{max(times):7.0f} ms{target:>10}"


def edited(source: str, number: int) -> str:
    """``source`` with a change inside its first kernel, and no other meaning."""
    before, decorated, after = source.partition("):\n")
    return f"{before}{decorated}    # edit {number}\n{after}"


def machine() -> str:
    """What was measured on what."""
    lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "triton", "numpy"))
    load = os.getloadavg()[0]
    return (
        f"{processor}, {len(os.sched_getaffinity(0))} cores, load {load:.1f}; "
        f"Python {platform.python_version()}, {versions}"
    )


@asynccontextmanager
async def warm_engine(device: str) -> AsyncIterator[Engine]:
    """An engine whose children are all ready."""
    settled = asyncio.Event()
    engine = Engine(device, lambda status: settled.set() if status.phase in ("ready", "failed") else None)
    try:
        await engine.start()
        await settled.wait()
        if engine.status.phase == "failed":
            raise SystemExit(engine.status.problem)
        yield engine
    finally:
        await engine.close()


async def judge(engine: Engine, exercise: ExerciseFolder, number: int, waits: Waits, *, first: bool = False) -> None:
    """One edit, judged to the end."""
    source = edited(exercise.solution.read_text(encoding="utf-8"), number)
    report = Report(exercise.id)
    begin = time.perf_counter()
    async for reply in engine.judge(exercise.folder, source, "vector_add.py"):
        report.add(reply)
        if isinstance(reply, StageDone) and reply.stage == "legality" and not first:
            waits.add(LEGALITY, begin)
        if isinstance(reply, StageDone) and reply.stage == "cases" and reply.device == "cpu" and not first:
            waits.add(VERDICT, begin)
    waits.add(FIRST if first else EVERYTHING, begin)
    if report.verdict != "pass":
        raise SystemExit(f"the solution of {exercise.id} doesn't pass: {report.verdict}, {report.findings}")


async def measure(device: str, starts: int, edits: int) -> Waits:
    """Several fresh engines, the last of which is edited at."""
    exercise = load_course().exercise("vector_add")
    waits = Waits()
    for start in range(starts):
        begin = time.perf_counter()
        async with warm_engine(device) as engine:
            waits.add(START, begin)
            await judge(engine, exercise, 0, waits, first=True)
            if start == starts - 1:
                for number in range(1, edits + 1):
                    await judge(engine, exercise, number, waits)
    return waits


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    print(machine(), flush=True)
    waits = asyncio.run(measure(options.device, options.starts, options.edits))
    print("\n".join(waits.lines()))
    for name in waits.missed():
        print(f"over its target: {name}")
    return 1 if waits.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
