"""The runs of the kernel: begun by the learner, shown on every pane, and kept as attempts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tritontui.keys.file import Keys
from tritontui.ui.learner.study import Study
from tritontui.ui.messages import GoToLine, ShowOnMap
from tritontui.ui.runs.controller import Controller, View
from tritontui.ui.screens.lines import LinesScreen
from tritontui.ui.views.status import SEALED

if TYPE_CHECKING:
    from tritontui.diagnosis.finding import Finding
    from tritontui.ui.widgets.editor import Mark


class RunsScreen(LinesScreen):
    """Passes each view of a run on to the panes, and leads from one pane to the place it means on another."""

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(study, controller, keys)
        self._recorded: object = None
        """The run that was kept last."""

    def action_run(self) -> None:
        """Judge now."""
        sealed = self.controller.view.sealed
        if sealed:
            self.notify(self.tr(SEALED[sealed], key=self.key_of("run")))
            return
        self.run_now()

    def run_now(self) -> None:
        """Judge, measuring included, and show what comes of it."""
        self.controller.run_now()
        if self.has_class("-narrow"):
            self.show_pane("results")

    def action_live(self) -> None:
        """Live judging on or off."""
        self.triton.apply_setting("live", "off" if self.controller.live else "on")
        self.notify(
            self.tr("Every edit is judged.")
            if self.controller.live
            else self.tr("Only {key} judges now.", key=self.key_of("run"))
        )
        self.panes_changed()

    def run_changed(self, view: View) -> None:
        """The controller has something new to show."""
        if not self.furnished:
            return
        self.results.show(view)
        if not view.stale or view.syntax is not None:
            self.editor.set_marks(self._mark(finding) for finding in view.findings if finding.line is not None)
        self.on_source_line()
        if view.report is not None and view.report.verdict is not None and not (view.stale or view.running):
            self.record(view)
            self.sweeps_changed()  # the history has one attempt more
        self._show_title()
        self._show_evidence()

    def on_measure(self) -> None:
        self.action_run()

    def sweeps_changed(self) -> None:
        """A sweep has something new to show."""
        if self.furnished and self.results.active == "speed":
            self.speed.redraw()

    def action_sweep(self, section: str) -> None:
        """Try every point that a section of the Speed tab shows, there."""
        self.results.pick("speed")
        self.speed.turn_to(section)
        self.show_pane("results")
        self.speed.action_start()

    def action_stop_sweep(self) -> None:
        """End what goes on of it."""
        self.triton.sweeps.stop()

    async def action_card(self) -> None:
        """A card with the map and the speed, into the learner's folder of cards."""
        from datetime import date

        from tritontui.course.storage import StorageError, make_folder, write_atomically
        from tritontui.ui.views.card import as_svg, as_text
        from tritontui.ui.views.card_words import card, drawn_map

        view = self.controller.view
        if view.verdict != "pass" or view.report is None or view.exercise is None:
            self.notify(self.tr("A card is for a kernel that passes."))
            return
        picture = await drawn_map(self.triton.engine, view.report, self.tr)
        records = self.study.history.measurements(view.exercise)
        title = f"{view.exercise.id} · {self.study.lesson.title[self.language]}"
        made = card(title, view.report, picture, records, date.today(), self.tr)
        target = self.triton.paths.cards / f"{view.exercise.id}.svg"

        def write() -> None:
            make_folder(target.parent)
            write_atomically(target, as_svg(made))
            write_atomically(target.with_suffix(".txt"), as_text(made))

        try:
            await asyncio.to_thread(write)
        except StorageError as error:
            self.notify(self.tr(error.message, **error.values))
        else:
            self.notify(self.tr("The card is in {path}, and as text beside it.", path=target))

    def _mark(self, finding: Finding) -> Mark:
        from tritontui.diagnosis import explain
        from tritontui.ui.widgets.editor import Mark

        assert finding.line is not None
        words = explain(finding, self.language).title.replace("`", "")
        return Mark(finding.line, finding.severity, words, finding.column)

    def record(self, view: View) -> None:
        """Keep a finished run as an attempt; a first pass completes the step."""
        report, exercise = view.report, view.exercise
        if report is None or exercise is None or not exercise.judged:
            return
        if self._recorded == (view.source, report.measurement):
            return
        self._recorded = (view.source, report.measurement)
        self.study.history.record_run(report)
        if report.verdict == "pass":
            self.study.keep_version(exercise)
            if self.study.step.exercise == exercise and self.study.settle():
                self.panes_changed()

    # ------------------------------------------------------------ jumps

    def on_go_to_line(self, event: GoToLine) -> None:
        self.show_pane("editor")
        self.editor.goto(event.line, event.column)

    def on_show_on_map(self, event: ShowOnMap) -> None:
        self.results.pick("map")
        self.map.select(event.program, event.lane, event.line)
        self.show_pane("results")

    def action_show_result(self, name: str) -> None:
        """To that one of the results."""
        self.results.pick(name)
        self.show_pane("results")

    def on_results_pane_turned(self) -> None:
        self.show_keys()
        self.say_first_error_once()
        self.on_text_area_selection_changed()
        self.on_source_line()

    def on_text_area_selection_changed(self) -> None:
        """The editor's cursor has moved: the compiler's listing follows it to the first instruction of its line."""
        if self.furnished and self.results.active == "compiler":
            self.compiler.follow(self.editor.cursor_location[0] + 1)

    def on_source_line(self) -> None:
        """The editor points at the line where the visible result stands."""
        self.editor.point_at(getattr(self.results.shown, "source_line", None))
