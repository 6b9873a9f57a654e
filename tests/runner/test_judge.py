"""The judge as a whole on the CPU: stages in order, what each run of a learner's text is answered with."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

import pytest

from tritontui.engine.messages import (
    ALL_STAGES,
    Broken,
    CaseDone,
    Compiled,
    Done,
    Found,
    Judge,
    ListingRequest,
    StageDone,
    StageSkipped,
    StageStarted,
    Traced,
)
from tritontui.runner.aside import KEPT_CHARACTERS, prints_aside
from tritontui.runner.judge import judge
from tritontui.runner.listing import listing
from tritontui.runner.session import RunCancelled, Session

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

    def test_tf32_is_told_from_a_wrong_index(self, run):
        found = run(DOT, ["trace", "cases"]).errors["reduced-precision-dot"]
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


class TestContract:
    @pytest.mark.parametrize(
        ("old", "new", "reason", "blamed"),
        [
            ("return out", "return None", "returned-none", "return None"),
            ("return out", "return out.tolist()", "not-a-tensor", "return out.tolist()"),
            ("return out", "return out, out", "output-count", "return out, out"),
            ("return out", "return out[:1].expand(7)", "shape", "return out[:1]"),
            ("return out", "return x", "returned-input", "return x"),
            ("return out", "return 2 * x", "not-by-kernel", "return 2 * x"),
            ("return out", "return out.copy_(2 * x)", "not-by-kernel", "return out.copy_"),
            ("    double_kernel[(", "    x = x.clone()\n    double_kernel[(", "host-copy", "x = x.clone()"),
        ],
    )
    def test_host_code(self, run, old, new, reason, blamed):
        source = changed(old, new)
        done = run(source)
        found = done.errors["wrapper-contract"]
        assert (found.params["reason"], found.line) == (reason, line_of(source, blamed))
        assert not done.cases["n = 100"].passed

    def test_an_input_that_changes(self, run):
        source = changed("return out", "x.zero_()\n    return out")
        found = run(source).errors["wrapper-contract"]
        assert (found.params["reason"], found.params["argument"]) == ("input-modified", "x")

    def test_a_kernel_that_isnt_launched(self, run):
        source = changed("double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)", "out.zero_()")
        done = run(source)
        assert done.errors
        assert not any(result.passed for result in done.cases.values())

    @pytest.mark.parametrize(
        "line",
        [
            "assert x.is_cuda",
            'assert x.device.type == "cuda" and torch.cuda.is_available()',
            'out = torch.empty(x.shape, device="cuda", dtype=x.dtype)',
            "assert out.device == x.device",
            "torch.cuda.synchronize()",
        ],
    )
    def test_code_written_for_a_gpu_is_judged_without_one(self, run, line):
        source = changed("    double_kernel[(", f"    {line}\n    double_kernel[(")
        done = run(source, ["trace", "legality", "cases"])
        assert done.findings == []
        assert all(result.passed for result in done.cases.values())

    def test_looking_at_values_is_allowed(self, run):
        source = changed("return out", "print(float(x.sum()), x)\n    return out")
        assert run(source, ["trace", "legality", "cases"]).findings == []


class TestFaults:
    def test_out_of_bounds_is_found_in_the_trace(self, run):
        source = changed("x = tl.load(x_ptr + offs, mask=mask)", "x = tl.load(x_ptr + offs)")
        done = run(source)
        found = done.errors["out-of-bounds-read"]
        assert (found.line, found.program, found.lanes) == (line_of(source, "tl.load"), 1, [(36, 63)])

    def test_out_of_bounds_in_another_size_only(self, run):
        source = changed("mask = offs < n", "mask = offs < (n if n > 1 else 64)")
        done = run(source)
        assert not done.cases["n = 1"].passed
        assert done.cases["n = 100"].passed
        assert {"out-of-bounds-read", "out-of-bounds-write"} <= set(done.errors)

    def test_what_the_compiler_rejects_never_passes(self, run):
        source = changed("2 * x, mask", "(2 * x)[0], mask")
        done = run(source)
        assert done.errors["block-indexing"].line == line_of(source, "tl.store")
        assert done.skipped["cases"] == "not-legal"
        assert not done.cases

    def test_what_it_rejects_in_one_dtype_only(self, run):
        source = changed("2 * x, mask", "tl.exp(tl.log(2 * x)), mask")
        done = run(source)
        assert not done.cases["float16"].passed
        assert any(finding.line == line_of(source, "tl.store") for finding in done.errors.values())

    def test_shared_memory_over_the_limit(self, run):
        source = changed(
            "    tl.store(out_ptr + offs, 2 * x, mask=mask)",
            "    r = tl.arange(0, 256)[:, None] * 0 + tl.arange(0, 256)[None, :] * 0\n"
            "    a = tl.load(x_ptr + r)\n"
            "    d = tl.dot(a, a)\n"
            "    tl.store(out_ptr + offs, 2 * x + tl.sum(d) * 0, mask=mask)",
        )
        done = run(source, ["trace", "compile"], target="sm_86")
        found = done.errors["shared-memory-exceeded"]
        assert found.params["limit"] == 99 * 1024

    def test_a_syntax_error(self, run):
        source = changed("mask = offs < n", "mask = offs <")
        done = run(source)
        assert done.errors["syntax-error"].line == line_of(source, "mask = offs <")
        assert set(done.skipped.values()) == {"failed-before"}

    def test_a_syntax_error_that_only_compiling_finds(self, run):
        source = changed("def double(x):", "def double(x, x):")
        assert run(source).errors["syntax-error"].line == line_of(source, "def double(x, x)")

    @pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "import torch\n"])
    def test_nothing_to_judge(self, run, text):
        found = run(text).errors["entry-missing"]
        assert found.params["entry"] == "double"

    def test_an_exception_in_the_host_code(self, run):
        source = changed("return out", 'raise NotImplementedError("later")')
        found = run(source).errors["host-exception"]
        assert found.line == line_of(source, "raise")

    def test_a_refusal_of_right_arguments(self, run):
        source = changed("return out", 'raise ValueError("no")')
        found = run(source).errors["wrapper-contract"]
        assert (found.line, found.params["reason"]) == (line_of(source, "raise"), "refuses")
        assert found.params["got"] == "ValueError: no"

    @pytest.mark.parametrize("line", ["if x == 0: pass", "x[10**6]", "x.nothing", "x.view(7)", "torch.load(x)"])
    def test_what_torch_raises_is_the_learners(self, run, line):
        source = changed("return out", f"{line}\n    return out")
        errors = run(source, ["trace", "cases"]).errors
        assert [finding.line for finding in errors.values()] == [line_of(source, line)]

    def test_an_exception_while_importing(self, run):
        source = SOLUTION + "\n1 / 0\n"
        assert run(source).errors["host-exception"].line == line_of(source, "1 / 0")

    def test_an_exception_in_one_case_only(self, run):
        source = changed("return out", "assert x.numel() != 128\n    return out")
        done = run(source)
        assert [name for name, result in done.cases.items() if not result.passed] == ["n = 128"]
        assert done.errors["host-exception"].line == line_of(source, "assert")

    def test_a_kernel_in_place_of_the_host_function(self, run):
        source = changed("def double(x):", "@triton.jit\ndef double(x):")
        found = run(source).errors["launch-without-grid"]
        assert (found.line, found.params["function"]) == (line_of(source, "def double(x)"), "double")

    def test_a_failure_on_empty_tensors_alone(self, session, tmp_path):
        (tmp_path / "exercise.py").write_text(
            SPECIFICATION.replace('Case("n = 1", {"n": 1})', 'Case("none", {"n": 0})')
        )
        source = changed("return out", "assert 1 // x.numel() >= 0\n    return out")
        found = Run(session, tmp_path, source, ["trace", "cases"]).errors["empty-input"]
        assert found.line == line_of(source, "assert 1 //")

    def test_more_threads_than_a_program_can_have(self, run):
        found = run(changed("BLOCK=64", "BLOCK=64, num_warps=64"), ["trace", "compile"]).errors
        assert found["resources-exceeded"].params["limit"] == 1024

    def test_a_misspelt_option_of_the_launch(self, run):
        source = changed("BLOCK=64", "BLOCK=64, num_wraps=8")
        found = run(source).errors["unknown-keyword"]
        assert found.line == line_of(source, "num_wraps")


class TestPrints:
    def test_the_traced_call_prints_once(self, run, capsys):
        run(changed("return out", 'print("n is", x.numel())\n    return out'), ["trace", "legality", "cases"])
        assert capsys.readouterr().out == "n is 100\n"

    def test_the_first_failed_case_prints_too(self, run, capsys):
        source = changed("return out", "print(x.numel())\n    return out if x.numel() != 128 else x")
        run(source, ["trace", "cases"])
        assert capsys.readouterr().out == "100\n[n = 128]\n128\n"

    def test_endless_prints_take_no_memory(self):
        with prints_aside() as aside:
            for _ in range(1000):
                print("x" * 1000)
        assert len(aside.text) == KEPT_CHARACTERS


class TestRuns:
    def test_a_cancelled_run_stops(self, session, folder):
        replies = []
        request = Judge(
            run=next(_runs), exercise=str(folder), source=SOLUTION, filename="mine.py", stages=list(ALL_STAGES)
        )

        def emit(reply):
            replies.append(reply)
            if isinstance(reply, CaseDone):
                session.cancel(request.run)

        with pytest.raises(RunCancelled):
            judge(request, emit, session)
        assert sum(isinstance(reply, CaseDone) for reply in replies) == 1

    @pytest.mark.parametrize("text", ["1 / 0\n", "EXERCISE = 3\n", "import nothing_of_this_name\n", "def\n"])
    def test_a_broken_exercise_is_not_the_learners_fault(self, session, tmp_path, text):
        (tmp_path / "exercise.py").write_text(text)
        done = Run(session, tmp_path, SOLUTION)
        (broken,) = done.of(Broken)
        assert "exercise.py" in broken.message
        assert isinstance(done.replies[-1], Done)

    def test_an_exercise_that_isnt_there(self, session):
        assert Run(session, Path("/nowhere"), SOLUTION).of(Broken)

    def test_an_edited_exercise_is_read_again(self, session, folder):
        assert Run(session, folder, SOLUTION, ["cases"]).cases["n = 1"].passed
        (folder / "exercise.py").write_text(SPECIFICATION.replace("2 * x,", "3 * x,"))
        assert not Run(session, folder, SOLUTION, ["cases"]).cases["n = 1"].passed
