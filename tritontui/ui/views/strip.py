"""What the evidence strip says: two rows that stand for the results where these aren't visible."""

from __future__ import annotations

from math import prod

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.i18n import Language, Translator, percent
from tritontui.ui.runs.controller import View
from tritontui.ui.views.status import SEALED
from tritontui.ui.views.words import SIGNS, first_error, lanes_words, prose

BAR_CELLS = 24


def evidence_rows(view: View, run_key: str, language: Language, tr: Translator) -> tuple[Content, Content]:
    """Two rows that stand for the results where these aren't visible: the verdict, and what shows it."""
    finding = first_error(view.findings)
    if view.sealed:
        return Content.styled(tr(SEALED[view.sealed], key=run_key), "$muted"), Content("")
    if view.untried:
        return Content(""), Content("")
    if view.stale and view.syntax is None:
        return Content.styled(tr("… judging the new text") if view.running else "…", "italic $muted"), Content("")
    if finding is not None and view.verdict != "pass":
        return _finding_row(finding, language, tr), _lanes_row(finding, view, tr)
    if view.verdict == "pass" and view.report is not None:
        cases = len(view.report.cases)
        words = tr.plural("Right in {n} case", "Right in all {n} cases", cases)
        return Content.assemble(("✓ ", "bold $success"), (words, "$success")), _measured_row(view, tr)
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


def _measured_row(view: View, tr: Translator) -> Content:
    measured = view.report.measurement if view.report is not None else None
    if measured is None:
        return Content("")
    share = f" · {percent(measured.gbps / measured.ceiling_gbps)}" if measured.ceiling_gbps else ""
    return Content.styled(f"{tr.number(measured.gbps)} GB/s{share}", "$muted")
