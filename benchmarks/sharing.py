"""Two learners who measure on one GPU at the same time: does each get the figures it would get alone?

Run on a machine with a GPU: ``python -m benchmarks.sharing [--device cuda:0]``. Each learner is a process that measures
the reference addition again and again; both begin together, so that they meet at the lock.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from statistics import median

import msgspec

from benchmarks import references
from tritontui.engine.messages import Judge, Measured, Reply
from tritontui.runner.judge import judge
from tritontui.runner.measuring.hardware import gpu_info
from tritontui.runner.session import Session

KERNEL = "add"
TIMES = 8
"""Measurements a learner."""


class Figures(msgspec.Struct, kw_only=True):
    """What one learner got."""

    gbps: list[float]
    waits: int
    """Measurements that had to wait for the other's."""
    disturbed: int
    """Measurements during which somebody else computed."""

    @property
    def median(self) -> float:
        return median(self.gbps)


@dataclass(frozen=True)
class Shared:
    """Alone, and two at once."""

    alone: Figures
    both: tuple[Figures, Figures]

    @property
    def worst(self) -> float:
        """The largest deviation of either from the figure alone, as a share of it."""
        return max(abs(one.median / self.alone.median - 1) for one in self.both)


def compare(device: str) -> Shared:
    """Raises RuntimeError when a learner's process fails."""
    (alone,) = _measured_by(_start(device))
    first, second = _measured_by(_start(device), _start(device))
    return Shared(alone, (first, second))


def _start(device: str) -> subprocess.Popen[str]:
    """A learner that is ready to measure."""
    command = [sys.executable, "-m", "benchmarks.sharing", "--learner", "--device", device]
    learner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert learner.stdout is not None
    if learner.stdout.readline() != "ready\n":
        raise RuntimeError("a learner's process didn't start")
    return learner


def _measured_by(*learners: subprocess.Popen[str]) -> list[Figures]:
    """Let all of them begin at the same time; what each got. Raises RuntimeError when one fails."""
    for learner in learners:
        assert learner.stdin is not None
        learner.stdin.write("go\n")
        learner.stdin.flush()
    return [_figures(learner) for learner in learners]


def _figures(learner: subprocess.Popen[str]) -> Figures:
    assert learner.stdout is not None
    line = learner.stdout.readline()
    if learner.wait() != 0:
        raise RuntimeError("a learner's process failed")
    return msgspec.json.decode(line, type=Figures)


def be_a_learner(device: str) -> None:
    """Measure TIMES times, once the line to begin has come."""
    gpu = gpu_info(device)
    session = Session(device=device, target=gpu.capability, gpu=gpu)
    _measure(session, 0)
    print("ready", flush=True)
    sys.stdin.readline()
    measured = [_measure(session, run).measurement for run in range(1, TIMES + 1)]
    remarks = [{remark.id for remark in one.remarks} for one in measured]
    figures = {
        "gbps": [one.gbps for one in measured],
        "waits": sum("gpu-waited" in said for said in remarks),
        "disturbed": sum("gpu-busy" in said for said in remarks),
    }
    print(json.dumps(figures), flush=True)


def _measure(session: Session, run: int) -> Measured:
    replies: list[Reply] = []
    request = Judge(
        run=run,
        exercise=str(references.folder(KERNEL)),
        source=references.source(KERNEL),
        filename="solution.py",
        stages=["measure"],
    )
    judge(request, replies.append, session)
    return next(reply for reply in replies if isinstance(reply, Measured))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--learner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.learner:
        be_a_learner(options.device)
        return 0
    shared = compare(options.device)
    for name, figures in (("alone", shared.alone), ("first", shared.both[0]), ("second", shared.both[1])):
        print(f"{name}: {figures.median:,.0f} GB/s, {figures.waits} of {TIMES} waited, {figures.disturbed} disturbed")
    print(f"largest deviation: {shared.worst:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
