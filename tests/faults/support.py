"""What the fault tests share: an engine on fake runners, and waiting for what really happens."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from pathlib import Path

from tritontui.engine.engine import Engine
from tritontui.engine.limits import LIMITS, Limit
from tritontui.engine.messages import Found, Lost, Output, Reply
from tritontui.engine.report import Report

HERE = Path(__file__).parent
FAKE_RUNNER = (sys.executable, str(HERE / "fake_runner.py"))
HASTY = {
    **LIMITS,
    "trace": Limit(soft=0.5, hard=1.5),
    "legality": Limit(soft=0.5, hard=3.0),
    "measure": Limit(soft=0.5, hard=1.5),
}
PATIENCE_SECONDS = 20


def hasty_engine(**options) -> Engine:
    return Engine("cpu", limits=HASTY, command=FAKE_RUNNER, **options)


async def judge(engine: Engine, source: str, **options) -> list[Reply]:
    """All replies to ``source``."""
    return [reply async for reply in engine.judge(HERE, source, "kernel.py", **options)]


def report_of(replies: list[Reply]) -> Report:
    report = Report("fake")
    for reply in replies:
        report.add(reply)
    return report


def finding_of(replies: list[Reply]):
    """The one finding among the replies."""
    [finding] = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
    return finding


def output_of(replies: list[Reply]) -> str:
    return "".join(reply.text for reply in replies if isinstance(reply, Output))


def losses_of(replies: list[Reply]) -> list[Lost]:
    return [reply for reply in replies if isinstance(reply, Lost)]


async def dies(pid: int) -> bool:
    """Wait, without holding up the event loop, until the process is dead; False when it lives on."""
    return await asyncio.to_thread(_dies, pid)


def _dies(pid: int) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE_SECONDS)[0])
    finally:
        os.close(descriptor)
