"""One-line texts about the state of things, as pure functions: what the title, the status line and the strip say."""

from __future__ import annotations

from math import prod

from textual.content import Content

from tritontui.course.model import Lesson, Step
from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.engine.status import EngineStatus, Phase
from tritontui.i18n import N_, Language, Translator
from tritontui.ui.controller import View
from tritontui.ui.words import SIGNS, first_error, lanes_words, prose

PHASES: dict[Phase, str] = {
    "starting": N_("starting"),
    "ready": N_("ready"),
    "tracing": N_("tracing"),
    "compiling": N_("compiling"),
    "checking": N_("checking"),
    "measuring": N_("measuring"),
    "restarting": N_("restarting"),
    "failed": N_("failed"),
    "closed": N_("closed"),
}

KINDS = {
    "read": N_("read"),
    "explore": N_("explore"),
    "predict": N_("predict"),
    "code": N_("code"),
    "fix": N_("fix"),
    "measure": N_("measure"),
}
"""Step kinds, as shown in their badge."""


def engine_words(status: EngineStatus, live: bool, tr: Translator) -> str:
    """``H200 · ready · live``; the reason instead when the engine can't start."""
    parts = [status.device, tr(PHASES[status.phase])]
    if status.phase == "failed" and status.problem:
        parts.append(status.problem.splitlines()[0])
    elif live:
        parts.append(tr("live"))
    return " · ".join(parts)


def place_words(lesson: Lesson, step: Step, language: Language, tr: Translator, *, short: bool = False) -> str:
    """``5 Vector addition · step 3/6``; short: ``5 Vector addition 3/6``."""
    number, total = lesson.steps.index(step) + 1, len(lesson.steps)
    title = f"{lesson.number} {lesson.title[language]}"
    if short:
        return f"{title} {number}/{total}"
    return f"{title} · " + tr("step {number}/{total}", number=number, total=total)


def step_words(step: Step, done: bool, tr: Translator) -> Content:
    """``code ✓``: the step's kind, and whether it is done."""
    return Content.assemble(tr("Lesson"), f" · {tr(KINDS[step.kind])}", ("  ✓", "bold $success") if done else "")


BAR_CELLS = 24


def evidence_rows(view: View, language: Language, tr: Translator) -> tuple[Content, Content]:
    """Two rows that stand for the results where these aren't visible: the verdict, and what shows it."""
    finding = first_error(view.findings)
    if view.stale and view.syntax is None:
        return Content.styled(tr("… judging the new text") if view.running else "…", "italic $muted"), Content("")
    if finding is not None and view.verdict != "pass":
        return _finding_row(finding, language, tr), _lanes_row(finding, view, tr)
    if view.verdict == "pass" and view.report is not None:
        cases = len(view.report.cases)
        words = tr.plural("Right in {n} case", "Right in all {n} cases", cases)
        return Content.assemble(("✓ ", "bold $success"), (words, "$success")), _measured_row(view)
    if view.verdict == "fail":
        return Content.assemble(("✗ ", "bold $error"), (tr("Not right yet"), "$error")), Content("")
    if view.verdict == "error":
        return Content.assemble(("! ", "bold $warning"), (tr("It could not be judged"), "$warning")), Content("")
    return Content.styled(tr("Judging") if view.running else "", "$muted"), Content("")


def _finding_row(finding: Finding, language: Language, tr: Translator) -> Content:
    sign, style = SIGNS[finding.severity]
    where = tr("line {line}", line=finding.line) + ": " if finding.line else ""
    return Content.assemble((f"{sign} ", style), (where, "$muted"), prose(explain(finding, language).title))


def _lanes_row(finding: Finding, view: View, tr: Translator) -> Content:
    """``program 3 ████████████████×××``: the block of the program, the finding's lanes crossed."""
    lanes = _block_lanes(finding, view)
    if not isinstance(finding.program, int) or not finding.lanes or not lanes:
        return Content("")
    cells = min(BAR_CELLS, lanes)
    hit = [False] * cells
    for first, last in finding.lanes:
        for cell in range(first * cells // lanes, min(last * cells // lanes, cells - 1) + 1):
            hit[cell] = True
    bar: list[tuple[str, str]] = [("×", "bold $error") if crossed else ("█", "$primary") for crossed in hit]
    program = tr("program {program}", program=finding.program)
    return Content.assemble(
        (f"{program} ", "$muted"), *bar, (f"  {tr('lanes')} {lanes_words(finding.lanes)}", "$muted")
    )


def _block_lanes(finding: Finding, view: View) -> int:
    """Lanes of the block that the finding is about; 0 when no trace tells."""
    launches = view.report.launches if view.report is not None else []
    for launch in launches:
        for site in launch.sites:
            if site.line == finding.line and finding.tensor in (None, site.tensor):
                return prod(site.lane_shape)
    return 0


def _measured_row(view: View) -> Content:
    measured = view.report.measurement if view.report is not None else None
    if measured is None:
        return Content("")
    share = f" · {measured.gbps / measured.ceiling_gbps:.0%}" if measured.ceiling_gbps else ""
    return Content.styled(f"{measured.gbps:,.0f} GB/s{share}", "$muted")
