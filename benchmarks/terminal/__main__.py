"""Measures the terminal side in a pseudo-terminal of 120×40 and prints a table.

    python -m benchmarks.terminal [--subject app|host] [--rounds N]

``app`` is tritontui itself at the first exercise, in a home of its own; ``host`` is the editor in the smallest
application. Bytes are those of the whole answer to a key, milliseconds run from the key to the first cell drawn.
A start is timed by the clock and by the processor time used, which a busy machine disturbs less: until lesson and code
can be read, until the editor shows what was typed at once, until the results are there.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte
import textual

from benchmarks.learner import SOLUTION
from benchmarks.terminal.harness import Chunk, PseudoTerminal
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress

Keys = Callable[[int], str]

RIGHT_KERNEL = Path("lessons/05-vector-addition/exercises/vector_add/solution.py")

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
HOME, END, PAGE_UP, PAGE_DOWN = "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~"
F9, CTRL_O, CTRL_Z = "\x1b[20~", "\x0f", "\x1a"


@dataclass(frozen=True)
class Measure:
    """One row of the table: a key pressed many times, and what it may cost."""

    name: str
    keys: Keys
    times: int
    bytes_median: int | None = None
    bytes_p95: int | None = None
    ms_p95: float | None = None


@dataclass(frozen=True)
class Subject:
    """An application to measure."""

    command: Sequence[str]
    lesson: str
    """Words of the lesson on its first screen."""
    code: str
    """A piece of the code on its first screen."""
    more: tuple[Measure, ...] = ()
    """What it has beyond an editor."""


TYPED = "    acc = tl.where(mask, x + y, 0.0)  # keep lanes apart"
MEASURES = (
    Measure("typed character", lambda i: TYPED[i % len(TYPED)], len(TYPED), 250, 1000, 13),
    Measure("enter", lambda _: "\r", 8, None, 3000, 30),
    Measure("character after that", lambda i: TYPED[i % len(TYPED)], 20, 250, 1000, 13),
    Measure("backspace", lambda _: "\x7f", 12, 250, 1000, 13),
    Measure("cursor left, right", lambda i: LEFT if i % 4 < 2 else RIGHT, 16, 150, None, 13),
    Measure("cursor up, down", lambda i: UP if i % 8 < 4 else DOWN, 24, 150, None, 13),
    Measure("page up, down", lambda i: PAGE_UP if i % 2 == 0 else PAGE_DOWN, 8, None, 5000, None),
    Measure("undo", lambda _: CTRL_Z, 6, None, None, None),
)
APP = (
    Measure("zoom and back", lambda _: F9, 6, None, 20000, None),
    Measure("pane", lambda _: CTRL_O, 6, None, 5000, None),
)

RESULTS = (
    Measure("turn to a tab of the results", lambda i: "234561"[i % 6], 12, None, 5000, None),
    Measure("to the steps", lambda _: "3", 1, None, 5000, None),
    Measure("step", lambda i: RIGHT if i % 12 < 6 else LEFT, 24, None, 1500, None),
    Measure("to the last step", lambda _: END, 1, None, None, None),
    Measure("lane", lambda i: "." if i % 8 < 4 else ",", 8, None, 1500, None),
    Measure("to the machine code", lambda i: "5" if i == 0 else RIGHT, 6, None, 5000, None),
    Measure("line of the machine code", lambda i: DOWN if i % 12 < 6 else UP, 12, None, 1500, None),
)
"""On a kernel that was judged, from the results pane."""

SUBJECTS = {
    "host": Subject((sys.executable, "-m", "benchmarks.terminal.open_host"), "block of", "@triton.jit"),
    "app": Subject(
        (sys.executable, "-m", "tritontui"),
        "Vector addition",
        "@triton.jit",
        more=APP,
    ),
}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--subject", choices=SUBJECTS, default="app")
    options.add_argument("--rounds", type=int, default=25, help="starts of each application for the first paint")
    chosen = options.parse_args()
    subject = SUBJECTS[chosen.subject]
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as home:
        environ = {"TRITONTUI_HOME": home, "PYTHONPATH": str(Path.cwd()), "CUDA_VISIBLE_DEVICES": ""}
        leave_at_the_exercise(environ)
        print("| | bytes, median (p95) | ms by the clock | ms of processor | budget | |\n|---|---|---|---|---|---|")
        for row in key_rows(subject, environ):
            print(row, flush=True)
        if chosen.subject == "app":
            for row in results_rows(subject, environ):
                print(row, flush=True)
        print("\n| start | ms by the clock | ms of processor | × empty app | budget | |\n|---|---|---|---|---|---|")
        for row in start_rows(subject, environ, chosen.rounds):
            print(row, flush=True)


def machine() -> str:
    """What was measured on what."""
    cpu = next((x.partition(":")[2].strip() for x in _lines("/proc/cpuinfo") if x.startswith("model name")), "?")
    load = os.getloadavg()[0]
    return (
        f"{cpu}, {os.cpu_count()} cores, load {load:.1f}; Python {platform.python_version()}, "
        f"Textual {textual.__version__}; 120×40, TERM=xterm-256color"
    )


def key_rows(subject: Subject, environ: dict[str, str]) -> Iterator[str]:
    """Bytes and milliseconds of keys, and what the application costs while nothing happens."""
    with PseudoTerminal(subject.command, environ=environ) as terminal:
        wait_for(terminal, (subject.lesson, subject.code))
        terminal.read(quiet=2.0, limit=40)
        terminal.press(DOWN * 9 + END, quiet=0.5)
        terminal.press("\r", quiet=1.5)
        for measure in (*MEASURES, *subject.more):
            yield _key_row(measure, [_press(terminal, measure.keys(i)) for i in range(measure.times)])
            terminal.read(quiet=1.5, limit=10)
        before = terminal.processor_s
        idle = terminal.read(quiet=5.0, limit=5.0)
        used = (terminal.processor_s - before) / 5 * 100
        good = not idle.data and used < 1
        yield f"| idle for 5 s | {len(idle.data)} | | {used:.1f} % of a core | 0 B, 1 % | {_sign(good)} |"
        memory = terminal.resident_mb
        yield f"| resident | {memory:.0f} MB | | | 65 MB | {_sign(memory <= 65)} |"


def results_rows(subject: Subject, environ: dict[str, str]) -> Iterator[str]:
    """Bytes and milliseconds of keys in the results of a right kernel."""
    work = Path(environ["TRITONTUI_HOME"], "data", "work")
    work.mkdir(parents=True, exist_ok=True)
    shutil.copy(RIGHT_KERNEL, work / "vector_add.py")
    with PseudoTerminal(subject.command, environ=environ) as terminal:
        wait_for(terminal, ("Right on every case",), limit=120)
        terminal.press(CTRL_O, quiet=1.5)
        for measure in RESULTS:
            yield _key_row(measure, [_press(terminal, measure.keys(i), quiet=0.3) for i in range(measure.times)])
            terminal.read(quiet=1.5, limit=10)


def leave_at_the_exercise(environ: Mapping[str, str]) -> None:
    """As after an earlier visit: the application opens where one left, on a kernel, with the focus in the editor."""
    paths = Paths.find(environ)
    paths.create()
    (paths.work / "vector_add.py").write_text(SOLUTION.read_text())
    progress = Progress(paths.progress)
    progress.set_position("05-vector-addition", "write-it")
    progress.close()


READ, TYPED_AT_ONCE, ALL = "lesson and code readable", "the editor takes keys", "all panes"
BUDGETS = {READ: 1.2, TYPED_AT_ONCE: 1.7, ALL: 2.7}
"""Of a start, in starts of an empty Textual application."""


def start_rows(subject: Subject, environ: dict[str, str], rounds: int) -> Iterator[str]:
    """Time from the start of the application, beside that of an empty one until its first frame."""
    empty: list[Chunk] = []
    stages: dict[str, list[Chunk]] = {stage: [] for stage in BUDGETS}
    for number in range(rounds):  # by turns, so that a busy moment of the machine falls on both
        with PseudoTerminal((sys.executable, "-m", "benchmarks.terminal.empty"), environ=environ) as terminal:
            empty.append(wait_for(terminal, ("ready",)))
        for stage, chunk in _start(subject, environ, f"typed{number}").items():
            stages[stage].append(chunk)
    clock, processor = _medians(empty)
    yield f"| empty Textual app | {clock * 1e3:.0f} | {processor * 1e3:.0f} | | | |"
    for stage, chunks in stages.items():
        if not chunks:
            continue
        seconds, used = _medians(chunks)
        yield (
            f"| {stage} | {seconds * 1e3:.0f} | {used * 1e3:.0f} | {seconds / clock:.2f}, {used / processor:.2f} | "
            f"{BUDGETS[stage]} | {_sign(used / processor <= BUDGETS[stage])} |"
        )


def _start(subject: Subject, environ: dict[str, str], typed: str) -> dict[str, Chunk]:
    """The moment of each stage of one start; ``typed`` is, as soon as the first is reached."""
    with PseudoTerminal(subject.command, environ=environ) as terminal:
        watch = Watch(terminal)
        reached = {READ: watch.until((subject.lesson, subject.code))}
        if subject.more:  # the whole application
            terminal.send(typed)
            reached[TYPED_AT_ONCE] = watch.until((typed,))
            reached[ALL] = watch.until(("[Verdict",))
    return reached


def _medians(chunks: Sequence[Chunk]) -> tuple[float, float]:
    """By the clock, and of processor time; in seconds."""
    return statistics.median(c.seconds for c in chunks), statistics.median(c.processor_s for c in chunks)


class Watch:
    """The screen of an application that has just been started."""

    def __init__(self, terminal: PseudoTerminal, limit: float = 30.0) -> None:
        self._screen = pyte.Screen(terminal.columns, terminal.rows)
        self._stream = pyte.ByteStream(self._screen)
        self._chunks = terminal.chunks(limit)
        self._last = Chunk(0.0, 0.0, b"")
        self._written = b""

    def until(self, texts: Sequence[str]) -> Chunk:
        """The moment when all ``texts`` stand on the screen, and all bytes written until then."""
        while not all(text in "\n".join(self._screen.display) for text in texts):
            chunk = next(self._chunks, None)
            if chunk is None:
                rows = "\n".join(row.rstrip() for row in self._screen.display)
                raise SystemExit(f"{', '.join(texts)} never came:\n{rows}")
            self._last = chunk
            self._written += chunk.data
            self._stream.feed(chunk.data)
        return Chunk(self._last.seconds, self._last.processor_s, self._written)


def wait_for(terminal: PseudoTerminal, texts: Sequence[str], limit: float = 30.0) -> Chunk:
    """The moment when all ``texts`` stand on the screen of an application that has just been started."""
    return Watch(terminal, limit).until(texts)


@dataclass(frozen=True)
class Press:
    """What one key cost."""

    bytes: int
    ms: float
    processor_ms: float


def _press(terminal: PseudoTerminal, keys: str, quiet: float = 0.06) -> Press:
    before = terminal.processor_s
    output = terminal.press(keys, quiet)
    first = output.first
    if first is None:
        return Press(len(output.data), 0.0, 0.0)
    return Press(len(output.data), first.seconds * 1e3, (first.processor_s - before) * 1e3)


def _key_row(measure: Measure, presses: Sequence[Press]) -> str:
    sizes = [press.bytes for press in presses]
    times = [press.ms for press in presses]
    used = [press.processor_ms for press in presses]
    budget = []
    good = True
    if measure.bytes_median is not None:
        budget.append(f"{measure.bytes_median} B median")
        good &= statistics.median(sizes) <= measure.bytes_median
    if measure.bytes_p95 is not None:
        budget.append(f"{measure.bytes_p95} B p95")
        good &= percentile(sizes) <= measure.bytes_p95
    if measure.ms_p95 is not None:
        budget.append(f"{measure.ms_p95} ms p95")
        good &= percentile(times) <= measure.ms_p95
    bytes_words = f"{statistics.median(sizes):.0f} ({percentile(sizes):.0f})"
    time_words = f"{statistics.median(times):.1f} ({percentile(times):.1f})"
    sign = _sign(good) if budget else ""
    used_words = f"{statistics.median(used):.1f} ({percentile(used):.1f})"
    return f"| {measure.name} | {bytes_words} | {time_words} | {used_words} | {', '.join(budget)} | {sign} |"


def percentile(values: Sequence[float], share: float = 0.95) -> float:
    """The value below which ``share`` of ``values`` lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _sign(good: bool) -> str:
    return "✓" if good else "✗"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


if __name__ == "__main__":
    main()
