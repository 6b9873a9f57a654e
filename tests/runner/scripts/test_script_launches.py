"""Launches of a traced script: how they are told, and what is found in them."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path

import pytest

from tests.runner.scripts.ran import KERNEL, Run
from tritontui.engine.messages import Compiled, Counted
from tritontui.runner.lockstep import TraceOptions


def test_tensors_of_inference_mode_are_launched_on_like_others(run: Run) -> None:
    ran = run("""
        with torch.inference_mode():
            x = torch.empty(40, device="cuda").fill_(2)
            print(copy(x).sum().item(), copy(torch.empty_like(x).copy_(x)).is_inference())
    """)
    assert (ran.output, ran.errors, ran.ids, len(ran.launches)) == ("80.0 True\n", "", [], 2)


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("", ["never-written"]),
        ("out.view(10, 10).shape", ["never-written"]),
        ("out.zero_()", []),
        ("out[1:].copy_(x[1:])", []),
        ("torch.add(x, x, out=out)", []),
        ("torch._foreach_zero_([out])", []),
    ],
)
def test_what_a_tensor_of_inference_mode_lacks_is_told_unless_pytorch_may_have_written_it(
    run: Run, before: str, told: list[str]
) -> None:
    ran = run(f"""
        with torch.inference_mode():
            x, out = torch.ones(100), torch.empty(100)
            {before}
            copy_kernel[(1,)](x, out, 32, BLOCK=32)
            print(out[:32].sum().item())
    """)
    assert (ran.output, ran.errors) == ("32.0\n", "")
    assert [identifier for _, identifier in ran.ids if identifier == "never-written"] == told


def test_every_launch_is_told_in_order(run: Run) -> None:
    ran = run("""
        a = copy(torch.rand(100))
        b = copy(torch.rand(64))
        print("copied", a.numel() + b.numel())
    """)
    assert [(one.launch, one.kernel, one.grid) for one in ran.launches] == [
        (0, "copy_kernel", [4]),
        (1, "copy_kernel", [2]),
    ]
    assert (ran.done.exit_code, ran.done.error, ran.output, ran.ids) == (0, None, "copied 164\n", [])
    compiled = [reply.report.kernel for reply in ran.replies if isinstance(reply, Compiled)]
    assert compiled == ["copy_kernel"] * 2, "100 and 64 are two specialisations"


def test_launches_beyond_the_first_many_are_counted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritontui.runner.tracing.study.MOST_LAUNCHES", 2)
    ran = run("for _ in range(5): copy(torch.rand(8))\n")
    counted = [reply.launches for reply in ran.replies if isinstance(reply, Counted)]
    assert (len(ran.launches), counted[:1], ran.done.launches) == (2, [3], 5)


def test_findings_belong_to_their_launch(run: Run) -> None:
    ran = run("""
        big = torch.rand(96)
        copy(big)
        copy(torch.rand(40), n=64)
        out = torch.empty(100)
        copy_kernel[(1,)](big, out, 32, BLOCK=32)
    """)
    assert ran.ids == [(1, "out-of-bounds-read"), (1, "out-of-bounds-write"), (2, "never-written")]


@pytest.mark.parametrize(
    "key, found", [('["n"]', []), ("[]", [(None, "autotune-key")]), ('["x_ptr", "n"]', [(None, "autotune-key")])]
)
def test_a_key_by_which_a_tuner_chooses_too_seldom_or_always(run: Run, key: str, found: list[tuple[None, str]]) -> None:
    tuner = f"@triton.autotune([triton.Config({{}}, num_warps=w) for w in (1, 4)], key={key})\n@triton.jit"
    ran = run("copy(torch.rand(100))\ncopy(torch.rand(200))", head=KERNEL.replace("@triton.jit", tuner))
    assert ran.ids == found
    assert [finding.line for _, finding in ran.findings] == [5] * len(found)


def test_a_kernel_the_compiler_refuses_is_found_though_it_runs(run: Run) -> None:
    ran = run("""
        SCALE = 3.0

        @triton.jit
        def scale_kernel(x_ptr):
            tl.store(x_ptr, tl.load(x_ptr) * SCALE)

        scale_kernel[(1,)](torch.rand(1))
    """)
    assert ran.ids == [(0, "global-not-constexpr")] and ran.done.exit_code == 0


def test_of_a_kernel_that_stops_the_compiler_says_why(run: Run) -> None:
    ran = run("""
        @triton.jit
        def index_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
            x = tl.load(x_ptr + tl.arange(0, BLOCK))
            tl.store(out_ptr, x[0])

        index_kernel[(1,)](torch.rand(8), torch.empty(1), BLOCK=8)
    """)
    assert ran.ids == [(0, "block-indexing")]
    assert ran.done.exit_code == 1 and ran.done.error is not None and ran.done.error.id == "block-indexing"


def test_a_kernel_that_stops_is_told_of_though_the_script_goes_on(run: Run) -> None:
    ran = run("""
        @triton.jit
        def shift_kernel(x_ptr, BLOCK: tl.constexpr):
            x = tl.load(x_ptr + tl.arange(0, BLOCK))
            x = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
            tl.store(x_ptr + tl.arange(0, BLOCK), x)

        for _ in range(2):
            try:
                shift_kernel[(1,)](torch.zeros(8, dtype=torch.int32), BLOCK=8)
            except Exception as error:
                print("caught")
    """)
    assert [(launch, finding.id, finding.line) for launch, finding in ran.findings] == [(0, "untraceable", 19)]
    assert (ran.done.exit_code, ran.done.error) == (0, None)


HELPER = (
    KERNEL
    + """
@triton.jit
def fill_kernel(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)

@triton.jit
def index_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, x[0])
"""
)


def test_lines_of_kernels_in_other_files_count_in_those(run: Run, tmp_path: Path) -> None:
    helper = tmp_path / "kernels_beside.py"
    helper.write_text(HELPER)
    ran = run(
        """
        import torch, kernels_beside
        kernels_beside.fill_kernel[(4,)](torch.empty(100), BLOCK=32)
        kernels_beside.copy_kernel[(4, 3)](torch.rand(128), torch.empty(200), 128, BLOCK=32)
        kernels_beside.copy_kernel[(40,)](torch.rand(64), torch.empty(64), 64, BLOCK=32)
        kernels_beside.index_kernel[(1,)](torch.rand(8), torch.empty(1), BLOCK=8)
        """,
        head="",
    )
    places = {(finding.id, finding.file, finding.line) for _, finding in ran.findings if finding.severity != "note"}
    inside = str(helper)
    parts = ("offs =", "tl.load(x_ptr + offs", "BLOCK), 1.0)", "x[0]")
    offsets, store, fill, index = (
        next(n for n, line in enumerate(HELPER.splitlines(), 1) if part in line) for part in parts
    )
    assert places == {
        ("out-of-bounds-write", inside, fill),
        ("program-id-unused", inside, offsets),
        ("never-written", inside, store),
        ("no-work", None, 5),
        ("block-indexing", inside, index),
    }
    error = ran.done.error
    assert error is not None and (error.id, error.file, error.line) == ("block-indexing", inside, index)
    assert [one.line for one in ran.launches] == [3, 4, 5, 6], "where the script launches them"


def test_thousands_of_launches_are_counted_and_few_kept(run: Run) -> None:
    ran = run("""
        x = torch.rand(64)
        for _ in range(200):
            copy(x)
    """)
    assert len(ran.launches) == 64 and ran.done.exit_code == 0 and ran.ids == []


def test_an_output_that_was_not_written_is_told_once_with_its_cause(run: Run) -> None:
    ran = run("""
        @triton.jit
        def same_block(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
            offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

        out = torch.empty(100)
        same_block[(4,)](torch.rand(100), out, 100, BLOCK=32)
    """)
    unwritten = [finding for _, finding in ran.findings if finding.id == "never-written"]
    assert [finding.caused_by for finding in unwritten] == ["grid-axis-missing"]


def test_timing_a_result_instead_of_a_function(run: Run) -> None:
    ran = run("print(triton.testing.do_bench(copy(torch.rand(100))))")
    assert ran.done.error is not None and ran.done.error.id == "benchmark-misuse"


def test_a_grid_too_large_for_its_time_is_sampled_and_the_script_goes_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tritontui.runner.lockstep.launch.HELD_BACK", 10.0)  # no time but for the first chunk
    monkeypatch.setattr(TraceOptions, "__init__", partialmethod(TraceOptions.__init__, chunk_lanes=2048))
    ran = run("""
        x = torch.rand(32 * 1000 - 7)
        out = copy(x)
        copy_kernel[(2,)](torch.rand(64), torch.empty(100), 64, BLOCK=32)
        print(torch.equal(out[:2048], x[:2048]), torch.equal(out[-20:], x[-20:]))
    """)
    assert (ran.done.exit_code, ran.output, ran.errors) == (0, "True True\n", "")
    assert ran.ids == [(1, "never-written")], "nothing is said of what programs that never ran would have written"
    (partly,) = [finding for launch, finding in ran.findings if (launch, finding.id) == (0, "partly-traced")]
    assert partly.tensor == "out_ptr" and partly.line == 13
    assert partly.params == {
        "left_out": 1000 - 64 - 2,
        "programs": 1000,
        "traced": 66,
        "until": None,
        "stopped": None,
        "unjudged": ["out_ptr"],
        "form": "once",
        "index": 0,
        "last_index": 31999,
        "masked": True,
    }


@pytest.mark.parametrize("end", ["", "if n > 0: "], ids=["without an end", "with one"])
def test_a_function_that_calls_itself_is_told_as_such(run: Run, end: str) -> None:
    ran = run(f"""
        @triton.jit
        def down(n):
            {end}return down(n - 1)
            return n

        @triton.jit
        def kernel(out_ptr, n):
            tl.store(out_ptr, down(n))

        kernel[(1,)](torch.zeros(1, dtype=torch.int32), 3)
    """)
    told = [finding for _, finding in ran.findings if finding.id == "unsupported-statement"]
    assert [finding.params["statement"] for finding in told] == ["recursion"]


def test_no_grid_is_too_large_to_begin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritontui.runner.lockstep.launch.HELD_BACK", 10.0)
    monkeypatch.setattr(TraceOptions, "__init__", partialmethod(TraceOptions.__init__, chunk_lanes=2048))
    ran = run("""
        out = torch.zeros(32)
        copy_kernel[(2**31 - 1, 65535, 65535)](torch.ones(32), out, 32, BLOCK=32)
        print(out.sum().item())
    """)
    assert (ran.done.exit_code, ran.output, ran.errors) == (0, "32.0\n", "")
    (partly,) = [finding for _, finding in ran.findings if finding.id == "partly-traced"]
    assert partly.params["programs"] == (2**31 - 1) * 65535**2
    assert max(site.programs for site in ran.launches[0].sites) == partly.params["traced"] < 200


def test_a_cache_filled_by_indices_may_have_slots_left(run: Run) -> None:
    ran = run("""
        @triton.jit
        def fill_kernel(x_ptr, slot_ptr, cache_ptr, BLOCK: tl.constexpr):
            row, offs = tl.program_id(0), tl.arange(0, BLOCK)
            slot = tl.load(slot_ptr + row)
            tl.store(cache_ptr + slot * BLOCK + offs, tl.load(x_ptr + row * BLOCK + offs))

        cache = torch.empty(8, 16)
        fill_kernel[(3,)](torch.rand(3, 16), torch.tensor([5, 0, 2]), cache, BLOCK=16)
    """)
    assert (ran.errors, ran.ids) == ("", [])
