"""The workspace: the learner's lesson, kernel and results, and everything they can do there."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tritontui.engine.status import EngineStatus
from tritontui.ui.bindings import BY_ID
from tritontui.ui.controller import Controller, View
from tritontui.ui.desk import Place
from tritontui.ui.screens.panes import PANES, Pane, PanesScreen
from tritontui.ui.status import engine_words, place_words
from tritontui.ui.study import Study
from tritontui.ui.widgets.editor import KernelEditor
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.results import ResultsPane, verdict_sign
from tritontui.ui.widgets.tab_line import Tab, TabLine

KEYS = ("run", "hint", "next-step", "previous-step", "cycle-panes", "zoom", "palette")


class Workspace(PanesScreen):
    """Shows what the study and the controller hold."""

    def __init__(self, study: Study, controller: Controller) -> None:
        super().__init__()
        self.study = study
        self.controller = controller
        self.pane = "editor" if study.step.kind in ("code", "fix") else "lesson"

    # ------------------------------------------------------------ the first frame, then the rest

    def on_mount(self) -> None:
        self.query_one(LessonView).show_plain(self.study.step.body[self.language])
        exercise = self.study.exercise
        text = self.study.text(exercise) if exercise else ""
        self.query_one("#code-first", Static).update(text)
        self.show_pane(self.pane, focus=False)
        self.call_after_refresh(self._furnish)

    async def _furnish(self) -> None:
        """Put the real widgets in the place of the plain text."""
        editor = KernelEditor("", show_line_numbers=True)
        with self.app.batch_update():
            await self.query_one("#editor-pane").mount(editor)
            await self.query_one("#code-first").remove()
        exercise = self.study.exercise
        editor.load_text(self.study.text(exercise) if exercise else "")
        self.show_pane(self.pane)

    def main_widget(self, pane: Pane) -> Widget | None:
        if pane == "lesson":
            return self.query_one(LessonView)
        if pane == "editor":
            return next(iter(self.query(KernelEditor)), None)
        return None

    # ------------------------------------------------------------ the lines around the panes

    def panes_changed(self) -> None:
        self._show_title()
        self._show_lines()

    def engine_changed(self, status: EngineStatus) -> None:
        """The engine says something new."""
        self.panes_changed()

    def _show_title(self) -> None:
        title = self.query_one("#title", TabLine)
        lesson, step = self.study.lesson, self.study.step
        if self.one_at_a_time:
            names = {"lesson": self.tr("Lesson"), "editor": self.tr("Editor"), "results": self.tr("Results")}
            sign, style = verdict_sign(self.controller.view)
            tabs = tuple(Tab(p, names[p], *((sign, style) if p == "results" else ())) for p in PANES)
            title.show(tabs, self.pane, place_words(lesson, step, self.language, self.tr, short=True))
        else:
            words = engine_words(self.triton.engine.status, self.controller.live, self.tr)
            place = Tab("", place_words(lesson, step, self.language, self.tr))
            title.show((place,), "", Content.styled(words, "$muted"))

    def _show_lines(self) -> None:
        words = engine_words(self.triton.engine.status, self.controller.live, self.tr)
        self.query_one("#status", OneLine).show(Content(words))
        self.query_one("#lesson-title", OneLine).show(Content(self.tr("LESSON")))
        self.query_one(KeyLine).show(tuple((BY_ID[name].shown_key, self.tr(BY_ID[name].label)) for name in KEYS))
