"""What a section of the Speed tab draws from, and the words that several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.content import Content

from tritontui.course.records import MeasurementRecord
from tritontui.diagnosis import Finding, explain
from tritontui.engine.messages import SweepKind
from tritontui.engine.status import EngineStatus
from tritontui.i18n import N_, Translator
from tritontui.ui.drawing.plots import compact, gauge
from tritontui.ui.runs.controller import View
from tritontui.ui.runs.sweeps import Refusal, Trial
from tritontui.ui.speed.recorded import Recorded
from tritontui.ui.views.words import SIGNS, first_error, prose
from tritontui.ui.widgets.text_view import BLANK, Block, lay_out, line

REFUSALS: Mapping[Refusal, str] = {
    "no-exercise": N_("This lesson has no exercise."),
    "exploration": N_("Nothing is measured in an exploration."),
    "sealed": N_("Nothing is measured before you have said what you expect."),
    "wrong": N_("Only a right kernel is worth measuring: speed says nothing about a wrong result."),
}
PROGRESS_CELLS = 20


@dataclass(frozen=True)
class Scene:
    """All that is known of the speed of the kernel on the desk."""

    tr: Translator
    view: View
    text: str
    """As it stands in the editor."""
    run_key: str
    """What measures."""
    status: EngineStatus
    records: Sequence[MeasurementRecord] = ()
    """Of this exercise, oldest first."""
    trials: Mapping[SweepKind, Trial] = field(default_factory=dict)
    """The learner's own; else, where there is no card, those that the course recorded."""
    recorded: Recorded | None = None
    """Of the lesson, where there is no card to measure on."""
    wanted: SweepKind | None = None
    """The sweep that begins once the kernel has been judged."""
    refused: Refusal | None = None
    cursor: tuple[int, int] = (0, 0)
    """Row and column of what the section lets one choose."""
    over_time: bool = False
    """Sizes: time instead of bandwidth."""
    shaded: bool = True
    """There are colours for backgrounds."""

    def at(self, cursor: tuple[int, int]) -> Scene:
        """The same with another choice."""
        return replace(self, cursor=cursor)

    def figure(self, value: float) -> str:
        """For ticks: ``4000``, ``64k``, ``1.5M``."""
        return self.tr.figure(compact(value))

    def number(self, value: float) -> str:
        """Three or four digits: ``4,323``, ``374.2``, ``0.083``."""
        size = abs(value)
        decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
        return self.tr.number(value, decimals)


def wrapped(blocks: Iterable[Block], width: int) -> list[Content]:
    """The rows of ``blocks`` at ``width`` cells."""
    return [row.text for row in lay_out(list(blocks), width)]


def remark(finding: Finding, scene: Scene) -> Iterator[Block]:
    """A finding with its sign, its title and what it says."""
    words = explain(finding, scene.tr.language)
    sign, style = SIGNS[finding.severity]
    where = scene.tr("line {line}", line=finding.line) + " · " if finding.line else ""
    yield Block(
        Content.assemble((f"{sign} ", style), (where, "$muted"), prose(words.title, "bold")), rest=Content("  ")
    )
    yield Block(prose(words.message), first=Content("  "), rest=Content("  "))


def refusal(scene: Scene, reason: Refusal) -> Iterator[Block]:
    """Why nothing is measured, with what is wrong first of all."""
    yield line(("✗ ", "bold $error"), scene.tr(REFUSALS[reason]))
    error = first_error(scene.view.findings)
    if reason == "wrong" and error is not None:
        yield BLANK
        yield from remark(error, scene)


def standing(scene: Scene, kind: SweepKind, offer: str) -> list[Block]:
    """How a sweep stands: refused, waiting, running, stopped, stale, unmeasured; ``offer``: what there is to try."""
    tr, trial = scene.tr, scene.trials.get(kind)
    if scene.refused is not None:
        return [*refusal(scene, scene.refused), BLANK]
    if scene.wanted == kind:
        return [line(("… ", "$accent"), (tr("It begins once the kernel has been judged."), "$accent"))]
    if trial is None:
        return [*_nothing_yet(scene), line((offer, "$muted"))]
    if trial.recorded_on:
        words = tr("Recorded on an {gpu}, by the course's own kernel.", gpu=trial.recorded_on)
        return [line(("R ", "bold $accent"), words), line((offer, "$muted"))]
    if trial.running:
        return [_running(scene, trial)]
    return [*_ended(scene, trial)]


def _nothing_yet(scene: Scene) -> Iterator[Block]:
    if scene.status.gpu is None:
        yield line((scene.tr("Not measured: it needs a GPU."), "bold"))
    else:
        yield line((scene.tr("Not measured yet."), "bold"))


def _running(scene: Scene, trial: Trial) -> Block:
    tr = scene.tr
    tried, total = trial.result.progress
    stop = ("   " + tr("x stops it"), "$muted")
    if trial.result.waiting:
        words = tr("Another measurement has the GPU; this one begins when it is done.")
        return line(("… ", "$accent"), (words, "$accent"), stop)
    if not total:
        return line(("… ", "$accent"), (tr("It begins."), "$accent"), stop)
    words = " " + tr("{tried} of {total}", tried=tried, total=total)
    return line((gauge(tried / total, PROGRESS_CELLS), "$accent"), (words, "$accent"), stop)


def _ended(scene: Scene, trial: Trial) -> Iterator[Block]:
    tr, result = scene.tr, trial.result
    again = (" " + tr("s tries again."), "$muted")
    tried, total = result.progress
    if not trial.is_of(scene.text):
        yield line(("! ", "bold $warning"), (tr("This is about an earlier text."), "italic $warning"), again)
    elif result.broken is not None:
        yield line(("! ", "bold $warning"), (tr("This is a defect in tritontui, not in your kernel."), "$warning"))
        yield Block(Content.styled(result.broken.message, "$muted"), fold=True)
    elif trial.stopped:
        yield line(("■ ", "$warning"), tr("Stopped after {tried} of {total}.", tried=tried, total=total), again)
    for finding in result.findings:
        if finding.severity == "error":
            yield from remark(finding, scene)
    if result.plan is not None and not result.plan.axes:
        yield line((tr("There is nothing to vary in this exercise."), "$muted"))
    elif result.unmeasured == "no-gpu" and result.points:
        yield line((tr("Not measured: it needs a GPU."), "bold"))
