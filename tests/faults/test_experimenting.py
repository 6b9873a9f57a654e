"""An experiment through two real children, one posing as a GPU's: who is asked what, and what ends it early."""

from pathlib import Path

import pytest
import pytest_asyncio
from support import FAKE_RUNNER, HASTY, judge

from tritontui.course.loader import load_course
from tritontui.engine import workers as workers_module
from tritontui.engine.engine import Engine
from tritontui.engine.experiment import ExperimentRun, own_text
from tritontui.engine.gpus import Gpu
from tritontui.engine.limits import Limit
from tritontui.engine.messages import Done

pytestmark = pytest.mark.asyncio(loop_scope="module")

COURSE = load_course(Path(__file__).parents[1] / "small_course")
EXPERIMENT = COURSE.experiments["double_speed"][1].experiment
assert EXPERIMENT is not None
FINDING = "from tritontui.diagnosis.finding import Finding\n"


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


async def measured(engine, source="x = 1\n"):
    result = ExperimentRun(EXPERIMENT)
    replies = []
    async for reply in engine.experiment(EXPERIMENT, [own_text(COURSE.exercise("double_it"), source, "double_it.py")]):
        replies.append(reply)
        result.add(reply)
    assert [type(reply) for reply in replies].count(Done) == 1 and result.finished
    return result


async def test_every_point_is_timed_and_the_figures_are_the_experiments(engine):
    result = await measured(engine)
    assert result.progress == (6, 6) and result.complete
    figures = result.figures("the test")
    assert figures is not None and figures.matches(EXPERIMENT.grid)
    assert figures.machine.gpu == "H200" and figures.command == "the test"
    assert list(figures.series("yours", "us").values) == [13.0, 14.0, 15.0]


async def test_a_text_that_the_cpu_finds_wrong_is_never_timed(engine):
    result = await measured(engine, f"{FINDING}problem = Finding(id='value-mismatch', severity='error')\n")
    assert {exercise: problem.id for exercise, problem in result.refused.items()} == {"double_it": "value-mismatch"}
    assert result.points == {} and result.figures() is None


async def test_a_text_that_hangs_the_cpu_is_never_timed(engine):
    result = await measured(engine, "while True: pass\n")
    assert [finding.id for finding in result.findings] == ["no-progress"]
    assert result.points == {} and result.figures() is None


@pytest.mark.parametrize(
    ("deed", "identifier"),
    [
        ("while True: pass", "no-progress"),
        ("__import__('posix')._exit(1)", "runner-lost"),
        ("emit(Found(RUN, 'sweep', [Finding(id='gpu-fault', severity='error')])); raise SystemExit", "gpu-fault"),
    ],
)
async def test_what_ends_the_gpus_child_ends_the_experiment(engine, deed, identifier):
    source = f"{FINDING}from tritontui.engine.messages import Found\nif device != 'cpu' and point == 4:\n    {deed}\n"
    result = await measured(engine, source)
    assert result.findings[0].id == identifier
    assert result.progress == (4, 6) and result.figures() is None
    assert (await measured(engine)).complete, "the next one has a fresh child"


async def test_a_newer_run_cancels_it(engine):
    experiment = engine.experiment(EXPERIMENT)
    await judge(engine, "x = 1\n")
    assert [reply.cancelled async for reply in experiment if isinstance(reply, Done)] == [True]


async def test_without_a_gpu_it_is_said(monkeypatch):
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: None)
    engine = Engine("auto", command=FAKE_RUNNER)
    await engine.start()
    try:
        result = await measured(engine)
    finally:
        await engine.close()
    assert result.unmeasured == "no-gpu" and result.figures() is None and not result.complete
