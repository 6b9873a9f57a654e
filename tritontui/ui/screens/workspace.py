"""The workspace: the learner's lesson, kernel and results, and everything they can do there.

Its parts, by job: panes (layout), lines (the rows around the panes), text (the disk), runs (the judges), steps (the
course), expecting (what the learner says beforehand); here it comes to be, the editor first, and what can be asked for
anywhere is answered.
"""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from tritontui.course.faults import CourseError
from tritontui.course.loader import load_course
from tritontui.keys.commands import COMMANDS, IN_COURSE, Command
from tritontui.ui.bindings import command_bindings
from tritontui.ui.layout import PANES, Pane
from tritontui.ui.learner.desk import Place
from tritontui.ui.screens.measures import MeasuresScreen
from tritontui.ui.speaking import Speaking
from tritontui.ui.start.first_frame import plain_text
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.widgets.editor import EditorPane
from tritontui.ui.widgets.knob_bar import KnobBar
from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.tab_line import TabLine

if TYPE_CHECKING:
    from tritontui.ui.commands import Offer, Search
    from tritontui.ui.lesson.searching import LessonTexts

FAULTS_TOLD = 4


class Workspace(MeasuresScreen):
    """Shows what the study and the controller hold, and passes on what the learner does.

    Messages are handled by name (``on_results_pane_turned``): the editor comes before those widgets' modules.
    """

    _lesson_texts: LessonTexts | None = None

    # ------------------------------------------------------------ the editor first, then the rest

    def on_mount(self) -> None:
        self.query_one(LessonView).show_plain(*plain_text(self.study.step, self.language))
        editing = command_bindings(self.triton.keys, "editor")
        give_bindings(self.editor, editing, [command.id for command in COMMANDS if command.scope == "editor"])
        self.load_text()
        self.show_pane(self.pane)

    async def furnish(self) -> None:
        """Bring in the results and the rest of the course; typing didn't wait for their modules."""
        from tritontui.ui.widgets.access_map import AccessMap
        from tritontui.ui.widgets.compiler import CompilerView
        from tritontui.ui.widgets.figures import FiguresView
        from tritontui.ui.widgets.output import OutputView
        from tritontui.ui.widgets.results import ResultsPane
        from tritontui.ui.widgets.speed import SpeedView
        from tritontui.ui.widgets.steps import StepsView
        from tritontui.ui.widgets.verdict import VerdictView

        self.map = AccessMap(id="map")
        self.compiler = CompilerView(id="compiler")
        self.speed = SpeedView(id="speed")
        self.figures = FiguresView(id="figures")
        views: dict[str, Widget] = {
            "verdict": VerdictView(id="verdict"),
            "map": self.map,
            "steps": StepsView(self.map, id="steps"),
            "speed": self.speed,
            "compiler": self.compiler,
            "output": OutputView(id="output"),
            "figures": self.figures,
        }
        self.query_one(EditorPane).learn()
        self.results = ResultsPane(views)
        await self.query_one("#results-pane").mount(self.results)
        try:
            self.study.desk.widen(await asyncio.to_thread(load_course, self.triton.lessons))
        except CourseError as error:
            heading = self.tr("The lessons can't be read:")
            self.triton.say_at_the_end(f"{heading}\n{error}", return_code=2)
            return
        self.furnished = True
        gc.freeze()
        gc.enable()
        self.open_step()
        self.watch_disk()
        self._tell_of_key_faults()
        self._tell_of_fresh_progress()
        self._tell_of_unknown_settings()
        if self.triton.is_first_visit:
            await self.action_welcome()

    def _tell_of_key_faults(self) -> None:
        """What can't be used of the learner's own keys; `tritontui keys` says the same."""
        path, faults = self.triton.paths.keys, self.triton.keys.faults
        if faults:
            rows = [fault.said(path, self.tr) for fault in faults[:FAULTS_TOLD]]
            self.notify("\n".join(rows), title=self.tr("Your keys"), severity="warning", markup=False, timeout=20)

    def _tell_of_fresh_progress(self) -> None:
        """The progress file was damaged, or a newer tritontui's."""
        if (aside := self.study.progress.set_aside) is not None:
            words = self.tr(
                "The progress file could not be read. It is kept as {path}, and a new one was begun.", path=aside
            )
            self.notify(words, severity="warning", markup=False, timeout=20)

    def _tell_of_unknown_settings(self) -> None:
        """Values that a newer tritontui has set: told once, kept for it, and passed over here."""
        from tritontui.ui.settings import UNKNOWN_TOLD, unknown_values

        ledger, tr = self.study.ledger, self.tr
        unknown = unknown_values(ledger.setting)
        told = " ".join(f"{setting.id}={value}" for setting, value in unknown.items())
        if not told or told == ledger.setting(UNKNOWN_TOLD):
            return
        rows = [
            tr("{setting}: “{value}” isn't known here", setting=tr(one.label), value=unknown[one]) for one in unknown
        ]
        rows.append(tr("A newer tritontui may have set that. It is kept for it, and the default counts until then."))
        self.notify("\n".join(rows), title=tr("Settings"), severity="warning", markup=False, timeout=20)
        ledger.set_setting(UNKNOWN_TOLD, told)

    def main_widget(self, pane: Pane) -> Widget | None:
        if pane == "results":
            return self.results.shown if self.furnished else None
        return self.editor if pane == "editor" else self.query_one(LessonView)

    def is_typing(self, event: events.Event) -> bool:
        """Whether a key or a paste goes into the editor, and asks for nothing else."""
        return self.editor.has_focus and not (isinstance(event, events.Key) and self._is_command(event.key))

    def _is_command(self, key: str) -> bool:
        bindings = command_bindings(self.triton.keys, *IN_COURSE)
        return any(key in binding.key.split(",") for binding in bindings if binding.priority)

    def retranslate(self) -> None:
        """The language has changed."""
        for widget in self.query("*"):
            if isinstance(widget, Speaking):
                widget.retranslate()
        self.open_step()

    # ------------------------------------------------------------ what can be asked for anywhere

    def on_tab_line_picked(self, event: TabLine.Picked) -> None:
        if event.tab in PANES:
            self.show_pane(event.tab)

    async def action_palette(self) -> None:
        """Every command by name."""
        from tritontui.ui.commands import offers
        from tritontui.ui.screens.palette import Palette

        async def do(offer: Offer | None) -> None:
            if offer is not None:
                await self.perform(offer.does)

        every = list(offers(self.study.desk.course, self.triton.keys, self.language, self.tr))
        await self.app.push_screen(Palette(every), do)

    async def action_course(self, query: str = "") -> None:
        """All steps and what is known of them; to jump to one, or to a place in its text."""
        from tritontui.ui.lesson.course_rows import Overview
        from tritontui.ui.lesson.searching import Hit
        from tritontui.ui.screens.course_map import CourseMap

        async def jump(wanted: Place | Hit | Command | None) -> None:
            if isinstance(wanted, Hit):
                self.go(wanted.passage.place)
                self.show_pane("lesson")
                self.query_one(LessonView).reveal(wanted.passage)
            elif wanted is not None:
                await self.perform(wanted)

        await self.app.push_screen(CourseMap(Overview.of(self.study), self.study.desk.place, query), jump)

    async def action_welcome(self) -> None:
        """What this is, on one screen."""
        from tritontui.ui.screens.welcome import Welcome

        self.study.ledger.set_setting("welcomed", "yes")
        await self.app.push_screen(Welcome())

    async def action_playground(self) -> None:
        """A kernel of one's own; the lesson waits behind it."""
        from tritontui.ui.screens.playground import Playground

        self.triton.sweeps.stop()
        await self.controller.pause()
        await self.app.push_screen(Playground(), lambda _: self.controller.resume())

    async def action_settings(self) -> None:
        """Language, colours, judging, target; where files are."""
        from tritontui.ui.screens.settings import SettingsSheet

        await self.app.push_screen(SettingsSheet())

    def lesson_texts(self) -> LessonTexts:
        """The passages of all lessons, read once; from any thread."""
        from tritontui.ui.lesson.searching import LessonTexts

        if self._lesson_texts is None:
            self._lesson_texts = LessonTexts(self.study.desk.course)
        return self._lesson_texts

    async def perform(self, wanted: Command | Place | Search | int) -> None:
        """What was chosen by name."""
        from tritontui.ui.commands import Search

        match wanted:
            case Place():
                self.go(wanted)
            case Search(query):
                await self.action_course(query)
            case Command(scope="editor", action=action):
                self.set_focus(self.editor)  # now, for the action may move it on
                await self.app.run_action(action, self.editor)
            case Command(action=action):
                await self.run_action(action)

    async def action_help(self) -> None:
        """What this step asks for, and the keys that work here."""
        from tritontui.keys.places import OF_RESULTS
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.views.sheets import help_blocks, kind_blocks

        result = self.results.active if self.pane == "results" and self.furnished else ""
        place = "knobs" if self.query_one(KnobBar).has_focus else result if result in OF_RESULTS else self.pane
        keys = help_blocks(place, IN_COURSE, self.triton.keys, self.tr)
        blocks = [*kind_blocks(self.study.step.kind, self.tr), *keys]
        await self.app.push_screen(Sheet(self.tr("Help"), blocks))
