"""Output: what the learner's program printed, as text and nothing else."""

from __future__ import annotations

from textual.content import Content

from tritontui.engine.printed import not_kept
from tritontui.i18n import plain
from tritontui.ui.runs.controller import View
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line

ROWS_SHOWN = 2000


class OutputView(TextView):
    """Draws the newest rows of the output."""

    def show(self, view: View) -> None:
        """Show this run."""
        report = view.report
        if report is None or not report.output:
            self.show_blocks([line((self.tr("Nothing was printed."), "$muted")), *self.closing()])
            return
        rows = report.output.splitlines()
        blocks = [Block(Content(plain(row)), fold=True) for row in rows[-ROWS_SHOWN:]]
        if len(rows) > ROWS_SHOWN:
            n = len(rows) - ROWS_SHOWN
            words = self.tr.plural(
                "{n} earlier line is not shown.", "{n} earlier lines are not shown.", n, n=self.tr.number(n)
            )
            blocks.insert(0, line((words, "italic $muted")))
        if report.output_dropped:
            blocks.append(line((not_kept(report.output_dropped, self.tr), "italic $muted")))
        self.show_blocks([*blocks, *self.closing()])

    def closing(self) -> list[Block]:
        """Hook: what stands under the output."""
        return []


class ScriptOutput(OutputView):
    """Says under what a script printed how it ended."""

    ending: tuple[str, str] = ("", "")
    """In words, with their style; the screen sets it before it shows a view."""

    def closing(self) -> list[Block]:
        return [BLANK, line(self.ending)] if self.ending[0] else []
