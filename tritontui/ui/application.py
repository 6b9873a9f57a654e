"""The Textual application: what all screens share."""

from __future__ import annotations

import os
from typing import ClassVar

from tritontui.course.loader import load_course
from tritontui.course.model import ExerciseFolder
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.engine.engine import Engine
from tritontui.engine.status import EngineStatus
from tritontui.i18n import Language, Translator, choose_language, translator
from tritontui.ui.app import Options
from tritontui.ui.controller import Controller, View
from tritontui.ui.desk import Desk
from tritontui.ui.environment import Terminal
from tritontui.ui.saver import Saved
from tritontui.ui.screens.workspace import Workspace
from tritontui.ui.study import Study
from tritontui.ui.textual_compat import DiffDisplay
from tritontui.ui.theme import ANSI, DARK, THEMES


class TritonApp(DiffDisplay):
    """Owns the language, the engine and the learner's study; the workspace is its first screen."""

    TITLE = "tritontui"
    CSS_PATH: ClassVar[str] = "app.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, options: Options, terminal: Terminal) -> None:
        super().__init__()
        paths = Paths.find()
        paths.create()
        progress = Progress(paths.progress)
        course = load_course()
        self.terminal = terminal
        self.frame_diff = terminal.frame_diff
        self.language: Language = choose_language(options.language or progress.setting("language"), os.environ)
        self.engine = Engine(options.device, on_status=self._engine_changed)
        self.study = Study(
            Desk.at(course, progress.position(), options.lesson),
            Work(paths.work),
            progress,
            saved=self._saved,
            failed=self._write_failed,
        )
        self.controller = Controller(self.engine, self._run_changed, filename=self._filename)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = ANSI.name if terminal.ansi else (progress.setting("theme") or DARK.name)
        self.workspace = Workspace(self.study, self.controller)

    @property
    def translator(self) -> Translator:
        """Into the language of the moment."""
        return translator(self.language)

    def get_default_screen(self) -> Workspace:
        return self.workspace

    async def on_mount(self) -> None:
        self.call_after_refresh(self.engine.start)

    async def on_unmount(self) -> None:
        await self.controller.close()
        self.study.close()
        await self.engine.close()

    # ------------------------------------------------------------ what comes from below

    def _engine_changed(self, status: EngineStatus) -> None:
        if self.workspace.is_mounted:
            self.workspace.engine_changed(status)

    def _run_changed(self, view: View) -> None:
        if self.workspace.is_mounted:
            self.workspace.run_changed(view)

    def _saved(self, saved: Saved) -> None:
        self.call_later(self.workspace.saved, saved)

    def _write_failed(self, error: StorageError) -> None:
        self.call_later(self.workspace.write_failed, error)

    def _filename(self, exercise: ExerciseFolder) -> str:
        return str(self.study.work.path(exercise.id))
