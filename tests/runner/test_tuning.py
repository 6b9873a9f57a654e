"""Autotuning observed: what there was to choose from, what each took, what was chosen, and what the target refuses."""

from __future__ import annotations

import pytest
import torch

from tests.runner.judging import Run, line_of
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Compiled, Tuned, TunedConfig
from tritontui.engine.report import Report
from tritontui.runner.compiler.tuning import timed, unkeyed
from tritontui.runner.session import Session
from tritontui.runner.submission import Submissions, execute
from tritontui.runner.triton_compat import launches_noted, tunings_noted

KERNEL = """import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

TIMES = []


def clock(call, quantiles):
    call()
    if TIMES[0] is None:
        TIMES.pop(0)
        raise OutOfResources(300_000, 200_000, "shared memory")
    time = TIMES.pop(0)
    return [time, time - 0.001, time + 0.001]


def fitting(configs, named_args, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK"] < 1024]


@triton.autotune(
    [triton.Config({"BLOCK": size}, num_warps=4) for size in (64, 128, 256, 1024)],
    key=["n"],
    prune_configs_by={"early_config_prune": fitting},
    do_bench=clock,
)
@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def copy(x):
    out = torch.empty_like(x)
    copy_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out
"""


@pytest.fixture
def module():
    submissions = Submissions()
    placed = submissions.place(KERNEL, "mine.py")
    execute(placed)
    yield placed.module
    submissions.close()


def tuned(module, size, times):
    module.TIMES[:] = times
    with launches_noted(), tunings_noted() as noted:
        module.copy(torch.empty(size))
    (tuning,) = noted
    return tuning


class TestTimed:
    def test_each_config_has_its_time_and_one_is_chosen(self, module):
        tuning = tuned(module, 100, [0.030, 0.010, None])
        seen = timed(tuning, 7, "cuda:0", "n = 100")
        assert (seen.run, seen.device, seen.kernel, seen.case) == (7, "cuda:0", "copy_kernel", "n = 100")
        assert seen.key == {"n": 100}
        assert seen.line == next(n for n, text in enumerate(KERNEL.splitlines(), 1) if "@triton.autotune" in text)
        assert seen.seconds >= 0
        assert [config.values["BLOCK"] for config in seen.configs] == [64, 128, 256, 1024]
        assert [config.chosen for config in seen.configs] == [False, True, False, False]
        assert [config.pruned for config in seen.configs] == [False, False, False, True]
        assert [config.median_us for config in seen.configs] == [pytest.approx(30), pytest.approx(10), None, None]
        assert seen.configs[1].low_us == pytest.approx(9)

    def test_a_second_call_with_the_same_key_chooses_nothing_anew(self, module):
        tuned(module, 100, [0.030, 0.010, 0.020])
        again = tuned(module, 100, [])
        assert again.times_ms == {}
        seen = timed(again, 1, "cuda:0", "again")
        assert seen.seconds is None
        assert [config.chosen for config in seen.configs] == [False, True, False, False]

    def test_another_key_is_tuned_again(self, module):
        tuned(module, 100, [0.030, 0.010, 0.020])
        assert tuned(module, 200, [0.010, 0.030, 0.020]).best.kwargs == {"BLOCK": 64}

    def test_a_key_without_any_size(self, module):
        module.copy_kernel.keys = []
        tuning = tuned(module, 100, [0.030, 0.010, 0.020])
        found = unkeyed(tuning, {"n": 1 << 20, "x_ptr": None})
        assert (found.id, found.params["argument"]) == ("autotune-key", "n")
        assert unkeyed(tuning, {"n": 100}) is None

    def test_a_key_with_the_size(self, module):
        assert unkeyed(tuned(module, 100, [0.030, 0.010, 0.020]), {"n": 1 << 20}) is None


SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    side, device = case["side"], case.get("device", "cpu")
    return [torch.randn(side, side, generator=generator, device=device).to(torch.float16)]


EXERCISE = Exercise(
    entry="square",
    inputs=inputs,
    reference=lambda a: a @ a,
    cases=[],
    trace_case=Case("small", {"side": 64}),
    measure_case=Case("large", {"side": 4096}),
)
"""

SQUARE = """import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"B": b, "K": k}, num_stages=s) for b, k, s in CONFIGS], key=KEY)
@triton.jit
def square_kernel(a_ptr, out_ptr, n, B: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, n, K):
        k = start + tl.arange(0, K)
        left = tl.load(a_ptr + rows[:, None] * n + k[None, :], mask=(rows[:, None] < n) & (k[None, :] < n), other=0.0)
        inside = (k[:, None] < n) & (columns[None, :] < n)
        right = tl.load(a_ptr + k[:, None] * n + columns[None, :], mask=inside, other=0.0)
        acc = tl.dot(left, right, acc)
    inside = (rows[:, None] < n) & (columns[None, :] < n)
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], acc.to(tl.float16), mask=inside)


def square(a):
    out = torch.empty_like(a)
    n = a.shape[0]
    square_kernel[lambda meta: (triton.cdiv(n, meta["B"]), triton.cdiv(n, meta["B"]))](a, out, n)
    return out
"""


class TestWithoutAGpu:
    """The compiler says which configs the target can't hold, and nothing is chosen or timed."""

    @pytest.fixture
    def run(self, tmp_path):
        session = Session(device="cpu", target="sm_90")
        (tmp_path / "exercise.py").write_text(SPECIFICATION)

        def judged(configs, key="['n']", target="sm_86"):
            source = SQUARE.replace("CONFIGS", configs).replace("KEY", key)
            return Run(session, tmp_path, source, ["trace", "legality", "compile"], target=target)

        return judged

    def test_what_the_target_cannot_hold(self, run):
        done = run("[(128, 64, 5), (32, 32, 2)]")
        (seen,) = done.of(Tuned)
        assert (seen.device, seen.case, seen.key, seen.seconds) == ("cpu", "large", {"n": 4096}, None)
        assert [config.values for config in seen.configs] == [
            {"B": 128, "K": 64, "num_warps": 4, "num_stages": 5},
            {"B": 32, "K": 32, "num_warps": 4, "num_stages": 2},
        ]
        too_large, fits = seen.configs
        assert (too_large.problem.id, too_large.problem.params["limit"]) == ("shared-memory-exceeded", 99 * 1024)
        assert fits.problem is None
        (invalid,) = [finding for finding in done.findings if finding.id == "autotune-invalid-config"]
        assert (invalid.severity, invalid.params["config"]) == ("note", "B=128, K=64, num_warps=4, num_stages=5")
        assert not any(config.chosen or config.median_us for config in seen.configs)
        assert done.errors == {}
        (compiled,) = done.of(Compiled)
        assert compiled.report.num_stages == 2  # the first that fits

    def test_heuristics_below_the_tuner_reckon_the_rest(self, run, monkeypatch):
        heuristic = '@triton.heuristics({"K": lambda given: given["B"] // 2})\n@triton.jit'
        monkeypatch.setitem(globals(), "SQUARE", SQUARE.replace('"K": k', "").replace("@triton.jit", heuristic))
        done = run("[(128, 64, 5), (32, 32, 2)]")
        (seen,) = done.of(Tuned)
        too_large, fits = seen.configs
        assert too_large.problem.id == "shared-memory-exceeded" and fits.problem is None
        assert done.errors == {}

    def test_none_that_fits(self, run):
        done = run("[(128, 64, 5), (128, 64, 6)]")
        assert done.errors["shared-memory-exceeded"].line == line_of(SQUARE, "@triton.autotune")

    def test_a_key_that_forgets_the_size(self, run):
        done = run("[(32, 32, 2), (64, 32, 2)]", key="[]", target="sm_90")
        (found,) = [finding for finding in done.findings if finding.severity != "note"]
        assert (found.id, found.params["argument"]) == ("autotune-key", "n")


class TestReport:
    def message(self, device, problem, times):
        configs = [
            TunedConfig(
                values={"BLOCK": 64 << i},
                median_us=times[i] if times else None,
                problem=Finding(id="shared-memory-exceeded", severity="error") if problem == i else None,
            )
            for i in range(2)
        ]
        return Tuned(
            run=1,
            device=device,
            kernel="k",
            line=1,
            case="n",
            key={},
            configs=configs,
            seconds=1.0 if times else None,
        )

    @pytest.mark.parametrize("gpu_first", [False, True])
    def test_times_and_reasons_come_together(self, gpu_first):
        messages = [self.message("cpu", 1, None), self.message("cuda:0", None, [10.0, None])]
        report = Report("exercise")
        for message in reversed(messages) if gpu_first else messages:
            report.add(message)
        (first, second) = report.tuned["k"].configs
        assert (first.median_us, first.problem) == (10.0, None)
        assert (second.median_us, second.problem.id) == (None, "shared-memory-exceeded")
        assert report.as_json("en")["tuned"][0]["device"] == "cuda:0"
