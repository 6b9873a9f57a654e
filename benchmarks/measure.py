"""What this GPU does, as Markdown: its ceilings, addition by size, and the lesson's solution beside PyTorch.

Run on a machine with a GPU: ``python benchmarks/measure.py [--device cuda:0]``. Figures go to benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
import triton

from tritontui.engine.messages import Found, Judge, Measured, Measurement, Reply, StageDone
from tritontui.runner import kernels
from tritontui.runner.ceilings import Ceilings, measure_ceilings
from tritontui.runner.hardware import gpu_info, sensors
from tritontui.runner.judge import judge
from tritontui.runner.session import Session
from tritontui.runner.timing import times_of

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 1024
SIZES = tuple(1 << power for power in (10, 14, 18, 20, 22, 24, 26, 27))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU that PyTorch can use", file=sys.stderr)
        return 2
    print("\n".join(report(options.device)))
    return 0


def report(device: str) -> Iterator[str]:
    """The lines of the report, as the figures come."""
    gpu = gpu_info(device)
    session = Session(device=device, target=gpu.capability, gpu=gpu)
    card = measure_ceilings(torch.device(device))
    yield f"## {gpu.name}"
    yield ""
    yield (
        f"torch {torch.__version__}, Triton {triton.__version__}, Python {platform.python_version()}, "
        f"{gpu.capability}, {gpu.sm_count} multiprocessors, L2 {gpu.l2_bytes / 2**20:.0f} MiB, "
        f"throttled: {', '.join(sorted(sensors(device).throttled())) or 'no'}"
    )
    yield ""
    yield from ceilings_table(card, gpu.peak_gbps)
    yield ""
    yield from addition_table(torch.device(device))
    yield ""
    yield from solution_table(session)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


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
        grid = (triton.cdiv(n, BLOCK),)
        ours = _launcher(grid, x, y, out)
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


def solution_table(session: Session) -> Iterator[str]:
    """vector_add's solution, judged as the app does: whole verdict and measurement, three times."""
    folder = next((ROOT / "lessons").glob("05-*/exercises/vector_add"))
    source = (folder / "solution.py").read_text()
    function = _function(source)
    rows = []
    for run in (1, 2, 3):
        replies: list[Reply] = []
        started = time.perf_counter()
        request = Judge(
            run=run, exercise=str(folder), source=source, filename="solution.py", stages=["cases", "measure"]
        )
        judge(request, replies.append, session)
        whole = (time.perf_counter() - started) * 1e3
        measured = next((reply.measurement for reply in replies if isinstance(reply, Measured)), None)
        if measured is None:
            yield f"no measurement: {[reply for reply in replies if isinstance(reply, Found)]}"
            return
        stages = {reply.stage: reply.milliseconds for reply in replies if isinstance(reply, StageDone)}
        rows.append(_solution_row(run, measured, by_hand(function, session.device), stages["cases"], whole))
    head = [
        "run",
        "µs",
        "GB/s",
        "of the ceiling",
        "do_bench by hand µs",
        "torch GB/s",
        "cases ms",
        "verdict ms",
        "remarks",
    ]
    yield from table(head, rows)


def _solution_row(run: int, measured: Measurement, hand_us: float, cases_ms: float, whole_ms: float) -> list[str]:
    share = f"{measured.gbps / measured.ceiling_gbps:.1%}" if measured.ceiling_gbps else "-"
    return [
        str(run),
        f"{measured.median_us:,.1f}",
        f"{measured.gbps:,.0f}",
        share,
        f"{hand_us:,.1f}",
        f"{measured.torch_gbps:,.0f}" if measured.torch_gbps else "-",
        f"{cases_ms:,.0f}",
        f"{whole_ms:,.0f}",
        ", ".join(remark.id for remark in measured.remarks) or "none",
    ]


def by_hand(function: Callable[..., object], device: str) -> float:
    """µs by ``triton.testing.do_bench``, as anybody would write it."""
    from triton.testing import do_bench

    x, y = (torch.randn(1 << 27, device=device) for _ in range(2))
    return float(do_bench(lambda: function(x, y), quantiles=[0.5])) * 1e3


def _function(source: str) -> Callable[..., object]:
    """The solution imported from a file of its own: Triton reads a kernel's source from there."""
    path = Path(tempfile.mkdtemp()) / "solution_by_hand.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main())
