"""Findings in words, with what can be chosen in them: a line, a lane on the map, the original message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.ui.messages import GoToLine, ShowOnMap
from tritontui.ui.runs.controller import View
from tritontui.ui.views.words import SIGNS, prose
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line


@dataclass(frozen=True)
class Line:
    """A finding's line."""

    line: int
    column: int | None
    file: str | None = None
    """Where it isn't the learner's own."""


@dataclass(frozen=True)
class Element:
    """A lane to be looked at on the map."""

    program: int | tuple[int, ...]
    lane: int | None


@dataclass(frozen=True)
class Original:
    """The untouched error text of finding number ``finding``, to be unfolded."""

    finding: int


class FindingsView(TextView):
    """Draws the findings of a report, and what subclasses put around them; Enter jumps or unfolds."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = View()
        self._unfolded: set[int] = set()

    def show(self, view: View) -> None:
        """Show this run."""
        if view.report is not self.view.report:
            self._unfolded.clear()
        self.view = view
        self.show_blocks(self.all_blocks())

    def action_choose(self) -> None:
        target = self.target
        if isinstance(target, Line):
            self.post_message(GoToLine(target.line, target.column, target.file))
        elif isinstance(target, Element):
            program = list(target.program) if isinstance(target.program, tuple) else target.program
            self.post_message(ShowOnMap(program, target.lane, None))
        elif isinstance(target, Original):
            self._unfolded ^= {target.finding}
            self.show_blocks(self.all_blocks())

    def action_originals(self) -> None:
        """Unfold the original message of every finding that has one; fold them when all are unfolded."""
        numbers = {number for number, finding in enumerate(self.view.findings) if finding.original}
        self._unfolded = set() if numbers <= self._unfolded else numbers
        self.show_blocks(self.all_blocks())
        opened = next((i for i, block in enumerate(self.blocks) if isinstance(block.target, Original)), None)
        if self._unfolded and opened is not None:
            self.move_cursor(opened)

    def all_blocks(self) -> list[Block]:
        """Hook: everything, from the top."""
        return list(self.finding_blocks())

    def lesson_words(self, number: int) -> str:
        """Hook: where a finding is explained."""
        return self.tr("Lesson {number} explains it.", number=number)

    def finding_blocks(self) -> Iterator[Block]:
        """Every finding that follows from no other, with those that do; each kind explained once."""
        told: set[str] = set()
        for number, finding in enumerate(self.view.findings):
            if finding.caused_by is None:
                yield from self._finding(number, finding, self.view.findings, again=finding.id in told)
                told.add(finding.id)

    def file_of(self, finding: Finding) -> str | None:
        """Hook: the file that a finding's line counts in; None: the one that the launched kernel is written in."""
        return finding.file

    def _place(self, finding: Finding) -> str:
        if finding.file is None:
            return self.tr("line {line}", line=finding.line)
        return self.tr("{file} line {line}", file=Path(finding.file).name, line=finding.line)

    def _finding(self, number: int, finding: Finding, findings: list[Finding], *, again: bool) -> Iterator[Block]:
        """One finding; the explanation stands under the first of its kind only."""
        words = explain(finding, self.language)
        sign, style = SIGNS[finding.severity]
        where = f"{self._place(finding)} · " if finding.line else ""
        target = Line(finding.line, finding.column, self.file_of(finding)) if finding.line else None
        title = line((f"{sign} ", style), (where, "$muted"), prose(words.title, "bold"), target=target)
        if not again:
            yield BLANK
        yield Block(title.text, rest=Content("  "), target=target)
        if again:
            yield from self._original(number, finding)
            return
        yield Block(prose(words.message), first=Content("  "), rest=Content("  "))
        if finding.case is not None:
            yield Block(
                Content.styled(self._elsewhere(finding.case), "$muted"), first=Content("  "), rest=Content("  ")
            )
        if words.fix:
            yield Block(prose(words.fix), first=Content.styled("  → ", "$primary"), rest=Content("    "))
        if words.lesson is not None:
            yield line((self.lesson_words(words.lesson), "$muted"), indent=2)
        yield from self._original(number, finding)
        for other, consequence in enumerate(findings):
            if consequence.caused_by == finding.id:
                said = explain(consequence, self.language)
                yield Block(prose(said.title, "$muted"), first=Content("  └ "), rest=Content("    "))
                yield from self._original(other, consequence)

    def _elsewhere(self, case: str) -> str:
        """That the map shows another case."""
        report = self.view.report
        case = report.case_in(self.language, case) if report is not None else case
        if report is None or not report.traced_case:
            return self.tr("This is in the case {case}.", case=case)
        traced = report.case_in(self.language, report.traced_case)
        return self.tr("This is in the case {case}; Map and Steps show the case {traced}.", case=case, traced=traced)

    def _original(self, number: int, finding: Finding) -> Iterator[Block]:
        """The error's own text, folded unless the learner asked for it; nothing where there was no error."""
        if not finding.original:
            return
        open_ = number in self._unfolded
        sign, words = ("−", self.tr("the original message")) if open_ else ("+", self.tr("show the original message"))
        yield line((f"{sign} {words} ", "$muted"), ("o", "bold $secondary"), target=Original(number), indent=2)
        if open_:
            for row in finding.original.splitlines():
                yield Block(Content.styled(row, "$muted"), first=Content("    "), rest=Content("    "), fold=True)
