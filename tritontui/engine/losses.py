"""What to say when a child died or had to be killed: whose fault it was, and on which line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import ExperimentRequest, Found, Lost, StageName, Stalled, TraceScript, Work

_FAULT_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+) in ', re.MULTILINE)
"""A frame in what Python's faulthandler writes, innermost first."""

_WAYS_OUT = frozenset(
    {"_exit", "abort", "kill", "killpg", "raise_signal", "pthread_kill", "execv", "execve"}
    | {"alarm", "setitimer", "setrlimit"}  # whose signal comes later
)


def deadline_passed(
    request: Work, stage: StageName, seconds: float, stderr: str, stalled: Stalled | None
) -> tuple[Found, Lost]:
    """The child was killed at the hard deadline, ``seconds`` after the start of ``stage``.

    ``stalled`` is where it said that the learner's code stood. A child that couldn't even say that was locked up by
    the learner's code, if faulthandler saw that in ``stderr``; else it was itself stopped.
    """
    line = stalled.line if stalled is not None else fault_line(stderr, _text_of(request)[1])
    learner = stalled is not None or line is not None
    if learner:
        params = {"seconds": seconds, "printed": 0}
        finding = Finding(id="no-progress", severity="error", line=line, params=params)
    else:
        finding = _runner_lost(None, "", "deadline", 0, seconds)
    lost = Lost(request.run, "deadline", line=line, stage=stage, learner=learner)
    return Found(request.run, stage, [finding]), lost


def died(request: Work, stage: StageName, exit_code: int, stderr: str, stalled: Stalled | None) -> tuple[Found, Lost]:
    """The child ended by itself, or something else ended it; ``stderr`` is what it left there."""
    source, filename = _text_of(request)
    call = ""
    line = fault_line(stderr, filename)
    if line is None and stalled is not None:
        line = stalled.line
    if line is None and (way_out := first_way_out(source)) is not None:
        call, line = way_out
    finding = _runner_lost(line, call, "died", exit_code, 0)
    finding.original = stderr.strip() or None
    lost = Lost(request.run, "died", exit_code=exit_code, line=line, stage=stage, learner=line is not None)
    return Found(request.run, stage, [finding]), lost


def gpu_fault(run: int, stage: StageName) -> Lost:
    """The GPU child is given up: a CUDA error stays with the process it happened in."""
    return Lost(run, "gpu-fault", stage=stage, learner=True)


def fault_line(stderr: str, filename: str) -> int | None:
    """Innermost line of the learner's file in a faulthandler report."""
    wanted = Path(filename).name
    for frame in _FAULT_FRAME.finditer(stderr):
        if Path(frame["file"]).name == wanted:
            return int(frame["line"])
    return None


def first_way_out(source: str) -> tuple[str, int] | None:
    """Name and line of the first call that ends a process; None when there is none or the text can't be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls = [(node.lineno, _called(node)) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    line, name = min(((line, name) for line, name in calls if name in _WAYS_OUT), default=(0, ""))
    return (name, line) if name else None


def _runner_lost(line: int | None, call: str, reason: str, exit_code: int, seconds: float) -> Finding:
    params = {"call": call, "reason": reason, "exit_code": exit_code, "seconds": seconds}
    return Finding(id="runner-lost", severity="error", line=line, params=params)


def _text_of(request: Work) -> tuple[str, str]:
    """The learner's text and its file name."""
    if isinstance(request, ExperimentRequest):
        return next(((own.source, own.filename) for own in request.own), ("", ""))
    if not isinstance(request, TraceScript):
        return request.source, request.filename
    try:
        return Path(request.path).read_text(encoding="utf-8", errors="replace"), request.path
    except OSError:
        return "", request.path


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
