"""The workspace: the learner's lesson, kernel and results, and everything they can do there."""

from __future__ import annotations

import asyncio
import gc
import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.widget import Widget
from textual.widgets import Static

from tritontui.course.faults import CourseError
from tritontui.course.loader import load_course
from tritontui.course.storage import StorageError
from tritontui.ui.controller import Controller, View
from tritontui.ui.desk import Place
from tritontui.ui.messages import GoToLine, ShowOnMap
from tritontui.ui.saver import Saved
from tritontui.ui.screens.lines import LinesScreen
from tritontui.ui.screens.panes import PANES, Pane
from tritontui.ui.speaking import Speaking
from tritontui.ui.study import Study
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.knob_bar import KnobBar
from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.tab_line import TabLine

if TYPE_CHECKING:
    from tritontui.diagnosis.finding import Finding
    from tritontui.ui.commands import Offer
    from tritontui.ui.quiz import Quiz
    from tritontui.ui.widgets.access_map import AccessMap
    from tritontui.ui.widgets.compiler import CompilerView
    from tritontui.ui.widgets.editor import Mark

DISK_CHECK_S = 1.0


FIRST_FRAME_S = 0.02
"""What another thread needs to write the first frame, while nothing is imported beside it."""


class Workspace(LinesScreen):
    """Shows what the study and the controller hold, and passes on what the learner does.

    Messages are handled by name (``on_code_area_edited``): the first frame comes before those widgets' modules.
    """

    map: AccessMap
    compiler: CompilerView

    def __init__(self, study: Study, controller: Controller) -> None:
        super().__init__(study, controller)
        self._stamp: tuple[int, int] | None = None
        self._recorded: object = None

    # ------------------------------------------------------------ the first frame, then the rest

    def on_mount(self) -> None:
        self.query_one(LessonView).show_plain(self.study.step.body[self.language])
        self.query_one("#code-first", Static).update(self._read_text())
        self.panes_changed()
        self.call_after_refresh(self.set_timer, FIRST_FRAME_S, self._furnish)

    async def _furnish(self) -> None:
        """Put the real widgets in the place of the plain text; the first frame didn't wait for their modules."""
        from tritontui.ui.widgets.access_map import AccessMap
        from tritontui.ui.widgets.compiler import CompilerView
        from tritontui.ui.widgets.editor import EditorPane
        from tritontui.ui.widgets.output import OutputView
        from tritontui.ui.widgets.results import ResultsPane
        from tritontui.ui.widgets.speed import SpeedView
        from tritontui.ui.widgets.steps import StepsView
        from tritontui.ui.widgets.verdict import VerdictView

        self.map = AccessMap(id="map")
        self.compiler = CompilerView(id="compiler")
        views: dict[str, Widget] = {
            "verdict": VerdictView(id="verdict"),
            "map": self.map,
            "steps": StepsView(self.map, id="steps"),
            "speed": SpeedView(id="speed"),
            "compiler": self.compiler,
            "output": OutputView(id="output"),
        }
        pane = EditorPane()
        self.editor, self.results = pane.editor, ResultsPane(views)
        with self.app.batch_update():
            await self.query_one("#editor-pane").mount(pane)
            await self.query_one("#code-first").remove()
            await self.query_one("#results-pane").mount(self.results)
        try:
            self.study.desk.widen(await asyncio.to_thread(load_course))
        except CourseError as error:
            heading = self.tr("The lessons can't be read:")
            self.app.exit(return_code=2, message=f"{heading}\n{error}")
            return
        self.furnished = True
        gc.freeze()
        gc.enable()
        self._open_step()
        self.show_pane(self.pane)
        self.triton.release_keys()
        self.set_interval(DISK_CHECK_S, self._look_at_disk)

    def main_widget(self, pane: Pane) -> Widget | None:
        if pane == "lesson" or not self.furnished:
            return self.query_one(LessonView)
        return self.editor if pane == "editor" else self.results.shown

    # ------------------------------------------------------------ steps

    def _read_text(self) -> str:
        exercise = self.study.exercise
        if exercise is None:
            return ""
        try:
            self._stamp = self.study.work.stamp(exercise.id)
            return self.study.text(exercise)
        except StorageError as error:
            self.write_failed(error)
            return ""

    def _open_step(self) -> None:
        """Show the step of the desk: its text, its questions, and its kernel unless it is on the desk already."""
        study = self.study
        step = study.step
        quiz = self._quiz() if step.questions else None
        self.query_one(LessonView).show_step(step, quiz, *self._hints())
        exercise = study.exercise
        if exercise != self.controller.view.exercise or exercise is None:
            study.saver.flush()  # so that a kernel left a moment ago is read as it was left
            text = self._read_text()
            sealed = study.is_sealed(exercise)
            self.editor.load(text)
            self.editor.read_only = exercise is None or sealed
            self.controller.open(exercise, text, sealed=sealed)
            self.query_one(KnobBar).show(exercise.knobs if exercise else (), self.controller.knobs)
        if step.kind == "explore":
            self.results.pick("map")
        self.panes_changed()

    def _quiz(self) -> Quiz:
        from tritontui.ui.quiz import Quiz

        return Quiz(self.study.step.questions, self.study.answered())

    def go(self, place: Place) -> None:
        """To that step."""
        self.study.go(place)
        self._open_step()
        kernel = self.study.step.kind in ("code", "fix") and not self.controller.view.sealed
        if self.one_at_a_time or not kernel:
            self.show_pane("lesson")
        else:
            self.show_pane("editor")

    def action_step(self, distance: int) -> None:
        """The next step, or the one before."""
        place = self.study.desk.beside(distance)
        if place is None:
            words = self.tr("This is the last step.") if distance > 0 else self.tr("This is the first step.")
            self.notify(words)
        else:
            self.go(place)

    async def action_course(self) -> None:
        """All steps, to jump to one."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.sheets import course_blocks

        def jump(place: object | None) -> None:
            if isinstance(place, Place):
                self.go(place)

        blocks = list(course_blocks(self.study.desk.course, self.study, self.language, self.tr))
        await self.app.push_screen(Sheet(self.tr("Steps"), blocks, at=self.study.desk.place), jump)

    def on_lesson_view_given(self, event: LessonView.Given) -> None:
        self.study.record_answer(event.question, event.given, event.correct)
        if self.controller.view.sealed and not self.study.is_sealed(self.study.exercise):
            self.editor.read_only = False
            self.controller.unseal()
            self.panes_changed()
        if event.all_done and self.study.settle():
            self.panes_changed()

    # ------------------------------------------------------------ exploring

    def action_knobs(self) -> None:
        """To the knobs."""
        knobs = self.query_one(KnobBar)
        if knobs.display:
            knobs.focus()
        else:
            self.notify(self.tr("There are no knobs to turn here."))

    def on_knob_bar_turned(self, event: KnobBar.Turned) -> None:
        self.controller.turn(event.name, event.value)
        if self.study.note_turn():
            self.panes_changed()

    def on_knob_bar_program_turned(self, event: KnobBar.ProgramTurned) -> None:
        self.map.action_program(event.step)

    def on_access_map_selected(self) -> None:
        access = self.map.access
        self.query_one(KnobBar).show_program(self.map.selection.program, access.programs if access else 0)

    # ------------------------------------------------------------ hints and solution

    def action_hint(self) -> None:
        """One more hint."""
        exercise = self.study.step.exercise
        total = self._hints()[1]
        if exercise is None or not total:
            self.notify(self.tr("This step has no hints."))
            return
        shown = min(self.study.hints(exercise) + 1, total)
        self.study.take_hint(exercise, shown)
        self.query_one(LessonView).show_hints(self._hints()[0])
        if self.one_at_a_time:
            self.show_pane("lesson")
        self.panes_changed()

    async def action_solution(self) -> None:
        """The reference solution, once the exercise was passed."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.sheets import solution_blocks

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
        elif not self.study.passed(exercise):
            self.notify(self.tr("The solution is shown once your kernel has passed."))
        else:
            source = exercise.solution.read_text(encoding="utf-8")
            await self.app.push_screen(Sheet(self.tr("A solution"), list(solution_blocks(source, self.triton.code))))

    async def action_reset(self) -> None:
        """The starter again, after a question; undo brings the learner's text back."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.sheets import question_blocks

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
            return

        def replace(yes: object | None) -> None:
            if yes is True:
                self.study.keep_version(exercise)
                self.editor.replace_text(exercise.starter.read_text(encoding="utf-8"))
                self.show_pane("editor")

        question = self.tr("Put the starter in the place of your text? Undo (^Z) brings your text back.")
        blocks = list(question_blocks(question, self.tr("Put the starter back"), self.tr("Keep my text")))
        await self.app.push_screen(Sheet(self.tr("Start over"), blocks), replace)

    # ------------------------------------------------------------ the text and its runs

    def on_code_area_edited(self) -> None:
        exercise = self.study.exercise
        if exercise is not None:
            self.study.saver.edited(exercise.id, self.editor.text)
            self.controller.edited(self.editor.text)
            self._show_editor_title()

    def keep_text(self) -> None:
        """Save what stands in the editor, on this thread: a key may be drawn before word of it comes here."""
        exercise = self.study.exercise
        if self.furnished and exercise is not None and self.editor.text != self.controller.text:
            self.study.saver.edited(exercise.id, self.editor.text)
        self.study.saver.flush()

    def action_run(self) -> None:
        """Judge now."""
        if self.controller.view.sealed:
            self.notify(self.tr("Answer the questions first; then it is judged, and you may mend it."))
            return
        self.controller.run_now()
        if self.has_class("-narrow"):
            self.show_pane("results")

    def action_live(self) -> None:
        """Live judging on or off."""
        self.controller.live = not self.controller.live
        self.study.set_setting("live", "on" if self.controller.live else "off")
        self.notify(
            self.tr("Every edit is judged.") if self.controller.live else self.tr("Only {key} judges now.", key="^R")
        )
        self.panes_changed()

    def action_save(self) -> None:
        """Save now."""
        self.run_worker(asyncio.to_thread(self.study.saver.flush), exit_on_error=False)

    def before_run(self) -> None:
        """A run begins: what it judges is on the disk."""
        if self.study.saver.pending:
            self.action_save()

    def saved(self, saved: Saved) -> None:
        """A save has ended."""
        exercise = self.study.exercise
        if exercise is not None and saved.exercise == exercise.id and saved.error is None:
            self._stamp = saved.stamp
        self._trouble = self.tr(saved.error.message, **saved.error.values) if saved.error else ""
        self._show_editor_title()
        self._show_status()

    def write_failed(self, error: StorageError) -> None:
        """Something else could not be read or written."""
        self._trouble = self.tr(error.message, **error.values)
        self._show_status()

    async def action_external_editor(self) -> None:
        """The file in $VISUAL or $EDITOR, the workspace waiting behind it."""
        exercise = self.study.exercise
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if exercise is None or not command:
            words = self.tr("This lesson has no exercise.") if exercise is None else self.tr("$EDITOR is not set.")
            self.notify(words)
            return
        await self.controller.pause()
        self.study.saver.edited(exercise.id, self.editor.text)
        await asyncio.to_thread(self.study.saver.flush)  # or it would write over what the other editor saves
        path = self.study.work.path(exercise.id)
        try:
            with self.app.suspend():
                subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, SuspendNotSupported) as error:
            self.notify(self.tr("{command} could not be started: {error}", command=command, error=error))
        self.triton.redraw()
        await self._look_at_disk()
        self.controller.resume()

    async def _look_at_disk(self) -> None:
        """Another editor may have changed the file: take its text in; undo brings back what was here."""
        exercise = self.study.exercise
        if exercise is None or self.study.saver.pending or not self.furnished:
            return
        stamp = await asyncio.to_thread(self.study.work.stamp, exercise.id)
        if (
            not self.triton.listens
            or stamp is None
            or stamp == self._stamp
            or self.study.saver.pending
            or exercise != self.study.exercise
        ):
            return
        text = self._read_text()
        if text != self.editor.text:
            self.editor.replace_text(text)
            self.notify(
                self.tr("{file} was changed by another program: this is its text now.", file=f"{exercise.id}.py")
            )

    def run_changed(self, view: View) -> None:
        """The controller has something new to show."""
        if not self.furnished:
            return
        self.results.show(view)
        if not view.stale or view.syntax is not None:
            self.editor.set_marks(self._mark(finding) for finding in view.findings if finding.line is not None)
        self.on_source_line()
        self._record(view)
        self._show_title()
        self._show_evidence()

    def _mark(self, finding: Finding) -> Mark:
        from tritontui.diagnosis import explain
        from tritontui.ui.widgets.editor import Mark

        assert finding.line is not None
        words = explain(finding, self.language).title.replace("`", "")
        return Mark(finding.line, finding.severity, words, finding.column)

    def _record(self, view: View) -> None:
        """Keep a finished run as an attempt; a first pass completes the step."""
        report, exercise = view.report, view.exercise
        if report is None or exercise is None or view.stale or view.running or report.verdict is None:
            return
        if not exercise.judged:
            return
        if self._recorded == (view.source, report.measurement):
            return
        self._recorded = (view.source, report.measurement)
        self.study.record_run(report)
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

    def on_tab_line_picked(self, event: TabLine.Picked) -> None:
        if event.tab in PANES:
            self.show_pane(event.tab)

    # ------------------------------------------------------------ sheets

    async def action_palette(self) -> None:
        """Every command by name."""
        from tritontui.ui.commands import offers
        from tritontui.ui.screens.palette import Palette

        async def do(offer: Offer | None) -> None:
            if offer is None:
                return
            if isinstance(offer.does, Place):
                self.go(offer.does)
            else:
                await self.run_action(offer.does)

        every = list(offers(self.study.desk.course, self.language, self.tr))
        await self.app.push_screen(Palette(every), do)

    async def action_help(self) -> None:
        """The keys that work here."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.sheets import RESULTS, help_blocks

        result = self.results.active if self.pane == "results" and self.furnished else ""
        place = "knobs" if self.query_one(KnobBar).has_focus else result if result in RESULTS else self.pane
        await self.app.push_screen(Sheet(self.tr("Keys"), list(help_blocks(place, self.tr))))

    def on_results_pane_turned(self) -> None:
        self.query_one(KeyLine).show(self._keys())
        self.on_text_area_selection_changed()
        self.on_source_line()

    def on_text_area_selection_changed(self) -> None:
        """The editor's cursor has moved: the compiler's listing follows it to the first instruction of its line."""
        if self.furnished and self.results.active == "compiler":
            self.compiler.follow(self.editor.cursor_location[0] + 1)

    def on_source_line(self) -> None:
        """The editor points at the line where the visible result stands."""
        self.editor.point_at(getattr(self.results.shown, "source_line", None))

    def retranslate(self) -> None:
        """The language has changed."""
        for widget in self.query("*"):
            if isinstance(widget, Speaking):
                widget.retranslate()
        self._open_step()
