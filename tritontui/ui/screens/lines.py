"""The lines around the panes: title, status, titles of the panes, the evidence strip, the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content

from tritontui.course.faults import CourseError
from tritontui.course.model import ExerciseFolder
from tritontui.keys.commands import IN_COURSE
from tritontui.keys.file import Keys
from tritontui.keys.places import OF_RESULTS, key_line
from tritontui.ui.bindings import command_bindings
from tritontui.ui.layout import PANES, Pane, opening_pane
from tritontui.ui.learner.study import Study
from tritontui.ui.runs.controller import Controller
from tritontui.ui.screens.panes import PanesScreen
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.views.key_hints import ACTING, EVERYWHERE, GETTING_ABOUT, Hints, key_hints
from tritontui.ui.views.status import engine_words, place_words, step_words, verdict_sign
from tritontui.ui.widgets.editor import EditorPane, KernelEditor
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.knob_bar import KnobBar
from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.tab_line import Tab, TabLine

if TYPE_CHECKING:
    from tritontui.ui.widgets.access_map import AccessMap
    from tritontui.ui.widgets.compiler import CompilerView
    from tritontui.ui.widgets.results import ResultsPane
    from tritontui.ui.widgets.speed import SpeedView


class LinesScreen(OfTheCourse, PanesScreen):
    """Says in one line each how things stand; every line is drawn from the study, the controller and the engine."""

    panes = PANES
    results: ResultsPane
    """There once furnished, as are its views."""
    map: AccessMap
    compiler: CompilerView
    speed: SpeedView

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(opening_pane(study.step))
        give_bindings(self, command_bindings(keys, *IN_COURSE))
        self.study = study
        self.controller = controller
        self.furnished = False
        """Whether the results and the whole course are there."""
        self._trouble = ""
        """Why the text could not be saved, until it could."""

    def compose_above(self) -> ComposeResult:
        yield KnobBar(id="knobs")

    def compose_left(self) -> ComposeResult:
        yield LessonView(id="lesson")

    @property
    def editor(self) -> KernelEditor:
        return self.query_one(EditorPane).editor

    def action_cycle_panes(self) -> None:
        """The next pane, the knobs before the editor."""
        knobs = self.query_one(KnobBar)
        if self.pane == "lesson" and knobs.display and not knobs.has_focus:
            knobs.focus()
        else:
            super().action_cycle_panes()

    def _hints(self) -> tuple[tuple[str, ...], int]:
        """Those asked for so far, and how many there are."""
        exercise = self.study.exercise
        if exercise is None or self.study.step.exercise is None:
            return (), 0
        try:
            every = exercise.hints[self.language]
        except CourseError:
            return (), 0
        return every[: self.study.history.hints(exercise)], len(every)

    def shows_findings(self) -> bool:
        return self.furnished and self.results.shows_findings

    def panes_changed(self) -> None:
        super().panes_changed()
        self._show_title()
        self._show_status()
        self._show_lesson_title()
        self._show_editor_title()
        self._show_evidence()
        self.show_keys()

    def show_keys(self) -> None:
        """The keys that matter where the learner is."""
        self.query_one(KeyLine).show(self._keys())

    def _keys(self) -> Hints:
        """What the bottom line offers here."""
        if self.query_one(KnobBar).has_focus:
            order = (*key_line("knobs"), GETTING_ABOUT[0], *ACTING, *GETTING_ABOUT[1:])
        elif self.pane == "results" and self.furnished:
            place = self.results.active if self.results.active in OF_RESULTS else "results"
            order = (*key_line(place), *GETTING_ABOUT[:-1], *ACTING, GETTING_ABOUT[-1])
        else:
            order = EVERYWHERE
        return key_hints(order, self.triton.keys, self.tr)

    def engine_changed(self) -> None:
        """The engine says something new."""
        self._show_title()
        self._show_status()

    def _engine_words(self) -> str:
        live = self.controller.live and not self.controller.view.sealed
        return self._trouble or engine_words(self.triton.engine_status, live, self.tr)

    def _show_title(self) -> None:
        title = self.query_one("#title", TabLine)
        lesson, step = self.study.lesson, self.study.step
        if self.one_at_a_time:
            names = {"lesson": self.tr("Lesson"), "editor": self.tr("Editor"), "results": self.tr("Results")}
            sign, style = verdict_sign(self.controller.view)
            tabs = tuple(Tab(p, names[p], *((sign, style) if p == "results" else ())) for p in PANES)
            aside = Content.styled(place_words(lesson, step, self.language, self.tr, short=True) + " ", "$muted")
            title.show(tabs, self.pane, aside)
        else:
            place = Content.styled(f" {place_words(lesson, step, self.language, self.tr)}", "bold")
            style = "$error" if self._trouble else "$muted"
            title.show((), "", Content.styled(f"{self._engine_words()} ", style), before=place)

    def _show_status(self) -> None:
        style = "$error" if self._trouble else "$muted"
        saved = Content.styled(self._saved_words(), "$muted")
        self.query_one("#status", OneLine).show(Content.styled(self._engine_words(), style), saved)

    def _saved_words(self) -> str:
        if self.study.exercise is None:
            return ""
        if self._trouble:
            return self.tr("not saved")
        return "…" if self.study.saver.pending else self.tr("saved")

    def _show_lesson_title(self) -> None:
        shown, total = self._hints()
        hints = self.tr("hint {number}/{total}", number=len(shown), total=total) if total else ""
        self.query_one("#lesson-title", OneLine).show(
            self._pane_title("lesson", self._step_words()),
            Content.styled(hints, "$muted"),
        )

    def _step_words(self) -> Content:
        """``Lesson · code  ✓``: the step's kind, and whether it is done; ``◇ recorded`` where only half of it is."""
        study = self.study
        words = step_words(study.step, self.tr)
        if not study.is_done(study.step):
            return Content(words)
        if hollow := study.hollow(study.lesson, study.step):
            return Content.assemble(words, ("  ◇ ", "bold $success"), (self.tr(hollow), "$muted"))
        return Content.assemble(words, ("  ✓", "bold $success"))

    def _show_editor_title(self) -> None:
        exercise = self.study.exercise
        name = Content(f"{exercise.id}.py" if exercise else "")
        if exercise is not None and exercise.max_changed_lines is not None and self.furnished:
            name += self._changed_words(exercise, exercise.max_changed_lines)
        saved = Content.styled(self._saved_words(), "$muted")
        self.query_one("#editor-title", OneLine).show(self._pane_title("editor", name), saved)
        self._show_status()

    def _changed_words(self, exercise: ExerciseFolder, most: int) -> Content:
        """How many lines of a broken kernel have been changed, of how many that may be."""
        from tritontui.diagnosis.changes import changed_lines

        if self.controller.view.sealed == "questions":
            return Content.styled("  " + self.tr("questions first"), "$muted")
        changed = sum(1 for _ in changed_lines(exercise.starter_text, self.editor.text))
        words = self.tr("{changed} of {most} lines changed", changed=changed, most=most)
        return Content.styled(f"  {words}", "$warning" if changed > most else "$muted")

    def _pane_title(self, pane: Pane, text: Content) -> Content:
        """A title; the pane with the focus has a bar before it."""
        focused = self.pane == pane and not self.query_one(KnobBar).has_focus
        return Content.assemble(("▌" if focused else " ", "$primary"), text.stylize("bold") if focused else text)

    def _show_evidence(self) -> None:
        if not self.furnished:
            return
        from tritontui.ui.views.strip import evidence_rows

        self.query_one(EvidenceStrip).show(
            *evidence_rows(self.controller.view, self.key_of("run"), self.language, self.tr)
        )
