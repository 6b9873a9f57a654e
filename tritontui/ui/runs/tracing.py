"""One script under the tracer: run again and again, stopped, and what is known of it all the while."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tritontui.ui.app import Script
from tritontui.ui.runs.controller import View

if TYPE_CHECKING:
    from tritontui.engine.messages import Reply
    from tritontui.engine.script_trace import ScriptTrace

OFTEN_S = 0.1
"""Launches and output may come by the hundred: they are shown at least this far apart."""
PATIENCE_S = 1.0
"""So long the last run's results stay while a new one has less to show."""


class Traces(Protocol):
    """The part of the engine that is needed here."""

    def trace_script(
        self, path: Path, arguments: Sequence[str], cwd: Path, *, entry: str = ""
    ) -> AsyncIterator[Reply]: ...

    def interrupt_script(self) -> bool: ...


class Tracer:
    """Traces ``script`` in this folder; ``changed`` is called, on the event loop, with all news."""

    def __init__(
        self,
        tracers: Callable[[], Traces],
        changed: Callable[[], None],
        script: Script,
    ) -> None:
        self.script = script
        self.trace: ScriptTrace | None = None
        """What is shown: the newest run once it has something, until then the one before."""
        self.running = False
        self.stale = False
        """The text is another by now."""
        self.interrupted = False
        """The run that goes on was asked to end."""
        self.orphaned = False
        """The script is no longer there."""
        self._tracers = tracers
        self._changed = changed
        self._folder = Path.cwd()
        self._newest: ScriptTrace | None = None
        self._task: asyncio.Task[None] | None = None
        self._began = 0.0
        self._told_at = 0.0
        self._replies = 0
        self._views: dict[int | None, View] = {}

    # ------------------------------------------------------------ running

    def run(self) -> None:
        """Run the script, from its beginning if it is running."""
        self._cancel()
        self._began = time.monotonic()
        self.running, self.interrupted, self.orphaned, self._newest = True, False, False, None
        self._views.clear()
        self._task = asyncio.create_task(self._follow())
        self._tell()

    def stop(self) -> None:
        """Ask the script to end, as Ctrl-C does; where that was done, end the run. What it launched so far stays."""
        if not self.running:
            return
        if not self.interrupted and self._tracers().interrupt_script():
            self.interrupted = True
            self._tell()
            return
        from tritontui.engine.messages import Done

        self._cancel()
        if self._newest is not None:
            self._newest.add(Done(self._newest.run or 0, cancelled=True))
            self.trace, self.stale = self._newest, False
        self._tell()

    def orphan(self) -> None:
        """The script is no longer there: what is known of it stays."""
        self.orphaned = True
        self._tell()

    def outdate(self) -> None:
        """The text is another by now: what is shown is of an earlier one, and what runs is given up."""
        self._cancel()
        self.stale = True
        self._tell()

    async def close(self) -> None:
        """Cancel what runs and wait for it to end."""
        task = self._task
        self._cancel()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    @property
    def seconds(self) -> int:
        """Since the run that goes on began."""
        return int(time.monotonic() - self._began)

    def _cancel(self) -> None:
        self.running = False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _follow(self) -> None:
        from tritontui.engine.messages import Broken, Done
        from tritontui.engine.script_trace import ScriptTrace

        newest = self._newest = ScriptTrace()
        try:
            script = self.script
            replies = self._tracers().trace_script(script.path, script.arguments, self._folder, entry=script.entry)
            async for reply in replies:
                newest.add(reply)
                self._replies += 1
                if self._is_time() and not newest.finished:
                    self._show(newest)
        except Exception as error:  # a defect, ours: shown as one, and the next run has its chance
            newest.add(Broken(newest.run or 0, f"{type(error).__name__}: {error}", traceback.format_exc()))
            newest.add(Done(newest.run or 0))
        self.running, self._task = False, None
        self.trace, self.stale = newest, False
        self._tell()

    def _is_time(self) -> bool:
        now = time.monotonic()
        if now - self._told_at < OFTEN_S:
            return False
        self._told_at = now
        return True

    def _show(self, newest: ScriptTrace) -> None:
        """Take the new run's results for the old one's, when there is more to see or it takes its time."""
        shown = self.trace
        if shown is None or shown is newest or time.monotonic() - self._began > PATIENCE_S:
            self.trace, self.stale = newest, False
        self._tell()

    def refresh(self) -> None:
        """Show what has come in since the last time."""
        if self.running and self._newest is not None and self._newest.run is not None:
            self._show(self._newest)
        else:
            self._changed()

    def _tell(self) -> None:
        if not self.is_behind:  # else nothing that is shown is another by now
            self._views.clear()
        self._changed()

    # ------------------------------------------------------------ what the results show

    @property
    def is_behind(self) -> bool:
        """What is shown is of the run before the one that goes on."""
        return self.running and self.trace is not self._newest

    def view(self, launch: int | None) -> View:
        """That launch as the results show it; None: the script as a whole."""
        if launch not in self._views:
            report = None if self.trace is None else self.trace.report(launch)
            running = self.trace is None if self.running else False
            self._views[launch] = View(
                report=report, stale=self.stale, running=running or self.is_behind, replies=self._replies
            )
        return self._views[launch]
