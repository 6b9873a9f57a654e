"""What a learner can write, each in a real child: a clear end, the right line, and a child that works afterwards."""

import os

import pytest
import pytest_asyncio
from support import HASTY, dies, finding_of, hasty_engine, judge, losses_of, output_of, report_of

from tritontui.engine.limits import OUTPUT_BYTES
from tritontui.engine.messages import Done, Stalled

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def engine():
    engine = hasty_engine()
    await engine.start()
    await judge(engine, "x = 1\n")  # its child is up
    yield engine
    await engine.close()


async def passes(engine):
    return report_of(await judge(engine, "x = 1\n")).verdict == "pass"


async def test_a_good_text_passes(engine):
    replies = await judge(engine, "print('hello')\n")
    assert report_of(replies).verdict == "pass"
    assert output_of(replies) == "hello\n"
    assert replies[-1] == Done(replies[-1].run)


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 0\nwhile True:\n    x += 1\n", (2, 3)),
        ("import time\n\ntime.sleep(1000)\n", (3,)),
        ("def f():\n    while True:\n        pass\n\ntry:\n    f()\nexcept Exception:\n    pass\n", (2, 3)),
        ("import threading\nt = threading.Event()\nt.wait()\n", (3,)),
        ("for i in iter(int, 1):\n    try:\n        1 / 0\n    except Exception:\n        pass\n", (1, 2, 3, 4, 5)),
    ],
    ids=["busy loop", "sleep", "inner function", "a lock", "exceptions in a loop"],
)
async def test_code_without_end_is_interrupted_on_its_line(engine, source, line):
    pid = engine.pids[0]
    replies = await judge(engine, source)
    finding = finding_of(replies)
    assert finding.id == "no-progress"
    assert finding.line in line
    assert finding.params["seconds"] == HASTY["trace"].soft
    assert any(isinstance(reply, Stalled) for reply in replies)
    assert report_of(replies).verdict == "fail"
    assert engine.pids[0] == pid, "the warm child was kept"
    assert await passes(engine)


async def test_code_that_swallows_the_interruption_is_killed(engine):
    pid = engine.pids[0]
    source = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n"
    replies = await judge(engine, source)
    [lost] = losses_of(replies)
    assert (lost.reason, lost.learner) == ("deadline", True)
    assert finding_of(replies).line in (1, 2, 3, 4, 5, 6)
    assert report_of(replies).verdict == "fail"
    assert await passes(engine)
    assert engine.pids[0] != pid


async def test_a_call_into_c_without_end_is_killed_and_its_line_is_known(engine):
    replies = await judge(engine, "x = 1\nsum(iter(int, 1))\n")
    assert losses_of(replies)[0].reason == "deadline"
    assert (finding_of(replies).id, finding_of(replies).line) == ("no-progress", 2)
    assert await passes(engine)


async def test_a_slow_stage_of_our_own_is_not_held_against_the_next(engine):
    replies = await judge(engine, "# SLOW COMPILER, RUN TWICE\nfor i in range(1000):\n    pass\n")
    assert [reply.stage for reply in replies if isinstance(reply, Stalled)] == ["legality"]
    assert report_of(replies).verdict == "pass"


# ---------------------------------------------------------------- ways out


@pytest.mark.parametrize(
    ("source", "line", "call"),
    [
        ("import os\n\nos._exit(3)\n", 3, "os._exit"),
        ("from os import _exit\n_exit(0)\n", 2, "os._exit"),
        ("import os\ntry:\n    os.abort()\nexcept Exception:\n    pass\n", 3, "os.abort"),
        ("import os\nos.kill(os.getpid(), 9)\n", 2, "os.kill"),
        ("import os\nos.kill(os.getppid(), 9)\n", 2, "os.kill"),
        ("import os\nos.killpg(0, 9)\n", 2, "os.killpg"),
        ("import signal\nsignal.raise_signal(15)\n", 2, "signal.raise_signal"),
        ("import os\nos.execv('/bin/true', ['true'])\n", 2, "os.execv"),
        ("import os\nos.execlp('true', 'true')\n", 2, "os.exec"),
        ("import sys\n\n\nsys.exit('bye')\n", 4, "sys.exit"),
        ("raise KeyboardInterrupt\n", 1, "KeyboardInterrupt"),
    ],
)
async def test_ways_out_are_told_with_their_line_and_cost_nothing(engine, source, line, call):
    pid = engine.pids[0]
    replies = await judge(engine, source)
    finding = finding_of(replies)
    assert (finding.id, finding.line) == ("runner-lost", line)
    assert finding.params["call"].startswith(call)
    assert report_of(replies).verdict == "fail"
    assert engine.pids[0] == pid, "the warm child was kept"
    assert await passes(engine)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import ctypes\n\nctypes.string_at(0)\n", 3),
        ("import ctypes\ndef f():\n    ctypes.CDLL(None).abort()\nf()\n", 3),
        ("import posix\nx = 1\nposix._exit(7)\n", 3),
    ],
    ids=["wild address", "abort in C", "behind os"],
)
async def test_a_crash_is_told_with_its_line(engine, source, line):
    pid = engine.pids[0]
    replies = await judge(engine, source)
    [lost] = losses_of(replies)
    assert (lost.reason, lost.line, lost.learner) == ("died", line, True)
    assert (finding_of(replies).id, finding_of(replies).line) == ("runner-lost", line)
    assert report_of(replies).verdict == "fail"
    assert await passes(engine)
    assert engine.pids[0] != pid


async def test_a_process_of_ones_own_may_be_killed(engine):
    source = """
import os, signal, subprocess
first, second = (subprocess.Popen(["sleep", "1000"]) for _ in range(2))
first.kill()
os.kill(second.pid, signal.SIGTERM)
print(first.wait(), second.wait())
"""
    replies = await judge(engine, source)
    assert report_of(replies).verdict == "pass"
    assert output_of(replies) == "-9 -15\n"


async def test_a_fork_that_comes_back_does_not_speak(engine):
    replies = await judge(engine, "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n")
    assert report_of(replies).verdict == "pass"
    assert await passes(engine)


async def test_memory_without_end_is_told_with_its_line(engine):
    replies = await judge(engine, "x = []\nwhile True:\n    x.append(bytearray(1 << 44))\n")
    assert (finding_of(replies).id, finding_of(replies).line) == ("out-of-memory", 3)
    assert await passes(engine)


# ---------------------------------------------------------------- prints


async def test_prints_without_end_are_cut_counted_and_ended(engine):
    replies = await judge(engine, "while True:\n    print('x' * 10_000)\n")
    report = report_of(replies)
    assert report.verdict == "fail"
    assert len(report.output) == OUTPUT_BYTES
    assert report.output_dropped > 10 * OUTPUT_BYTES
    finding = finding_of(replies)
    assert finding.id == "no-progress"
    assert finding.line in (1, 2)
    assert finding.params["printed"] > 10 * OUTPUT_BYTES


async def test_prints_from_c_from_processes_and_from_both_streams_arrive(engine):
    source = """
import ctypes, os, subprocess, sys
print("out", end=" ")
sys.stdout.flush()
print("err", file=sys.stderr)
subprocess.run(["echo", "process"])
ctypes.CDLL(None).printf(b"from C\\n")
os.write(1, b"raw\\n")
"""
    text = output_of(await judge(engine, source))
    assert all(word in text for word in ("out", "err", "process", "from C", "raw"))


async def test_prints_belong_to_their_own_run(engine):
    first = await judge(engine, "print('first')\n")
    second = await judge(engine, "print('second')\n")
    assert (output_of(first), output_of(second)) == ("first\n", "second\n")


async def test_bytes_that_are_no_text_are_shown_as_such(engine):
    text = output_of(await judge(engine, "import os\nos.write(1, b'\\xff\\xfe ok \\xe2\\x82')\n"))
    assert text == "\ufffd\ufffd ok \ufffd"


async def test_nothing_can_be_read_from_the_learners_stdin(engine):
    replies = await judge(engine, "import sys\nprint(repr(sys.stdin.read()))\n")
    assert output_of(replies) == "''\n"


# ---------------------------------------------------------------- mischief


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.chdir('/')\nos.environ['X_MISCHIEF'] = '1'\nos.environ.pop('HOME', None)\n",
        "import sys\nsys.stdout.close()\nsys.stderr = None\n",
        "import os\nos.close(1)\nos.close(2)\n",
        "import signal\nfor n in (10, 12, 15):\n    signal.signal(n, signal.SIG_IGN)\n",
        "import builtins\nbuiltins.print = None\nbuiltins.len = lambda x: 0\ndel builtins.sorted\n",
        "import os, time, threading\nos.getpid = time.monotonic = threading.Thread = None\n",
        "import sys\nsys.settrace(lambda *a: None)\nsys.setrecursionlimit(100)\nsys.path.clear()\n",
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.empty = None\n",
        "import torch\ntorch.Tensor.clone = torch.Tensor.__eq__ = None\ndel torch.Tensor.split\n",
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))\n",
        "from signal import *\nsetitimer(ITIMER_REAL, 0.3)\npthread_sigmask(SIG_BLOCK, range(1, 32))\n",
        "import os\nos.umask(0o777)\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n",
        "import sys, gc\nsys.setswitchinterval(1000)\nsys.meta_path.clear()\ngc.disable()\ngc.callbacks.append(None)\n",
        "import sys\nsys.modules['traceback'] = sys.modules['tempfile'] = None\ndel sys.modules['numpy']\n",
        "import warnings, numpy, locale\nwarnings.simplefilter('error')\nnumpy.seterr(all='raise')\n",
        "import json, math, pathlib\njson.dumps = math.prod = None\npathlib.Path.read_text = None\ndel math.floor\n",
        "import decimal\ndecimal.getcontext().prec = 1\nimport sys\nsys.set_int_max_str_digits(640)\n",
        "import torch\ntorch.set_default_device('meta')\ntorch.autograd.set_detect_anomaly(True)\n",
        "import torch\ntorch.set_flush_denormal(True)\ntorch.set_autocast_enabled('cpu', True)\n",
        "import triton\ntriton.knobs.runtime.interpret = triton.knobs.compilation.always_compile = True\n",
    ],
    ids=[
        *("environment", "streams", "descriptors", "signals", "builtins", "modules", "sys", "torch", "tensors"),
        *("limits", "timers", "masks", "collector", "what is imported", "warnings"),
        *("any module", "decimal", "device", "rounding", "knobs"),
    ],
)
async def test_what_a_run_changed_is_put_back(engine, source):
    await judge(engine, source)
    check = """
import decimal, gc, json, math, numpy, os, pathlib, signal, sys, tempfile, torch, traceback, triton, warnings
assert os.getcwd() != '/' and 'X_MISCHIEF' not in os.environ and 'HOME' in os.environ
assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled() and torch.empty(3).shape == (3,)
assert len(sorted([2, 1])) == 2 and sys.getrecursionlimit() >= 1000 and sys.path and sys.gettrace() is None
assert sys.getswitchinterval() < 1 and sys.meta_path and gc.isenabled() and None not in gc.callbacks
assert signal.getitimer(signal.ITIMER_REAL)[0] == 0 and signal.SIGUSR1 not in signal.pthread_sigmask(0, [])
assert len(os.sched_getaffinity(0)) == CPUS and torch.ones(1).clone() == 1 and len(torch.ones(2).split(1)) == 2
assert json.dumps([math.prod([2, 3]), math.floor(1.5)]) == "[6, 1]" and pathlib.Path("/dev/null").read_text() == ""
assert decimal.Decimal(1) / 3 != decimal.Decimal("0.3") and len(str(10 ** 1000)) == 1001
assert torch.zeros(1).device.type == "cpu" and not torch.is_anomaly_enabled()
assert torch.tensor(1e-310, dtype=torch.float64) * 0.5 > 0 and not torch.is_autocast_enabled("cpu")
assert not triton.knobs.runtime.interpret and not triton.knobs.compilation.always_compile
warnings.warn("no error"); numpy.float32(1e38) * numpy.float32(10)
with tempfile.NamedTemporaryFile("w") as file:
    print("room", file=file, flush=True)
    open(file.name).close()
print(os.getpid())
"""
    replies = await judge(engine, check.replace("CPUS", str(len(os.sched_getaffinity(0)))))
    assert report_of(replies).verdict == "pass", (report_of(replies).broken, report_of(replies).findings)
    assert output_of(replies).splitlines()[-1] == str(engine.pids[0])
    late = await judge(engine, "while True:\n    pass\n")
    assert finding_of(late).id == "no-progress"


@pytest.mark.parametrize(
    "source",
    [
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))\n",
        "import sys\ndef hook(*_):\n    raise OSError\nsys.addaudithook(hook)\nopen('x')\n",
    ],
    ids=["a hard limit", "an audit hook"],
)
async def test_what_cannot_be_put_back_costs_the_process_and_not_the_next_run(engine, source):
    assert await passes(engine)
    pid = engine.pids[0]
    await judge(engine, source)
    assert await passes(engine)
    assert engine.pids[0] != pid or os.geteuid() == 0  # who may raise a limit again


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.kept = torch.inference_mode()\ntorch.kept.__enter__()\n",
        "import torch\ntorch.device('meta').__enter__()\n",
        "from torch.overrides import BaseTorchFunctionMode\nBaseTorchFunctionMode().__enter__()\n",
        "from torch.utils._python_dispatch import BaseTorchDispatchMode\nBaseTorchDispatchMode().__enter__()\n",
    ],
    ids=["inference", "device", "functions", "operators"],
)
async def test_a_context_of_torchs_that_is_left_open_costs_the_process(engine, source):
    assert await passes(engine)
    pid = engine.pids[0]
    assert report_of(await judge(engine, source)).verdict == "pass"
    check = "import torch\nassert torch.zeros(1).device.type == 'cpu' and not torch.zeros(1).is_inference()\n"
    assert report_of(await judge(engine, check)).verdict == "pass"
    assert engine.pids[0] != pid


async def test_threads_left_behind_do_not_slow_down_what_comes_after(engine):
    pid = engine.pids[0]
    source = """
import threading
def spin():
    while True:
        pass
threading.Thread(target=spin).start()
"""
    for _ in range(2):
        replies = await judge(engine, source)
        assert report_of(replies).verdict == "pass"
        assert losses_of(replies) == []
    assert await passes(engine)
    assert engine.pids[0] != pid


async def test_threads_that_end_leave_the_child_warm(engine):
    assert await passes(engine)
    pid = engine.pids[0]
    source = "import threading\nfor _ in range(20):\n    threading.Thread(target=sum, args=([1, 2],)).start()\n"
    assert report_of(await judge(engine, source)).verdict == "pass"
    assert await passes(engine)
    assert engine.pids[0] == pid


@pytest.mark.parametrize(
    "start",
    ["subprocess.Popen(started)", "subprocess.run(['setsid', '-f', *started])"],
    ids=["process", "daemon"],
)
async def test_processes_left_behind_end_with_the_run(engine, start, tmp_path):
    """One that a run before has finished with is ended, too: its parent is gone, its session is another one."""
    assert await passes(engine)
    pid = engine.pids[0]
    source = f"""import os, subprocess, time
said = {str(tmp_path / "pid")!r}
started = ["sh", "-c", "echo $$ > $0.new; mv $0.new $0; exec sleep 1000", said]
{start}
while not os.path.exists(said):
    time.sleep(0.01)
print(open(said).read())
"""
    left = int(output_of(await judge(engine, source)))
    assert await dies(left)
    assert await passes(engine)
    assert engine.pids[0] != pid


async def test_a_fork_that_hides_ends_with_the_run_and_holds_nothing_up(engine):
    """It has the child's open files: on some Pythons a process isn't known to be dead while a pipe to it is open."""
    source = """import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.environ.clear()
        time.sleep(1000)
    os._exit(0)
os.wait()
time.sleep(0.1)
"""
    left = int(output_of(await judge(engine, source)))
    assert await dies(left)
    assert await passes(engine)


async def test_an_exception_that_is_no_exception_is_the_learners(engine):
    replies = await judge(engine, "class Odd(BaseException):\n    pass\n\nraise Odd('mine')\n")
    finding = finding_of(replies)
    assert (finding.id, finding.line, finding.params) == ("host-exception", 4, {"kind": "Odd", "message": "mine"})


async def test_a_switched_off_faulthandler_is_switched_on_again(engine):
    await judge(engine, "import faulthandler\nfaulthandler.disable()\n")
    replies = await judge(engine, "import ctypes\n\nctypes.string_at(0)\n")
    assert losses_of(replies)[0].line == 3


async def test_descriptors_closed_by_the_learner_end_in_a_clear_word(engine):
    replies = await judge(engine, "import os\nos.closerange(3, 1024)\n")
    assert report_of(replies).verdict in ("fail", "error")
    assert losses_of(replies)
    assert await passes(engine)


async def test_an_error_in_our_own_code_is_not_the_learners(engine):
    assert await passes(engine)
    pid = engine.pids[0]
    replies = await judge(engine, "emit(object())\n")
    report = report_of(replies)
    assert report.verdict == "error"
    assert "object" in report.broken.message
    assert isinstance(replies[-1], Done)
    assert await passes(engine)
    assert engine.pids[0] != pid, "what it met might be met again"


async def test_an_engine_that_fails_says_so_and_the_stream_ends(monkeypatch):
    engine = hasty_engine()
    await engine.start()
    monkeypatch.setattr(engine, "_on_cpu", lambda *_: 1 / 0)
    replies = await judge(engine, "x = 1\n")
    await engine.close()
    assert "ZeroDivisionError" in report_of(replies).broken.message
    assert isinstance(replies[-1], Done)


async def test_the_child_can_take_some_memory_and_is_the_first_to_go_when_it_runs_out(engine):
    source = """
import resource
print(open('/proc/self/oom_score_adj').read().strip(), resource.getrlimit(resource.RLIMIT_DATA)[0])
"""
    score, limit = output_of(await judge(engine, source)).split()
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert score == "1000"
    assert 0 < int(limit) < total
