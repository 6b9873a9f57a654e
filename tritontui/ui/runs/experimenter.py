"""Runs the experiment of a measure step and tells what comes of it; one at a time."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tritontui.course.model import Experiment

if TYPE_CHECKING:
    from tritontui.engine.experiment import ExperimentRun
    from tritontui.engine.messages import OwnText, Reply


class Times(Protocol):
    """The part of the engine that is needed here."""

    def experiment(self, experiment: Experiment, own: Sequence[OwnText] = ()) -> AsyncIterator[Reply]: ...


class Experimenter:
    """``times`` gives the engine when it is first needed; ``changed`` is called on the event loop with each news."""

    def __init__(self, times: Callable[[], Times], changed: Callable[[], None]) -> None:
        self._times = times
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self.run: ExperimentRun | None = None
        """The newest run; None before there is one, and in another step."""
        self.lent: tuple[str, ...] = ()
        """Exercises whose solutions are timed in the place of the learner's text."""

    @property
    def running(self) -> bool:
        return self._task is not None

    def forget(self) -> None:
        """Another step: what was under way ends, and what it said is gone."""
        self.stop()
        self.run, self.lent = None, ()

    def start(self, experiment: Experiment, own: Sequence[OwnText], lent: Sequence[str]) -> None:
        """Time ``experiment``; ``own`` are the texts it uses, those of ``lent`` not being the learner's."""
        from tritontui.engine.experiment import ExperimentRun

        self.stop()
        self.run, self.lent = ExperimentRun(experiment), tuple(lent)
        self._task = asyncio.create_task(self._follow(self.run, own))
        self._changed()

    def stop(self) -> None:
        """Give up what is under way."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            if self.run is not None:
                self.run.cancelled = True

    async def close(self) -> None:
        """Stop, and wait for it."""
        task = self._task
        self.stop()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    async def _follow(self, run: ExperimentRun, own: Sequence[OwnText]) -> None:
        from tritontui.engine.messages import Broken, Done

        try:
            async for reply in self._times().experiment(run.experiment, own):
                run.add(reply)
                if not run.finished:
                    self._changed()
        except Exception as error:  # a defect, ours: shown as one, and the next run has its chance
            run.add(Broken(run.run or 0, f"{type(error).__name__}: {error}", traceback.format_exc()))
            run.add(Done(run.run or 0))
        self._task = None
        self._changed()
