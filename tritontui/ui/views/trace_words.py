"""What the screens in which a script is traced say in one line or a few, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding, Severity
from tritontui.i18n import Language, Translator
from tritontui.ui.views.words import SIGNS, first_error, prose

if TYPE_CHECKING:
    from tritontui.engine.messages import CompilerReport, LaunchSummary, TensorSummary
    from tritontui.engine.script_trace import ScriptTrace
    from tritontui.ui.runs.tracing import Tracer

RANKS: tuple[Severity, ...] = ("error", "warning", "note")


def grid_words(grid: Sequence[int]) -> str:
    """``128 × 4``."""
    return " × ".join(map(str, grid))


def tensor_words(tensor: TensorSummary) -> str:
    """``x_ptr 512×64 fp16``."""
    return f"{tensor.name} {'×'.join(map(str, tensor.shape)) or '()'} {tensor.dtype}"


def argument_words(launch: LaunchSummary) -> list[str]:
    """Every argument in short, tensors first."""
    return [*map(tensor_words, launch.tensors), *(f"{name}={value}" for name, value in launch.scalars.items())]


def resource_words(report: CompilerReport | None, tr: Translator) -> str:
    """What the launch's binary takes, in short: ``40 reg · 8 KiB``; nothing where it isn't known."""
    if report is None or report.registers is None:
        return ""
    parts = [tr("{n} reg", n=report.registers)]
    if report.spill_bytes:
        parts.append(tr("{n} B spilled", n=report.spill_bytes))
    if report.shared_bytes:
        parts.append(memory_words(report.shared_bytes, tr))
    return " · ".join(parts)


def memory_words(size: int, tr: Translator) -> str:
    """Bytes in short: ``16 B``, ``4.1 KiB``."""
    return f"{tr.number(size)} B" if size < 1024 else f"{tr.number(size / 1024, int(size % 1024 > 0))} KiB"


def time_words(milliseconds: float, tr: Translator) -> str:
    """``0.4 ms``, ``38 ms``, ``2.1 s``."""
    if milliseconds >= 1000:
        return f"{tr.number(milliseconds / 1000, 1)} s"
    return f"{tr.number(milliseconds, int(milliseconds < 9.95))} ms"


def count_words(findings: Sequence[Finding]) -> tuple[str, str]:
    """Worst sign and how many have that severity, with its style: ``✗2``; nothing where there are none."""
    for severity in RANKS:
        count = sum(finding.severity == severity for finding in findings)
        if count:
            sign, style = SIGNS[severity]
            return f"{sign}{count}", style
    return "", ""


def state_words(tracer: Tracer, tr: Translator) -> tuple[str, str]:
    """How far the script is or how it ended, and the style to say it in."""
    trace = tracer.trace
    count = len(trace.launches) + trace.only_counted if trace is not None else 0
    launches = tr.plural("{n} launch", "{n} launches", count)
    if tracer.orphaned:
        return " · ".join((tr("{file} is not on the disk", file=tracer.script.path.name), launches)), "$warning"
    if tracer.running and tracer.interrupted:
        return tr("interrupted; once more ends it"), "$warning"
    if tracer.running:
        parts = [tr("running")] if tracer.is_behind or not count else [tr("running"), launches]
        return " · ".join([*parts, *([f"{tracer.seconds} s"] if tracer.seconds else [])]), "$accent"
    if trace is None:
        return "", "$muted"
    if trace.failure:
        return tr("it could not be traced"), "$warning"
    if trace.stopped:
        return " · ".join((tr("stopped"), launches)), "$warning"
    words, style = ending_words(trace, tr)
    return f"{launches} · {words}", style


def ending_words(trace: ScriptTrace | None, tr: Translator) -> tuple[str, str]:
    """How the script ended by itself, and the style to say it in; nothing where it didn't."""
    if trace is not None and trace.died:
        return tr("its process died"), "$error"
    if trace is None or trace.done is None:
        return "", ""
    error = trace.done.error
    if error is not None and error.line:
        file = Path(error.file).name if error.file is not None else ""
        place = tr("{file} line {line}", file=file, line=error.line) if file else tr("line {line}", line=error.line)
        return tr("it stopped: {place}", place=place), "$error"
    return tr("exit {code}", code=trace.done.exit_code), "$error" if trace.done.exit_code else "$muted"


def evidence(trace: ScriptTrace | None, chosen: int | None, language: Language, tr: Translator) -> tuple[Content, ...]:
    """Two rows that stand for the results where these aren't visible."""
    if trace is None:
        return (Content(""),)
    launch = trace.launch(chosen) if chosen is not None else None
    head = Content.styled(_launch_line(launch, tr) if launch is not None else tr("the script as a whole"), "$muted")
    finding = first_error(trace.about(chosen))
    if finding is None:
        return head, Content.styled(tr("No findings."), "$muted") if trace.finished else Content("")
    sign, style = SIGNS[finding.severity]
    where = tr("line {line}", line=finding.line) + ": " if finding.line else ""
    return head, Content.assemble((f"{sign} ", style), (where, "$muted"), prose(explain(finding, language).title))


def _launch_line(launch: LaunchSummary, tr: Translator) -> str:
    grid = grid_words(launch.grid)
    words = tr("launch {number}: {kernel}, grid {grid}", number=launch.launch, kernel=launch.kernel, grid=grid)
    return f"{words} · " + tr.plural("{n} program", "{n} programs", prod(launch.grid))
