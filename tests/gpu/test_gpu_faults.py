"""What a kernel can do to a GPU: the child is replaced, the learner is told in words, and the next run works."""

from __future__ import annotations

import subprocess
import sys

import exercises
import pytest
import pytest_asyncio

from tritontui.diagnosis import explain
from tritontui.engine.engine import Engine
from tritontui.engine.limits import LIMITS, Limit
from tritontui.engine.messages import Lost
from tritontui.engine.report import Report

pytestmark = pytest.mark.asyncio(loop_scope="module")

STAGES = ("trace", "legality", "cases")
SOFT, HARD = 8.0, 10.0


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine(device):
    running = Engine(device, limits={**LIMITS, "cases": Limit(SOFT, HARD)})
    await running.start()
    yield running
    await running.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return exercises.write_exercise(tmp_path_factory.mktemp("faults") / "copy", exercises.COPY)


async def judged(engine, folder, source):
    report, losses = Report("copy", stages=STAGES), []
    async for reply in engine.judge(folder, source, "mine.py", stages=STAGES):
        report.add(reply)
        losses += [reply] if isinstance(reply, Lost) else []
    return report, losses


@pytest.mark.parametrize(
    ("source", "identifier", "reason", "words"),
    [
        (exercises.WILD, "gpu-fault", "gpu-fault", {"fault": "illegal-address"}),
        (exercises.ASSERTS, "gpu-fault", "gpu-fault", {"fault": "device-assert"}),
        (exercises.SLOW, "no-progress", "deadline", {}),
        (exercises.HUNGRY, "out-of-memory", None, {"requested": 1 << 46}),
    ],
    ids=["illegal address", "device assert", "over its deadline", "out of memory"],
)
async def test_told_in_words_and_the_next_run_works(engine, folder, source, identifier, reason, words):
    report, losses = await judged(engine, folder, source)
    assert report.verdict != "pass"
    found = next(finding for finding in report.findings if finding.id == identifier)
    assert {name: found.params[name] for name in words} == words
    assert {loss.reason for loss in losses} == ({reason} if reason else set())
    messages = [explain(found, language).message for language in ("en", "it")]
    assert all(messages) and messages[0] != messages[1]
    again, losses = await judged(engine, folder, exercises.COPY_KERNEL)
    assert (again.verdict, again.device, losses) == ("pass", engine.gpu.device, [])


TAKER = """
import sys, torch
free, _ = torch.cuda.mem_get_info()
taken = torch.empty(free - (512 << 20), dtype=torch.uint8, device="cuda")
print("taken", flush=True)
sys.stdin.readline()
"""
"""Another process that leaves half a GiB at most of the GPU's memory, until its stdin ends."""


async def test_memory_taken_by_another_process_is_told_and_used_once_it_is_free(engine, folder):
    first, _ = await judged(engine, folder, exercises.COPY_KERNEL)
    assert first.verdict == "pass", "the child has its own context before the memory goes"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", TAKER], **pipes) as taker:
        try:
            assert taker.stdout.readline() == "taken\n"
            report, losses = await judged(engine, folder, exercises.ROOMY)
        finally:
            taker.kill()
    found = next(finding for finding in report.findings if finding.id == "out-of-memory")
    assert found.params["requested"] == 1 << 30 > found.params["free"]
    assert losses == []
    again, losses = await judged(engine, folder, exercises.ROOMY)
    assert (again.verdict, losses) == ("pass", [])
