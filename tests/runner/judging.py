"""An exercise, its solution, and runs of texts through the whole judge on the CPU."""

from __future__ import annotations

from itertools import count

import pytest

from tritontui.engine.messages import (
    ALL_STAGES,
    CaseDone,
    Found,
    Judge,
    StageSkipped,
)
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    dtype = case.get("dtype", torch.float32)
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu")).to(dtype)]


EXERCISE = Exercise(
    entry="double",
    kernel="double_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: 2 * x,
    cases=[
        Case("n = 1", {"n": 1}),
        Case("n = 100", {"n": 100}),
        Case("n = 128", {"n": 128}),
        Case("n = 40000", {"n": 40000}),
        Case("float16", {"n": 100, "dtype": torch.float16}),
    ],
    trace_case=Case("n = 100", {"n": 100}, seeds=(0,)),
    measure_case=Case("large", {"n": 1 << 26}),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
"""

SOLUTION = """import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, 2 * x, mask=mask)


def double(x):
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""


def changed(old, new):
    assert old in SOLUTION
    return SOLUTION.replace(old, new)


def line_of(source, text):
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION)
    return tmp_path


_runs = count(1)


class Run:
    """The replies of one run."""

    def __init__(self, session, folder, source, stages=ALL_STAGES, **changes):
        self.replies = []
        request = Judge(
            run=next(_runs),
            exercise=str(folder),
            source=source,
            filename="mine.py",
            stages=list(stages),
            **changes,
        )
        judge(request, self.replies.append, session)
        session.forget_learner_files()
        assert all(reply.run == request.run for reply in self.replies)

    def of(self, kind):
        return [reply for reply in self.replies if isinstance(reply, kind)]

    @property
    def findings(self):
        return [finding for reply in self.of(Found) for finding in reply.findings]

    @property
    def errors(self):
        return {finding.id: finding for finding in self.findings if finding.severity == "error"}

    @property
    def cases(self):
        return {reply.result.name: reply.result for reply in self.of(CaseDone)}

    @property
    def skipped(self):
        return {reply.stage: reply.reason for reply in self.of(StageSkipped)}


@pytest.fixture
def run(session, folder):
    return lambda source, stages=ALL_STAGES, **changes: Run(session, folder, source, stages, **changes)
