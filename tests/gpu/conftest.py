"""Everything here needs a GPU that PyTorch can use; without one it is skipped, with the reason."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LESSONS = HERE.parents[1] / "lessons"


def _reason() -> str | None:
    import torch

    if torch.version.cuda is None and torch.version.hip is None:
        return "PyTorch was built without GPU support"
    return None if torch.cuda.is_available() else "PyTorch finds no GPU"


def pytest_collection_modifyitems(items):
    mine = [item for item in items if HERE in item.path.parents]
    if not mine:
        return
    reason = _reason()
    for item in mine:
        item.add_marker(pytest.mark.gpu)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def alone_on_the_card(tmp_path_factory):
    """One test at a time, whatever the number of workers: what others do on the card changes what is measured on it."""
    shared = tmp_path_factory.getbasetemp()
    folder = shared.parent if shared.name.startswith("popen-") else shared
    with (folder / "card.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def device():
    return "cuda:0"


@pytest.fixture(scope="session")
def session(device):
    """A runner's session, in this process: for kernels that don't fault."""
    from tritontui.runner.measuring.hardware import gpu_info
    from tritontui.runner.session import Session

    gpu = gpu_info(device)
    return Session(device=device, target=gpu.capability, gpu=gpu)


@pytest.fixture
def judge(session):
    """``judge(folder, source, stages)`` gives the replies of one run."""
    from itertools import count

    from tritontui.engine.messages import Judge
    from tritontui.runner.judge import judge as judge_one

    runs = count(1)

    def run(folder, source, stages):
        replies = []
        request = Judge(run=next(runs), exercise=str(folder), source=source, filename="mine.py", stages=list(stages))
        judge_one(request, replies.append, session)
        session.forget_learner_files()
        return replies

    return run


@pytest.fixture(scope="session")
def vector_add():
    return next(LESSONS.glob("05-*/exercises/vector_add"))
