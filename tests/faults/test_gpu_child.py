"""When a kernel goes to the GPU child, and what happens to that child: two real children, one posing as a GPU's."""

import sys

import pytest
import pytest_asyncio
from support import FAKE_RUNNER, HASTY, HERE, judge, losses_of, report_of

from tritontui.engine import workers as workers_module
from tritontui.engine.engine import Engine
from tritontui.engine.gpus import Gpu
from tritontui.engine.messages import CaseDone, Done, StageDone, StageSkipped, StageStarted

pytestmark = pytest.mark.asyncio(loop_scope="module")

WITHOUT_GPU = (sys.executable, str(HERE / "fake_runner_without_gpu.py"))
ON_GPU = "if device != 'cpu':\n    "
FOUND = """
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Found
"""


def finds(identifier, severity="error", stage="trace"):
    finding = f"Finding(id={identifier!r}, severity={severity!r}, line=1)"
    return f"{FOUND}emit(Found(RUN, {stage!r}, [{finding}]))\n"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "H200", "sm_90"))
        engine = Engine("auto", limits=HASTY, command=FAKE_RUNNER)
        await engine.start()
        await judge(engine, "x = 1\n")  # its children are up
        yield engine
        await engine.close()


def where(replies, stage):
    """Devices on which ``stage`` was begun."""
    return [reply.device for reply in replies if isinstance(reply, StageStarted) and reply.stage == stage]


def refusals(replies):
    return {reply.stage: reply.reason for reply in replies if isinstance(reply, StageSkipped) and reply.device != "cpu"}


async def test_a_good_kernel_is_judged_by_both_and_measured_on_the_gpu(engine):
    replies = await judge(engine, "x = 1\n")
    assert where(replies, "trace") == ["cpu"]
    assert sorted(where(replies, "cases")) == ["cpu", "cuda:0"]
    assert where(replies, "measure") == ["cuda:0"]
    report = report_of(replies)
    assert report.verdict == "pass"
    assert report.device == "cuda:0"
    assert {"cases", "cases cuda:0", "measure"} <= report.timings.keys()
    assert [type(reply) for reply in replies].count(Done) == 1
    assert isinstance(replies[-1], Done)
    assert (engine.status.device, engine.status.phase) == ("H200", "ready")


async def test_the_gpu_is_asked_only_after_trace_and_legality(engine):
    replies = await judge(engine, "x = 1\n")
    events = [
        (type(reply), reply.stage, reply.device) for reply in replies if isinstance(reply, StageStarted | StageDone)
    ]
    legal = events.index((StageDone, "legality", "cpu"))
    assert events.index((StageStarted, "cases", "cuda:0")) > legal


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (finds("out-of-bounds-read"), "not-safe"),
        (finds("out-of-bounds-write"), "not-safe"),
        ("# ILLEGAL\n", "not-legal"),
        ("while True:\n    pass\n", "not-safe"),
        ("raise ValueError\n", "failed-before"),
    ],
)
async def test_the_gpu_never_sees_a_kernel_that_is_not_known_to_be_good(engine, source, reason):
    replies = await judge(engine, source)
    assert where(replies, "measure") == []
    assert "cuda:0" not in where(replies, "cases")
    assert refusals(replies) == {"cases": reason, "measure": reason}


async def test_measuring_alone_still_guards_the_gpu(engine):
    replies = await judge(engine, "x = 1\n", stages=("measure",))
    assert where(replies, "trace") == ["cpu"]
    assert where(replies, "measure") == ["cuda:0"]
    refused = await judge(engine, finds("out-of-bounds-write"), stages=("measure",))
    assert where(refused, "measure") == []


async def test_live_mode_without_gpu_stages_leaves_the_gpu_alone(engine):
    replies = await judge(engine, "x = 1\n", stages=("trace", "legality"))
    assert {reply.device for reply in replies if isinstance(reply, StageStarted)} == {"cpu"}


async def test_waiting_for_a_gpu_that_another_measures_on_is_no_stall(engine):
    replies = await judge(engine, "# GPU TAKEN\n")
    assert losses_of(replies) == []
    assert report_of(replies).verdict == "pass"
    assert report_of(replies).stages["measure"] == "done"


async def test_a_gpu_fault_gives_the_child_up(engine):
    cpu, gpu = engine.pids
    replies = await judge(engine, FOUND + ON_GPU + finds("gpu-fault", stage="cases").splitlines()[-1] + "\n")
    [lost] = losses_of(replies)
    assert (lost.reason, lost.learner) == ("gpu-fault", True)
    assert report_of(replies).verdict == "fail"
    assert report_of(await judge(engine, "x = 1\n")).verdict == "pass"
    assert engine.pids[0] == cpu
    assert engine.pids[1] != gpu


async def test_a_death_of_the_gpu_child_leaves_the_cpus_answer(engine):
    replies = await judge(engine, ON_GPU + "__import__('posix')._exit(1)\n")
    assert losses_of(replies)
    assert [reply.device for reply in replies if isinstance(reply, CaseDone)] == ["cpu"]
    assert report_of(await judge(engine, "x = 1\n")).verdict == "pass"


async def test_a_gpu_that_was_only_found_can_be_done_without(monkeypatch):
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "H200", "sm_90"))
    engine = Engine("auto", command=WITHOUT_GPU)
    await engine.start()
    try:
        replies = await judge(engine, "x = 1\n")
        assert refusals(replies) == {"cases": "no-gpu", "measure": "no-gpu"}
        assert report_of(replies).verdict == "pass"
        assert (engine.status.phase, engine.status.device, engine.status.gpu) == ("ready", "CPU", None)
        assert engine.status.problem
        again = await judge(engine, "x = 1\n")
        assert report_of(again).skipped == {"measure": "no-gpu"}
    finally:
        await engine.close()


async def test_a_gpu_that_was_asked_for_must_be_there(monkeypatch):
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "GPU 0", None))
    engine = Engine("cuda:0", command=WITHOUT_GPU)
    await engine.start()
    try:
        replies = await judge(engine, "x = 1\n")
        assert report_of(replies).verdict == "error"
        assert report_of(replies).broken.message
        assert engine.status.phase == "failed"
    finally:
        await engine.close()
