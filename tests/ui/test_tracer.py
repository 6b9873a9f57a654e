"""Runs of a script followed: what is shown while, and after, with replies that a test sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from tritontui.engine.messages import Done, LaunchSummary, Reply, ScriptDone, Traced
from tritontui.i18n import translator
from tritontui.ui.app import Script
from tritontui.ui.runs.tracing import Tracer
from tritontui.ui.views.trace_words import state_words


class Sent:
    """An engine whose replies a test puts into ``replies``; an exception among them is raised."""

    def __init__(self) -> None:
        self.runs = 0
        self.ended = 0
        self.interrupted = 0
        self.running = False
        """Whether the script has begun, so that it can be interrupted."""
        self.replies: asyncio.Queue[Reply | Exception] = asyncio.Queue()

    async def trace_script(
        self, path: Path, arguments: Sequence[str], cwd: Path, *, entry: str = ""
    ) -> AsyncIterator[Reply]:
        self.runs += 1
        try:
            while True:
                reply = await self.replies.get()
                if isinstance(reply, Exception):
                    raise reply
                yield reply
                if isinstance(reply, Done):
                    return
        finally:
            self.ended += 1

    def interrupt_script(self) -> bool:
        self.interrupted += 1
        return self.running


def launch(number: int) -> LaunchSummary:
    return LaunchSummary(
        launch=number, kernel="copy", line=9, grid=[4], tensors=[], scalars={}, sites=[], mode="lockstep",
        kernel_ms=1.0, analysis_ms=1.0,
    )  # fmt: skip


class Followed:
    def __init__(self) -> None:
        self.sent = Sent()
        self._news = asyncio.Event()
        self.tracer = Tracer(lambda: self.sent, self._news.set, Script(Path("script.py")))

    async def send(self, *replies: Reply | Exception, until: Callable[[], object]) -> None:
        for reply in replies:
            self.sent.replies.put_nowait(reply)
        while not until():
            self._news.clear()
            self.tracer.refresh()
            await asyncio.sleep(0)

    async def ended(self, run: int, *launches: int) -> None:
        """A whole run."""
        self.tracer.run()
        last = (ScriptDone(run=run, exit_code=0), Done(run))
        await self.send(Traced(run, list(map(launch, launches))), *last, until=lambda: not self.tracer.running)


@pytest.fixture
def followed() -> Followed:
    return Followed()


async def test_launches_are_there_while_the_script_runs(followed: Followed) -> None:
    tracer = followed.tracer
    tracer.run()
    assert tracer.running and tracer.view(None).running
    await followed.send(Traced(1, [launch(0)]), until=lambda: tracer.trace is not None)
    assert tracer.running and not tracer.view(0).running
    assert [one.launch for one in tracer.view(0).report.launches] == [0]  # type: ignore[union-attr]
    tracer.stop()
    assert not tracer.running and tracer.trace is not None and tracer.trace.stopped
    await tracer.close()


async def test_the_last_run_is_shown_until_the_new_one_has_ended(followed: Followed) -> None:
    tracer = followed.tracer
    await followed.ended(1, 0, 1)
    before, view = tracer.trace, tracer.view(1)
    tracer.outdate()
    assert tracer.view(1).stale
    tracer.run()
    await followed.send(Traced(2, [launch(0)]), until=lambda: followed.sent.replies.empty())
    assert tracer.trace is before and tracer.is_behind and tracer.view(1).running
    await followed.send(ScriptDone(run=2, exit_code=0), Done(2), until=lambda: not tracer.running)
    assert tracer.trace is not before and not tracer.stale and tracer.view(1) is not view
    assert tracer.trace is not None and tracer.trace.launch(1) is None


async def test_a_new_run_ends_the_old_one(followed: Followed) -> None:
    followed.tracer.run()
    await followed.send(until=lambda: followed.sent.runs == 1)
    await followed.ended(2, 0)
    assert (followed.sent.runs, followed.sent.ended) == (2, 2)


async def test_a_script_is_interrupted_first_and_ended_when_it_goes_on(followed: Followed) -> None:
    tracer, tr = followed.tracer, translator("en")
    followed.sent.running = True
    tracer.run()
    await followed.send(Traced(1, [launch(0)]), until=lambda: tracer.trace is not None)
    tracer.stop()
    assert (followed.sent.interrupted, tracer.running) == (1, True)
    assert state_words(tracer, tr)[0] == "interrupted; once more ends it"
    tracer.stop()
    assert (followed.sent.interrupted, tracer.running) == (1, False)
    assert state_words(tracer, tr)[0] == "stopped · 1 launch"
    await tracer.close()

    tracer.run()
    tracer.stop()
    last = (ScriptDone(run=2, exit_code=130), Done(2))
    await followed.send(Traced(2, [launch(0), launch(1)]), *last, until=lambda: not tracer.running)
    assert state_words(tracer, tr)[0] == "stopped · 2 launches"


async def test_a_defect_of_ours_is_said_as_one(followed: Followed) -> None:
    followed.tracer.run()
    await followed.send(RuntimeError("ours"), until=lambda: not followed.tracer.running)
    trace = followed.tracer.trace
    assert trace is not None and "RuntimeError: ours" in trace.failure and trace.finished
