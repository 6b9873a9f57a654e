"""Many learners at once, each solving the exercise of lesson 5 in the real application in a pseudo-terminal of its own.

    python -m benchmarks.load [--learners 16] [--device cpu|auto] [--seed 1] [--json FILE]

Every learner opens a kernel without its mask, is told that it is wrong, types the line, one character after the other,
and waits for the verdict, and on a GPU for the measurement, too; then spoils the mask, and waits for the error. Each
has a home of their own. Printed: how many verdicts were right, and how long learners waited from the last key to the
verdict; with --json, all that each learner met goes into FILE, too. Exits 1 when a verdict was wrong or never came, a
kernel was never measured on the GPU that there is, or a process was left.

Eight learners on one GPU, from the top folder of the repository, which needs no installation (this package, Textual,
pyte and the others it stands on may be found by PYTHONPATH):

    python -m benchmarks.load --learners 8 --device auto --json load.json
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.learner import FURNISHED, SOLUTION, Home, Learner, processes
from benchmarks.terminal.__main__ import machine
from tritontui.engine.gpus import Gpu, find_gpu

VERDICT_S = 120.0
"""After which a verdict is taken never to come."""
TYPE_S = 0.03
"""Between two keys, on average."""

UNDEFINED, RIGHT, OUTSIDE = "mask isn't defined", "✓ Right on every case", "1 lane of program 3 reads outside"
"""What is said of the three texts."""
EARLIER, MEASURED = "This is about an earlier text", "✓ speed"
MASK = "    mask = offs < n\n"
CTRL_O, CTRL_HOME, DOWN, END = "\x0f", "\x1b[1;5H", "\x1b[B", "\x1b[F"


@dataclass
class Visit:
    """What one learner met."""

    opened_s: float = 0.0
    waits_s: list[float] = field(default_factory=list)
    """From the last key to each verdict."""
    measured_s: float | None = None
    """From that of the right kernel to its speed; None where there is no GPU."""
    broken: list[str] = field(default_factory=list)


TEXT = SOLUTION.read_text()
ROW = TEXT[: TEXT.index(MASK)].count("\n")
"""Of the line that is missing at first."""


def arrive(folder: Path, device: str) -> Learner:
    """A learner who begins without the mask."""
    home = Home.made(folder)
    home.work.write_text(TEXT.replace(MASK, ""))
    return Learner(home, arguments=("--device", device, "--lesson", "5"))


def visit(learner: Learner, rng: random.Random, gpu: Gpu | None) -> Visit:
    """One learner, from the first frame to the key that leaves."""
    found = Visit()
    began = time.monotonic()
    with learner:
        if not learner.until(lambda: FURNISHED in learner.text and "▌vector_add.py" in learner.text, VERDICT_S):
            found.broken.append("it never opened")
            return found
        found.opened_s = time.monotonic() - began
        _judged(learner, found, UNDEFINED, "without the mask")
        learner.send(CTRL_HOME + DOWN * (ROW - 1) + END)
        for character in "\r" + MASK.strip():
            learner.send(character)
            learner.watch(rng.expovariate(1 / TYPE_S))
        _judged(learner, found, RIGHT, "the solution")
        if gpu is not None:
            _measured(learner, found)
        for character in " + 1":
            learner.send(character)
            learner.watch(rng.expovariate(1 / TYPE_S))
        _judged(learner, found, OUTSIDE, "a lane too many")
        if not learner.quit(60):
            found.broken.append("it couldn't be left")
        interface = learner.terminal.pid
        if found.broken:
            found.broken.append(learner.text)
    deadline = time.monotonic() + 30
    while (left := processes(learner.home, interface)) and time.monotonic() < deadline:
        time.sleep(0.1)
    found.broken += [f"{process.role} {process.pid} was left" for process in left]
    return found


def _judged(learner: Learner, found: Visit, verdict: str, what: str) -> None:
    """Wait for the verdict on the text as it is now: the three differ, and what is of an earlier text says so."""
    since = time.monotonic()
    if learner.until(lambda: verdict in learner.text and EARLIER not in learner.text, VERDICT_S):
        found.waits_s.append(time.monotonic() - since)
    else:
        found.broken.append(f"{what}: no {verdict!r} in {VERDICT_S:g} s")


def _measured(learner: Learner, found: Visit) -> None:
    """Wait for the speed of the kernel that was found right."""
    since = time.monotonic()
    if learner.until(lambda: MEASURED in learner.text, VERDICT_S):
        found.measured_s = time.monotonic() - since
    else:
        found.broken.append(f"the solution: no {MEASURED!r} in {VERDICT_S:g} s")


def table(visits: Sequence[Visit], seconds: float) -> Iterator[str]:
    """Rows of Markdown."""
    waits = sorted(wait for found in visits for wait in found.waits_s)
    opened = [found.opened_s for found in visits if found.opened_s]
    measured = [found.measured_s for found in visits if found.measured_s is not None]
    columns = "open, median", "verdict, median", "95th percentile", "longest", "measured, median", "all of it"
    yield f"| learners | verdicts, right | {' | '.join(f'{column} s' for column in columns)} |"
    yield f"| ---: | ---: |{' ---: |' * len(columns)}"
    if waits:
        yield (
            f"| {len(visits)} | {len(waits)} of {3 * len(visits)} | {statistics.median(opened):.1f} "
            f"| {statistics.median(waits):.2f} | {waits[int(0.95 * (len(waits) - 1))]:.2f} | {waits[-1]:.2f} "
            f"| {f'{statistics.median(measured):.2f}' if measured else '–'} | {seconds:.0f} |"
        )


def main() -> int:
    """Let them all in at once; the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--learners", type=int, default=16)
    options.add_argument("--device", default="cpu")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", type=Path, metavar="FILE", help="what each learner met")
    chosen = options.parse_args()
    gpu = find_gpu(chosen.device)
    where = f"{machine()}; {f'GPU {gpu.name}' if gpu else 'no GPU'}"
    print(f"{where}\n", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="load-") as folder, ThreadPoolExecutor(chosen.learners) as pool:
        learners = [arrive(Path(folder) / f"learner-{number}", chosen.device) for number in range(chosen.learners)]
        chances = [random.Random(f"{chosen.seed}/{number}") for number in range(chosen.learners)]
        gpus = [gpu] * chosen.learners
        visits = list(pool.map(visit, learners, chances, gpus))  # threads only now: each learner is a fork
    seconds = time.monotonic() - began
    for number, found in enumerate(visits):
        for words in found.broken:
            print(f"learner {number}: {words}")
    print("\n".join(table(visits, seconds)))
    if chosen.json is not None:
        met = {"machine": where, "seconds": seconds, "visits": [asdict(found) for found in visits]}
        chosen.json.write_text(json.dumps(met, indent=1))
    return 1 if any(found.broken for found in visits) else 0


if __name__ == "__main__":
    sys.exit(main())
