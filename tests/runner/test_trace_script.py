"""Scripts traced as ``python SCRIPT ARGS`` runs them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partialmethod
from pathlib import Path
from textwrap import dedent

import pytest
import triton
import triton.language as tl

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Compiled, Counted, Found, LaunchSummary, Reply, ScriptDone, Traced, TraceScript
from tritontui.runner.lockstep import TraceOptions
from tritontui.runner.session import RunCancelled, Session
from tritontui.runner.trace import trace_script

KERNEL = """\
import sys
import torch, triton
import triton.language as tl

@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

def copy(x, n=None):
    out = torch.empty_like(x)
    n = n or x.numel()
    copy_kernel[(triton.cdiv(n, 32),)](x, out, n, BLOCK=32)
    return out
"""


@dataclass
class Ran:
    replies: list[Reply]
    output: str = ""
    errors: str = ""
    launches: list[LaunchSummary] = field(default_factory=list)
    findings: list[tuple[int | None, Finding]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for reply in self.replies:
            if isinstance(reply, Traced):
                self.launches += reply.launches
            elif isinstance(reply, Found):
                self.findings += [(reply.launch, finding) for finding in reply.findings]

    @property
    def done(self) -> ScriptDone:
        (last,) = [reply for reply in self.replies if isinstance(reply, ScriptDone)]
        assert self.replies[-1] is last
        return last

    @property
    def ids(self) -> list[tuple[int | None, str]]:
        return [(launch, finding.id) for launch, finding in self.findings if finding.severity != "note"]


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    def run_script(
        text: str, *arguments: str, name: str = "script.py", head: str = KERNEL, entry: str = "", stdin: str = ""
    ) -> Ran:
        (tmp_path / name).write_text(head + dedent(text), encoding="utf-8")
        replies: list[Reply] = []
        request = TraceScript(
            run=1, path=name, arguments=list(arguments), working_directory=str(tmp_path), entry=entry, stdin=stdin
        )
        trace_script(request, replies.append, Session("cpu", "sm_90"))
        return Ran(replies, *capfd.readouterr())

    return run_script


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


def test_the_process_looks_as_python_makes_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("name = __name__\n")
    before = sys.argv, list(sys.path), Path.cwd(), sys.modules["__main__"]
    ran = run(
        """
        import os, helper, __main__
        print(__name__, sys.argv, os.path.basename(__file__), helper.name, os.getcwd() == os.path.dirname(__file__))
        print(__main__.KERNEL_NAME, os.path.samefile(sys.path[0], os.getcwd()))
        """,
        "--size",
        "3",
        head="import sys\nKERNEL_NAME = 'mine'\n",
    )
    assert ran.errors == ""
    assert ran.output == "__main__ ['script.py', '--size', '3'] script.py helper True\nmine True\n"
    assert (sys.argv, list(sys.path), Path.cwd(), sys.modules["__main__"]) == before


def test_triton_s_driver_counts_devices_and_compiles_for_the_target(run: Run) -> None:
    ran = run("""
        from triton.runtime import driver
        copy(torch.rand(8))
        device = driver.active.get_current_device()
        print(device, torch.empty(2, device=f"cuda:{device}").device, torch.cuda.get_device_name(device))
    """)
    assert (ran.output, ran.errors, ran.done.exit_code) == ("0 cuda:0 CPU, traced\n", "", 0)
    assert [reply.report.target for reply in ran.replies if isinstance(reply, Compiled)] == ["sm_90"]


def test_launches_beyond_the_first_many_are_counted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritontui.runner.study.MOST_LAUNCHES", 2)
    ran = run("for _ in range(5): copy(torch.rand(8))\n")
    counted = [reply.launches for reply in ran.replies if isinstance(reply, Counted)]
    assert (len(ran.launches), counted[:1], ran.done.launches) == (2, [3], 5)


def test_modules_beside_it_are_read_again_each_time(run: Run, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "beside.py").write_text(f"number = {number}\n")
        assert run("import beside\nprint(beside.number)\n", head="").output == f"{number}\n"
    assert "beside" not in sys.modules and not (tmp_path / "__pycache__").exists()


def test_packages_of_its_project_are_read_again_wherever_they_stand(tmp_path: Path) -> None:
    script, package = tmp_path / "examples" / "script.py", tmp_path / "src" / "own_package"
    for folder in (script.parent, package / "parts", tmp_path / ".git"):
        folder.mkdir(parents=True)
    script.write_text(
        "import sys; sys.path.append('../src')\nfrom own_package.parts import one\nassert one.number < 2\n"
    )
    done: list[Reply] = []
    for number in (1, 2):
        (package / "parts" / "one.py").write_text(f"number = {number}\n")
        request = TraceScript(run=1, path="script.py", arguments=[], working_directory=str(script.parent))
        trace_script(request, done.append, Session("cpu", "sm_90"))
    assert [(one.exit_code, one.files) for one in done if isinstance(one, ScriptDone)] == [
        (code, [str(package / "parts" / "one.py")]) for code in (0, 1)
    ]


@pytest.mark.parametrize(
    ("statement", "code", "errors"),
    [("sys.exit()", 0, ""), ("sys.exit(3)", 3, ""), ("sys.exit('no')", 1, "no\n"), ("raise SystemExit(True)", 1, "")],
)
def test_exit_codes_are_kept(run: Run, statement: str, code: int, errors: str) -> None:
    ran = run(f"copy(torch.rand(8))\n{statement}\n")
    assert (ran.done.exit_code, ran.done.error, ran.errors, len(ran.launches)) == (code, None, errors, 1)


def test_an_exception_is_told_on_its_line_and_printed_as_python_does(run: Run) -> None:
    ran = run("copy(torch.rand(8))\nraise ValueError('mine')\n")
    assert ran.done.exit_code == 1 and ran.done.error is not None
    assert (ran.done.error.id, ran.done.error.line) == ("host-exception", len(KERNEL.splitlines()) + 2)
    assert "script.py" in ran.errors and "trace_script" not in ran.errors
    assert ran.errors.endswith("ValueError: mine\n")
    assert len(ran.launches) == 1


def test_a_syntax_error_is_told(run: Run) -> None:
    ran = run("def broken(:\n    pass\n")
    assert ran.done.exit_code == 1 and ran.done.error is not None
    assert (ran.done.error.id, ran.done.error.line) == ("syntax-error", len(KERNEL.splitlines()) + 1)


def test_a_missing_script_is_a_usage_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    replies: list[Reply] = []
    request = TraceScript(run=1, path="nothing.py", arguments=[], working_directory=str(tmp_path))
    trace_script(request, replies.append, Session("cpu", "sm_90"))
    assert Ran(replies).done.exit_code == 2 and "nothing.py" in capfd.readouterr().err


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


CUDA = """
    DEVICE = "cuda"
    x = torch.rand(40, device=DEVICE)
    y = torch.rand(40).cuda()
    z = torch.zeros_like(x).to("cuda:0")
    assert torch.cuda.is_available() and x.is_cuda and y.device.type == "cuda" and z.device == torch.device("cuda:0")
    torch.testing.assert_close(copy(x), x)
    with torch.cuda.device(x.device):
        w = torch.empty(4, device=x.device)
    torch.cuda.synchronize()
    from triton.testing import do_bench
    print(w.is_cuda, do_bench(lambda: copy(x)), do_bench(lambda: copy(x), quantiles=[0.5, 0.2]))
"""


def test_cuda_is_answered_by_the_cpu(run: Run) -> None:
    import torch

    ran = run(CUDA)
    assert ran.errors == ""
    assert ran.output == "True nan [nan, nan]\n"
    assert [finding.id for launch, finding in ran.findings if launch is None] == ["cuda-on-cpu"]
    assert not torch.rand(1).is_cuda and torch.rand(1).device.type == "cpu"


MIXED = """
    import numpy, torch.nn
    here, there = torch.rand(40), torch.rand(40, device="cuda")
    assert there.is_cuda and not here.is_cuda and (here + 1).device.type == "cpu" and (here.cuda() + here[0]).is_cuda
    module = torch.nn.Module()
    module.register_buffer("weight", torch.rand(40))
    module.to("cuda")
    for x in (there, here.to(there), torch.from_numpy(numpy.ones(40)).cuda(), torch.tensor([1.0], device="cuda"),
              module.weight, torch.as_tensor(there)):
        assert x.is_cuda and x.get_device() == 0
        copy(x)
    copy_kernel[(2,)](here, torch.empty_like(here), 40, BLOCK=32)
    copy_kernel[(2,)](there, here, 40, BLOCK=32)
    print("never")
"""


def test_a_tensor_left_in_main_memory_is_refused_beside_one_that_is_not(run: Run) -> None:
    ran = run(MIXED)
    error = ran.done.error
    assert error is not None and (ran.done.exit_code, ran.output, len(ran.launches)) == (1, "", 7), ran.errors
    assert (error.id, error.line) == ("tensor-on-wrong-device", len((KERNEL + MIXED).splitlines()) - 1)
    assert error.params["argument"] == "out_ptr", error


def test_the_official_way_to_name_the_device(run: Run) -> None:
    ran = run("""
        DEVICE = triton.runtime.driver.active.get_active_torch_device()
        x = torch.rand(40, device=DEVICE)
        assert x.device == DEVICE
        copy(x)
    """)
    assert (ran.done.exit_code, ran.errors, ran.ids) == (0, "", [])


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


def test_one_function_of_a_module_is_called(run: Run, tmp_path: Path) -> None:
    (tmp_path / "package_of_kernels").mkdir()
    text = """
        import sys

        class Cases:
            def small():
                print(__name__, sys.argv)
                copy(torch.rand(40), n=64)

        if __name__ == "__main__":
            print("never")
    """
    name = "package_of_kernels/cases.py"
    ran = run(text, "7", name=name, entry="package_of_kernels.cases:Cases.small")
    assert (ran.output, ran.errors) == (f"package_of_kernels.cases ['{name}', '7']\n", "")
    assert ran.ids == [(0, "out-of-bounds-read"), (0, "out-of-bounds-write")] and ran.done.exit_code == 0
    ran = run(text, name=name, entry="package_of_kernels.cases:none")
    assert ran.done.exit_code == 1 and "has no attribute 'none'" in ran.errors


def test_standard_input_is_handed_through(run: Run, tmp_path: Path) -> None:
    (tmp_path / "input").write_text("3\nfour\n")
    before = os.fstat(0).st_ino
    text = "print(int(input()), sys.stdin.readline(), end='')"
    ran = run(text, stdin=str(tmp_path / "input"))
    assert (ran.output, ran.errors, os.fstat(0).st_ino) == ("3 four\n", "", before)


def test_a_kernel_compiled_beforehand_is_asked_and_launched(run: Run) -> None:
    """Host code that sizes its grid by the registers that the compiler took."""
    ran = run("""
        x, out = torch.rand(70), torch.empty(70)
        kernel = copy_kernel.warmup(x, out, 70, BLOCK=32, num_warps=2, grid=(1,))
        kernel._init_handles()
        print(0 < kernel.n_regs < 256, kernel.n_spills, kernel.metadata.num_warps)
        kernel[(3,)](x, out, 70, 32)
        assert torch.equal(x, out)
        kernel[(3,)](x, out, 70, 64)
    """)
    assert (ran.output, ran.errors, ran.ids) == ("True 0 2\n", "", [])
    assert [one.scalars["BLOCK"] for one in ran.launches] == [32, 32], "what it was compiled with counts"


def test_a_launch_answers_with_the_compiled_kernel(run: Run) -> None:
    ran = run("""
        x, out = torch.rand(70), torch.empty(70)
        kernel = copy_kernel[(3,)](x, out, 70, BLOCK=32)
        print(kernel.n_regs > 0, "st.global" in kernel.asm["ptx"], kernel.metadata.shared, hasattr(kernel, "base"))
        kernel[(3,)](x, out, 70, 32)
    """)
    assert (ran.output, ran.errors, len(ran.launches)) == ("True True 0 False\n", "", 2)


def test_a_traceback_shows_none_of_our_own_frames(run: Run) -> None:
    ran = run("""
        class Broken(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, dy):
                raise ValueError("mine")

        Broken.apply(torch.rand(3, requires_grad=True)).sum().backward()
    """)
    assert ran.done.exit_code == 1 and "tritontui" not in ran.errors and "backward" in ran.errors


def test_what_a_script_prints_of_a_stopped_kernel_has_its_own_frames_alone(run: Run) -> None:
    ran = run("""
        import logging, threading, traceback
        logging.getLogger("own").addHandler(logging.StreamHandler())
        @triton.jit
        def inner(x):
            return tl.reshape(x, [3])
        @triton.jit
        def stops(x_ptr):
            inner(tl.load(x_ptr + tl.arange(0, 4)))
        def go():
            stops[(1,)](torch.zeros(4))
        try:
            go()
        except Exception as error:
            traceback.print_exc()
            logging.getLogger("own").exception("bad")
            print(traceback.extract_tb(error.__cause__.__traceback__)[0].name)
            print(any("/tritontui/" in frame.filename for frame in traceback.extract_stack()))
        thread = threading.Thread(target=go)
        thread.start()
        thread.join()
        go()
    """)
    assert ran.output == "stops\nFalse\n" and ran.done.exit_code == 1
    assert "tritontui/" not in ran.errors and "lockstep" not in ran.errors
    assert ran.errors.count(", in inner\n") == ran.errors.count(", in stops\n") == 4
    assert ran.errors.endswith("\ntritontui.KernelError: ValueError: Shape element 0 must be a power of 2\n")


def test_thousands_of_launches_are_counted_and_few_kept(run: Run) -> None:
    ran = run("""
        x = torch.rand(64)
        for _ in range(200):
            copy(x)
    """)
    assert len(ran.launches) == 64 and ran.done.exit_code == 0 and ran.ids == []


def test_a_cancelled_run_ends_at_its_next_launch(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(KERNEL + "copy(torch.rand(8))\nprint('never')\n")
    session = Session("cpu", "sm_90")
    session.cancel(1)
    with pytest.raises(RunCancelled):
        trace_script(
            TraceScript(run=1, path="script.py", arguments=[], working_directory=str(tmp_path)), lambda _: None, session
        )


def test_ctrl_c_stops_a_launch_anywhere_and_tears_nothing(run: Run) -> None:
    before = [dict(vars(owner)) for owner in (tl, tl.core, tl.tensor, triton.JITFunction)]
    ran = run("""
        import os, random, signal, threading, time
        armed, heard = threading.Semaphore(0), 0
        def press():
            for _ in range(15):
                armed.acquire()
                time.sleep(random.random() * 0.004)
                os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        threading.Thread(target=press, daemon=True).start()
        x = torch.rand(64)
        for _ in range(15):
            try:
                armed.release()
                for _ in range(100_000):
                    assert torch.equal(copy(x), x)
            except KeyboardInterrupt:
                heard += 1
        print(heard, torch.equal(copy(x), x))
    """)
    assert (ran.output, ran.errors, ran.done.exit_code) == ("15 True\n", "", 0)
    assert [launch.launch for launch in ran.launches] == list(range(len(ran.launches)))
    assert before == [dict(vars(owner)) for owner in (tl, tl.core, tl.tensor, triton.JITFunction)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


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


def test_what_a_script_sets_in_its_environment_ends_with_it(run: Run) -> None:
    ran = run("import os; os.environ['TRITON_INTERPRET'] = '1'; print(os.environ['TRITON_INTERPRET'])")
    assert ran.output == "1\n" and "TRITON_INTERPRET" not in os.environ


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
        "unjudged": ["out_ptr"],
        "form": "once",
        "index": 0,
        "last_index": 31999,
        "masked": True,
    }


def test_each_specialisation_has_a_binary_of_its_own(run: Run) -> None:
    ran = run("""
        copy(torch.rand(64))
        copy(torch.rand(96))
        copy(torch.rand(64).half())
        copy(torch.rand(63))
        scale = torch.rand(32), torch.empty(32)
        copy_kernel[(1,)](*scale, 32, BLOCK=32, num_warps=1)
    """)
    compiled = [reply for reply in ran.replies if isinstance(reply, Compiled)]
    assert [reply.launches for reply in compiled] == [[0, 1], [2], [3], [4]]
    assert [(reply.report.build, reply.report.num_warps) for reply in compiled] == [(0, 4), (1, 4), (2, 4), (3, 1)]


def test_what_torch_compile_writes_finds_its_guard_and_stream(run: Run) -> None:
    import torch

    had = hasattr(torch._C, "_cuda_getCurrentRawStream")
    ran = run("""
        from torch._C import _cuda_getCurrentRawStream as stream
        with torch.cuda._DeviceGuard(0), torch.cuda.device_of(torch.rand(1, device="cuda")):
            copy(torch.rand(40, device="cuda"))
        print(stream(0), torch.cuda.get_arch_list(), torch.cuda._exchange_device(0))
    """)
    assert (ran.output, ran.errors, ran.ids) == ("0 ['sm_90'] 0\n", "", [])
    assert hasattr(torch._C, "_cuda_getCurrentRawStream") == had


def test_what_is_compiled_by_torch_runs_as_it_is_written(run: Run) -> None:
    ran = run("""
        twice = torch.compile(lambda x: copy(x) * 2, fullgraph=True)
        model = torch.compile(torch.nn.Linear(4, 4).cuda())
        print(twice(torch.ones(40, device="cuda")).sum().item(), type(model).__name__, list(model.state_dict())[0])
    """)
    assert (ran.output, ran.errors, len(ran.launches)) == ("80.0 OptimizedModule _orig_mod.weight\n", "", 1)


def test_threads_launch_and_ask_for_cuda_as_the_main_one_does(run: Run) -> None:
    ran = run("""
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(3) as pool:
            print(list(pool.map(lambda n: copy(torch.ones(n, device="cuda")).sum().item(), (8, 40, 70))))
    """)
    assert (ran.output, ran.errors, ran.ids, len(ran.launches)) == ("[8.0, 40.0, 70.0]\n", "", [], 3)


def test_launches_of_a_child_that_was_forked_are_its_own(run: Run) -> None:
    ran = run("""
        import multiprocessing
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=lambda: queue.put(copy(torch.ones(40)).sum().item()))
        child.start()
        print(queue.get(), child.join(), child.exitcode)
        copy(torch.ones(8))
    """)
    assert (ran.output, ran.errors, ran.ids, len(ran.launches)) == ("40.0 None 0\n", "", [], 1)


def test_what_is_never_written_is_found_on_a_made_up_gpu_too(run: Run) -> None:
    ran = run("""
        x = torch.rand(100, device="cuda")
        out = torch.empty_like(x)
        copy_kernel[(100 // 32,)](x, out, 100, BLOCK=32)
        copy(x)
    """)
    assert ran.ids == [(0, "never-written")]


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
