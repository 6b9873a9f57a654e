# ruff: noqa: N803 - constexpr parameters are written in capitals
"""The lockstep interpreter against Triton's own, side by side in one run.

    python benchmarks/lockstep.py [--quick]

Ours runs with recording and guards on, in this process; Triton's runs in a child with TRITON_INTERPRET=1.
Prints milliseconds (the best of several runs) and ratios; exits 1 when a ratio is below its floor.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
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


def launches() -> dict[str, Callable[[], Any]]:
    """One launch by name; inputs are made once."""
    torch.manual_seed(0)
    a, b, c = torch.randn(256, 256), torch.randn(256, 256), torch.zeros(256, 256)
    x, o = torch.randn(512, 700), torch.zeros(512, 700)
    u, v, w = torch.randn(1 << 20), torch.randn(1 << 20), torch.zeros(1 << 20)
    q, k, values, out = (torch.randn(64 * 16, 16) for _ in range(4))
    return {
        "gemm 256³": lambda: gemm_kernel[(8, 8)](a, b, c, 256, 256, 256, BM=32, BN=32, BK=32),
        "softmax 512×700": lambda: softmax_kernel[(512,)](x, o, 700, 700, BLOCK=1024),
        "add 2²⁰": lambda: add_kernel[(1024,)](u, v, w, 1 << 20, BLOCK=1024),
        "causal attention": lambda: attention_kernel[(64,)](q, k, values, out, BLOCK=16, D=16),
        "one program": lambda: add_kernel[(1,)](u, v, w, 1024, BLOCK=1024),
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


def triton_times(rounds: int) -> dict[str, float]:
    """The same launches in Triton's interpreter, in a child of its own."""
    command = [sys.executable, __file__, "--child", str(rounds)]
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        slow = dict.fromkeys(FLOORS, arguments.child) | {"causal attention": 0, "one program": 20}
        print(json.dumps(measure(slow, nullcontext)))
        return 0
    from tritontui.runner.lockstep import tracing

    theirs = triton_times(0 if arguments.quick else 2)
    ours = measure(dict.fromkeys(FLOORS, 5) | {"one program": 50}, tracing)
    print(f"{'kernel':<18} {'Triton ms':>10} {'ours ms':>9} {'ratio':>7} {'floor':>6} {'aim':>5}")
    below = []
    for name, floor in FLOORS.items():
        ratio = theirs[name] / ours[name]
        print(f"{name:<18} {theirs[name]:>10.1f} {ours[name]:>9.2f} {ratio:>6.1f}× {floor:>5}× {AIMS[name]:>4}×")
        if ratio < floor:
            below.append(name)
    if below:
        print(f"below the floor: {', '.join(below)}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
