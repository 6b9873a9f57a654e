"""Findings and compiler reports, printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tritontui.commands.console import Context
from tritontui.diagnosis import Finding, explain
from tritontui.engine.messages import CompilerReport
from tritontui.i18n import percent


def print_findings(context: Context, findings: Sequence[Finding]) -> None:
    """Causes with message and way on; what merely follows from them in one line each."""
    for finding in findings:
        explanation = explain(finding, context.language)
        where = _where(context, finding)
        if finding.caused_by is not None:
            context.console.paragraph(f"· {where}{explanation.title} [{finding.id}]")
            continue
        context.console.marked(finding.severity, f"{where}{explanation.title} [{finding.id}]")
        for text in (explanation.message, explanation.fix):
            if text:
                context.console.paragraph(text)


def _where(context: Context, finding: Finding) -> str:
    if finding.line is None:
        return ""
    if finding.file is None:
        return context.tr("line {line}", line=finding.line) + ": "
    return context.tr("{file} line {line}", file=Path(finding.file).name, line=finding.line) + ": "


def print_compiler(context: Context, report: CompilerReport | None) -> None:
    if report is None:
        return
    tr = context.tr
    parts = [tr("compiled for {target}", target=report.target)]
    if report.registers is not None:
        parts.append(tr.plural("{n} register a thread", "{n} registers a thread", report.registers))
    if report.spill_bytes:
        parts.append(tr.plural("{n} byte spilled", "{n} bytes spilled", report.spill_bytes))
    parts.append(tr("{bytes} B of shared memory", bytes=report.shared_bytes))
    if report.occupancy is not None:
        parts.append(tr("occupancy {share}", share=percent(report.occupancy)))
    context.console.marked("good", ", ".join(parts))
