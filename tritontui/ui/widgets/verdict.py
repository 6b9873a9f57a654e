"""The verdict: what was judged, what is wrong and why, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from tritontui.engine.messages import CaseResult, Mismatch, StageName, Stalled
from tritontui.engine.report import NO_KERNEL, Report, StageState
from tritontui.i18n import N_
from tritontui.ui.bindings import bindings_of
from tritontui.ui.runs.controller import View
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.views.status import SEALED
from tritontui.ui.views.words import program_words
from tritontui.ui.widgets.findings import Element, FindingsView, Line
from tritontui.ui.widgets.text_view import BLANK, NOTHING, Block, line

STAGES: dict[StageName, str] = {
    "trace": N_("trace"),
    "legality": N_("compiler"),
    "cases": N_("cases"),
    "compile": N_("binary"),
    "measure": N_("speed"),
}
STATES: dict[StageState, tuple[str, str]] = {
    "waiting": ("·", "$faint"),
    "running": ("…", "$accent"),
    "done": ("✓", "$success"),
    "skipped": ("–", "$muted"),
    "stopped": ("■", "$warning"),
}
REASONS = {
    "not-safe": N_("not run, for the kernel leaves its tensors"),
    "not-legal": N_("not run, for the compiler rejects the kernel"),
    "no-gpu": N_("no GPU here"),
    "failed-before": N_("not run, for an earlier stage failed"),
    "no-case": N_("this exercise isn't measured"),
    "no-reference": N_("nothing is right or wrong here"),
}
"""Why a stage was skipped."""
UNMEASURED = {
    "failed-before": N_("not measured, for only a right kernel is worth measuring"),
    "not-safe": N_("not measured, for the kernel leaves its tensors"),
}
"""The same of the speed, where it can be said more plainly."""


class VerdictView(OfTheCourse, FindingsView):
    """Draws a report; Enter jumps to the line, to the map, or unfolds."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("verdict")

    # ------------------------------------------------------------ parts

    def on_resize(self) -> None:
        """Whether the lesson is in view beside it may be another by now."""
        if self.blocks:
            self.show_blocks(self.all_blocks())
        super().on_resize()

    def all_blocks(self) -> list[Block]:
        view = self.view
        report = view.report
        blocks = [self._headline(view)]
        if report is not None and view.syntax is None:
            blocks.append(self._stages(report))
        if report is not None and report.stalled is not None and view.running:
            blocks.append(self._stalled(report.stalled))
        if report is not None and view.verdict == "error":
            blocks += self._trouble(report)
        blocks += self.finding_blocks()
        if report is not None and view.syntax is None:
            blocks += self._cases(report)
            if view.verdict == "pass":
                blocks += self._passed(report)
            blocks += self._skipped(report)
        return blocks

    def _headline(self, view: View) -> Block:
        if view.exercise is None:
            return line((self.tr("This lesson has no exercise."), "$muted"))
        if view.sealed:
            return line((self.tr(SEALED[view.sealed], key=self.key_of("run")), "$muted"))
        if view.syntax is not None:
            return line(("✗ ", "bold $error"), (self.tr("Python can't read this yet"), "bold $error"))
        if view.stale and view.report is not None:
            words = self.tr("Judging the new text; this is about an earlier one.")
            return line(
                ("… ", "$muted"),
                (words if view.running else self.tr("This is about an earlier text."), "italic $muted"),
            )
        if view.verdict == "pass":
            return line(("✓ ", "bold $success"), (self.tr("Right on every case"), "bold $success"))
        if not view.exercise.judged and view.report is not None and view.verdict is None:
            return self._explored(view.report)
        if view.untried:
            return line((self.tr("This kernel belongs to a later step; nothing is tried in it yet."), "$muted"))
        if view.verdict == "fail":
            return line(("✗ ", "bold $error"), (self.tr("Not right yet"), "bold $error"))
        if view.verdict == "error":
            return line(("! ", "bold $warning"), (self.tr("It could not be judged"), "bold $warning"))
        if view.running:
            return line(("… ", "$accent"), (self.tr("Judging"), "$accent"))
        return line((self.tr("Not judged yet. {key} runs it.", key=self.key_of("run")), "$muted"))

    def _explored(self, report: Report) -> Block:
        """An exploration without errors: what ran, and that nothing is right or wrong in it."""
        programs = sum(prod(launch.grid) for launch in report.launches)
        words = self.tr.plural("It ran: {n} program.", "It ran: {n} programs.", programs)
        return line((words, "bold"), (" " + self.tr("Nothing here is right or wrong: look at the map."), "$muted"))

    def _stalled(self, stalled: Stalled) -> Block:
        words = self.tr("Your code is still running, at line {line}.", line=stalled.line)
        if stalled.line is None:
            words = self.tr("Your code is still running.")
        return line((words, "$warning"), target=Line(stalled.line, None) if stalled.line else None)

    def _stages(self, report: Report) -> Block:
        """Signs, names and times; without the times where there is no room for them."""
        full: list[tuple[str, str]] = []
        short: list[tuple[str, str]] = []
        for stage, state in report.stages.items():
            sign, style = STATES[state]
            name = self.tr(STAGES[stage])
            spent = report.timings.get(stage)
            time = f" {self.tr.number(spent)} ms" if spent is not None else ""
            full += [(f"{sign} ", style), (f"{name}{time}  ", "$muted")]
            short += [(f"{sign} ", style), (f"{name}  ", "$muted")]
        return Block(Content.assemble(*full).rstrip(), shorter=Content.assemble(*short).rstrip())

    def lesson_words(self, number: int) -> str:
        if number == self.triton.study.lesson.number:
            return self.tr("This lesson explains it.")
        return super().lesson_words(number)

    def _cases(self, report: Report) -> list[Block]:
        cases = report.cases
        if not cases:
            return []
        failed = _worth_showing([case for case in cases if not case.passed], report.traced_case)
        blocks = []
        if failed is not None and failed.first_mismatch is not None:
            traced = report.traced_case
            elsewhere = report.case_in(self.language, traced) if traced != failed.name else ""
            blocks += [BLANK, *self._mismatch(failed, failed.first_mismatch, elsewhere)]
        right = sum(case.passed for case in cases)
        head = self.tr("Cases: {right} of {total} right", right=right, total=len(cases))
        items = tuple(
            Content.styled(f"✓ {case.name_in(self.language)}", "$success")
            if case.passed
            else Content.styled(f"✗ {case.name_in(self.language)}", "bold $error")
            for case in cases
        )
        return [
            *blocks,
            BLANK,
            line((head, "bold")),
            Block(NOTHING, first=Content("  "), rest=Content("  "), items=items),
        ]

    def _mismatch(self, case: CaseResult, wrong: Mismatch, elsewhere: str) -> Iterator[Block]:
        """``elsewhere``: the case that the map shows, if it is another."""
        index = ", ".join(map(str, wrong.index))
        name = case.name_in(self.language)
        yield line((self.tr("First difference: {case}, element [{index}]", case=name, index=index), "bold"))
        names = [self.tr("expected"), self.tr("got"), self.tr("difference")]
        width = max(map(len, names)) + 1
        values = [(wrong.expected, "$success"), (wrong.got, "$error"), (wrong.difference, "$foreground")]
        if not wrong.written:
            values[1:] = [(self.tr("nothing: it is never written"), "$error")]
            names.pop()
        for name, (value, style) in zip(names, values, strict=True):
            yield line((name.rjust(width) + "  ", "$muted"), (value, style), indent=1)
        wrongs = self.tr.plural(
            "{n} of {total} elements is wrong", "{n} of {total} elements are wrong", wrong.wrong, total=wrong.total
        )
        yield line((wrongs, "$muted"), indent=2)
        if wrong.program is not None:
            program = program_words(wrong.program)
            words = self.tr("It belongs to program {program}", program=program)
            if wrong.lane is not None:
                words = self.tr("It belongs to lane {lane} of program {program}", lane=wrong.lane, program=program)
            if elsewhere:
                words = f"{words} · {self.tr('the map shows the case {traced}', traced=elsewhere)}"
                yield line((words, "$muted"), indent=2)
                return
            target = Element(tuple(wrong.program) if isinstance(wrong.program, list) else wrong.program, wrong.lane)
            yield line(
                (f"› {words}", "$primary"), (" · " + self.tr("show it on the map"), "$muted"), target=target, indent=2
            )

    def _passed(self, report: Report) -> Iterator[Block]:
        yield BLANK
        yield line((self.tr("What this shows"), "bold"))
        of_kernels = [
            self.tr("No lane of any program leaves its tensor."),
            self.tr("The compiler accepts the kernel for {target}.", target=report.target or "GPU"),
        ]
        proofs = [
            *(of_kernels if report.launches else ()),
            self.tr.plural(
                "The result is right in {n} case.", "The result is right in all {n} cases.", len(report.cases)
            ),
        ]
        for proof in proofs:
            yield Block(Content(proof), first=Content.styled("  ✓ ", "$success"), rest=Content("    "))
        yield BLANK
        yield line(
            (
                self.tr(
                    "Stay and try things as long as you like: nothing is lost. {key} goes on.",
                    key=self.key_of("next-step"),
                ),
                "$muted",
            )
        )
        workspace = self.triton.workspace
        if workspace.one_at_a_time and workspace.offered() is not None:  # else the lesson beside it says so
            words = self.tr(
                "{key} breaks it on purpose: do you know what the judge will find?", key=self.key_of("break")
            )
            yield line((words, "$muted"))

    def _skipped(self, report: Report) -> Iterator[Block]:
        for stage, reason in report.skipped.items():
            if reason == NO_KERNEL:  # three stages that the exercise never had
                continue
            reasons = {**REASONS, **UNMEASURED} if stage == "measure" else REASONS
            words = self.tr(reasons[reason]) if reason in reasons else reason
            yield line((f"– {self.tr(STAGES[stage])}: {words}", "$muted"))

    def _trouble(self, report: Report) -> Iterator[Block]:
        """tritontui's own fault, or the machine's: said as such, details folded out at once."""
        yield BLANK
        if report.broken is not None:
            from tritontui.diagnosis.starting import start_cause

            if (cause := start_cause(report.broken.message + report.broken.details)) is not None:
                yield line((self.tr("The machine can't do it: {reason}.", reason=self.tr(cause.title)), "$warning"))
                yield Block(Content(self.tr(cause.remedy)), first=Content("  → "), rest=Content("    "))
            else:
                yield line((self.tr("This is a defect in tritontui, not in your kernel."), "$warning"))
            for row in (report.broken.message, *report.broken.details.splitlines()):
                yield Block(Content.styled(row, "$muted"), first=Content("  "), rest=Content("  "), fold=True)
        elif report.lost is not None:
            yield line((self.tr("The runner was lost and a fresh one starts. Run it again."), "$warning"))


def _worth_showing(failed: Sequence[CaseResult], traced: str) -> CaseResult | None:
    """The one that the map shows, else the first whose element's program is known, else the first."""

    def rank(case: CaseResult) -> tuple[bool, bool]:
        wrong = case.first_mismatch
        return case.name != traced, wrong is None or wrong.program is None

    return min(failed, key=rank, default=None)
