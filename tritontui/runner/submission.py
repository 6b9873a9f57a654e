"""The learner's text as a module, and its exceptions as data."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import tempfile
import traceback
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import tritontui
from tritontui.diagnosis.finding import Failure, Finding, Frame
from tritontui.runner.lockstep import KernelError, LockstepError
from tritontui.runner.spec import Exercise
from tritontui.runner.triton_compat import KernelInterface

Stage = Literal["import", "host", "trace", "compile", "launch", "run"]

_ON_PURPOSE = (LockstepError, SyntaxError, TypeError, ValueError, KeyError, OSError, MemoryError, BdbQuit)
_PACKAGE = str(Path(tritontui.__file__).parent)

MODULE = "tritontui_submission"
"""Name of every submission's module: Triton keeps the newest kernel of each module's name for ever."""


@dataclass(frozen=True)
class Submission:
    """A text that was written to a file and, unless it failed, imported from there."""

    text: str
    filename: str
    """What the learner calls the file."""
    path: Path
    """Where this process reads it: Triton looks up a kernel's source by its file."""
    module: ModuleType


class Submissions:
    """A private temporary folder with one sub-folder per submission; only the newest one is kept.

    Every submission has a path of its own, so that no cache keyed by file and line (``linecache``, ``inspect``)
    can answer with the lines of an older text.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tritontui-")
        self._count = 0
        self._current: Submission | None = None

    def place(self, text: str, filename: str) -> Submission:
        """Write ``text`` to a fresh file; drop the previous submission, its module and its cached lines."""
        self._drop()
        self._count += 1
        folder = Path(self._folder.name) / str(self._count)
        folder.mkdir(mode=0o700, parents=True)  # the learner's code may have removed what is above
        path = folder / (Path(filename).name or "kernel.py")
        path.write_text(text, encoding="utf-8")
        module = ModuleType(MODULE)
        module.__file__ = str(path)
        self._current = Submission(text, filename, path, module)
        return self._current

    def close(self) -> None:
        """Remove the folder."""
        self._drop()
        self._folder.cleanup()

    def _drop(self) -> None:
        if self._current is None:
            return
        path = self._current.path
        sys.modules.pop(MODULE, None)
        linecache.cache.pop(str(path), None)
        path.unlink(missing_ok=True)
        self._current = None


def execute(submission: Submission) -> None:
    """Import the submission's module; raises whatever its code raises."""
    module = submission.module
    spec = importlib.util.spec_from_file_location(module.__name__, submission.path)
    module.__spec__ = spec
    sys.modules[module.__name__] = module
    code = compile(submission.text, str(submission.path), "exec", dont_inherit=True)
    exec(code, module.__dict__)


def find_entry(submission: Submission, exercise: Exercise) -> Callable[..., Any] | Finding:
    """The host function to call, or the finding that it is missing, or is a kernel itself."""
    tree = ast.parse(submission.text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for name in (exercise.entry, *exercise.aliases):
        value = submission.module.__dict__.get(name)
        if isinstance(value, KernelInterface):
            line = next((function.lineno for function in functions if function.name == name), None)
            return Finding(
                id="launch-without-grid", severity="error", line=line, params={"function": name, "entry": True}
            )
        if callable(value):
            return value  # type: ignore[no-any-return]
    return Finding(
        id="entry-missing",
        severity="error",
        line=functions[-1].lineno if functions else 1,
        params={
            "entry": exercise.entry,
            "functions": [function.name for function in functions],
            "empty": not tree.body,
        },
    )


@dataclass(frozen=True)
class Place:
    """Line and column in the learner's file, from 1."""

    line: int
    column: int | None = None


def failure_of(
    error: BaseException,
    submission: Submission,
    stage: Stage,
    context: dict[str, Any] | None = None,
) -> Failure:
    """``error`` and what caused it as data, with the learner's line and column where one is known."""
    chain = list(_chain(error))
    place = _place(chain, submission)
    failures = [_shallow(link, submission, stage) for link in chain]
    first, causes = failures[0], failures[1:]
    first.causes = causes
    first.context = context or {}
    first.source = submission.text
    if place is not None:
        first.line, first.column = place.line, place.column
    return first


def is_own_defect(error: BaseException) -> bool:
    """Whether ``error`` came up in tritontui's own code, by a mistake there: nothing to tell a learner about.

    What is raised on purpose has its own types, or those that Triton's launcher and Python's debugger use. What torch
    raises comes by way of ``__torch_function__``, wherever that stands.
    """
    if isinstance(error, _ON_PURPOSE):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename.startswith(_PACKAGE) and frames[-1].name != "__torch_function__"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error``, then what it was raised from, outermost first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _shallow(error: BaseException, submission: Submission, stage: Stage) -> Failure:
    return Failure(
        kind=type(error).__name__,
        message=_own_message(error),
        frames=[
            Frame(_shown(frame.filename, submission), frame.lineno or 0, frame.name)
            for frame in traceback.extract_tb(error.__traceback__)
        ],
        stage=stage,
    )


def _own_message(error: BaseException) -> str:
    """The error's words; a compilation error without its excerpt of the source, where it can be told apart."""
    own = getattr(error, "error_message", None)
    return own if isinstance(own, str) and own else str(error)


def _shown(file: str, submission: Submission) -> str:
    return submission.filename if file == str(submission.path) else file


def _place(chain: Sequence[BaseException], submission: Submission) -> Place | None:
    """Where the compiler or the interpreter puts the blame, else the deepest learner's frame of the outermost error."""
    for error in reversed(chain):
        if (place := _compiler_place(error, submission)) is not None:
            return place
    for error in chain:
        if isinstance(error, KernelError) and error.line is not None:
            return Place(error.line, error.column)
    for error in chain:
        if isinstance(error, SyntaxError) and error.filename == str(submission.path) and error.lineno:
            return Place(error.lineno, error.offset)
        lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(submission.path)]
        if lines and lines[-1].lineno:
            column = getattr(lines[-1], "colno", None)
            return Place(lines[-1].lineno, None if column is None else column + 1)
    return None


def _compiler_place(error: BaseException, submission: Submission) -> Place | None:
    """Place of a compilation error's node; None when it lies in a function of another file.

    Such an error carries the source of its function (from the ``def`` on, dedented) and a node whose line counts
    from that ``def``.
    """
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    line = getattr(node, "lineno", None)
    if not isinstance(source, str) or line is None:
        return None
    start = _find_block(submission.text.splitlines(), source.rstrip().splitlines())
    if start is None:
        return None
    own_line = start + line
    own_text = submission.text.splitlines()[own_line - 1]
    indent = _indent(own_text) - _indent(source.splitlines()[line - 1])
    return Place(own_line, node.col_offset + indent + 1 if node is not None else None)


def _find_block(lines: Sequence[str], block: Sequence[str]) -> int | None:
    """Index of the first line of ``block`` within ``lines``, indentation apart."""
    wanted = [line.strip() for line in block]
    stripped = [line.strip() for line in lines]
    for start in range(len(stripped) - len(wanted) + 1):
        if stripped[start : start + len(wanted)] == wanted:
            return start
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
