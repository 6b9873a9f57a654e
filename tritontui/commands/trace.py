"""``tritontui trace``: run anybody's script under the tracer and say what each of its launches did."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tritontui.commands.console import Context
from tritontui.commands.engine import first_interrupt, run, running
from tritontui.commands.findings import print_compiler, print_findings
from tritontui.commands.status import GOOD, UNUSABLE, WRONG, CommandError
from tritontui.course.progress import OWN_TRACE
from tritontui.course.storage import StorageError
from tritontui.diagnosis import Finding, explain
from tritontui.engine.messages import LaunchSummary, Output, SiteSummary
from tritontui.engine.printed import not_kept
from tritontui.engine.script_trace import ScriptTrace

SCHEMA = 1
OUTPUT_BYTES = 1 << 26
"""Of what a script prints: more is only counted, so that one that prints without end fills no memory."""


def trace(context: Context, script: str, arguments: Sequence[str], *, launch: int | None, as_json: bool) -> int:
    path, entry = found(context, script)
    printed = None if as_json else context.console.as_printed
    traced = run(_trace(context, path, arguments, entry, printed))
    if launch is not None:
        traced.launches = [summary for summary in traced.launches if summary.launch == launch]
        if not traced.launches:
            raise CommandError(context.tr("There is no launch {number}.", number=launch))
    if as_json:
        context.console.json(as_data(context, traced))
    else:
        _print(context, traced)
    if traced.clean:
        _remember(context, path)
    if traced.failure and traced.done is None:
        return UNUSABLE
    own = traced.done.exit_code if traced.done else GOOD
    return own or (WRONG if traced.wrong else GOOD)


def found(context: Context, script: str) -> tuple[Path, str]:
    """The file behind SCRIPT, and ``module:function`` where it is that. Raises CommandError where there is none."""
    path = Path(script)
    if path.is_file():
        return path, ""
    module, separator, function = script.partition(":")
    if separator and all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
        beside = Path(*module.split("."))
        for candidate in (beside.with_suffix(".py"), beside / "__init__.py"):
            if candidate.is_file():
                return candidate, script
        raise CommandError(context.tr("There is no module {module} in this folder.", module=module))
    raise CommandError(context.tr("{path} is not there.", path=path))


def _remember(context: Context, script: Path) -> None:
    """For the lesson that asks for a trace of one's own. Where nothing can be kept, the trace is worth as much."""
    with suppress(StorageError):
        context.paths.create()
        with context.progress() as progress:
            progress.set_setting(OWN_TRACE, str(script.absolute()))


async def _trace(
    context: Context, path: Path, arguments: Sequence[str], entry: str, printed: Callable[[str], None] | None
) -> ScriptTrace:
    """``printed`` is given what the script prints as it comes."""
    traced, folder, stdin = ScriptTrace(), Path.cwd(), _own_stdin()
    async with running(context.device) as engine:
        replies = engine.trace_script(path, arguments, folder, entry=entry, stdin=stdin, output_bytes=OUTPUT_BYTES)
        with first_interrupt(engine.interrupt_script):
            async for reply in replies:
                traced.add(reply)
                if printed is not None and isinstance(reply, Output):
                    printed(reply.text)
    if traced.done is None and traced.stopped:
        raise KeyboardInterrupt
    return traced


def _own_stdin() -> str:
    """A path by which the runner can open this process's standard input; "" where the system has none."""
    path = Path(f"/proc/{os.getpid()}/fd/0")
    return str(path) if path.exists() else ""


def as_data(context: Context, traced: ScriptTrace) -> dict[str, Any]:
    """The JSON of ``trace``."""
    error = traced.done.error if traced.done else None
    return {
        "schema": SCHEMA,
        "launches": [_launch_data(context, traced, summary) for summary in traced.launches],
        "findings": [finding_data(context, finding) for finding in traced.about(None) if finding is not error],
        "script": {
            "exit": traced.done.exit_code if traced.done else None,
            "error": None if error is None else finding_data(context, error),
            "output": traced.output,
            "output_dropped": traced.output_dropped,
            "only_counted": traced.only_counted,
        },
        "error": traced.failure or None,
    }


def finding_data(context: Context, finding: Finding) -> dict[str, Any]:
    explanation = explain(finding, context.language)
    data: dict[str, Any] = msgspec.to_builtins(finding)
    keys = ("id", "severity", "file", "line", "column", "tensor", "program", "lanes", "caused_by", "original")
    return {**{key: data.get(key) for key in keys}, "message": explanation.message, "fix": explanation.fix}


def _launch_data(context: Context, traced: ScriptTrace, launch: LaunchSummary) -> dict[str, Any]:
    return {
        "launch": launch.launch,
        "kernel": launch.kernel,
        "file": launch.file,
        "line": launch.line,
        "grid": launch.grid,
        "mode": launch.mode,
        "left_out": launch.left_out,
        "recorded_to": launch.recorded_to,
        "unjudged": launch.unjudged,
        "accesses": [_access_data(site) for site in launch.sites],
        "findings": [finding_data(context, finding) for finding in traced.about(launch.launch)],
        "compiler": msgspec.to_builtins(traced.compiled(launch.launch)),
        "timings_ms": {"kernel": launch.kernel_ms, "analysis": launch.analysis_ms},
    }


def _access_data(site: SiteSummary) -> dict[str, Any]:
    keys = ("line", "op", "tensor", "programs", "lanes_on", "lanes_off", "lanes_out", "sectors", "sectors_ideal")
    return {**{key: getattr(site, key) for key in keys}, "affine": msgspec.to_builtins(site.affine)}


# ---------------------------------------------------------------- for a human


def _print(context: Context, traced: ScriptTrace) -> None:
    console, tr = context.console, context.tr
    if traced.output:
        if not traced.output.endswith("\n"):
            console.line()
        console.line()
    if traced.output_dropped:
        console.marked("note", not_kept(traced.output_dropped, tr))
    for summary in traced.launches:
        grid = " × ".join(map(str, summary.grid))
        title = tr("launch {number}: {kernel}, grid {grid}", number=summary.launch, kernel=summary.kernel, grid=grid)
        console.line(title)
        _print_sites(context, summary.sites)
        print_findings(context, traced.about(summary.launch))
        print_compiler(context, traced.compiled(summary.launch))
        console.line()
    if n := traced.only_counted:
        words = tr.plural(
            "{n} more launch was only counted: it is like one that is listed.",
            "{n} more launches were only counted: each is like one that is listed.",
            n,
            n=tr.number(n),
        )
        console.marked("note", words)
    print_findings(context, traced.apart())
    if traced.failure:
        console.marked("error", tr("The script could not be traced; the fault is not in it."))
        console.verbatim(traced.failure)
    elif traced.stopped:
        console.marked("note", tr("The script was interrupted."))
    elif not traced.launches:
        console.marked("note", tr("The script launched no kernel."))


def _print_sites(context: Context, sites: Sequence[SiteSummary]) -> None:
    """One line an access, in columns."""
    tr = context.tr
    width = max((len(site.tensor) for site in sites), default=0)
    for site in sites:
        where = tr("line {line}", line=site.line)
        on = tr.plural("{n} lane on", "{n} lanes on", site.lanes_on)
        off = tr.plural("{n} lane masked off", "{n} lanes masked off", site.lanes_off)
        sectors = tr.plural(
            "{n} sector (at best {ideal})", "{n} sectors (at best {ideal})", site.sectors, ideal=site.sectors_ideal
        )
        context.console.paragraph(f"{where:9} {site.op:6} {site.tensor:{width}}  {on}, {off} · {sectors}")
