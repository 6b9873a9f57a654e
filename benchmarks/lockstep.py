# ruff: noqa: N803 - constexpr parameters are written in capitals
"""The lockstep interpreter against Triton's own, side by side in one run.

    python benchmarks/lockstep.py [--quick] [--viz PYTHON]

Ours runs with recording and guards on, in this process; Triton's runs in a child with TRITON_INTERPRET=1.
Prints milliseconds (the best of several runs) and ratios; exits 1 when a ratio is below its floor.

``--viz``: a Python with triton-viz, whose tracer is timed too. triton-viz 3.0 needs a Triton older than 3.9, and that
one's interpreter an older NumPy; in a virtual environment of its own:
``pip install torch triton==3.6.0 'numpy<2.4' triton-viz``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
import triton
import triton.language as tl

FLOORS = {"gemm 256³": 30, "softmax 512×700": 40, "add 2²⁰": 20, "causal attention": 20, "one program": 1}
AIMS = {"gemm 256³": 50, "softmax 512×700": 80, "add 2²⁰": 40, "causal attention": 40, "one program": 1}


@triton.jit
def gemm_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        left = tl.load(
            a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0
        )
        right = tl.load(
            b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0
        )
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def softmax_kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    values = tl.load(x + row * stride + columns, mask=mask, other=-float("inf"))
    shifted = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + columns, shifted / tl.sum(shifted, axis=0), mask=mask)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def attention_kernel(q, k, v, out, BLOCK: tl.constexpr, D: tl.constexpr):
    pid = tl.program_id(0)
    rows = pid * BLOCK + tl.arange(0, BLOCK)
    lanes = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + lanes[None, :])
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    top = tl.full((BLOCK,), -1e30, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, (pid + 1) * BLOCK, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        keys = tl.load(k + columns[:, None] * D + lanes[None, :])
        values = tl.load(v + columns[:, None] * D + lanes[None, :])
        scores = tl.dot(query, tl.trans(keys))
        scores = tl.where(rows[:, None] >= columns[None, :], scores, -1e30)
        highest = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp(scores - highest[:, None])
        scale = tl.exp(top - highest)
        total = total * scale + tl.sum(weights, axis=1)
        acc = acc * scale[:, None] + tl.dot(weights, values)
        top = highest
    tl.store(out + rows[:, None] * D + lanes[None, :], acc / total[:, None])


def launches(traced: Callable[[Any], Any] = lambda kernel: kernel) -> dict[str, Callable[[], Any]]:
    """One launch by name, of what ``traced`` makes of its kernel; inputs are made once."""
    gemm, softmax, add, attention = map(traced, (gemm_kernel, softmax_kernel, add_kernel, attention_kernel))
    torch.manual_seed(0)
    a, b, c = torch.randn(256, 256), torch.randn(256, 256), torch.zeros(256, 256)
    x, o = torch.randn(512, 700), torch.zeros(512, 700)
    u, v, w = torch.randn(1 << 20), torch.randn(1 << 20), torch.zeros(1 << 20)
    q, k, values, out = (torch.randn(64 * 16, 16) for _ in range(4))
    return {
        "gemm 256³": lambda: gemm[(8, 8)](a, b, c, 256, 256, 256, BM=32, BN=32, BK=32),
        "softmax 512×700": lambda: softmax[(512,)](x, o, 700, 700, BLOCK=1024),
        "add 2²⁰": lambda: add[(1024,)](u, v, w, 1 << 20, BLOCK=1024),
        "causal attention": lambda: attention[(64,)](q, k, values, out, BLOCK=16, D=16),
        "one program": lambda: add[(1,)](u, v, w, 1024, BLOCK=1024),
    }


def best_ms(launch: Callable[[], Any], rounds: int, around: Callable[[], AbstractContextManager[Any]]) -> float:
    """Best time of ``rounds`` launches after one that warms up, in ms."""
    times = []
    for _ in range(rounds + 1):
        with around():
            began = time.perf_counter()
            launch()
            times.append(time.perf_counter() - began)
    return min(times[1:] or times) * 1e3


def measure(rounds: dict[str, int], around: Callable[[], AbstractContextManager[Any]]) -> dict[str, float]:
    return {name: best_ms(launch, rounds[name], around) for name, launch in launches().items()}


@contextmanager
def forgetting() -> Iterator[None]:
    """What triton-viz recorded of a launch is dropped before the next."""
    import triton_viz

    triton_viz.clear()
    yield


def child(python: str, tracer: str, rounds: int) -> dict[str, Any]:
    """The same launches in Triton's interpreter, or under triton-viz's tracer, in a child of its own."""
    command = [python, __file__, "--child", tracer, str(rounds)]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def viz_times(rounds: dict[str, int]) -> dict[str, float | None]:
    """None for a launch that triton-viz can't run: 3.0 fails on ``tl.trans``."""
    import triton_viz

    times: dict[str, float | None] = {}
    for name, launch in launches(triton_viz.trace("tracer")).items():
        try:
            times[name] = best_ms(launch, rounds[name], forgetting)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            times[name] = None
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--viz", metavar="PYTHON", help="time triton-viz's tracer too, which that Python has")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        tracer, rounds = arguments.child
        slow = dict.fromkeys(FLOORS, int(rounds)) | {"causal attention": 0, "one program": 20}
        print(json.dumps(viz_times(slow) if tracer == "viz" else measure(slow, nullcontext)))
        return 0
    from tritontui.runner.lockstep import tracing

    rounds = 0 if arguments.quick else 2
    theirs = child(sys.executable, "triton", rounds)
    viz = child(arguments.viz, "viz", rounds) if arguments.viz else {}
    ours = measure(dict.fromkeys(FLOORS, 5) | {"one program": 50}, tracing)
    print(f"{'kernel':<18} {'Triton ms':>10} {'ours ms':>9} {'ratio':>7} {'floor':>6} {'aim':>5}")
    below = []
    for name, floor in FLOORS.items():
        ratio = theirs[name] / ours[name]
        print(f"{name:<18} {theirs[name]:>10.1f} {ours[name]:>9.2f} {ratio:>6.1f}× {floor:>5}× {AIMS[name]:>4}×")
        if ratio < floor:
            below.append(name)
    for name, slow in viz.items():
        told = "can't run it" if slow is None else f"{slow:.1f} ms, {slow / ours[name]:.1f}× ours"
        print(f"{name:<18} triton-viz: {told}")
    if below:
        print(f"below the floor: {', '.join(below)}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
