"""A learner at the whole application: it runs in a pseudo-terminal, and whoever drives it sees the screen and types."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import pyte

from benchmarks.terminal.harness import PseudoTerminal
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress

CTRL_O, CTRL_Q, CTRL_R = "\x0f", "\x11", "\x12"
FURNISHED = "[Verdict"
LESSON, STEP, EXERCISE = 5, "write-it", "vector_add"

_ROOT = Path(__file__).resolve().parents[1]
SOLUTION = _ROOT / "lessons/05-vector-addition/exercises/vector_add/solution.py"

Role = Literal["interface", "child", "watcher", "grandchild"]


class Home(NamedTuple):
    """A learner's own folders; the temporary files of their sessions are beside them."""

    root: Path

    @classmethod
    def made(cls, root: Path) -> Home:
        """An empty one, left at the exercise of lesson 5 as after an earlier visit."""
        home = cls(root)
        home.temporary.mkdir(parents=True)
        home.paths.create()
        progress = Progress(home.paths.progress)
        progress.set_position("05-vector-addition", STEP)
        progress.set_setting("welcomed", "yes")
        progress.close()
        return home

    @property
    def paths(self) -> Paths:
        return Paths.find({"TRITONTUI_HOME": str(self.root)})

    @property
    def temporary(self) -> Path:
        return self.root / "temporary"

    @property
    def work(self) -> Path:
        """The file of the exercise."""
        return self.paths.work / f"{EXERCISE}.py"

    @property
    def environ(self) -> dict[str, str]:
        paths = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
        return {"TRITONTUI_HOME": str(self.root), "TMPDIR": str(self.temporary), "PYTHONPATH": paths}


@dataclass(frozen=True)
class Process:
    """One process of a session."""

    pid: int
    role: Role


def processes(home: Home, interface: int) -> list[Process]:
    """Those that live and have the session's home in their environment, the interface included: whatever they did to
    their parents, groups and sessions, the environment that a process was started with stays with it.
    """
    mark = f"TRITONTUI_HOME={home.root}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes() and _lives(folder):
                pid, command = int(folder.name), (folder / "cmdline").read_bytes()
                found.append(Process(pid, _role(pid, command, interface)))
    return found


def _lives(folder: Path) -> bool:
    """Not a zombie, which only waits for its parent to look."""
    return (folder / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"


def _role(pid: int, command: bytes, interface: int) -> Role:
    if pid == interface:
        return "interface"
    if b"tritontui-watcher" in command:
        return "watcher"
    return "child" if b"tritontui.runner" in command else "grandchild"


class Typed(NamedTuple):
    """The text typed so far, and when each of its characters was sent and first seen on the screen (monotonic s)."""

    text: list[str]
    sent: list[float]
    shown: list[float]


class Learner:
    """Types comment lines at the top of the exercise, and remembers when."""

    def __init__(
        self, home: Home, *, arguments: Sequence[str] = ("--device", "cpu"), columns: int = 120, rows: int = 40
    ) -> None:
        command = [sys.executable, "-m", "tritontui", "--lang", "en", *arguments]
        self.home = home
        self.terminal = PseudoTerminal(command, columns, rows, home.environ)
        self.modes_before = self.terminal.modes
        self.typed = Typed([], [], [])
        self.raw = b""
        """The last that was written to the terminal."""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def __enter__(self) -> Learner:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, 9)
        self.terminal.close()

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(self._screen.display)

    @property
    def exit_status(self) -> int | None:
        return self.terminal.exit_status

    def processes(self, role: Role | None = None) -> list[Process]:
        """Those of this session that live."""
        return [found for found in processes(self.home, self.terminal.pid) if role in (None, found.role)]

    # ------------------------------------------------------------ the screen

    def watch(self, seconds: float) -> None:
        """Look at the screen for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self.look(left) and self.exit_status is not None:
                return

    def look(self, seconds: float) -> bool:
        """Take in what is written next, waiting at most so long for it; False when nothing was."""
        chunk = self.terminal.take(seconds)
        if chunk is None:
            return False
        self.raw = (self.raw + chunk.data)[-65536:]
        self._stream.feed(chunk.data)
        self._note_shown()
        return True

    def until(self, condition: Callable[[], object], seconds: float = 60.0) -> bool:
        """Look on until ``condition`` holds; False when it never did."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline or (not self.look(0.05) and self.exit_status is not None):
                return bool(condition())
        return True

    def _note_shown(self) -> None:
        now = time.monotonic()
        for count in range(len(self.typed.text), len(self.typed.shown), -1):
            line = "".join(self.typed.text[:count]).rpartition("\n")[2]
            if line == line.rstrip() and line and any(line in row for row in self._screen.display):
                self.typed.shown.extend([now] * (count - len(self.typed.shown)))
                return

    # ------------------------------------------------------------ keys

    def send(self, keys: str) -> None:
        """Press keys of which no account is kept."""
        self.terminal.send(keys)

    def type(self, character: str) -> None:
        """Type one character of the text."""
        self.typed.text.append(character)
        self.typed.sent.append(time.monotonic())
        self.terminal.send("\r" if character == "\n" else character)

    def resize(self, columns: int, rows: int) -> None:
        """The window gets another size."""
        self._screen.resize(rows, columns)
        self.terminal.resize(columns, rows)

    def quit(self, seconds: float = 20.0) -> bool:
        """Leave by the key; False when the application doesn't end."""
        self.send(CTRL_Q)
        return self.until(lambda: self.exit_status is not None, seconds)


def comments(rng: random.Random) -> Iterator[tuple[str, float]]:
    """Characters of comment lines without end, and how long the learner waits after each, in seconds."""
    number = 0
    while True:
        number += 1
        line = f"# {' '.join(f'{rng.choice(WORDS)}{number}' for _ in range(4))}\n"
        for character in line:
            yield character, rng.uniform(0.5, 1.0) if rng.random() < 0.03 else rng.expovariate(1 / 0.06)


WORDS = ("mask", "lane", "block", "grid", "load", "store", "tile", "stride")
