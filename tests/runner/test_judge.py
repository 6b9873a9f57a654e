"""The judge as a whole on the CPU: stages in order, devices, and values that are wrong."""

from __future__ import annotations

import re

import pytest

from tests.runner.judging import SOLUTION, SPECIFICATION, changed, line_of
from tests.runner.judging import folder as folder  # this and the next two are fixtures
from tests.runner.judging import run as run
from tests.runner.judging import session as session
from tritontui.engine.messages import (
    CaseDone,
    Compiled,
    ListingRequest,
    StageDone,
    StageStarted,
    Traced,
)
from tritontui.runner.compiler.listing import listing


class TestRight:
    def test_every_stage_answers_in_order(self, run):
        replies = run(SOLUTION).replies
        order = [type(reply).__name__ for reply in replies if not isinstance(reply, CaseDone)]
        assert order == [
            *("StageStarted", "Traced", "StageDone"),
            *("StageStarted", "StageDone"),
            *("StageStarted", "StageDone"),
            *("StageStarted", "Workload", "Compiled", "StageDone"),
            *("StageSkipped", "Done"),
        ]
        started = [reply.stage for reply in replies if isinstance(reply, StageStarted)]
        assert started == ["trace", "legality", "cases", "compile"]

    def test_no_finding_and_every_case_passes(self, run):
        done = run(SOLUTION)
        assert done.findings == []
        assert [result.passed for result in done.cases.values()] == [True] * 5
        assert done.skipped == {"measure": "no-gpu"}

    def test_the_measured_case_is_what_is_compiled(self, run):
        (compiled,) = run(SOLUTION, ["trace", "compile"]).of(Compiled)
        assert {width.bits for width in compiled.report.widths} == {32}  # 64 elements, 128 threads

    def test_a_named_target(self, run):
        (compiled,) = run(SOLUTION, ["trace", "compile"], target="sm_80").of(Compiled)
        assert compiled.report.target == "sm_80"

    @pytest.mark.parametrize("kind", ["ttir", "ttgir", "llir", "ptx", "sass"])
    def test_listings_can_be_asked_for(self, run, session, kind):
        (compiled,) = run(SOLUTION, ["trace", "compile"]).of(Compiled)
        assert kind in compiled.report.listings
        answer = listing(ListingRequest(run=compiled.run, request=1, kernel=compiled.report.kernel, kind=kind), session)
        assert len(answer.lines) == len(answer.sources) > 10
        assert line_of(SOLUTION, "tl.store") in answer.sources
        for run_number, kernel in ((compiled.run - 1, compiled.report.kernel), (compiled.run, "another")):
            with pytest.raises(LookupError):
                listing(ListingRequest(run=run_number, request=2, kernel=kernel, kind=kind), session)

    def test_a_listing_that_there_isnt(self, run, session):
        done = run(SOLUTION, ["trace", "compile"], target="gfx942")
        if any("linker" in (finding.original or "") for finding in done.findings):
            pytest.skip("this Triton needs ROCm's own linker")
        (compiled,) = done.of(Compiled)
        with pytest.raises(LookupError):
            listing(ListingRequest(run=compiled.run, request=1, kernel=compiled.report.kernel, kind="sass"), session)
        wanted = ListingRequest(run=compiled.run, request=2, kernel=compiled.report.kernel, kind="amdgcn")
        answer = listing(wanted, session)
        assert line_of(SOLUTION, "tl.store") in answer.sources

    def test_the_trace_is_kept_for_the_map(self, run, session):
        done = run(SOLUTION, ["trace"])
        (traced,) = done.of(Traced)
        assert traced.launches[0].grid == [2]
        assert len(session.traces(traced.run)) == 1

    def test_only_what_is_asked_for(self, run):
        done = run(SOLUTION, ["cases"])
        assert {reply.stage for reply in done.of(StageDone)} == {"cases"}

    def test_live_mode_may_stop_at_the_first_case(self, run):
        assert list(run(SOLUTION, ["cases"], first_case_only=True).cases) == ["n = 100"]


LEFT_ON_THE_HOST = (
    "torch.empty(x.shape, dtype=x.dtype)",
    'torch.empty_like(x, device="cpu")',
    "torch.empty_like(x).cpu()",
    'torch.empty_like(x).to("cpu")',
    "torch.zeros(x.shape, dtype=x.dtype).contiguous()",
    "torch.empty_like(torch.zeros(x.shape, dtype=x.dtype))",
    "torch.empty(x.shape, dtype=x.dtype) if torch.empty(1).device.type == 'cpu' else torch.empty_like(x)",
)
ON_THE_GPU = (
    "torch.empty(x.shape, dtype=x.dtype, device=x.device)",
    'torch.empty(x.shape, dtype=x.dtype, device="cuda")',
    "torch.empty(x.shape, dtype=x.dtype).cuda()",
    "torch.empty(x.shape, dtype=x.dtype).to(x.device)",
    "torch.empty(x.shape, dtype=x.dtype, device=triton.runtime.driver.active.get_active_torch_device())",
    "x.new_empty(x.shape)",
    "torch.empty_like(torch.zeros(x.shape, dtype=x.dtype), device=x.device)",
)


class TestDevices:
    """What a GPU couldn't reach is found without one."""

    @pytest.mark.parametrize("made", LEFT_ON_THE_HOST)
    def test_a_tensor_left_in_main_memory_is_refused(self, run, made):
        source = changed("torch.empty_like(x)", made)
        done = run(source)
        found = done.errors["tensor-on-wrong-device"]
        assert (found.params["argument"], found.params["got"]) == ("out_ptr", "cpu")
        assert found.line == line_of(source, "double_kernel[")

    @pytest.mark.parametrize("made", ON_THE_GPU)
    def test_a_tensor_on_the_gpu_is_taken(self, run, made):
        done = run(changed("torch.empty_like(x)", made))
        assert "tensor-on-wrong-device" not in done.errors

    def test_a_default_device_counts(self, run):
        made = "(torch.set_default_device('cuda'), torch.empty(x.shape, dtype=x.dtype))[1]"
        done = run(changed("torch.empty_like(x)", made))
        assert "tensor-on-wrong-device" not in done.errors


class TestWrongValues:
    def test_the_first_wrong_element_has_an_owner_and_a_line(self, run):
        source = changed("2 * x, mask", "3 * x, mask")
        done = run(source)
        found = done.errors["value-mismatch"]
        assert found.line == line_of(source, "tl.store")
        assert (found.program, found.lanes, found.tensor) == (0, [(0, 0)], "out_ptr")
        assert (found.params["case"], found.params["pattern"]) == ("n = 100", "factor")
        mismatch = done.cases["n = 100"].first_mismatch
        assert (mismatch.program, mismatch.lane, mismatch.wrong) == (0, 0, 100)
        assert sum(finding.id == "value-mismatch" for finding in done.findings) == 1

    def test_wrong_in_one_size_only(self, run):
        source = changed("double_kernel[", "x = x if x.numel() != 128 else x[:64]\n    double_kernel[")
        done = run(source)
        assert [name for name, result in done.cases.items() if not result.passed] == ["n = 128"]

    def test_wrong_in_one_dtype_only(self, run):
        source = changed("torch.empty_like(x)", "torch.empty(x.shape, device=x.device)")
        done = run(source)
        assert [name for name, result in done.cases.items() if not result.passed] == ["float16"]
        found = done.errors["wrapper-contract"]
        assert (found.params["reason"], found.params["got"]) == ("dtype", "float32")

    def test_an_answer_left_by_a_freed_tensor_is_none(self, run):
        source = changed("double_kernel[(", "0 and double_kernel[(")
        assert not any(result.passed for result in run(source, ["cases"]).cases.values())

    def test_the_last_lane_is_wrong_in_the_large_case_alone(self, run):
        source = changed("offs < n\n", "offs < (n if n < 30000 else n - 1)\n")
        done = run(source)
        assert [name for name, result in done.cases.items() if not result.passed] == ["n = 40000"]
        assert done.errors["value-mismatch"].params["pattern"] == "tail"


MATMUL = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(32, 32, generator=generator) for _ in range(2)]


EXERCISE = Exercise(
    entry="matmul",
    inputs=inputs,
    reference=lambda a, b: a @ b,
    cases=[Case("32", {})],
    trace_case=Case("32", {}),
)
"""

DOT = """import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, out_ptr, SIZE: tl.constexpr):
    tile = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    product = tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile))
    tl.store(out_ptr + tile, product)


def matmul(a, b):
    out = torch.empty_like(a)
    matmul_kernel[(1,)](a, b, out, SIZE=32)
    return out
"""


class TestPrecision:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "exercise.py").write_text(MATMUL)
        return tmp_path

    @pytest.mark.parametrize("asked", ["", ', input_precision="tf32"', ", allow_tf32=True"])
    def test_tf32_is_told_from_a_wrong_index(self, run, asked):
        source = DOT.replace("(b_ptr + tile))", f"(b_ptr + tile){asked})")
        found = run(source, ["trace", "cases"]).errors["reduced-precision-dot"]
        assert found.line == line_of(DOT, "tl.dot")
        assert 1e-6 < found.params["worst"] < 1e-2

    def test_a_wrong_index_is_not_blamed_on_tf32(self, run):
        source = DOT.replace("tl.load(b_ptr + tile)", "tl.load(a_ptr + tile)")
        assert "value-mismatch" in run(source, ["trace", "cases"]).errors


class TestCallersOutput:
    @pytest.fixture
    def folder(self, tmp_path):
        """The exercise whose function fills a tensor that the caller passes: every other element of a longer one."""
        inputs = "    x = torch.randn(case['n'], generator=generator)\n    return [x, torch.zeros(2 * case['n'])[::2]]"
        specification = re.sub(r"    dtype = .*\n    return .*", inputs, SPECIFICATION)
        specification = specification.replace("reference=lambda x: 2", "written=(1,),\n    reference=lambda x, out: 2")
        (tmp_path / "exercise.py").write_text(
            specification.replace("ideal_bytes=lambda x:", "ideal_bytes=lambda x, out:")
        )
        return tmp_path

    @pytest.mark.parametrize(
        ("made", "ids"),
        [
            ("", []),
            ("    out = torch.empty_like(x)\n", ["wrapper-contract"]),
            ("    x.zero_()\n", ["wrapper-contract"]),
        ],
    )
    def test_a_tensor_that_the_caller_passes(self, run, made, ids):
        source = changed("def double(x):\n    out = torch.empty_like(x)\n", f"def double(x, out):\n{made}")
        source = source.replace("out_ptr + offs", "out_ptr + offs * step").replace("n, BLOCK: tl", "n, step, BLOCK: tl")
        done = run(source.replace("x.numel(), BLOCK=64", "x.numel(), out.stride(0), BLOCK=64"))
        assert list(done.errors) == ids
        assert done.cases["n = 100"].passed is not bool(ids)
