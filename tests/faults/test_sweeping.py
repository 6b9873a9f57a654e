"""A sweep through two real children, one posing as a GPU's: what each is asked, and points that end a child."""

import pytest
import pytest_asyncio
from support import FAKE_RUNNER, HASTY, HERE, judge

from tritontui.engine import workers as workers_module
from tritontui.engine.engine import Engine
from tritontui.engine.gpus import Gpu
from tritontui.engine.limits import Limit
from tritontui.engine.messages import Done, SweepPoint
from tritontui.engine.sweep import SweepResult

pytestmark = pytest.mark.asyncio(loop_scope="module")

ON_GPU = "if device != 'cpu' and point == 1:\n    "
FINDING = "from tritontui.diagnosis.finding import Finding\n"
REFUSE_LAST = f"{FINDING}problem = Finding(id='grid-fixed', severity='warning') if point == 3 else None\n"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine():
    limits = {**HASTY, "sweep": Limit(soft=0.5, hard=1.5)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "H200", "sm_90"))
        engine = Engine("auto", limits=limits, command=FAKE_RUNNER)
        await engine.start()
        await judge(engine, "x = 1\n")  # its children are up
        yield engine
        await engine.close()


async def swept(engine, source):
    result = SweepResult("fake")
    replies = []
    async for reply in engine.sweep(HERE, source, "kernel.py", kind="launch"):
        replies.append(reply)
        result.add(reply)
    assert [type(reply) for reply in replies].count(Done) == 1
    return result, [(reply.device, reply.index) for reply in replies if isinstance(reply, SweepPoint)]


async def test_the_cpu_says_what_is_right_and_the_gpu_times_it(engine):
    result, order = await swept(engine, REFUSE_LAST)
    assert order == [*(("cpu", i) for i in range(4)), *(("cuda:0", i) for i in range(3))]
    assert result.progress == (7, 7)
    first, last = result.points[0], result.points[3]
    assert (first.registers, first.median_us, first.problem) == (16, 10.0, None)
    assert (last.registers, last.median_us, last.problem.id) == (16, None, "grid-fixed")
    assert last.values == {"BLOCK": 64, "num_warps": 4}


async def test_the_best_and_what_noise_does_not_tell_from_it(engine):
    result, _ = await swept(engine, "x = 1\n")
    assert result.best.index == 0
    assert [point.index for point in result.ties] == [1, 2]
    known = result.as_json("en")
    assert (known["best"], known["device"]) == ({"BLOCK": 32, "num_warps": 1}, "cuda:0")
    assert len(known["points"]) == 4


@pytest.mark.parametrize(
    ("deed", "identifier"),
    [
        ("while True: pass", "no-progress"),
        ("__import__('posix')._exit(1)", "runner-lost"),
        ("emit(Found(RUN, 'sweep', [Finding(id='gpu-fault', severity='error')])); raise SystemExit", "gpu-fault"),
    ],
)
async def test_a_point_that_ends_the_child_is_told_and_the_others_go_on(engine, deed, identifier):
    source = f"{FINDING}from tritontui.engine.messages import Found\n{ON_GPU}{deed}\n"
    result, _ = await swept(engine, source)
    assert {index: point.problem and point.problem.id for index, point in result.points.items()} == {
        0: None,
        1: identifier,
        2: None,
        3: None,
    }
    assert [index for index, point in result.points.items() if point.median_us is None] == [1]
    assert result.finished
    assert not result.broken


async def test_a_point_that_hangs_the_interpreter_never_reaches_the_gpu(engine):
    result, order = await swept(engine, "while device == 'cpu' and point == 2: pass\n")
    assert result.points[2].problem.id == "no-progress"
    assert ("cuda:0", 2) not in order
    assert ("cuda:0", 3) in order


async def test_a_newer_run_cancels_a_sweep(engine):
    sweep = engine.sweep(HERE, "x = 1\n", "kernel.py", kind="launch")
    await judge(engine, "x = 1\n")
    assert [reply.cancelled async for reply in sweep if isinstance(reply, Done)] == [True]


async def test_without_a_gpu_the_compiler_still_answers(monkeypatch):
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: None)
    engine = Engine("auto", command=FAKE_RUNNER)
    await engine.start()
    try:
        result, order = await swept(engine, "x = 1\n")
    finally:
        await engine.close()
    assert order == [("cpu", i) for i in range(4)]
    assert (result.unmeasured, result.device, result.best) == ("no-gpu", None, None)
    assert result.progress == (4, 4)
    assert result.points[0].registers == 16
