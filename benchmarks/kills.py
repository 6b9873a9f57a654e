"""Kills, stops and hangs up on real sessions at random moments, and says what was lost.

    python -m benchmarks.kills [--rounds 200] [--seed 1] [--home DIR]

Each round opens the application in a pseudo-terminal and types into the exercise of lesson 5; at a random moment a
process of the session gets a signal, or the line drops. Then: how much of what was typed is not in the file, whether
the progress file is whole, whether a process or a temporary file is left, whether the terminal is as it was. What
the application should survive it must survive: the learner types on and leaves by the key. All rounds have one home,
as a learner does; Ctrl-C ends them with the table so far. Exits 1 when anything didn't hold; a seed gives the same
moments again.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.learner import FURNISHED, SOLUTION, Home, Learner, Role, comments, processes
from benchmarks.terminal.__main__ import machine

LOST_S = 1.0
"""Of typing, at most."""
ENDS_S = 10.0
"""From the end of the interface to that of the last process of the session."""
LATEST_S = 8.0
"""After the first frame: the children have started, and judged."""

VICTIM_S = 60.0
"""How long a process to strike is waited for."""

_LINE = "grid = (triton.cdiv(n, 256),)"
KERNELS = {
    "right": "",
    "endless": "    while True: pass\n",
    "holds Python's lock": "    sum(iter(int, 1))\n",
    "leaves a process": "    __import__('subprocess').Popen(['sleep', '1000'])\n",
    "leaves a daemon": "    __import__('os').system('setsid -f sleep 1000')\n",
}
"""What the text does when it is judged: a line for the host function."""


class Fault(NamedTuple):
    """What happens: a signal to one process of the session, or (None) the line drops."""

    role: Role
    number: signal.Signals | None
    goes_on: bool = False
    """A stopped process is continued later."""

    @property
    def name(self) -> str:
        sign = "the line drops" if self.number is None else self.number.name
        return f"{self.role}: {sign}{', SIGCONT' if self.goes_on else ''}"

    @property
    def ends(self) -> bool:
        """Whether the application is to end of it."""
        return self.role == "interface" and self.number != signal.SIGSTOP


_ENDS = (signal.SIGKILL, signal.SIGHUP, signal.SIGTERM)
FAULTS = (
    Fault("interface", signal.SIGKILL),
    Fault("child", signal.SIGKILL),
    Fault("interface", signal.SIGHUP),
    Fault("child", signal.SIGSTOP),
    Fault("interface", None),
    Fault("interface", signal.SIGTERM),
    Fault("interface", signal.SIGSTOP, goes_on=True),
    Fault("child", signal.SIGHUP),
    Fault("child", signal.SIGTERM),
    Fault("child", signal.SIGSTOP, goes_on=True),
    *(Fault("watcher", number) for number in _ENDS),
    Fault("watcher", signal.SIGSTOP, goes_on=True),
    *(Fault("grandchild", number) for number in _ENDS),
)
"""The first are the ones that happen to people."""


@dataclass
class Round:
    """What one fault did."""

    fault: Fault
    kernel: str
    typed: int = 0
    lost_characters: int = 0
    lost_s: float = 0.0
    """Age of the oldest character that isn't in the file, since it was on the screen."""
    broken: list[str] = field(default_factory=list)
    """What didn't hold."""
    screen: str = ""
    """As it was last."""

    def expect(self, held: object, words: str) -> None:
        if not held:
            self.broken.append(words)


def play(home: Home, fault: Fault, rng: random.Random) -> Round:
    """One round in ``home``."""
    kernel = rng.choice(["leaves a process", "leaves a daemon"] if fault.role == "grandchild" else list(KERNELS))
    result = Round(fault, kernel)
    before = "\n" + SOLUTION.read_text().replace(f"    {_LINE}\n", f"{KERNELS[kernel]}    {_LINE}\n")
    home.work.write_text(before)
    with Learner(home, arguments=("--device", "cpu", "--lesson", "5")) as learner:
        keys = comments(rng)
        result.expect(learner.until(lambda: "@triton.jit" in learner.text), "it never opened")
        strike_at = time.monotonic() + rng.uniform(0.2, LATEST_S)
        if fault.role == "grandchild":
            result.expect(_grandchild_comes(learner), "the kernel was never run")
            strike_at = time.monotonic()
        _type(learner, keys, strike_at)
        victim = _victim(learner, fault.role, keys)
        result.expect(victim is not None or fault.number is None, f"there was no {fault.role} to strike")
        struck = time.monotonic()
        learner.look(0)
        shown = len(learner.typed.shown)
        _strike(learner, fault, victim)
        if fault.ends:
            result.expect(learner.until(lambda: learner.exit_status is not None, 20), "it didn't end")
        else:
            result.expect(_go_on(learner, fault, victim, keys, rng), "the results never came")
            shown = len(learner.typed.text)
            result.expect(learner.quit(), "it couldn't be left")
            result.expect(learner.exit_status == 0, f"exit status {learner.exit_status}")
        while learner.look(0):  # its last words may still be on their way
            pass
        _count_losses(result, learner, before, shown, struck)
        if fault.number not in (None, signal.SIGKILL) or not fault.ends:
            result.expect(learner.terminal.modes == learner.modes_before, "the terminal's modes are not as before")
            _, left, last_words = learner.raw.rpartition(b"\x1b[?1049l")
            result.expect(left, "the terminal's other screen was not left")
            result.expect(b"Traceback" not in last_words, f"last words: {last_words[-2000:].decode(errors='replace')}")
        _look_around(result, home, learner.terminal.pid)
        result.screen = learner.text
    return result


def _grandchild_comes(learner: Learner) -> bool:
    return learner.until(lambda: learner.processes("grandchild"), 30)


def _type(learner: Learner, keys: Iterator[tuple[str, float]], until: float) -> None:
    """Type until that moment; nothing more happens after it."""
    while time.monotonic() < until and learner.exit_status is None:
        character, pause = next(keys)
        learner.type(character)
        learner.watch(min(pause, until - time.monotonic()))


def _victim(learner: Learner, role: Role, keys: Iterator[tuple[str, float]]) -> int | None:
    """The process to strike; until there is one the learner types on, and waits for the answer now and then."""
    deadline = time.monotonic() + VICTIM_S
    while not (found := learner.processes(role)):
        if time.monotonic() > deadline:
            return None
        _type(learner, keys, time.monotonic() + 0.2)
        learner.until(lambda: learner.processes(role), 2.0)  # nothing is judged while keys come
    return found[0].pid


def _strike(learner: Learner, fault: Fault, victim: int | None) -> None:
    if fault.number is None:
        learner.terminal.hang_up()
    elif victim is not None:
        with suppress(ProcessLookupError):  # a grandchild may be gone with its run
            os.kill(victim, fault.number)


def _go_on(
    learner: Learner, fault: Fault, victim: int | None, keys: Iterator[tuple[str, float]], rng: random.Random
) -> bool:
    """The learner doesn't let it disturb them; whether the whole workspace is there at last."""
    _type(learner, keys, time.monotonic() + rng.uniform(0.5, 2))
    if fault.goes_on and victim is not None:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGCONT)
    _type(learner, keys, time.monotonic() + rng.uniform(0.1, 2))
    return learner.until(lambda: FURNISHED in learner.text)


def _count_losses(result: Round, learner: Learner, before: str, shown: int, struck: float) -> None:
    """``shown``: how many characters were on the screen when it was ``struck``, or had to be by the end."""
    text, typed = home_text(learner.home), "".join(learner.typed.text)
    kept = text.removesuffix(before)
    result.typed = len(typed)
    if not text.endswith(before) or not typed.startswith(kept):
        result.expect(False, f"the file holds what nobody wrote: {text[:200]!r}")
        return
    result.lost_characters = max(0, shown - len(kept))
    if result.lost_characters:
        result.lost_s = struck - learner.typed.shown[len(kept)] if result.fault.ends else float("inf")
    result.expect(result.lost_s <= LOST_S, f"{result.lost_characters} characters lost, {result.lost_s:.2f} s of typing")
    if result.fault.ends and result.fault.number is not signal.SIGKILL:
        result.expect(result.lost_characters == 0, "an end that can be noticed lost something")


def home_text(home: Home) -> str:
    """The learner's file."""
    return home.work.read_text()


def _look_around(result: Round, home: Home, interface: int) -> None:
    """What the round left behind."""
    deadline = time.monotonic() + ENDS_S
    while (left := processes(home, interface)) and time.monotonic() < deadline:
        time.sleep(0.05)
    result.expect(not left, f"left behind: {', '.join(f'{process.role} {process.pid}' for process in left)}")
    while (files := list(home.temporary.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    result.expect(not files, f"temporary files left: {', '.join(file.name for file in files)}")
    for file in files:
        shutil.rmtree(file, ignore_errors=True)
    with closing(sqlite3.connect(home.paths.progress)) as connection:
        [(word,)] = connection.execute("PRAGMA integrity_check").fetchall()
    result.expect(word == "ok", f"the progress file: {word}")
    result.expect(not list(home.paths.data.glob("*.aside-*")), "the progress file was put aside")


# ---------------------------------------------------------------- the run


def rounds(home: Home, numbers: Iterable[int], seed: int, faults: Sequence[Fault] = FAULTS) -> Iterator[Round]:
    """The rounds of these numbers; every fault has its turn before one has its second."""
    for number in numbers:
        rng = random.Random(f"{seed}/{number}")
        yield play(home, faults[number % len(faults)], rng)


def table(results: Sequence[Round]) -> Iterator[str]:
    """Rows of Markdown, a fault each."""
    yield "| fault | rounds | typed | lost, characters at most | lost, s of typing at most | didn't hold |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    by_fault: dict[Fault, list[Round]] = defaultdict(list)
    for result in results:
        by_fault[result.fault].append(result)
    for fault, found in by_fault.items():
        worst = max(result.lost_s for result in found)
        yield (
            f"| {fault.name} | {len(found)} | {sum(result.typed for result in found)} "
            f"| {max(result.lost_characters for result in found)} | {worst:.2f} "
            f"| {sum(bool(result.broken) for result in found)} |"
        )


def main() -> int:
    """Play the rounds and print the table; the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--first", type=int, default=0, help="number of the first, to see one again")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--home", type=Path, help="where to make the home; default: a temporary folder")
    options.add_argument("--screens", action="store_true", help="show the last screen where something didn't hold")
    chosen = options.parse_args()
    print(f"{machine()}\n", flush=True)
    results: list[Round] = []
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="kills-") as folder:
        home = Home.made((chosen.home or Path(folder)) / "home")
        numbers = range(chosen.first, chosen.first + chosen.rounds)
        for number, result in zip(numbers, rounds(home, numbers, chosen.seed), strict=True):
            results.append(result)
            for words in result.broken:
                print(f"round {number}, {result.fault.name}, {result.kernel}: {words}", flush=True)
            if result.broken and chosen.screens:
                print(result.screen, flush=True)
    print("\n".join(table(results)))
    return 1 if any(result.broken for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
