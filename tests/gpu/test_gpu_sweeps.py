"""Sweeps on the GPU: figures for what runs, reasons for what can't, and an end when asked for one."""

from __future__ import annotations

import exercises
import pytest
import pytest_asyncio

from benchmarks import references
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageSkipped, SweepPoint
from tritontui.engine.sweep import SweepResult

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine(device):
    running = Engine(device)
    await running.start()
    yield running
    await running.close()


async def swept(engine, source=None, folder=None, **options):
    result = SweepResult("add")
    replies = engine.sweep(folder or references.folder("add"), source or references.source("add"), "mine.py", **options)
    async for reply in replies:
        assert not isinstance(reply, StageSkipped), reply
        result.add(reply)
    assert result.finished and not result.findings, result.findings
    return result


async def test_block_and_warps(engine):
    result = await swept(engine, kind="launch", axes={"BLOCK": [32, 48, 1024], "num_warps": [4, 64]})
    points = {tuple(point.values.values()): point for point in result.points.values()}
    problems = {values: point.problem.id for values, point in points.items() if point.problem}
    assert problems == {
        (32, 64): "resources-exceeded",
        (48, 4): "not-power-of-two",
        (48, 64): "not-power-of-two",
        (1024, 64): "resources-exceeded",
    }
    timed = {values for values, point in points.items() if point.median_us is not None}
    assert timed == {(32, 4), (1024, 4)}
    assert all(points[values].gbps is None for values in problems)
    assert result.best.values == {"BLOCK": 1024, "num_warps": 4}
    done, total = result.progress
    assert done == total


async def test_sizes(engine):
    result = await swept(engine, kind="size", axes={"n": [1 << 10, 1 << 24, 1 << 40]})
    small, large, huge = (result.points[index] for index in range(3))
    assert 0 < small.gbps < large.gbps
    assert "launch-bound" in {remark.id for remark in small.remarks}
    assert small.torch_us > 0
    assert (huge.problem.id, huge.gbps) == ("out-of-memory", None)
    assert huge.problem.params["requested"] == 12 << 40


async def test_a_point_that_ends_the_gpus_process_is_one_point(engine):
    """Illegal addresses on the GPU at one block alone."""
    source = references.source("add").replace("offs = tl", "far = (BLOCK == 64) * FAR\n    offs = tl")
    source = source.replace("out_ptr + offs,", "out_ptr + offs + far,").replace("n, BLOCK:", "n, FAR, BLOCK:")
    source = source.replace("x, y, out, n, BLOCK", f"x, y, out, n, (1 << 40) if {exercises.ON_GPU} else 0, BLOCK")
    result = await swept(engine, "import os\n" + source, kind="launch", axes={"BLOCK": [32, 64, 128]})
    problems = [result.points[index].problem for index in range(3)]
    assert [problem and problem.id for problem in problems] == [None, "gpu-fault", None]
    assert result.points[2].median_us > 0


async def test_cancelled_between_two_points(engine):
    axes = {"BLOCK": [64, 128, 256, 512, 1024, 2048]}
    replies = engine.sweep(references.folder("add"), references.source("add"), "mine.py", kind="launch", axes=axes)
    timed = 0
    async for reply in replies:
        if isinstance(reply, SweepPoint) and reply.median_us is not None:
            timed += 1
            break
    await replies.aclose()
    assert timed == 1
    assert (await swept(engine, kind="launch", axes={"BLOCK": [1024]})).best.median_us > 0
