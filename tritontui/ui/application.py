"""The application of the course."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import events
from textual.screen import Screen

from tritontui.course.storage import StorageError
from tritontui.engine.targets import TARGETS
from tritontui.ui.app import Options
from tritontui.ui.learner.saver import Saved
from tritontui.ui.learner.study import Study
from tritontui.ui.runs.controller import Controller, View
from tritontui.ui.runs.sweeps import Sweeps
from tritontui.ui.screens.workspace import Workspace
from tritontui.ui.shell import Shell
from tritontui.ui.start.beginning import Beginning
from tritontui.ui.start.environment import Terminal
from tritontui.ui.terminal.leaving import Modes

FRAME_S = 0.02
"""What another thread needs to write a frame, while nothing is imported beside it."""


class TritonApp(Shell):
    """Owns the learner's study and judges; its one screen is the workspace, and others stand over it."""

    def __init__(
        self,
        options: Options,
        terminal: Terminal,
        beginning: Beginning | None = None,
        modes_before: Modes | None = None,
    ) -> None:
        """``beginning``: what ``options`` open, where that is known already.

        ``modes_before``: the terminal's, where others than these are set by now.
        """
        beginning = beginning or Beginning.of(options, terminal)
        super().__init__(beginning.settled, options.language, options.device, terminal)
        self.modes_before = modes_before
        self.lessons = options.lessons
        self._is_sent = options.lesson is not None
        self.study = Study(beginning.desk, beginning.work, self.progress, saved=self._saved, failed=self._write_failed)
        self.controller = Controller(
            lambda: self.engine,
            self._run_changed,
            filename=lambda exercise: str(self.study.work.path(exercise.id)),
            before_run=self._before_run,
            can_measure=lambda: self.engine_status.gpu == "ready",
        )
        self.controller.live = beginning.settled.live
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
        """The learner's screen."""
        assert self._workspace is not None
        return self._workspace

    def get_default_screen(self) -> Screen[Any]:
        """The workspace; a screen pushed over another would lay out and draw both."""
        self._workspace = Workspace(self.study, self.controller, self.keys)
        return self._workspace

    # ------------------------------------------------------------ life

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self.study.note_key()
        await super().on_event(event)

    def on_load(self) -> None:
        self.leave_on_signals(save=self._keep_text)

    def on_ready(self) -> None:
        self.run_worker(self._furnish())

    async def _furnish(self) -> None:
        """What there is after the editor, in the order in which a learner misses it."""
        await self._drawn()
        await self.try_keys().wait()
        await self._drawn()
        await asyncio.sleep(FRAME_S)
        await self.engine.start()
        await self.workspace.furnish()
        self.furnished.set()
        self.release_keys()

    async def _drawn(self) -> None:
        drawn = asyncio.Event()
        self.workspace.call_after_refresh(drawn.set)
        await drawn.wait()

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
