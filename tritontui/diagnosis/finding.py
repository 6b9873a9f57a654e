"""What was found wrong (or worth knowing), as plain data; the words are made elsewhere, per language."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Severity = Literal["error", "warning", "note"]

LaneRange = tuple[int, int]
"""First and last lane, both included; lanes of a block count row by row."""


class Finding(Struct, kw_only=True, omit_defaults=True):
    """One fact about a submission, under a stable id.

    ``params`` hold the learner's own names and numbers that the texts of ``id`` mention
    (see ``diagnosis/catalogue.toml``); values are JSON-able scalars, strings or lists of them, or a text in
    each language (``{"en": …, "it": …}``).
    """

    id: str
    severity: Severity
    line: int | None = None
    """Line from 1, in the learner's file or in ``file``."""
    file: str | None = None
    """Path of the file that ``line`` counts in, where it isn't the learner's own."""
    column: int | None = None
    """Column in that line, from 1."""
    tensor: str | None = None
    """The kernel's own name for the tensor argument."""
    program: int | list[int] | None = None
    """A program that shows it: an int in a one-axis grid, else [pid0, pid1, …]."""
    lanes: list[LaneRange] = []
    case: str | None = None
    """Name of the case in which ``program`` and ``lanes`` show it; None: the traced one, which can be looked at."""
    params: dict[str, Any] = {}
    caused_by: str | None = None
    """Id of the finding this one merely follows from; such findings are folded under it."""
    original: str | None = None
    """The untouched text of the error behind it, for the learner who wants to read it."""


class Frame(Struct, array_like=True):
    """One frame of a Python traceback."""

    file: str
    line: int
    function: str


class Failure(Struct, kw_only=True, omit_defaults=True):
    """An exception as data, outermost first in ``causes`` (its ``__cause__``/``__context__`` chain)."""

    kind: str
    """Class name, such as ``CompilationError``."""
    message: str
    frames: list[Frame] = []
    causes: list[Failure] = []
    stage: Literal["import", "host", "trace", "compile", "launch", "run"] = "host"
    line: int | None = None
    """Innermost line in the learner's file, when one is known."""
    column: int | None = None
    context: dict[str, Any] = {}
    """Facts of the moment: arguments' devices, the launch grid, the device's limits."""
    source: str = ""
    """The learner's file, where it is at hand: names on the blamed line tell kinds of one message apart."""
    log: str = ""
    """What the compiler printed beside the exception (``file:line:column: error: …`` of its later passes)."""
