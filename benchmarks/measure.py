"""What this GPU does, as Markdown: ceilings, addition by size, reference kernels, a sweep, two learners at once.

Run on a machine with a GPU: ``python -m benchmarks.measure [--device cuda:0]``. Figures go to benchmarks/RESULTS.md.
The exit status is 1 when one of the targets (column "must") is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import triton
from triton.testing import do_bench

from benchmarks import references, sharing
from tritontui.engine.engine import Engine
from tritontui.engine.messages import Found, Judge, Measured, Measurement, Reply, StageDone
from tritontui.engine.sweep import SweepResult
from tritontui.runner.exercises import load_exercise
from tritontui.runner.judge import judge
from tritontui.runner.measuring import kernels
from tritontui.runner.measuring.ceilings import Ceilings, measure_ceilings
from tritontui.runner.measuring.hardware import driver_version, gpu_info, sensors
from tritontui.runner.measuring.large import draw
from tritontui.runner.measuring.timing import times_of
from tritontui.runner.session import Session

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 1024
SIZES = tuple(1 << power for power in (10, 14, 18, 20, 22, 24, 26, 27))
AXES = {"BLOCK": [32, 256, 1024, 48, 16384], "num_warps": [1, 4, 16, 64]}
"""Of the sweep; 48 and 64 can't be launched."""

OF_THE_COPY = 0.95
OF_ADDMM = 0.97
AS_BY_HAND = 0.02
AS_ALONE = 0.05
VERDICT_MS = 1500.0
REPEATS = 3
"""Of each reference kernel: a dense product runs at the card's power limit, where single figures vary by a percent."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU that PyTorch can use", file=sys.stderr)
        return 2
    report = Report(options.device)
    for line in report.lines():
        print(line, flush=True)
    return 1 if report.missed else 0


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


@dataclass
class Report:
    """The tables, each measured as it is asked for."""

    device: str
    missed: list[str] = field(default_factory=list)
    """Targets that weren't met."""

    def __post_init__(self) -> None:
        self.gpu = gpu_info(self.device)
        self.session = Session(device=self.device, target=self.gpu.capability, gpu=self.gpu)
        self.card = measure_ceilings(torch.device(self.device))
        self._runs = 0

    def lines(self) -> Iterator[str]:
        gpu = self.gpu
        yield f"## {gpu.name}"
        yield ""
        yield (
            f"torch {torch.__version__}, Triton {triton.__version__}, Python {platform.python_version()}, driver "
            f"{driver_version()}, {gpu.capability}, {gpu.sm_count} multiprocessors, L2 {gpu.l2_bytes / 2**20:.0f} MiB, "
            f"throttled: {', '.join(sorted(sensors(self.device).throttled())) or 'no'}"
        )
        yield ""
        yield from ceilings_table(self.card, gpu.peak_gbps)
        yield from addition_table(torch.device(self.device))
        yield from self.references_table()
        yield from self.verdict_table()
        yield from self.sharing_table()
        yield from sweep_table(self.device)

    def must(self, name: str, holds: bool) -> str:
        if not holds:
            self.missed.append(name)
        return "✓" if holds else "✗"

    # ------------------------------------------------------------ reference kernels

    def references_table(self) -> Iterator[str]:
        """Each reference kernel as the judge measures it, and as anybody would by hand."""
        rows = []
        for name in references.NAMES:
            measured, hand_us = self.middle(name)
            apart = measured.median_us / hand_us - 1
            speed, must, holds = self._speed(measured)
            by_memory = measured.tflops is None
            agrees = self.must(f"{name} as by hand", abs(apart) <= AS_BY_HAND) if by_memory else ""
            rows.append(
                [
                    f"{name}, {measured.case}",
                    f"{measured.median_us:,.1f}",
                    f"{hand_us:,.1f}",
                    f"{apart:+.1%} {agrees}",
                    speed,
                    f"{must} {self.must(name, holds)}",
                    f"{measured.torch_us or 0:,.1f}",
                    ", ".join(remark.id for remark in measured.remarks) or "none",
                ]
            )
        head = ["kernel", "µs", "`do_bench` by hand µs", "apart (2 %)", "speed", "must", "torch µs", "remarks"]
        yield from table(head, rows)

    def middle(self, name: str) -> tuple[Measurement, float]:
        """Of a few measurements the one in the middle against PyTorch, with µs by hand taken right after it."""
        found = []
        for _ in range(REPEATS):
            measured, _, _ = self.judged(references.folder(name), references.source(name))
            found.append((measured, by_hand(name, self.device)))
        found.sort(key=lambda one: (one[0].torch_us or 0.0) / one[0].median_us)
        return found[len(found) // 2]

    def _speed(self, measured: Measurement) -> tuple[str, str, bool]:
        """The figure, what it is held against, and whether it is good enough."""
        if measured.tflops is not None and measured.torch_us is not None:
            share = measured.torch_us / measured.median_us
            return f"{measured.tflops:,.0f} TFLOP/s", f"{share:.3f} of `addmm` ({OF_ADDMM})", share >= OF_ADDMM
        share = measured.gbps / self.card.copy_gbps
        return f"{measured.gbps:,.0f} GB/s", f"{share:.1%} of the copy ({OF_THE_COPY:.0%})", share >= OF_THE_COPY

    def judged(self, folder: Path, source: str) -> tuple[Measurement, float, float]:
        """The measurement of a second, warm run; ms that its cases took, and all of it. Raises RuntimeError."""
        for _ in range(2):
            self._runs += 1
            replies: list[Reply] = []
            started = time.perf_counter()
            request = Judge(
                run=self._runs,
                exercise=str(folder),
                source=source,
                filename="solution.py",
                stages=["cases", "measure"],
            )
            judge(request, replies.append, self.session)
            whole = (time.perf_counter() - started) * 1e3
        measured = next((reply.measurement for reply in replies if isinstance(reply, Measured)), None)
        if measured is None:
            raise RuntimeError([finding for reply in replies if isinstance(reply, Found) for finding in reply.findings])
        stages = {reply.stage: reply.milliseconds for reply in replies if isinstance(reply, StageDone)}
        return measured, stages["cases"], whole

    def verdict_table(self) -> Iterator[str]:
        """vector_add's solution, judged as the application does, warm."""
        folder = next((ROOT / "lessons").glob("05-*/exercises/vector_add"))
        measured, cases_ms, whole_ms = self.judged(folder, (folder / "solution.py").read_text())
        share = f"{measured.gbps / measured.ceiling_gbps:.1%}" if measured.ceiling_gbps else "-"
        row = [f"{measured.gbps:,.0f}", share, f"{cases_ms:,.0f}", f"{whole_ms:,.0f}"]
        head = [
            "vector_add, GB/s",
            "of the ceiling",
            "cases ms",
            "cases and measurement ms",
            f"must ≤ {VERDICT_MS:,.0f}",
        ]
        yield from table(head, [[*row, self.must("verdict", whole_ms <= VERDICT_MS)]])

    # ------------------------------------------------------------ sharing

    def sharing_table(self) -> Iterator[str]:
        """Two learners who measure at the same time, beside one alone."""
        shared = sharing.compare(self.device)
        rows = []
        for name, figures in (("alone", shared.alone), ("first", shared.both[0]), ("second", shared.both[1])):
            apart = figures.median / shared.alone.median - 1
            rows.append(
                [
                    name,
                    f"{figures.median:,.0f}",
                    f"{min(figures.gbps):,.0f}–{max(figures.gbps):,.0f}",
                    f"{apart:+.1%} {self.must(f'sharing: {name}', abs(apart) <= AS_ALONE)}",
                    f"{figures.waits} of {len(figures.gbps)}",
                    str(figures.disturbed),
                ]
            )
        yield from table(["learner", "GB/s", "least–most", "apart (5 %)", "waited", "disturbed"], rows)


# ---------------------------------------------------------------- this card


def ceilings_table(card: Ceilings, peak_gbps: float | None) -> Iterator[str]:
    """GB/s of our own kernels, and how much of the data sheet that is."""

    def row(name: str, gbps: float) -> list[str]:
        return [name, f"{gbps:,.0f}", "-" if peak_gbps is None else f"{gbps / peak_gbps:.1%}"]

    yield from table(
        ["ceiling", "GB/s", "of the data sheet"],
        [
            row("copy (1 : 1)", card.copy_gbps),
            row("add (2 : 1)", card.add_gbps),
            row("read", card.read_gbps),
            row("fill", card.fill_gbps),
            ["data sheet", "-" if peak_gbps is None else f"{peak_gbps:,.0f}", ""],
            ["empty kernel", f"{card.empty_us:.1f} µs", ""],
        ],
    )


def addition_table(device: torch.device) -> Iterator[str]:
    """float32 addition by size: device time, and the time of a call on the host's clock."""
    rows = []
    for n in SIZES:
        x, y, out = (torch.ones(n, device=device) for _ in range(3))
        ours = _launcher((triton.cdiv(n, BLOCK),), x, y, out)
        mine = times_of(ours).median
        theirs = times_of(_adder(x, y, out)).median
        moved = 12 * n
        rows.append(
            [
                f"2^{n.bit_length() - 1}",
                f"{mine:,.1f}",
                f"{moved / mine / 1e3:,.0f}",
                f"{theirs:,.1f}",
                f"{moved / theirs / 1e3:,.0f}",
                f"{host_clock(ours):,.1f}",
            ]
        )
    yield from table(["n", "Triton µs", "GB/s", "torch µs", "GB/s", "call on the host's clock µs"], rows)


def _launcher(grid: tuple[int], x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> Callable[[], object]:
    return lambda: kernels.add_kernel[grid](x, y, out, x.numel(), block=BLOCK)


def _adder(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> Callable[[], object]:
    return lambda: torch.add(x, y, out=out)


def host_clock(call: Callable[[], object], repeat: int = 50) -> float:
    """µs of one call and the wait for it."""
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(repeat):
        call()
        torch.cuda.synchronize()
    return (time.perf_counter() - started) / repeat * 1e6


# ---------------------------------------------------------------- by hand


def by_hand(name: str, device: str) -> float:
    """µs of a reference kernel by ``triton.testing.do_bench``, as anybody would write it."""
    exercise = load_exercise(references.folder(name), {})
    assert exercise.measure_case is not None
    arguments: list[Any] = draw(exercise, exercise.measure_case, torch.device(device))
    function = getattr(module_from(references.folder(name) / "solution.py", name), exercise.entry)
    return float(do_bench(lambda: function(*arguments), quantiles=[0.5])) * 1e3


def module_from(path: Path, name: str) -> ModuleType:
    """A file imported under another name than the judge's."""
    spec = importlib.util.spec_from_file_location(f"by_hand_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------- a sweep


def sweep_table(device: str) -> Iterator[str]:
    """The reference addition at every block and number of warps, through the engine; what can't run says why."""
    started = time.perf_counter()
    result = asyncio.run(swept(device))
    seconds = time.perf_counter() - started
    warps = AXES["num_warps"]
    known = {tuple(point.values.values()): point for point in result.points.values()}

    def cell(block: int, count: int) -> str:
        point = known[block, count]
        return point.problem.id if point.problem else f"{point.gbps:,.0f}"

    rows = [[str(block), *(cell(block, count) for count in warps)] for block in AXES["BLOCK"]]
    yield from table(["BLOCK, GB/s", *(f"num_warps {count}" for count in warps)], rows)
    best = result.best
    yield f"{len(known)} points in {seconds:.1f} s, children started; best: {best.values if best else 'none'}"


async def swept(device: str) -> SweepResult:
    result, engine = SweepResult("add"), Engine(device)
    await engine.start()
    try:
        replies = engine.sweep(
            references.folder("add"), references.source("add"), "solution.py", kind="launch", axes=AXES
        )
        async for reply in replies:
            result.add(reply)
    finally:
        await engine.close()
    return result


if __name__ == "__main__":
    sys.exit(main())
