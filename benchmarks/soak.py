"""Random use of the real application in a pseudo-terminal for as long as you like, and what memory it takes meanwhile.

    python -m benchmarks.soak [--minutes 120] [--seed 1]

A monkey types, edits, runs, walks through steps and lessons, tabs, sheets and sizes; the text is put back to the
solution now and then, so that everything is judged, mapped and stepped through. Memory is that of the interface and of
the child, resident and anonymous (of the resident, the system may take back pages of files whenever it likes; what was
really taken is the anonymous). Printed: when a child was replaced, with the screen, and memory by quarter of the time.
Exits 1 when the application ended, left a process, or grew by more than 10 % from the second quarter to the last (in
the first, everything is used for the first time).
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.learner import CTRL_R, FURNISHED, SOLUTION, Home, Learner, Role, processes
from benchmarks.terminal.__main__ import machine

GROWTH = 0.10
SAMPLE_S = 2.0
RESTORE_S = 20.0
"""Between two times that the solution is put into the file."""
QUARTERS = 4

ESC, TAB, ENTER, BACKSPACE = "\x1b", "\t", "\r", "\x7f"
CTRL_T, CTRL_N, CTRL_O, CTRL_L, CTRL_P, CTRL_Z, CTRL_G = "\x14", "\x0e", "\x0f", "\x0c", "\x10", "\x1a", "\x07"
ARROWS = ("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~")
SIZES = ((120, 40), (80, 24), (100, 30), (200, 60))
TEXTS = ("x = tl.load(x_ptr)", "mask", "# 日本 words", "(", "256", "while True: pass", "print('hello')", "    ")


class Sample(NamedTuple):
    """One look at one process."""

    at: float
    """Share of the whole time, 0 to 1."""
    role: Role
    pid: int
    resident: float
    """MB, pages of files among them."""
    anonymous: float
    """MB that only this process has: its heap and its stacks."""


def act(learner: Learner, rng: random.Random) -> None:
    """Something a learner may do, or a cat."""
    chance = rng.random()
    if chance < 0.35:
        for character in rng.choice(TEXTS):
            learner.send(character)
            learner.watch(0.02)
    elif chance < 0.65:
        learner.send(rng.choice(ARROWS) * rng.randrange(1, 6))
    elif chance < 0.75:
        learner.send(rng.choice((ENTER, BACKSPACE, TAB, CTRL_Z)))
    elif chance < 0.85:
        learner.send(rng.choice((CTRL_O, CTRL_R, CTRL_G)) + rng.choice(("", "1", "2", "3", "4", "5", "6")))
    elif chance < 0.93:
        learner.send(rng.choice((CTRL_T, CTRL_N)))
    elif chance < 0.98:
        learner.send(rng.choice((CTRL_L, CTRL_P, "\x1bOP")))  # course map, palette, help
        learner.watch(0.5)
        learner.send(ESC)
        learner.watch(0.6)  # a bare Esc is known by what doesn't follow it
    else:
        learner.resize(*rng.choice(SIZES))
    learner.watch(rng.expovariate(1 / 0.3))


def soak(home: Home, seconds: float, rng: random.Random) -> tuple[list[Sample], list[str]]:
    """Use it for so long; what memory was taken, and what didn't hold."""
    samples: list[Sample] = []
    broken: list[str] = []
    with Learner(home, arguments=("--device", "cpu", "--lesson", "5")) as learner:
        interface = learner.terminal.pid
        if not learner.until(lambda: FURNISHED in learner.text):
            return samples, ["it never opened"]
        began, restored, sampled = time.monotonic(), 0.0, 0.0
        while (now := time.monotonic() - began) < seconds:
            if now - restored > RESTORE_S:
                home.work.write_text(SOLUTION.read_text())
                restored = now
            if now - sampled > SAMPLE_S:
                looked = list(_look(learner, now / seconds))
                _tell_of_new_children(samples, looked, now, learner.text)
                samples += looked
                sampled = now
            act(learner, rng)
            if learner.exit_status is not None:
                broken.append(f"it ended after {now:.0f} s with status {learner.exit_status}:\n{learner.text}")
                return samples, broken
        learner.send(ESC)
        learner.watch(1.0)
        if not learner.quit():
            broken.append(f"it couldn't be left:\n{learner.text}")
    deadline = time.monotonic() + 10
    while (left := processes(home, interface)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return samples, broken + [f"{process.role} {process.pid} was left" for process in left]


def _tell_of_new_children(before: Sequence[Sample], looked: Sequence[Sample], now: float, screen: str) -> None:
    """Print what was on the screen when a child had taken another's place: the runs it shows are why."""
    known = {sample.pid for sample in before if sample.role == "child"}
    for sample in looked:
        if sample.role == "child" and known and sample.pid not in known:
            print(f"after {now / 60:.1f} minutes the child is {sample.pid}:\n{screen}\n", flush=True)


def _look(learner: Learner, at: float) -> Iterator[Sample]:
    for process in learner.processes():
        if process.role in ("interface", "child"):
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:  # it has just ended
                continue
            kb = dict(line.split(":", 1) for line in status.splitlines())
            if "RssAnon" in kb:  # a process that is ending has no memory any more
                resident, anonymous = (int(kb[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))
                yield Sample(at, process.role, process.pid, resident, anonymous)


def quarters(samples: Sequence[Sample], role: Role, of: str) -> list[float]:
    """Median of that memory (a field of `Sample`) in each quarter of the time, in MB; 0 where there was none."""
    found = []
    for number in range(QUARTERS):
        within = [getattr(s, of) for s in samples if s.role == role and int(min(s.at, 0.999) * QUARTERS) == number]
        found.append(statistics.median(within) if within else 0.0)
    return found


def main() -> int:
    """Use it, print the table; the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=120.0)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    print(f"{machine()}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        home = Home.made(Path(folder) / "home")
        samples, broken = soak(home, 60 * chosen.minutes, random.Random(chosen.seed))
    print("| MB, median | 1st quarter | 2nd | 3rd | 4th | growth, 2nd to 4th | processes |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for role in ("interface", "child"):
        count = len({sample.pid for sample in samples if sample.role == role})
        for of in ("resident", "anonymous"):
            mb = quarters(samples, role, of)
            growth = mb[3] / mb[1] - 1 if mb[1] else 0.0
            print(f"| {role}, {of} | {' | '.join(f'{each:.1f}' for each in mb)} | {growth:+.1%} | {count} |")
            if of == "anonymous" and growth > GROWTH:
                broken.append(f"{role}: memory grew by {growth:.1%}")
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
