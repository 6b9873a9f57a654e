"""The Textual application: what all screens share."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer

from tritontui.course.loader import load_lesson
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.engine.status import EngineStatus
from tritontui.engine.targets import TARGETS
from tritontui.i18n import LANGUAGES, Language, Translator, choose_language, translator
from tritontui.keys.file import read_keys
from tritontui.ui.app import Options
from tritontui.ui.controller import Controller, View
from tritontui.ui.desk import Desk
from tritontui.ui.environment import Terminal
from tritontui.ui.first_frame import FirstFrame
from tritontui.ui.leaving import Leaving
from tritontui.ui.saver import Saved
from tritontui.ui.study import Study
from tritontui.ui.sweeps import Sweeps
from tritontui.ui.textual_compat import DiffDisplay
from tritontui.ui.textual_compat.themes import begin_with
from tritontui.ui.theme import ANSI, THEMES, system_theme

if TYPE_CHECKING:
    from tritontui.engine.engine import Engine
    from tritontui.ui.highlight import Palette
    from tritontui.ui.screens.workspace import Workspace

STATUS_S = 1.0
FRAME_S = 0.02
"""What another thread needs to write a frame, while nothing is imported beside it."""


class TritonApp(DiffDisplay):
    """Owns the language, the engine and the learner's study; shows the first frame, and then the workspace."""

    TITLE = "tritontui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, options: Options, terminal: Terminal) -> None:
        super().__init__()
        own = Paths.find()
        self.lessons = options.lessons
        """Where the lessons are; None: in this installation."""
        self.paths = paths = own.of_course(options.lessons)
        paths.create()
        progress = Progress(paths.progress)
        position = progress.position()
        course = load_lesson(options.lesson, position.lesson if position else None, self.lessons)  # the others follow
        self.keys = read_keys(own.keys)
        self.terminal = terminal
        self.frame_diff = terminal.frame_diff
        self._language_asked = options.language
        self.language: Language = self._language_wanted(progress.setting("language"))
        self._device = options.device
        self._is_sent = options.lesson is not None
        self._engine: Engine | None = None
        self.study = Study(
            Desk.at(course, position, options.lesson),
            Work(paths.work),
            progress,
            saved=self._saved,
            failed=self._write_failed,
        )
        self.controller = Controller(
            lambda: self.engine,
            self._run_changed,
            filename=lambda exercise: str(self.study.work.path(exercise.id)),
            before_run=self._before_run,
            can_measure=lambda: self.engine_status.gpu == "ready",
        )
        self.controller.live = progress.setting("live") != "off"
        self.sweeps = Sweeps(
            lambda: self.engine,
            self.controller,
            self._sweeps_changed,
            filename=lambda exercise: str(self.study.work.path(exercise.id)),
        )
        for theme in THEMES:
            self.register_theme(theme)
        begin_with(self, self._theme_wanted(progress.setting("theme")))
        self.hold_keys()  # until the workspace is furnished
        self._workspace: Workspace | None = None
        self.furnished = asyncio.Event()
        """Everything on the screen is there and takes keys."""
        self._status_timer: Timer | None = None

    @property
    def engine(self) -> Engine:
        """The engine, made when it is first asked for: after the first frame."""
        if self._engine is None:
            from tritontui.engine.engine import Engine

            self._engine = Engine(self._device, on_status=lambda _status: self._engine_changed())
        return self._engine

    @property
    def engine_status(self) -> EngineStatus:
        """What the engine is doing; before there is one, it is starting."""
        return self._engine.status if self._engine is not None else EngineStatus("CPU")

    @property
    def translator(self) -> Translator:
        """Into the language of the moment."""
        return translator(self.language)

    @property
    def workspace(self) -> Workspace:
        """The learner's screen, which takes the place of the first frame."""
        assert self._workspace is not None
        return self._workspace

    def compose(self) -> ComposeResult:
        yield FirstFrame(self.study, self.keys, self.language, self.translator, live=self.controller.live)

    def code(self, source: str) -> Content:
        """Python source in the colours of the moment."""
        from tritontui.ui.highlight import code_text

        return Content.from_rich_text(code_text(source, self.palette))

    def _theme_wanted(self, chosen: str | None) -> str:
        """The terminal's own colours where there are few; else what was chosen, else what suits the background."""
        if self.terminal.ansi:
            return ANSI.name
        return chosen if chosen in self.available_themes else system_theme(os.environ)

    @property
    def palette(self) -> Palette:
        """The colours that code is shown in."""
        if self.terminal.colours == "none":
            return "none"
        if self.theme == ANSI.name:
            return "ansi"
        return "dark" if self.current_theme.dark else "light"

    # ------------------------------------------------------------ life

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self.study.note_key()
        await super().on_event(event)

    def on_load(self) -> None:
        Leaving(self._leave, self._keep_text).install()

    def on_ready(self) -> None:
        self.call_after_refresh(self.set_timer, FRAME_S, self._begin_work)

    def _begin_work(self) -> None:
        self.run_worker(self._open_workspace())

    async def _open_workspace(self) -> None:
        """What there is after the first frame, in the order in which a learner misses it."""
        from tritontui.ui.screens.workspace import Workspace

        self._workspace = Workspace(self.study, self.controller, self.keys)
        await self.push_screen(self._workspace)
        drawn = asyncio.Event()
        self.workspace.call_after_refresh(drawn.set)
        await drawn.wait()
        self.try_keys()
        await asyncio.sleep(2 * FRAME_S)
        await self.engine.start()
        await self._workspace.furnish()
        self.furnished.set()
        self.release_keys()

    def may_pass(self, event: events.Event) -> bool:
        """Typing need not wait for the results."""
        return self.listens and self.workspace.is_typing(event)

    @property
    def listens(self) -> bool:
        """Whether there is a workspace to tell things to: not before it is drawn, nor while it is taken down."""
        return self._workspace is not None and self._workspace.is_mounted and self.is_running

    async def on_unmount(self) -> None:
        self.study.close()
        await self.sweeps.close()
        await self.controller.close()
        if self._workspace is not None:
            await self._workspace.experimenter.close()
        if self._engine is not None:
            await self._engine.close()

    def _leave(self) -> None:
        """From a signal handler: end as soon as the event loop gets to it."""
        self.exit(return_code=1)

    async def action_quit(self) -> None:
        """Leave; what was typed reaches the disk first, or is left behind on purpose."""
        self._keep_text()
        if self.study.saver.error is None:
            self.exit()
        else:
            await self.workspace.ask_to_leave(self.study.saver.error)

    def _keep_text(self) -> None:
        if self.listens:
            self.workspace.keep_text()

    # ------------------------------------------------------------ what comes from below

    def _before_run(self) -> None:
        self.workspace.before_run()

    def _engine_changed(self) -> None:
        """Words about the engine change once a second at most: a run goes through five phases in a blink."""
        self._choose_target(self.study.setting("target"))
        if self.listens and self._status_timer is None:
            self._tell_engine()
            self._status_timer = self.set_timer(STATUS_S, self._engine_settled)

    def _engine_settled(self) -> None:
        self._status_timer = None
        if self.listens:
            self._tell_engine()

    def _tell_engine(self) -> None:
        """To the workspace, and to what stands over it."""
        self.workspace.engine_changed()
        if self.screen is not self.workspace and (told := getattr(self.screen, "engine_changed", None)) is not None:
            told()

    def _run_changed(self, view: View) -> None:
        if self.listens:
            self.sweeps.follow(view)
            self.workspace.run_changed(view)

    def _sweeps_changed(self) -> None:
        if self.listens:
            self.workspace.sweeps_changed()

    def _saved(self, saved: Saved) -> None:
        if self.listens:
            self.call_later(self.workspace.saved, saved)

    def _write_failed(self, error: StorageError) -> None:
        if self.listens:
            self.call_later(self.workspace.write_failed, error)

    # ------------------------------------------------------------ actions

    def action_language(self) -> None:
        """The other language, in place."""
        self.apply_setting("language", next(language for language in LANGUAGES if language != self.language))

    def action_next_theme(self) -> None:
        """Dark, light, the terminal's own."""
        names = [theme.name for theme in THEMES]
        self.apply_setting("theme", names[(names.index(self.theme) + 1) % len(names)])

    # ------------------------------------------------------------ settings

    @property
    def is_first_visit(self) -> bool:
        """Nobody has been here before, nor been sent to a lesson."""
        return not self._is_sent and self.study.setting("position") is None and self.study.setting("welcomed") is None

    def chosen_settings(self) -> dict[str, str]:
        """By setting the value that was chosen, or that counts while none was."""
        from tritontui.ui.settings import SETTINGS

        chosen = {}
        for setting in SETTINGS:
            value = self.study.setting(setting.id)
            chosen[setting.id] = value if value is not None and value in setting.values else next(iter(setting.values))
        return chosen

    def setting_notes(self) -> dict[str, str]:
        """What stands in the way of a setting here and now."""
        notes, tr = {}, self.translator
        if self.terminal.ansi:
            notes["theme"] = tr("this terminal has few colours, so its own are used")
        if self.engine_status.gpu is not None:
            device = self.engine_status.device
            notes["target"] = tr("there is one here: it is compiled for {device}", device=device)
        return notes

    def apply_setting(self, name: str, value: str) -> None:
        """Set it, now and for the next time."""
        self.study.set_setting(name, value)
        if name == "language":
            self._language_asked = None
            self.language = self._language_wanted(value)
            self.workspace.retranslate()
        elif name == "theme":
            self.theme = self._theme_wanted(value)
            self.workspace.retranslate()
        elif name == "live":
            self.controller.live = value != "off"
            self.workspace.panes_changed()
        elif name == "target":
            self._choose_target(value)
            self.controller.resume()

    def _language_wanted(self, chosen: str | None) -> Language:
        """That of the command line, else the one chosen, else the system's."""
        return choose_language(self._language_asked or (chosen if chosen in LANGUAGES else None), os.environ)

    def _choose_target(self, target: str | None) -> None:
        """Compile for it where there is no GPU."""
        self.controller.target = target if target in TARGETS and self.engine_status.gpu is None else None

    # ------------------------------------------------------------ the terminal

    def action_redraw(self) -> None:
        """Write every cell again."""
        self.redraw()
