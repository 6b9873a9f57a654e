"""The judge as a whole on the CPU: host code, faults on every layer, prints, runs that end early."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.judging import SOLUTION, SPECIFICATION, Run, changed, line_of
from tests.runner.judging import folder as folder  # this and the next two are fixtures
from tests.runner.judging import run as run
from tests.runner.judging import session as session
from tritontui.engine.messages import (
    ALL_STAGES,
    Broken,
    CaseDone,
    Done,
    Judge,
)
from tritontui.runner.cases.aside import KEPT_CHARACTERS, prints_aside
from tritontui.runner.judge import judge
from tritontui.runner.session import RunCancelled


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
        assert found.case is None

    def test_out_of_bounds_in_another_size_only(self, run):
        source = changed("mask = offs < n", "mask = offs < (n if n > 1 else 64)")
        done = run(source)
        assert not done.cases["n = 1"].passed
        assert done.cases["n = 100"].passed
        assert {"out-of-bounds-read", "out-of-bounds-write"} <= set(done.errors)
        assert done.errors["out-of-bounds-read"].case == "n = 1", "the traced case, n = 100, doesn't show it"

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
        request = Judge(run=1, exercise=str(folder), source=SOLUTION, filename="mine.py", stages=list(ALL_STAGES))

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
