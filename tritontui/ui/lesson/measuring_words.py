"""What a measure step says around its questions: how to go on, what is going on, where the figures come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.content import Content

from tritontui.course.figures import Figures
from tritontui.course.model import Experiment, Step
from tritontui.course.questions import fill
from tritontui.course.records import FiguresSource
from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.engine.experiment import ExperimentRun
from tritontui.i18n import Translator
from tritontui.ui.lesson.markdown import markdown_blocks
from tritontui.ui.lesson.measuring import MeasureQuiz
from tritontui.ui.lesson.quiz import Asked
from tritontui.ui.runs.experimenter import Experimenter
from tritontui.ui.speed.figures_words import point_words
from tritontui.ui.views.words import SIGNS, prose
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import BLANK, Block, line


@dataclass(frozen=True)
class Measure:
    """The row that starts the experiment; ``solutions``: with the course's texts in the place of the learner's."""

    solutions: bool = False


@dataclass(frozen=True)
class Stop:
    """The row that ends it."""


@dataclass(frozen=True)
class ShowRecorded:
    """The row that shows the course's own figures."""


@dataclass(frozen=True)
class AskAgain:
    """The row that asks for the predictions anew."""


def source_words(figures: Figures, source: FiguresSource, tr: Translator) -> Content:
    """Whose figures these are, and when they were measured."""
    gpu, day = figures.machine.gpu, figures.date[:10]
    versions = figures.machine.versions
    known = ", ".join(f"{name} {versions[name.lower()]}" for name in ("torch", "Triton") if name.lower() in versions)
    if source == "recorded":
        words = tr("recorded on one {gpu}", gpu=gpu)
        return Content.assemble((words, "bold $warning"), (f" · {known} · {day}", "$muted"))
    words = tr("your own, on {gpu}", gpu=gpu)
    return Content.assemble((words, "bold $success"), (f" · {known} · {day}", "$muted"))


class MeasureAside(Aside):
    """Stands between the predictions and what is asked afterwards."""

    def __init__(
        self,
        step: Step,
        quiz: MeasureQuiz,
        experimenter: Experimenter,
        *,
        source: Callable[[], FiguresSource | None],
    ) -> None:
        assert step.experiment is not None
        self._step = step
        self._experiment: Experiment = step.experiment
        self._quiz = quiz
        self._experimenter = experimenter
        self._source = source

    def under(self, asked: Asked, view: LessonView) -> Iterator[Block]:
        before = [one for one in self._quiz.asked if not one.question.after]
        if not self._quiz.committed or not before or asked is not before[-1]:
            return
        yield BLANK
        run = self._experimenter.run
        if self._experimenter.running and run is not None:
            yield from self._going_on(run, view)
            return
        if run is not None:
            yield from self._ended(run, view)
        figures, source = self._quiz.figures, self._source()
        if figures is not None and source is not None:
            yield Block(source_words(figures, source, view.tr))
            if source == "recorded" and self._experiment.uses:
                names = ", ".join(self._experiment.uses)
                yield line((view.tr("with the course's own {names} in the place of yours", names=names), "$muted"))
            words = self._step.figures_text.get(view.language, "")
            if words:
                yield from markdown_blocks(fill(words, {}, figures, view.language), view.triton.code)
            if view.quiz is not None and view.quiz.done:
                yield from self._choices(view)
        else:
            yield from self._choices(view)

    # ------------------------------------------------------------ parts

    def _choices(self, view: LessonView) -> Iterator[Block]:
        tr, figures = view.tr, self._quiz.figures
        gpu = view.triton.engine_status
        recorded = self._experiment.recorded
        if figures is not None:
            yield BLANK
        if gpu.gpu is not None:
            words = tr("Measure on this {gpu}", gpu=gpu.device) if figures is None else tr("Measure again")
            yield _row(words, Measure())
        elif figures is None:
            yield line((tr("There is no GPU here that could be measured."), "$muted"))
        if figures is None and recorded is not None:
            yield _row(tr("Show the figures recorded on one {gpu}", gpu=recorded.machine.gpu), ShowRecorded())
        elif figures is None and gpu.gpu is None:
            yield line(
                (tr("Nothing has been recorded of this experiment yet, so there is no figure to show."), "$warning")
            )
        elif figures is not None:
            if any(asked.question.prediction and asked.question.variables for asked in self._quiz.asked):
                yield _row(tr("Predict again, with other numbers"), AskAgain())
            if self._source() == "recorded" and gpu.gpu is None:
                command = f"tritontui measure {self._experiment.id} --json > FILE"
                yield line((tr("Figures of your own can be brought here from a machine with a GPU:"), "$muted"))
                yield Block(Content(command), first=Content("  "), fold=True)
                yield Block(Content("tritontui import FILE"), first=Content("  "), fold=True)

    def _going_on(self, run: ExperimentRun, view: LessonView) -> Iterator[Block]:
        tr = view.tr
        tried, total = run.progress
        if run.waiting:
            yield line((tr("Another measurement has the GPU. Waiting for it to end."), "$warning"))
        elif run.started is None:
            yield line((tr("Preparing: your text is checked, the card's ceilings are measured."), "$accent"))
        else:
            yield line((tr("Measuring {tried}/{total}", tried=tried, total=total), "bold $accent"))
        if run.last is not None:
            yield line((point_words(self._experiment, run.last.entry, run.last.values, view.language), "$muted"))
        yield from self._lent(view)
        yield _row(tr("Stop"), Stop())

    def _lent(self, view: LessonView) -> Iterator[Block]:
        for exercise in self._experimenter.lent:
            words = view.tr("Your {name} hasn't passed yet: the course's own is timed in its place.", name=exercise)
            yield line((words, "$warning"))

    def _ended(self, run: ExperimentRun, view: LessonView) -> Iterator[Block]:
        """What is to be said of the run that is over."""
        tr = view.tr
        if run.broken is not None:
            yield line((tr("It could not be measured; the fault is not in your code."), "$error"))
            yield Block(Content(run.broken.message), first=Content("  "), rest=Content("  "), fold=True)
        for exercise, problem in run.refused.items():
            yield line((tr("Your {name} isn't right any more, so no GPU sees it:", name=exercise), "$error"))
            yield from _finding(problem, view)
            yield _row(tr("Measure with the course's own {name}", name=exercise), Measure(solutions=True))
        for finding in run.findings:
            yield from _finding(finding, view)
        missing = {point.problem.id: point.problem for point in run.points.values() if point.problem is not None}
        for problem in missing.values():
            yield from _finding(problem, view)
        if run.cancelled and not run.complete:
            yield line((tr("Stopped before the end: figures of a part are not kept."), "$muted"))
        if run.complete:
            yield from self._lent(view)
            doubts = {remark.id: remark for point in run.points.values() for remark in point.remarks}
            for remark in doubts.values():
                yield from _finding(remark, view)


def _row(words: str, target: object) -> Block:
    return Block(Content.styled(words, "bold $primary"), first=Content("  › "), rest=Content("    "), target=target)


def _finding(finding: Finding, view: LessonView) -> Iterator[Block]:
    words = explain(finding, view.language)
    sign, style = SIGNS[finding.severity]
    yield Block(Content.assemble((f"{sign} ", style), prose(words.title, "bold")), rest=Content("  "))
    yield Block(prose(words.message), first=Content("  "), rest=Content("  "))
