"""Trials of host code: what a trial can ask of the learner's function, and what the judge says of it."""

from __future__ import annotations

from itertools import count

import pytest

from tritontui.diagnosis import explain
from tritontui.engine.messages import CaseDone, Found, Judge, StageSkipped
from tritontui.engine.report import STAGES, Report
from tritontui.engine.safety import Safety
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

SPECIFICATION = """
import torch
import triton
import triton.language as tl
from tritontui.runner.spec import Exercise, Trial, Words, Wrong


@triton.jit
def past_the_end(out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.arange(0, BLOCK).to(tl.float32))


def fill(out):
    past_the_end[(1,)](out, out.numel(), BLOCK=8)


def unwritten(examiner):
    answer = examiner.call(lambda out: examiner.is_unwritten(out).all().item())
    return None if answer.result is True else Wrong(Words(f"said {answer.result}", f"detto {answer.result}"))


def neighbours(examiner):
    answer = examiner.call(fill)
    if answer.error is not None:
        return answer.error
    return Wrong(Words("All the same.", "Tutto uguale."), id="validator-misses") if answer.result else None


def line(examiner):
    answer = examiner.call(fill)
    return Wrong(Words(f"{len(answer.launches)} launches", "lanci"), line=answer.line)


def writers(examiner):
    answer = examiner.call_recorded(fill)
    found = answer.writers(answer.result).tolist()
    return Wrong(Words(f"{answer.launches[0].grid} {found}", ""))


def other_device(examiner):
    answer = examiner.call(examiner.on_host(torch.zeros(2)), torch.zeros(2, device=examiner.device))
    words = Words(f"{type(answer.error).__name__} {answer.own_error} {answer.line} {answer.result}", "")
    return Wrong(words, id="benchmark-misuse")


def broken(examiner):
    raise KeyError("the trial's own")


def faulty_device(examiner):
    raise RuntimeError("CUDA error: an illegal memory access was encountered")


TRIALS = [unwritten, neighbours, line, writers, other_device, broken, faulty_device]
EXERCISE = Exercise(
    entry="f",
    trials_in_lockstep="broken" in CHOSEN,
    trials=[Trial(Words(t.__name__, t.__name__ + " (it)"), t) for t in TRIALS if t.__name__ in CHOSEN],
)
"""

_runs = count(1)


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90")


@pytest.fixture
def run(session, tmp_path):
    def run(source, *chosen):
        (tmp_path / "exercise.py").write_text(f"CHOSEN = {chosen!r}\n{SPECIFICATION}")
        request = Judge(run=next(_runs), exercise=str(tmp_path), source=source, filename="m.py", stages=list(STAGES))
        report, replies = Report("f"), []
        judge(request, replies.append, session)
        session.forget_learner_files()
        for reply in replies:
            report.add(reply)
        return report, replies

    return run


def test_a_submission_without_a_kernel_passes_on_its_trials_alone(run):
    report, replies = run("import torch\ndef f(g):\n    return g(torch.empty(4))\n", "unwritten")
    assert report.verdict == "pass"
    assert [reply.stage for reply in replies if isinstance(reply, StageSkipped) and reply.reason == "no-kernel"] == [
        "trace",
        "legality",
        "compile",
    ]
    [done] = [reply.result for reply in replies if isinstance(reply, CaseDone)]
    assert (done.name_in("en"), done.name_in("it"), done.passed) == ("unwritten", "unwritten (it)", True)


def test_what_was_filled_is_not_unwritten(run):
    report, _ = run("import torch\ndef f(g):\n    return g(torch.empty(4).fill_(float('nan')))\n", "unwritten")
    [finding] = report.findings
    assert (report.verdict, finding.id, finding.line) == ("fail", "wrapper-contract", 2)
    assert explain(finding, "en").message == "said False"
    assert explain(finding, "it").message == "detto False"
    assert "unwritten (it)" in explain(finding, "it").title


CANARIES = """import torch

def f(add):
    memory = torch.full((16,), -7.0, device="cuda")
    add(memory[:4])
    return bool((memory[4:] == -7).all())
"""


def test_a_kernel_given_by_the_trial_reaches_the_submissions_own_memory(run):
    assert run(CANARIES, "neighbours")[0].verdict == "pass"
    report, _ = run(CANARIES.replace("memory[4:]", "memory[8:]"), "neighbours")
    assert [finding.id for finding in report.findings] == ["validator-misses"]


def test_an_exception_that_nobody_wanted_is_explained_on_its_line(run):
    report, _ = run(CANARIES.replace("-7)", "-7) + nothing"), "neighbours")
    assert [(finding.id, finding.line) for finding in report.findings] == [("name-error", 6)]


def test_it_is_known_where_the_function_returned_and_what_it_launched(run):
    [finding] = run(CANARIES, "line")[0].findings
    assert finding.line == 6
    assert explain(finding, "en").message == "1 launches"


def test_it_is_known_which_program_wrote_what(run):
    source = "import torch\ndef f(add):\n    m = torch.zeros(16, device='cuda')\n    add(m[4:6])\n    return m[3:14]\n"
    [finding] = run(source, "writers")[0].findings
    assert explain(finding, "en").message == "(1,) [-1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1]"


def test_a_tensor_of_the_host_is_told_from_one_of_the_device(run):
    source = "def f(x, y):\n    if x.device != y.device or x.is_cpu == y.is_cpu:\n        raise ValueError(x.device)\n"
    report, _ = run(source, "other_device")
    assert explain(report.findings[0], "en").message == "ValueError True 3 None"


def test_a_trial_that_fails_itself_is_no_fault_of_the_learners(run):
    with pytest.raises(KeyError, match="own"):
        run("def f():\n    pass\n", "broken")


def test_a_fault_of_the_device_ends_the_trials_and_is_the_machines(run):
    report, _ = run("def f(*_):\n    return True\n", "neighbours", "faulty_device")
    assert [finding.id for finding in report.findings] == ["gpu-fault"] and report.broken is None


def test_trials_that_break_memory_stay_off_the_gpu(run, session, monkeypatch):
    monkeypatch.setattr(session, "device", "cuda:0")
    report, _ = run("def f(*_):\n    return True\n", "broken", "neighbours")
    assert report.broken is None and report.cases == [] and report.skipped["cases"] == "no-reference"


def test_the_first_of_several_failures_is_explained_and_all_are_counted(run):
    report, replies = run("def f(*_):\n    return False\n", "unwritten", "line")
    assert [case.passed for case in report.cases] == [False, False]
    assert len([f for reply in replies if isinstance(reply, Found) for f in reply.findings]) == 1


async def test_host_code_alone_may_go_to_the_gpu(run):
    safety = Safety()
    for reply in run("def f(*_):\n    return True\n", "neighbours")[1]:
        safety.note(reply)
    assert await safety.decision is None
