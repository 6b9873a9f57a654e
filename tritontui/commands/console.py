"""What commands share: the learner's language and folders, and printing that suits a terminal, a pipe and a script."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tritontui.commands.status import complain
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.i18n import Language, Translator, plain, plain_json

if TYPE_CHECKING:
    from tritontui.course.model import Course

WIDEST = 96
"""Columns beyond which prose is tiring to read."""

SIGNS = {"good": ("✓", "32"), "error": ("✗", "31"), "warning": ("!", "33"), "note": ("·", "36"), "none": (" ", "0")}
"""By meaning: a sign that says it without colour, and the colour's SGR number."""


@dataclass(frozen=True)
class Console:
    """Prints to ``out``; colours only where ``out`` is a terminal that wants them."""

    out: TextIO | None = field(default_factory=lambda: sys.stdout)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def colours(self) -> bool:
        if self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb":
            return False
        return self.out is not None and self.out.isatty()

    @property
    def width(self) -> int:
        return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)

    def line(self, text: str = "") -> None:
        print(plain(text), file=self.out)

    def marked(self, meaning: str, text: str) -> None:
        """A line that begins with the sign of ``meaning``, wrapped and indented under itself."""
        sign, colour = SIGNS[meaning]
        first, *rest = self._wrapped(text, 2)
        print(f"\x1b[{colour}m{sign}\x1b[0m {first}" if self.colours else f"{sign} {first}", file=self.out)
        for line in rest:
            print(f"  {line}", file=self.out)

    def paragraph(self, text: str, indent: int = 2) -> None:
        for line in self._wrapped(text, indent):
            print(" " * indent + line, file=self.out)

    def verbatim(self, text: str, indent: int = 2) -> None:
        """Output and tracebacks: line by line as they are, control characters written out."""
        for line in plain(text.rstrip("\n"), lines=True).split("\n"):
            print(" " * indent + line, file=self.out)

    def as_printed(self, text: str) -> None:
        """A piece of a program's output, at once; control characters written out."""
        print(plain(text, lines=True), end="", file=self.out, flush=True)

    def json(self, value: Any) -> None:
        """``value`` as indented JSON; what is not a number in JSON (NaN, infinity) becomes null."""
        import msgspec  # not for those who only open the application

        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
        print(plain_json(text), file=self.out)

    def _wrapped(self, text: str, indent: int) -> list[str]:
        width = max(self.width - indent, 20)
        wrapped = [textwrap.wrap(plain(part), width, break_on_hyphens=False) or [""] for part in text.split("\n")]
        return [line for part in wrapped for line in part]


@dataclass(frozen=True)
class Context:
    """The surroundings of one command."""

    language: Language
    tr: Translator
    paths: Paths
    device: str
    """``auto``, ``cpu`` or ``cuda:N``."""
    console: Console = field(default_factory=Console)
    lessons: Path | None = None
    """Where other lessons are than those of this installation; ``paths`` are then the learner's for these alone."""
    trust: bool = False
    """They may be run without asking."""

    def course(self, *, thorough: bool = False) -> Course:
        """The lessons. Raises CourseError."""
        from tritontui.course.loader import load_course

        return load_course(self.lessons, thorough=thorough)

    def agreed(self, question: str) -> bool:
        """Ask at the terminal; all but a yes is a no."""
        return input(f"{question} ").strip().lower() in ("y", "yes", "s", "sì", "si")

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """The learner's progress, closed afterwards. What was wrong with the file is said on standard error."""
        progress = Progress(self.paths.progress)
        if progress.set_aside is not None:
            complain(
                self.tr(
                    "The progress file could not be read. It is kept as {path}, and a new one was begun.",
                    path=progress.set_aside,
                )
            )
        try:
            yield progress
        finally:
            progress.close()
