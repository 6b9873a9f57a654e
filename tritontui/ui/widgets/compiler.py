"""Compiler: what the real compiler made of the kernel, with or without a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tritontui.engine.messages import CompilerReport
from tritontui.i18n import N_
from tritontui.ui.controller import View
from tritontui.ui.messages import GoToLine
from tritontui.ui.plots import gauge
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line
from tritontui.ui.widgets.verdict import Line

LIMITS = {
    "registers": N_("registers"),
    "shared memory": N_("shared memory"),
    "warps": N_("warps"),
    "blocks": N_("blocks"),
}
"""What may limit occupancy."""


class CompilerView(TextView):
    """Draws a compiler report; Enter on an access jumps to its line."""

    def show(self, view: View) -> None:
        """Show this run."""
        report = view.report
        if report is not None and report.compiler is not None:
            self.show_blocks(self._report(report.compiler))
        else:
            self.show_blocks(self._nothing(view))

    def action_choose(self) -> None:
        if isinstance(self.target, Line):
            self.post_message(GoToLine(self.target.line, self.target.column))

    def _nothing(self, view: View) -> Iterator[Block]:
        if view.running:
            yield line((self.tr("The compiler's turn comes after the cases."), "$muted"))
        elif view.verdict == "fail":
            yield line((self.tr("A kernel is compiled to machine code once it is right."), "$muted"))
        else:
            yield line((self.tr("Nothing was compiled yet."), "$muted"))

    def _report(self, report: CompilerReport) -> Iterator[Block]:
        yield line(
            (report.kernel, "bold"),
            (
                " " + self.tr("for {target}, compiled in {time} s", target=report.target, time=f"{report.seconds:.2f}"),
                "$muted",
            ),
        )
        yield BLANK
        rows = [
            (self.tr("registers per thread"), _number(report.registers)),
            (self.tr("spilled to memory"), _bytes(report.spill_bytes)),
            (self.tr("shared memory"), _bytes(report.shared_bytes)),
            (self.tr("warps"), f"{report.num_warps}  ({report.num_warps * 32} threads)"),
            (self.tr("stages"), str(report.num_stages)),
        ]
        width = max(len(name) for name, _ in rows) + 2
        for name, value in rows:
            yield line((name.ljust(width), "$muted"), (value, "bold"))
        if report.occupancy is not None:
            limit = report.occupancy_limit or ""
            said = self.tr("limited by {limit}", limit=self.tr(LIMITS[limit])) if limit in LIMITS else limit
            yield line(
                (self.tr("occupancy").ljust(width), "$muted"),
                (gauge(report.occupancy, 16), "$primary"),
                (f" {report.occupancy:.0%} ", "bold"),
                (said, "$muted"),
            )
        if report.widths:
            yield BLANK
            yield line((self.tr("One thread moves, with one instruction"), "bold"))
            for access in report.widths:
                words = Content.assemble(
                    (self.tr("line {line}", line=access.line), "$muted"),
                    f"  {access.op:<6} ",
                    (f"{access.bits:>3} bit", "bold $primary" if access.bits >= 128 else "bold"),
                    (f"  {gauge(access.bits / 128, 8)}", "$secondary"),
                )
                yield Block(words, first=Content("  "), rest=Content("    "), target=Line(access.line, None))


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _bytes(value: int | None) -> str:
    return "?" if value is None else f"{value:,} B"
