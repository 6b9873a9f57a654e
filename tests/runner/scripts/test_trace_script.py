"""Scripts traced as ``python SCRIPT ARGS`` runs them: the process that they see, and their end."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from itertools import count
from pathlib import Path

import pytest
import triton
import triton.language as tl

from tests.runner.scripts.ran import KERNEL, Ran, Run
from tritontui.diagnosis import explain
from tritontui.engine.messages import Reply, ScriptDone, TraceScript
from tritontui.runner.scripts.project import Project
from tritontui.runner.session import RunCancelled, Session
from tritontui.runner.tracing.trace import trace_script


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


def test_modules_beside_it_are_read_again_each_time(run: Run, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "beside.py").write_text(f"number = {number}\n")
        assert run("import beside\nprint(beside.number)\n", head="").output == f"{number}\n"
    assert "beside" not in sys.modules and not (tmp_path / "__pycache__").exists()


def test_operators_that_it_registers_end_with_it(run: Run) -> None:
    for _ in range(2):
        ran = run("""
            library = torch.library.Library("tritontui_own", "DEF")
            library.define("twice(Tensor x) -> Tensor")
            library.impl("twice", lambda x: copy(x) * 2, "CompositeExplicitAutograd")
            torch.library.define("tritontui_other::thrice", "(Tensor x) -> Tensor")
            torch.library.impl("tritontui_other::thrice", "default", lambda x: copy(x) * 3)
            @torch.library.custom_op("tritontui_third::same", mutates_args=())
            def same(x: torch.Tensor) -> torch.Tensor:
                return copy(x)
            x = torch.ones(10, device="cuda")
            own, other = torch.ops.tritontui_own.twice, torch.ops.tritontui_other.thrice
            print(sum(one(x).sum().item() for one in (own, other, same)))
        """)
        assert (ran.output, ran.errors, len(ran.launches)) == ("60.0\n", "", 3)


def test_pythons_own_import_is_nobodys_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its frames have no file: taken for one of the working directory, what torch registers when first imported by
    a script would end with that script."""
    monkeypatch.chdir(tmp_path)
    project = Project.of(tmp_path / "script.py", tmp_path)
    assert project.holds("script.py") and not project.holds(importlib.import_module.__code__.co_filename)
    assert not project.holds(importlib._bootstrap._find_and_load.__code__.co_filename)


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


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("import triton; triton.knobs.runtime.interpret = True", ["triton.knobs.runtime.interpret"]),
        ("import os, triton; os.environ['TRITON_INTERPRET'] = '1'", ["TRITON_INTERPRET"]),
        ("import os; os.environ['TRITON_INTERPRET'] = '1'", []),
    ],
    ids=["knob", "late", "early"],
)
def test_a_script_that_asks_for_the_interpreter_is_traced_all_the_same(
    run: Run, setting: str, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "0")
    text = "print(copy(torch.ones(40)).sum().item(), triton.knobs.runtime.interpret)\n"
    ran = run(text, head=setting.replace("; ", "\n") + "\n" + KERNEL)
    assert (ran.output, ran.done.exit_code, len(ran.launches)) == ("40.0 False\n", 0, 1)
    assert [finding.params["name"] for _, finding in ran.findings if finding.id == "interpreter-set-too-late"] == told


def test_a_missing_script_is_a_usage_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    replies: list[Reply] = []
    request = TraceScript(run=1, path="nothing.py", arguments=[], working_directory=str(tmp_path))
    trace_script(request, replies.append, Session("cpu", "sm_90"))
    assert Ran(replies).done.exit_code == 2 and "nothing.py" in capfd.readouterr().err


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
    numbers = [launch.launch for launch in ran.launches]
    interrupted = {launch for launch, finding in ran.findings if finding.id == "interrupted"}
    told = [number for number, place in zip(numbers, count(), strict=False) if number != place]
    assert numbers == sorted(set(numbers)) and set(told) <= interrupted, "of many alike, those that are cut short"
    assert before == [dict(vars(owner)) for owner in (tl, tl.core, tl.tensor, triton.JITFunction)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_launch_that_ctrl_c_ends_is_listed_as_interrupted(run: Run) -> None:
    ran = run("""
        import os, signal, threading

        @triton.jit
        def long_kernel(out_ptr, rounds):
            for i in range(0, rounds):
                tl.store(out_ptr + tl.program_id(0), i)  # here

        out = torch.empty(2, dtype=torch.int32)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            long_kernel[(2,)](out, 10_000_000)
        except KeyboardInterrupt:
            print("heard")
    """)
    assert (ran.output, ran.done.exit_code) == ("heard\n", 0)
    assert [(one.kernel, one.unjudged) for one in ran.launches] == [("long_kernel", ["out_ptr"])]
    ((launch, finding),) = [found for found in ran.findings if found[1].id == "interrupted"]
    assert (launch, finding.params) == (0, {"done": 0, "programs": 2, "unjudged": ["out_ptr"]})
    assert "0 of 2 programs had come to the end" in explain(finding, "en").message
    assert "quando 0 programmi erano arrivati alla fine, su 2" in explain(finding, "it").message


def test_what_a_script_sets_in_its_environment_ends_with_it(run: Run) -> None:
    ran = run("import os; os.environ['TRITON_INTERPRET'] = '1'; print(os.environ['TRITON_INTERPRET'])")
    assert ran.output == "1\n" and "TRITON_INTERPRET" not in os.environ


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


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("tl.arange(0, n)", "CompilationError"),
        ("tl.zeros((32,), tl.float32) + tl.zeros((64,), tl.float32)", "CompilationError"),
        ("tl.static_assert(BLOCK == 1)", "CompileTimeAssertionFailure"),
        ("[one for one in ()]; del n", "UnsupportedLanguageConstruct"),
    ],
)
def test_host_code_catches_tritons_own_errors_of_compilation(run: Run, line: str, error: str) -> None:
    ran = run(f"""
        from triton.compiler.errors import {error}

        @triton.jit
        def refused(n, BLOCK: tl.constexpr):
            {line}

        try:
            refused[(1,)](3, BLOCK=32)
        except {error} as error:
            print("without it", type(error).__name__, bool(str(error)))
    """)
    assert (ran.output, ran.done.exit_code) == ("without it KernelError True\n", 0)
    assert len({finding.id for _, finding in ran.findings if finding.severity == "error"}) == 1, ran.findings


def test_what_only_a_run_can_show_is_no_error_of_compilation(run: Run) -> None:
    ran = run("""
        @triton.jit
        def failing(n):
            tl.device_assert(n < 3, "too large")

        try:
            failing[(1,)](3, debug=True)
        except triton.compiler.errors.CompilationError:
            print("never")
    """)
    assert ran.done.error is not None and ran.done.error.id == "device-assert"
