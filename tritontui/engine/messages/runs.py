"""What is asked of a child at a time, and how a run goes: its stages, what it prints and finds, how it ends."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tritontui.diagnosis.finding import Finding

StageName = Literal["trace", "legality", "cases", "compile", "measure", "sweep"]
ALL_STAGES: tuple[StageName, ...] = ("trace", "legality", "cases", "compile", "measure")
"""Of a Judge, in order. Sweeps and experiments have the stage ``sweep`` alone, begun anew for each of their points."""


INTERRUPTED = 130
"""Exit code of a script that Ctrl-C has ended, as a shell sees it: 128 + SIGINT."""


class Judge(Struct, tag=True, kw_only=True):
    """Judge one text of one exercise. Stages run in ALL_STAGES order; each answers when it is ready."""

    run: int
    exercise: str
    """Folder of the exercise (holds exercise.py)."""
    source: str
    filename: str
    """What the learner calls the file; used in tracebacks."""
    stages: list[StageName]
    target: str | None = None
    """Compile target such as ``sm_90``; None: this machine's GPU, else the default target."""
    first_case_only: bool = False
    """Live mode without measuring may stop at the trace case."""
    soft_seconds: dict[StageName, float] = {}
    """Soft deadlines that differ from ``engine/limits.py``."""
    knobs: dict[str, int | float | str] = {}
    """What the learner turned while exploring; they take the place of the traced case's values of those names."""
    max_changed_lines: int | None = None
    """A repair: so many lines may differ from the starter.py of the exercise's folder."""


class TraceScript(Struct, tag=True, kw_only=True):
    """Run a script as ``python SCRIPT ARGS`` would and trace every launch in it."""

    run: int
    path: str
    arguments: list[str]
    working_directory: str
    entry: str = ""
    """``module:function``: import that module, which ``path`` is, from the working directory, and call the function
    without arguments, instead of running the file."""
    stdin: str = ""
    """Path that opens what the script reads from standard input; "": nothing."""
    output_bytes: int = 0
    """So much of what it prints is sent on; 0: as much as of any run."""


class Cancel(Struct, tag=True):
    """Stop ``run`` at its next stage boundary."""

    run: int


class Interrupt(Struct, tag=True):
    """Ctrl-C for the script of ``run``: what it does then is its own affair. Where none is running, as Cancel."""

    run: int


class StageStarted(Struct, tag=True):
    run: int
    stage: StageName
    device: str = "cpu"
    """Filled in by the child's loop, as in the two below: with a GPU some stages run in both children."""


class StageDone(Struct, tag=True):
    run: int
    stage: StageName
    milliseconds: float
    device: str = "cpu"


class StageSkipped(Struct, tag=True):
    """A stage that could not run: ``not-safe`` (out of bounds), ``not-legal``, ``no-gpu``, ``failed-before``,
    ``no-case`` (the exercise has none to measure), ``no-kernel`` (it is about host code alone), or ``no-reference``
    (nothing is right or wrong: an exploration)."""

    run: int
    stage: StageName
    reason: str
    device: str = "cpu"


class Output(Struct, tag=True):
    """A piece of what the learner's program printed; ``dropped`` bytes, said in the last piece, were over the cap."""

    run: int
    text: str
    dropped: int = 0


class Found(Struct, tag=True):
    """Findings of a stage, as they are known."""

    run: int
    stage: StageName
    findings: list[Finding]
    launch: int | None = None
    """The launch they are about (``LaunchSummary.launch``); None: the run as a whole."""


class Unanswered(Struct, tag=True):
    """A tile or an inspection that can't be given: its traces are gone, or ``why`` is a defect's traceback."""

    run: int
    request: int
    why: str


class Counted(Struct, tag=True):
    """How many launches a script has made by now; told now and then where they aren't told of one by one any more."""

    run: int
    launches: int


class ScriptDone(Struct, tag=True, kw_only=True):
    run: int
    exit_code: int
    error: Finding | None = None
    launches: int = 0
    """All of them; of those beyond the first many that are like an earlier one nothing else was told."""
    files: list[str] = []
    """What it imported of its own project."""


class Stalled(Struct, tag=True):
    """The soft deadline passed while the learner's code stood at ``line``."""

    run: int
    line: int | None
    stage: StageName


class Done(Struct, tag=True):
    """The run is over in this child; nothing more of it will come."""

    run: int
    cancelled: bool = False
    tainted: bool = False
    """The run left threads behind that nobody can end: the child is to be replaced."""


class Broken(Struct, tag=True):
    """The request itself failed in tritontui's own code (a defect, or a broken exercise): never the learner's fault."""

    run: int
    message: str
    details: str


class Lost(Struct, tag=True):
    """Made by the engine, not by a child: the child of ``run`` died or was killed, and a fresh one starts."""

    run: int
    reason: Literal["died", "deadline", "gpu-fault"]
    exit_code: int | None = None
    line: int | None = None
    stage: StageName | None = None
    learner: bool = False
    """Whether the learner's own code did it (a loop without end, ``os._exit``, a wild address), not the machine."""
