"""Commands that need the engine: started, used, and closed whatever happens in between."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from tritontui.course.model import ExerciseFolder, KnobValue
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageName
from tritontui.engine.report import Report

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end; at SIGINT, SIGTERM or SIGHUP close what was begun and raise KeyboardInterrupt."""
    try:
        return asyncio.run(_until_signalled(coroutine))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


async def _until_signalled(coroutine: Awaitable[T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await coroutine


@contextmanager
def first_interrupt(taken: Callable[[], bool]) -> Iterator[None]:
    """While active, the first SIGINT is ``taken``'s, unless it says that it has no use for it; the next one ends the
    command as ever. In the task that ``run`` runs."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def take() -> None:
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        if not taken():
            task.cancel()

    loop.add_signal_handler(signal.SIGINT, take)
    try:
        yield
    finally:
        loop.add_signal_handler(signal.SIGINT, task.cancel)


@asynccontextmanager
async def running(device: str) -> AsyncIterator[Engine]:
    """An engine on ``device`` that is closed, with its children, on every way out."""
    engine = Engine(device)
    try:
        await engine.start()
        yield engine
    finally:
        await engine.close()


async def judge(
    engine: Engine,
    exercise: ExerciseFolder,
    source: str,
    filename: str,
    stages: Sequence[StageName],
    knobs: Mapping[str, KnobValue] | None = None,
    target: str | None = None,
) -> Report:
    """The finished report of one text; of what is explored, its trace and what the compiler makes of it.

    ``knobs`` are those that don't stand where they begin; ``target`` None: this machine's.
    """
    if not exercise.judged:
        stages = [stage for stage in stages if stage not in ("cases", "measure")]
    report = Report(exercise.id, stages=stages)
    started = engine.judge(
        exercise.folder,
        source,
        filename,
        stages=stages,
        target=target,
        knobs={**exercise.start, **(knobs or {})},
        max_changed_lines=exercise.max_changed_lines,
    )
    async for reply in started:
        report.add(reply)
    return report
