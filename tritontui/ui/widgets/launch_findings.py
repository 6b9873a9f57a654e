"""Findings of one launch of a script, or of the script as a whole, with what it was launched with and touched."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import LaunchSummary, SiteSummary
from tritontui.engine.script_trace import ScriptTrace
from tritontui.i18n import N_
from tritontui.ui.bindings import bindings_of
from tritontui.ui.views.trace_words import grid_words, tensor_words, time_words
from tritontui.ui.widgets.findings import FindingsView, Line
from tritontui.ui.widgets.text_view import BLANK, Block, line

OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}


class LaunchFindings(FindingsView):
    """Draws what the screen has told it to speak of, and the report of the view it is shown."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("findings")

    def __init__(self, script: str, *, id: str | None = None) -> None:
        """``script``: the path of the script, in which lines count that name no file."""
        super().__init__(id=id)
        self._script = script
        self.trace: ScriptTrace | None = None
        """The run that the next view is of."""

    def file_of(self, finding: Finding) -> str | None:
        return finding.file or self._script

    def all_blocks(self) -> list[Block]:
        view, trace = self.view, self.trace
        report = view.report
        if trace is None or report is None:
            words = (
                self.tr("Running") if view.running else self.tr("Not run yet. {key} runs it.", key=self.key_of("run"))
            )
            return [line((words, "$muted"))]
        launch = next(iter(report.launches), None)
        blocks = self._launch_head(launch) if launch is not None else self._script_head(trace)
        if view.syntax is not None:
            blocks = [line(("✗ ", "bold $error"), (self.tr("Python can't read this yet"), "bold $error"))]
        blocks += self.finding_blocks()
        if trace.finished and not view.findings:
            words = self.tr("No findings.")
            blocks += [BLANK, line((words, "$muted"))]
        if launch is not None and launch.sites:
            blocks += [BLANK, line((self.tr("What it touched"), "bold")), *self._sites(launch)]
        return blocks

    # ------------------------------------------------------------ the script

    def _script_head(self, trace: ScriptTrace) -> list[Block]:
        tr, done = self.tr, trace.done
        launches = tr.plural("{n} launch", "{n} launches", len(trace.launches))
        if trace.failure:
            words = tr("The script could not be traced; the fault is not in it.")
            rows = [Block(Content.styled(row, "$muted"), fold=True) for row in trace.failure.splitlines()]
            return [line(("! ", "bold $warning"), (words, "bold $warning")), *rows]
        if trace.stopped:
            words = tr("Stopped. What it launched until then stays.")
            return [line((words, "bold $warning")), *self._only_counted(trace)]
        if trace.died:
            return [line((tr("Its process died."), "bold $error"))]
        if done is None:
            return [line((tr("Running"), "$accent"), (f" · {launches}", "$muted"))]
        style = "bold $error" if trace.wrong and (done.error is not None or done.exit_code) else "bold"
        ended = tr("It ended with exit code {code}.", code=done.exit_code)
        blocks = [line((ended, style), (f" {launches}." if trace.launches else "", "$muted"))]
        blocks += self._only_counted(trace)
        if not trace.launches:
            blocks.append(line((tr("The script launched no kernel."), "$warning")))
        if done.error is not None and done.error.params.get("problem") == "input":
            words = tr("Nothing can be typed into it here: the terminal is taken, and its standard input is empty.")
            blocks.append(line((words, "$muted")))
        return blocks

    def _only_counted(self, trace: ScriptTrace) -> list[Block]:
        if not trace.only_counted:
            return []
        counted = self.tr.plural(
            "{n} more launch was only counted: it is like one that is listed.",
            "{n} more launches were only counted: each is like one that is listed.",
            trace.only_counted,
        )
        return [line((counted, "$muted"))]

    # ------------------------------------------------------------ a launch

    def _launch_head(self, launch: LaunchSummary) -> list[Block]:
        tr = self.tr
        programs = tr.plural("{n} program", "{n} programs", prod(launch.grid))
        grid = tr("grid {grid}", grid=grid_words(launch.grid))
        spent = tr("traced in {time}", time=time_words(launch.kernel_ms, tr))
        title = line((launch.kernel, "bold"), (f"  {grid} · {programs} · {spent}", "$muted"))
        where = Line(launch.line, None, self._script) if launch.line else None
        blocks = [title]
        if where is not None:
            blocks.append(line((tr("launched in line {line}", line=launch.line), "$muted"), target=where))
        if launch.mode != "lockstep":
            words = tr("Run one program at a time: its programs wait for one another.")
            blocks.append(line((words, "$muted")))
        tensors = tuple(Content(tensor_words(tensor)) for tensor in launch.tensors)
        scalars = tuple(Content(f"{name} = {value}") for name, value in launch.scalars.items())
        return [*blocks, *(Block(Content(""), items=items) for items in (tensors, scalars) if items)]

    def _sites(self, launch: LaunchSummary) -> Iterator[Block]:
        """One line an access, in columns."""
        width = max(len(site.tensor) for site in launch.sites)
        ops = max(len(self.tr(OPS[site.op])) for site in launch.sites)
        for site in launch.sites:
            yield line(*self._site(site, ops, width), target=Line(site.line, site.column, launch.file), indent=2)

    def _site(self, site: SiteSummary, ops: int, width: int) -> Iterator[str | tuple[str, str]]:
        tr = self.tr
        yield (f"{site.line:>4} ", "$muted")
        yield f"{tr(OPS[site.op]):<{ops}} "
        yield (f"{site.tensor:<{width}}  ", "bold")
        parts = [tr.plural("{n} lane", "{n} lanes", site.lanes_on, n=tr.number(site.lanes_on))]
        if site.lanes_off:
            parts.append(tr("{n} masked off", n=tr.number(site.lanes_off)))
        if site.sectors_ideal and site.sectors > site.sectors_ideal:
            parts.append(tr("{ratio}× the sectors", ratio=tr.number(site.sectors / site.sectors_ideal, 1)))
        yield (" · ".join(parts), "$muted")
        if site.lanes_out:
            yield (" · " + tr("{n} outside", n=tr.number(site.lanes_out)), "bold $error")
