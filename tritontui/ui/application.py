"""The application of the course."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from tritontui.course.loader import load_lesson
from tritontui.course.paths import Paths
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.engine.targets import TARGETS
from tritontui.ui.app import Options
from tritontui.ui.controller import Controller, View
from tritontui.ui.desk import Desk
from tritontui.ui.environment import Terminal
from tritontui.ui.first_frame import FirstFrame
from tritontui.ui.saver import Saved
from tritontui.ui.shell import Shell
from tritontui.ui.study import Study
from tritontui.ui.sweeps import Sweeps

if TYPE_CHECKING:
    from tritontui.ui.screens.workspace import Workspace

FRAME_S = 0.02
"""What another thread needs to write a frame, while nothing is imported beside it."""


class TritonApp(Shell):
    """Owns the learner's study and judges; shows the first frame, and then the workspace."""

    def __init__(self, options: Options, terminal: Terminal) -> None:
        """``options.lessons``: where the lessons are; None: in this installation."""
        super().__init__(options.language, options.device, terminal, Paths.find().of_course(options.lessons))
        self.lessons = options.lessons
        position = self.progress.position()
        course = load_lesson(options.lesson, position.lesson if position else None, self.lessons)  # the others follow
        self._is_sent = options.lesson is not None
        self.study = Study(
            Desk.at(course, position, options.lesson),
            Work(self.paths.work),
            self.progress,
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
        self.controller.live = self.progress.setting("live") != "off"
        self.sweeps = Sweeps(
            lambda: self.engine,
            self.controller,
            self._sweeps_changed,
            filename=lambda exercise: str(self.study.work.path(exercise.id)),
        )
        self.hold_keys()  # until the workspace is furnished
        self._workspace: Workspace | None = None
        self.furnished = asyncio.Event()
        """Everything on the screen is there and takes keys."""

    @property
    def main_screen(self) -> Screen[Any] | None:
        return self._workspace

    @property
    def workspace(self) -> Workspace:
        """The learner's screen, which takes the place of the first frame."""
        assert self._workspace is not None
        return self._workspace

    def compose(self) -> ComposeResult:
        yield FirstFrame(self.study, self.keys, self.language, self.translator, live=self.controller.live)

    # ------------------------------------------------------------ life

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self.study.note_key()
        await super().on_event(event)

    def on_load(self) -> None:
        self.leave_on_signals(save=self._keep_text)

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

    async def on_unmount(self) -> None:
        self.study.close()
        await self.sweeps.close()
        await self.controller.close()
        if self._workspace is not None:
            await self._workspace.experimenter.close()
        if self._engine is not None:
            await self._engine.close()

    async def action_quit(self) -> None:
        """Leave; what was typed reaches the disk first, or is left behind on purpose."""
        for screen in self._told_screens() if self.listens else ():
            if (typed := getattr(screen, "typed", None)) is not None:
                await typed()
        self._keep_text()
        if self.study.saver.error is None:
            self.exit()
        else:
            await self.workspace.ask_to_leave(self.study.saver.error)

    def _keep_text(self) -> None:
        if self.listens:
            for screen in self._told_screens():
                if (keep := getattr(screen, "keep_text", None)) is not None:
                    keep()

    # ------------------------------------------------------------ what comes from below

    def _before_run(self) -> None:
        self.workspace.before_run()

    def engine_settles(self) -> None:
        self._choose_target(self.study.ledger.setting("target"))

    def _run_changed(self, view: View) -> None:
        if self.listens:
            self.sweeps.follow(view)
            self.workspace.run_changed(view)

    def _sweeps_changed(self) -> None:
        if self.listens:
            self.workspace.sweeps_changed()

    def _saved(self, saved: Saved) -> None:
        if self.listens:
            for screen in self._told_screens():
                if (told := getattr(screen, "saved", None)) is not None:
                    self.call_later(told, saved)

    def _write_failed(self, error: StorageError) -> None:
        if self.listens:
            self.call_later(self.workspace.write_failed, error)

    # ------------------------------------------------------------ settings

    @property
    def is_first_visit(self) -> bool:
        """Nobody has been here before, nor been sent to a lesson."""
        return (
            not self._is_sent
            and self.study.ledger.setting("position") is None
            and self.study.ledger.setting("welcomed") is None
        )

    def chosen_settings(self) -> dict[str, str]:
        """By setting the value that was chosen, or that counts while none was."""
        from tritontui.ui.settings import SETTINGS

        chosen = {}
        for setting in SETTINGS:
            value = self.study.ledger.setting(setting.id)
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

    def keep_setting(self, name: str, value: str) -> None:
        self.study.ledger.set_setting(name, value)

    def apply_setting(self, name: str, value: str) -> None:
        super().apply_setting(name, value)
        if name == "live":
            self.controller.live = value != "off"
            self.workspace.panes_changed()
        elif name == "target":
            self._choose_target(value)
            self.controller.resume()

    def _choose_target(self, target: str | None) -> None:
        """Compile for it where there is no GPU."""
        self.controller.target = target if target in TARGETS and self.engine_status.gpu is None else None
