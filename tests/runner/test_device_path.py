"""The GPU's path through judge and bench, walked on the CPU: interpreted launches, a clock that is made up.

What only a GPU can show is in tests/gpu.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest
import torch

from tritontui.engine.messages import (
    CaseDone,
    Found,
    GpuInfo,
    Judge,
    Measured,
    StageSkipped,
    SweepPoint,
    SweepRequest,
)
from tritontui.runner import judge as judging
from tritontui.runner.cases.callers import DeviceCaller
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.explaining import verdicts
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.lockstep import tracing
from tritontui.runner.measuring import measure
from tritontui.runner.measuring.ceilings import Ceilings
from tritontui.runner.measuring.measure import Bench
from tritontui.runner.measuring.points import Subject, Timed
from tritontui.runner.measuring.timing import Times
from tritontui.runner.session import Session
from tritontui.runner.stages import cases as case_stage
from tritontui.runner.stages import measure as measure_stage
from tritontui.runner.workbench import entry_of, laid_out

SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="copy",
    inputs=inputs,
    reference=lambda x: x.clone(),
    cases=[Case("n = 100", {"n": 100}), Case("n = 128", {"n": 128})],
    trace_case=Case("n = 100", {"n": 100}),
    measure_case=Case("large", {"n": 1 << 12}),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    ideal_flops=lambda x: x.numel(),
)
"""

SOLUTION = """import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def copy(x):
    out = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""


class Sensors:
    def identity(self):
        return "GPU-1"

    def lock_path(self):
        return None

    def throttled(self):
        return {"thermal"}

    def power_capped(self):
        return False

    def busy_processes(self, since):
        return set()


@contextmanager
def interpreted_launches():
    with compiling_for("sm_90"), tracing() as session:
        yield session


@pytest.fixture
def device_calls(monkeypatch):
    """torch's calls on the device, as far as these paths make them."""
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device=None: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (8 << 30, 8 << 30))
    monkeypatch.setattr(measure, "ceilings", lambda *_: CARD)

    def timed(call, repeat_ms=100):
        call()
        return Times(9.0, 10.0, 11.0)

    monkeypatch.setattr(measure, "times_of", timed)


CARD = Ceilings(copy_gbps=4000.0, add_gbps=4200.0, read_gbps=3900.0, fill_gbps=4500.0, empty_us=4.0)
GPU = GpuInfo(
    index=0, name="GPU", capability="sm_90", memory_bytes=8 << 30, l2_bytes=50 << 20, sm_count=100, peak_gbps=4800.0
)


@pytest.fixture
def run(monkeypatch, device_calls, tmp_path):
    """Judge with the device's caller and bench, launches interpreted."""
    (tmp_path / "exercise.py").write_text(SPECIFICATION)
    monkeypatch.setattr(measure_stage, "sensors", lambda device: Sensors())
    monkeypatch.setattr(case_stage, "_caller", lambda run, *_, **__: DeviceCaller(run.submission, run.exercise, CPU))
    monkeypatch.setattr(judging, "_unable", lambda run, stage: None)

    def judged(source, stages=("cases", "measure")):
        replies = []
        session = Session(device="cpu", target="sm_90", gpu=GPU)
        request = Judge(run=1, exercise=str(tmp_path), source=source, filename="mine.py", stages=list(stages))
        with interpreted_launches():
            judging.judge(request, replies.append, session)
        return replies

    return judged


CPU = torch.device("cpu")


def findings(replies):
    return [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]


def passed(replies):
    return [reply.result.passed for reply in replies if isinstance(reply, CaseDone)]


def test_a_right_kernel_passes_and_is_measured(run):
    replies = run(SOLUTION)
    assert passed(replies) == [True, True]
    (measured,) = [reply.measurement for reply in replies if isinstance(reply, Measured)]
    assert (measured.low_us, measured.median_us, measured.high_us) == (9.0, 10.0, 11.0)
    assert measured.ideal_bytes == 8 << 12
    assert measured.gbps == pytest.approx(measured.ideal_bytes / 10.0e-6 / 1e9)
    assert measured.tflops == pytest.approx((1 << 12) / 10.0e-6 / 1e12)
    assert (measured.ceiling_gbps, measured.peak_gbps) == (4000.0, 4800.0)
    assert {remark.id for remark in measured.remarks} >= {"fits-in-cache", "noisy-measurement", "gpu-throttled"}


def test_a_silent_write_past_the_end_fails_the_case(run):
    source = SOLUTION.replace("mask=mask), mask=mask)", "mask=mask))")
    replies = run(source, ["cases"])
    assert passed(replies) == [False, True]
    (found,) = findings(replies)
    assert (found.id, found.params["index"], found.params["count"]) == ("canary-overwritten", 100, 28)


def test_wrong_values_fail(run):
    source = SOLUTION.replace("mask=mask), mask=mask)", "mask=mask) + 1, mask=mask)")
    replies = run(source, ["cases"])
    assert passed(replies) == [False, False]
    assert findings(replies)[0].id == "value-mismatch"


def test_right_the_first_time_and_wrong_the_second(run):
    source = SOLUTION.replace("def copy(x):", "calls = [0]\n\n\ndef copy(x):\n    calls[0] += 1")
    source = source.replace("(x, out, x.numel()", "(x, out, x.numel() // calls[0]")
    replies = run(source, ["cases"])
    assert passed(replies) == [False, False]
    (found, *_) = [finding for finding in findings(replies) if finding.id == "nondeterministic"]
    assert (found.severity, found.params["again"], found.params["entry"]) == ("error", True, "copy")
    assert (found.params["index"], found.params["count"], found.params["size"]) == (50, 50, 100)
    assert found.params["other_value"] == "nan"


def test_wrong_at_scale_alone_is_not_measured(run):
    source = SOLUTION.replace("offs < n\n", "offs < tl.minimum(n, 2048)\n")
    replies = run(source)
    assert passed(replies) == [True, True]
    assert not any(isinstance(reply, Measured) for reply in replies)
    (found,) = findings(replies)
    assert (found.id, found.params["wrong"], found.params["total"]) == ("value-mismatch", 2048, 4096)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("CUDA error: an illegal memory access was encountered", "illegal-address"),
        ("CUDA error: misaligned address", "misaligned-address"),
        ("CUDA error: device-side assert triggered", "device-assert"),
        ("CUDA error: unspecified launch failure", "other"),
    ],
)
def test_a_fault_of_the_device_ends_the_cases(run, words, fault):
    source = SOLUTION.replace("    return out", f"    raise RuntimeError({words!r})")
    replies = run(source, ["cases"])
    assert passed(replies) == [False]
    (found,) = findings(replies)
    assert (found.id, found.params) == ("gpu-fault", {"fault": fault, "case": "n = 100"})


def test_out_of_memory_is_the_machines():
    error = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has…")
    found = verdicts.machine_fault(error, "n = 1", "cpu")
    assert (found.id, found.params["requested"]) == ("out-of-memory", int(2.5 * 2**30))
    assert verdicts.machine_fault(ValueError("no"), "n = 1", "cpu") is None


def test_what_leaves_its_memory_never_reaches_a_device(tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION)
    source = SOLUTION.replace("mask=mask), mask=mask)", "mask=mask))")
    replies = []
    session = Session(device="cuda:0", target="sm_90", gpu=GPU)
    request = Judge(
        run=1, exercise=str(tmp_path), source=source, filename="mine.py", stages=["trace", "cases", "measure"]
    )
    with compiling_for("sm_90"):
        judging.judge(request, replies.append, session)
    skipped = {reply.stage: reply.reason for reply in replies if isinstance(reply, StageSkipped)}
    assert skipped == {"cases": "not-safe", "measure": "not-safe"}


class TestSweep:
    """One point on a device: the learner's launch changed, the case at another size, or a reason."""

    @pytest.fixture
    def timed(self, device_calls, tmp_path):
        (tmp_path / "exercise.py").write_text(SPECIFICATION)

        def prepared(source):
            session = Session(device="cpu", target="sm_90", gpu=GPU)
            request = SweepRequest(run=1, exercise=str(tmp_path), source=source, filename="mine.py", kind="launch")
            exercise, submission = laid_out(request, session)
            blame = Blame(submission, exercise.entry, "cpu")
            subject = Subject(exercise, submission, entry_of(submission, exercise, blame), blame)
            return Timed(subject, Bench(GPU, CPU, Sensors(), lambda: None, lambda: None))

        return prepared

    def tried(self, timed, values, by_size=False):
        point = SweepPoint(run=1, device="cuda:0", index=0, values=values)
        with interpreted_launches() as session:
            timed.try_point(point, by_size, {"BLOCK": 64, "num_warps": 4})
        return point, session.launches

    @pytest.mark.parametrize(
        "grid", ["(triton.cdiv(x.numel(), 64),)", "lambda m: (triton.cdiv(x.numel(), m['BLOCK']),)"]
    )
    def test_the_launch_is_changed_and_timed(self, timed, grid):
        source = SOLUTION.replace("(triton.cdiv(x.numel(), 64),)", grid)
        point, launches = self.tried(timed(source), {"BLOCK": 256, "num_warps": 8})
        assert (point.problem, point.low_us, point.median_us, point.high_us) == (None, 9.0, 10.0, 11.0)
        assert point.gbps == pytest.approx((8 << 12) / 10.0e-6 / 1e9)
        assert point.host_us > 0
        assert {(launch.arguments["BLOCK"], launch.options["num_warps"], launch.grid) for launch in launches} == {
            (256, 8, (16,))
        }

    def test_another_size(self, timed):
        point, launches = self.tried(timed(SOLUTION), {"n": 1000}, by_size=True)
        assert (point.problem, point.median_us) == (None, 10.0)
        assert {launch.arguments["n"] for launch in launches} == {1000}

    def test_wrong_at_full_size_has_no_figure(self, timed):
        point, _ = self.tried(timed(SOLUTION.replace("(triton.cdiv(x.numel(), 64),)", "(64,)")), {"BLOCK": 32})
        assert (point.problem.id, point.median_us) == ("value-mismatch", None)

    def test_a_size_that_does_not_fit_has_no_figure(self, timed):
        point, launches = self.tried(timed(SOLUTION), {"n": 1 << 32}, by_size=True)
        assert (point.problem.id, point.problem.params["requested"]) == ("out-of-memory", 8 << 32)
        assert launches == []

    def test_what_the_launch_raises(self, timed):
        point, _ = self.tried(timed(SOLUTION), {"BLOCK": 48})
        assert point.problem.id == "not-power-of-two"
