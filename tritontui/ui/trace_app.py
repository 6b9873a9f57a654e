"""The application around the trace viewer: one script, opened by ``tritontui trace SCRIPT`` in a terminal."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from tritontui.course.paths import Paths
from tritontui.course.progress import OWN_TRACE
from tritontui.course.storage import StorageError
from tritontui.engine.script_trace import ScriptTrace
from tritontui.i18n import Language
from tritontui.ui.app import Script
from tritontui.ui.screens.trace import TraceScreen
from tritontui.ui.shell import Shell
from tritontui.ui.start.beginning import Settled
from tritontui.ui.start.environment import Terminal


class TraceApp(Shell):
    """Opens the viewer; remembers, for the lesson that asks for it, that a script of one's own was traced."""

    def __init__(self, script: Script, language: Language | None, device: str, terminal: Terminal) -> None:
        super().__init__(Settled.at(language, terminal, Paths.find()), language, device, terminal)
        self._script = script
        self.viewer: TraceScreen | None = None

    @property
    def main_screen(self) -> Screen[Any] | None:
        return self.viewer

    @property
    def outcome(self) -> bool | None:
        """Whether all was well in the last run; None where none ended by itself."""
        trace = self.viewer.tracer.trace if self.viewer is not None else None
        return None if trace is None or trace.done is None or trace.stopped else not trace.wrong

    def on_load(self) -> None:
        self.leave_on_signals(save=lambda: None)

    def on_mount(self) -> None:
        self.viewer = Viewer(self._script)
        self.push_screen(self.viewer)

    async def on_unmount(self) -> None:
        if self._engine is not None:
            await self._engine.close()

    def keep_setting(self, name: str, value: str) -> None:
        try:
            super().keep_setting(name, value)
        except StorageError as error:  # the setting counts now, if not the next time
            self.notify(self.translator(error.message, **error.values))


class Viewer(TraceScreen):
    """A script as it stands on the disk: first it is on the screen, then it is run."""

    async def prepare(self) -> None:
        await self.triton.engine.start()

    _remembered: ScriptTrace | None = None

    def trace_changed(self) -> None:
        super().trace_changed()
        trace = self.tracer.trace
        if trace is not None and trace is not self._remembered and trace.finished and trace.clean:
            self._remembered = trace
            self.triton.keep_setting(OWN_TRACE, str(self.script))
