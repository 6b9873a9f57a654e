"""Compiling without a GPU: Triton's own specialisation, resources, widths, what the target can't do."""

from __future__ import annotations

import re

import pytest
import torch
from triton.runtime.errors import OutOfResources

from tritontui.runner.compiler.compile import Built, Compiler, Launch, Rejection, disassemble
from tritontui.runner.compiler.listings import source_lines, with_true_accesses
from tritontui.runner.compiler.target import TARGETS, compiling_for, gpu_target
from tritontui.runner.submission import Submissions, execute, failure_of
from tritontui.runner.triton_compat import driver, specialise

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


@triton.jit
def every_fourth(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + 4 * offs))


@triton.jit
def count(out_ptr, BLOCK: tl.constexpr):
    tl.atomic_add(out_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def product(a_ptr, out_ptr, SIZE: tl.constexpr):
    rows = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for step in range(0, 4):
        a = tl.load(a_ptr + step + rows)
        acc += tl.dot(a, a)
    tl.store(out_ptr + rows, acc)


@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, halved(tl.sum(x)))


@triton.jit
def halved(value):
    return value[0]
"""


@pytest.fixture(scope="module")
def submission():
    submissions = Submissions()
    placed = submissions.place(KERNELS, "mine.py")
    execute(placed)
    yield placed
    submissions.close()


@pytest.fixture(scope="module")
def kernels(submission):
    return submission.module


def line_of(text):
    return next(number for number, line in enumerate(KERNELS.splitlines(), 1) if text in line)


def addition(kernels, n, shift=0, options=None, dtype=torch.float32):
    x = torch.empty(n + 8, dtype=dtype)[shift : shift + n]
    out = torch.empty(n, dtype=dtype)
    arguments = {"x_ptr": x, "y_ptr": x, "out_ptr": out, "n": n, "BLOCK": 1024}
    return Launch(kernels.add_kernel, arguments, options or {})


def built(launch, target="sm_90"):
    with compiling_for(target):
        result = Compiler().build(launch, target)
    assert isinstance(result, Built), result
    return result


class TestWidths:
    """The compiler may only use wide accesses where the launch's own arguments allow them."""

    @pytest.mark.parametrize(
        ("n", "shift", "load_bits", "store_bits"),
        [(4096, 0, 128, 128), (4096, 1, 32, 128), (1000, 0, 32, 32), (1_000_003, 0, 32, 32), (1008, 0, 128, 128)],
    )
    def test_alignment_decides(self, kernels, n, shift, load_bits, store_bits):
        report = built(addition(kernels, n, shift)).report()
        widths = {(width.line, width.op): width.bits for width in report.widths}
        assert widths == {
            (line_of("x = tl.load(x_ptr + offs"), "load"): load_bits,
            (line_of("y = tl.load"), "load"): load_bits,
            (line_of("tl.store(out_ptr + offs, x + y"), "store"): store_bits,
        }

    def test_strided_lanes_are_moved_one_by_one(self, kernels):
        x = torch.empty(4096)
        launch = Launch(kernels.every_fourth, {"x_ptr": x, "out_ptr": x, "BLOCK": 1024}, {})
        widths = {width.op: width.bits for width in built(launch).report().widths}
        assert widths == {"load": 32, "store": 128}

    def test_atomics_have_a_width(self, kernels):
        launch = Launch(kernels.count, {"out_ptr": torch.empty(128), "BLOCK": 128}, {})
        report = built(launch).report()
        assert [width.op for width in report.widths] == ["atomic"]


class TestReport:
    def test_resources_and_occupancy(self, kernels):
        report = built(addition(kernels, 4096)).report()
        assert (report.kernel, report.target, report.num_warps) == ("add_kernel", "sm_90", 4)
        assert 8 <= report.registers <= 64
        assert (report.spill_bytes, report.shared_bytes) == (0, 0)
        assert (report.occupancy, report.occupancy_limit) == (1.0, "warps")
        assert report.listings.pop("sass") == 0
        assert set(report.listings) == {"ttir", "ttgir", "llir", "ptx"}
        assert all(lines > 10 for lines in report.listings.values())

    def test_options_of_the_launch_count(self, kernels):
        report = built(addition(kernels, 4096, options={"num_warps": 8, "num_stages": 2})).report()
        assert (report.num_warps, report.num_stages) == (8, 2)

    def test_too_few_registers_spill(self, kernels):
        a = torch.empty(64 * 64 + 16)
        arguments = {"a_ptr": a, "out_ptr": a, "SIZE": 64}
        free = built(Launch(kernels.product, arguments, {"num_warps": 1}))
        capped = built(Launch(kernels.product, arguments, {"num_warps": 1, "maxnreg": 32}))
        assert capped.spill_bytes > (free.spill_bytes or 0)
        assert capped.report().registers == 32

    @pytest.mark.parametrize("target", TARGETS)
    def test_every_target_compiles_here(self, kernels, target):
        with compiling_for(target):
            result = Compiler().build(addition(kernels, 4096), target)
        if isinstance(result, Rejection) and "linker" in str(result.error):
            pytest.skip("this Triton needs ROCm's own linker")
        report = result.report()
        assert report.target == target
        assert report.registers > 0
        assert report.spill_bytes == 0
        assert (report.occupancy, report.occupancy_limit) == (1.0, "warps")
        widths = {(width.line, width.op): width.bits for width in report.widths}
        assert widths == {
            (line_of("x = tl.load(x_ptr + offs, mask=mask)"), "load"): 128,
            (line_of("y = tl.load"), "load"): 128,
            (line_of("tl.store(out_ptr + offs, x + y"), "store"): 128,
        }
        text = "amdgcn" if target.startswith("gfx") else "ptx"
        listing = result.listings[text]
        lines = source_lines(text, listing, "mine.py")
        assert {line for line, _ in widths} <= set(lines)

    @pytest.mark.parametrize("options", [{}, {"num_warps": 1}, {"num_warps": 8, "num_stages": 2}])
    def test_amd_occupancy_is_what_llvm_says(self, kernels, options):
        a = torch.empty(64 * 64 + 16)
        with compiling_for("gfx942"):
            launch = Launch(kernels.product, {"a_ptr": a, "out_ptr": a, "SIZE": 64}, options)
            result = Compiler().build(launch, "gfx942")
        if isinstance(result, Rejection) and "linker" in str(result.error):
            pytest.skip("this Triton needs ROCm's own linker")
        waves = int(re.search(r"^; Occupancy: (\d+)$", result.listings["amdgcn"], re.MULTILINE)[1])
        report = result.report()
        assert (report.occupancy, report.occupancy_limit) == (waves / 8, "registers")

    @pytest.mark.parametrize("kind", ["ttir", "ttgir", "llir", "ptx"])
    def test_listings_lead_back_to_the_source(self, kernels, kind):
        listing = built(addition(kernels, 4096)).listings[kind]
        lines = source_lines(kind, listing, "mine.py")
        assert len(lines) == len(listing.splitlines())
        first, last = line_of("offs = tl.program_id"), line_of("tl.store(out_ptr + offs, x + y")
        assert set(range(first, last + 1)) <= set(lines)

    def test_a_kernel_that_another_file_was_compiled_from_first_leads_back_too(self, kernels):
        """Triton keeps one binary for both: it names the file that came first."""
        first = built(addition(kernels, 4096))
        submissions = Submissions()
        try:
            placed = submissions.place(KERNELS, "copied.py")
            execute(placed)
            copied = built(addition(placed.module, 4096))
        finally:
            submissions.close()
        assert first.report().widths
        assert copied.report().widths == first.report().widths
        assert any(source_lines("ptx", copied.listings["ptx"], copied.file))

    def test_machine_code_leads_back_to_the_source(self, kernels):
        compiled = built(addition(kernels, 4096))
        listing = disassemble(compiled)
        lines = with_true_accesses(
            listing, source_lines("sass", listing, "mine.py"), compiled.listings["ptx"], "mine.py"
        )
        found = {
            (name, line)
            for text, line in zip(listing.splitlines(), lines, strict=True)
            for name in ("LDG", "STG")
            if name in text
        }
        assert found == {
            ("LDG", line_of("x = tl.load(x_ptr + offs, mask=mask)")),
            ("LDG", line_of("y = tl.load")),
            ("STG", line_of("tl.store(out_ptr + offs, x + y")),
        }


class TestRejections:
    def test_the_blamed_line_is_the_deepest_of_the_learners(self, kernels, submission):
        launch = Launch(kernels.total, {"x_ptr": torch.empty(64), "out_ptr": torch.empty(1), "BLOCK": 64}, {})
        with compiling_for("sm_90"):
            rejection = Compiler().check(launch)
        failure = failure_of(rejection.error, submission, "compile")
        assert (failure.line, failure.column) == (line_of("return value[0]"), 12)

    def test_a_block_that_is_no_power_of_two(self, kernels, submission):
        launch = addition(kernels, 4096)
        launch = Launch(launch.kernel, {**launch.arguments, "BLOCK": 1000}, {})
        with compiling_for("sm_90"):
            rejection = Compiler().check(launch)
        failure = failure_of(rejection.error, submission, "compile")
        assert any("power of 2" in link.message for link in (failure, *failure.causes))
        assert failure.line == line_of("offs = tl.program_id(0) * BLOCK")

    def test_a_keyword_nobody_knows(self, kernels):
        with compiling_for("sm_90"):
            rejection = Compiler().check(addition(kernels, 4096, options={"num_wraps": 8}))
        assert "num_wraps" in str(rejection.error)

    def test_shared_memory_that_the_target_has_not(self, kernels):
        a = torch.empty(256 * 256 + 16)
        launch = Launch(kernels.product, {"a_ptr": a, "out_ptr": a, "SIZE": 128}, {"num_stages": 4, "num_warps": 8})
        compiler = Compiler()
        with compiling_for("sm_86"):
            rejection = compiler.build(launch, "sm_86")
        assert isinstance(rejection, Rejection)
        assert isinstance(rejection.error, OutOfResources)
        assert rejection.error.limit == 99 * 1024

    def test_a_legal_launch_is_not_rejected(self, kernels):
        compiler = Compiler()
        with compiling_for("sm_90"):
            assert compiler.check(addition(kernels, 4096)) is None
            assert compiler.check(addition(kernels, 4096, dtype=torch.bfloat16)) is None

    def test_a_kernel_that_was_compiled_before_is_specialised_again(self, kernels):
        launch = addition(kernels, 4096)
        with compiling_for("sm_90"):
            compiled = launch.kernel.warmup(grid=(1,), **launch.arguments)
            first, second = (specialise(launch.kernel, launch.arguments, {}) for _ in range(2))
            assert launch.kernel.warmup(grid=(1,), **launch.arguments) is compiled
        assert first.key == second.key

    def test_errors_are_remembered_with_what_was_printed(self, kernels):
        launch = addition(kernels, 4096)
        launch = Launch(launch.kernel, {**launch.arguments, "BLOCK": 1000}, {})
        compiler = Compiler()
        with compiling_for("sm_90"):
            first, second = compiler.check(launch), compiler.check(launch)
        assert first.error is second.error


class TestTargets:
    def test_names(self):
        assert gpu_target("sm_90").arch == 90
        assert gpu_target("sm90a").arch == 90
        assert gpu_target("gfx942").backend == "hip"
        with pytest.raises(ValueError, match="sm_90"):
            gpu_target("hopper")

    def test_the_driver_that_was_there_comes_back(self):
        with compiling_for("sm_80") as outer:
            with compiling_for("sm_90"):
                assert driver.active.get_current_target().arch == 90
            assert driver.active is outer

    def test_host_code_can_ask_for_device_and_properties(self):
        with compiling_for("sm_90"):
            assert driver.active.get_active_torch_device() == torch.device("cuda", 0)
            properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
        assert properties["max_shared_mem"] == 232448
        assert properties["multiprocessor_count"] == 132
