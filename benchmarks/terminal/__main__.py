"""Measures the terminal side in a pseudo-terminal of 120×40 and prints a table.

    python -m benchmarks.terminal [--subject app|host] [--rounds N]

``app`` is tritontui itself at the first exercise, in a home of its own; ``host`` is the editor in the smallest
application. Bytes are those of the whole answer to a key, milliseconds run from the key to the last byte.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte
import textual

from benchmarks.terminal.harness import Output, PseudoTerminal

Keys = Callable[[int], str]

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
    to_editor: str = ""
    """Keys that give the editor the focus."""
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

SUBJECTS = {
    "host": Subject((sys.executable, "-m", "benchmarks.terminal.open_host"), "block of", "@triton.jit"),
    "app": Subject(
        (sys.executable, "-m", "tritontui", "--lang", "en", "--lesson", "5", "--device", "cpu"),
        "Vector addition",
        "@triton.jit",
        to_editor=CTRL_O,
        more=APP,
    ),
}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--subject", choices=SUBJECTS, default="app")
    options.add_argument("--rounds", type=int, default=5, help="starts of each application for the first paint")
    chosen = options.parse_args()
    subject = SUBJECTS[chosen.subject]
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as home:
        environ = {"TRITONTUI_HOME": home, "PYTHONPATH": str(Path.cwd())}
        print("| | bytes, median (p95) | ms, median (p95) | budget | |\n|---|---|---|---|---|")
        for row in key_rows(subject, environ):
            print(row, flush=True)
        print("\n| first paint | ms, median (least) | × empty app |\n|---|---|---|")
        for row in paint_rows(subject, environ, chosen.rounds):
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
        terminal.read(quiet=2.0, limit=40, since=terminal.started)
        terminal.press(subject.to_editor, quiet=0.5)
        terminal.press(DOWN * 9 + END, quiet=0.5)
        terminal.press("\r", quiet=1.5)
        for measure in (*MEASURES, *subject.more):
            outputs = [terminal.press(measure.keys(i)) for i in range(measure.times)]
            yield _key_row(measure, outputs)
            terminal.read(quiet=1.5, limit=10)
        before = terminal.processor_s
        idle = terminal.read(quiet=5.0, limit=5.0)
        used = (terminal.processor_s - before) / 5 * 100
        good = not idle.data and used < 1
        yield f"| idle for 5 s | {len(idle.data)} | {used:.1f} % of a core | 0 B, 1 % | {_sign(good)} |"
        memory = terminal.resident_mb
        yield f"| resident | {memory:.0f} MB | | 65 MB | {_sign(memory <= 65)} |"


def paint_rows(subject: Subject, environ: dict[str, str], rounds: int) -> Iterator[str]:
    """Time from the start until lesson and code can be read, beside an empty application's first frame."""
    empty: list[float] = []
    first: list[float] = []
    size: list[int] = []
    for _ in range(rounds):  # by turns, so that a busy moment of the machine falls on both
        empty.append(_first_paint((sys.executable, "-m", "benchmarks.terminal.empty"), environ, ("ready",))[0])
        seconds, written = _first_paint(subject.command, environ, (subject.lesson, subject.code))
        first.append(seconds)
        size.append(written)
    base = statistics.median(empty)
    yield f"| empty Textual app | {base * 1e3:.0f} ({min(empty) * 1e3:.0f}) | 1 |"
    ratio = statistics.median(first) / base
    least = min(first) / min(empty)
    yield (
        f"| lesson and code readable | {statistics.median(first) * 1e3:.0f} ({min(first) * 1e3:.0f}), "
        f"{statistics.median(size) / 1e3:.1f} kB | {ratio:.2f} ({least:.2f}), budget 1.3 {_sign(ratio <= 1.3)} |"
    )


def _first_paint(command: Sequence[str], environ: dict[str, str], texts: Sequence[str]) -> tuple[float, int]:
    """Seconds until all ``texts`` stand on the screen, and the bytes written until then."""
    with PseudoTerminal(command, environ=environ) as terminal:
        output = terminal.read(quiet=1.0, limit=20, since=terminal.started)
    screen = pyte.Screen(120, 40)
    stream = pyte.ByteStream(screen)
    written = 0
    for seconds, chunk in output.chunks:
        written += len(chunk)
        stream.feed(chunk)
        shown = "\n".join(screen.display)
        if all(text in shown for text in texts):
            return seconds, written
    raise SystemExit(f"{' '.join(command)}: {texts} never came:\n" + "\n".join(screen.display))


def _key_row(measure: Measure, outputs: Sequence[Output]) -> str:
    sizes = [len(output.data) for output in outputs]
    times = [output.last * 1e3 for output in outputs]
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
    return f"| {measure.name} | {bytes_words} | {time_words} | {', '.join(budget)} | {sign} |"


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
