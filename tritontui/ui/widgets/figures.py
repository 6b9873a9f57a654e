"""Figures of the step's experiment, drawn; until there are any, why not."""

from __future__ import annotations

from dataclasses import dataclass

from tritontui.course.figures import Figures
from tritontui.course.model import Experiment
from tritontui.course.records import FiguresSource
from tritontui.ui.lesson.measuring_words import source_words
from tritontui.ui.runs.controller import View
from tritontui.ui.speed.figures_words import plot_rows
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line


@dataclass(frozen=True)
class Shown:
    """What is drawn."""

    experiment: Experiment
    figures: Figures
    source: FiguresSource


class FiguresView(TextView):
    """Draws every plot of an experiment as wide as the pane."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shown: Shown | None = None

    def show(self, view: View) -> None:  # noqa: ARG002 - a run of the kernel changes nothing here
        """The pane is visible."""
        self._plot()

    def show_figures(self, shown: Shown | None) -> None:
        """Draw these figures; None: they wait for the predictions, or to be measured."""
        self._shown = shown
        self._plot()

    def on_resize(self) -> None:
        self._plot()

    def retranslate(self) -> None:
        self._plot()

    def _plot(self) -> None:
        width = self.text_width
        if width <= 0:
            return
        if self._shown is None:
            words = self.tr("The figures appear here once you have said what you expect and the experiment has run.")
            self.show_blocks([line((words, "$muted"))])
            return
        shown = self._shown
        head = Block(source_words(shown.figures, shown.source, self.tr))
        rows = plot_rows(shown.experiment, shown.figures, width, self.language, self.tr)
        self.show_blocks([head, BLANK, *(Block(row, fold=True) for row in rows)])
