"""What can happen to the children and to the interface itself, done for real."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
import pytest_asyncio
from support import FAKE_RUNNER, HERE, dies, finding_of, hasty_engine, judge, losses_of, output_of, report_of

from tritontui.engine.child import Child
from tritontui.engine.engine import Engine
from tritontui.engine.environment import child_environment
from tritontui.engine.messages import Broken, Done, InspectRequest, Output, Ready, ScriptDone, StageStarted, TileRequest

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


def until(kind, replies):
    """Read a stream of replies up to the first of ``kind``."""

    async def read():
        async for reply in replies:
            if isinstance(reply, kind):
                return reply
        raise AssertionError(f"no {kind.__name__} came")

    return asyncio.wait_for(read(), 20)


# ---------------------------------------------------------------- children


async def test_a_child_killed_in_the_middle_of_a_run_is_replaced(engine):
    assert await passes(engine)
    [pid] = engine.pids
    replies = engine.judge(HERE, "while True:\n    pass\n", "kernel.py")
    await until(StageStarted, replies)
    os.kill(pid, signal.SIGKILL)
    rest = [reply async for reply in replies]
    [lost] = losses_of(rest)
    assert (lost.reason, lost.exit_code, lost.learner) == ("died", -9, False)
    assert report_of(rest).verdict == "error"
    assert await passes(engine)
    assert engine.pids != [pid]


async def test_a_child_that_dies_idle_is_replaced(engine):
    assert await passes(engine)
    [pid] = engine.pids
    os.kill(pid, signal.SIGKILL)
    assert await dies(pid)
    await asyncio.sleep(0)
    replies = await judge(engine, "x = 1\n")
    if losses_of(replies):  # the run was handed over before the death was noticed
        replies = await judge(engine, "x = 1\n")
    assert report_of(replies).verdict == "pass"
    assert engine.pids != [pid]


async def test_a_stopped_child_is_killed_at_the_hard_deadline(engine):
    assert await passes(engine)
    [pid] = engine.pids
    replies = engine.judge(HERE, "while True:\n    pass\n", "kernel.py")
    await until(StageStarted, replies)
    os.kill(pid, signal.SIGSTOP)
    rest = [reply async for reply in replies]
    [lost] = losses_of(rest)
    assert (lost.reason, lost.learner) == ("deadline", False)
    assert report_of(rest).verdict == "error"
    assert await dies(pid)
    assert await passes(engine)


async def test_what_a_child_has_started_dies_with_it(engine):
    source = (
        "import subprocess\np = subprocess.Popen(['sleep', '1000'])\nprint(p.pid, flush=True)\nwhile True:\n    pass\n"
    )
    replies = engine.judge(HERE, source, "kernel.py")
    grandchild = int((await until(Output, replies)).text)
    os.kill(engine.pids[0], signal.SIGKILL)
    assert await dies(grandchild)
    assert losses_of([reply async for reply in replies])
    assert await passes(engine)


async def test_an_answer_that_is_no_frame_ends_the_child_with_a_word(engine):
    source = """
import contextlib, os
for descriptor in range(3, 300):
    with contextlib.suppress(OSError):
        os.write(descriptor, b"x" * 99)
"""
    replies = await judge(engine, source)
    assert losses_of(replies)
    assert report_of(replies).verdict in ("fail", "error")
    assert await passes(engine)


async def test_a_scratch_folder_that_was_cleaned_away_is_made_again(engine):
    shutil.rmtree(engine._workers.scratch)
    os.kill(engine.pids[0], signal.SIGKILL)
    assert await dies(engine.pids[0])
    await judge(engine, "x = 1\n")  # may still go to the dead child
    assert await passes(engine)


# ---------------------------------------------------------------- cancelling


async def test_a_newer_run_cancels_the_older(engine):
    assert await passes(engine)
    pids = engine.pids
    older = engine.judge(HERE, "import time\nwhile True:\n    time.sleep(100)\n", "kernel.py")
    await until(StageStarted, older)
    newer = await judge(engine, "print('newer')\n")
    rest = [reply async for reply in older]
    assert [type(reply) for reply in rest] == [Done]
    assert rest[0].cancelled
    assert len({reply.run for reply in newer}) == 1
    assert output_of(newer) == "newer\n"
    assert report_of(newer).verdict == "pass"
    assert engine.pids == pids, "the child was interrupted, not killed"


async def test_many_edits_in_a_row_leave_only_the_last(engine):
    streams = [engine.judge(HERE, f"print({number})\n", "kernel.py") for number in range(20)]
    for stream in streams[:-1]:
        assert [reply async for reply in stream][-1].cancelled
    last = [reply async for reply in streams[-1]]
    assert output_of(last) == "19\n"
    assert report_of(last).verdict == "pass"


async def test_a_cancelled_run_that_does_not_stop_is_killed(engine):
    older = engine.judge(HERE, "sum(iter(int, 1))\n", "kernel.py")
    await until(StageStarted, older)
    [pid] = engine.pids
    assert await passes(engine)
    assert await dies(pid)


async def test_leaving_the_stream_cancels_the_run(engine):
    pids = engine.pids
    replies = engine.judge(HERE, "while True:\n    pass\n", "kernel.py")
    async for reply in replies:
        if isinstance(reply, StageStarted):
            break
    await replies.aclose()
    assert await passes(engine)
    assert engine.pids == pids


# ---------------------------------------------------------------- questions


def tile(run, request=1):
    return TileRequest(run=run, request=request, launch=0, site=0, program=0, first=0, cells=4, zoom=1)


async def test_a_tile_is_answered_while_a_newer_stage_runs(engine):
    replies = engine.judge(HERE, "x = 1\n", "kernel.py")
    done = [reply async for reply in replies][-1]
    answer = await engine.tile(tile(done.run))
    assert (answer.elements, answer.request) == (4, 1)


async def test_questions_asked_at_once_get_their_own_answers(engine):
    done = (await judge(engine, "x = 1\n"))[-1]
    asked = [tile(done.run, request=request) for request in (7, 7, 8)] + [tile(run=10_000, request=7)]
    answers = await asyncio.gather(*(engine.tile(request) for request in asked))
    assert [answer and answer.request for answer in answers] == [7, 7, 8, None]


async def test_questions_about_what_is_gone_get_none(engine):
    assert await engine.tile(tile(run=10_000)) is None
    question = InspectRequest(run=10_000, request=2, launch=0, site=0, program=0, lane=0)
    assert await engine.inspect(question) is None


async def test_probe_is_answered_by_every_child(engine):
    assert [check.detail for check in await engine.probe()] == ["cpu"]


async def test_a_script_runs_without_a_deadline_until_its_stream_is_left(engine, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os\nprint(os.getpid(), flush=True)\nwhile True:\n    pass\n")
    replies = engine.trace_script(script, [], tmp_path)
    pid = int((await until(Output, replies)).text)
    await replies.aclose()
    assert engine.pids == [pid]
    assert await passes(engine)


INTERRUPTED_SCRIPT = """
import sys, time
try:
    print("here", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("heard")
    {ends}
"""


@pytest.mark.parametrize(("ends", "code"), [("raise", 130), ("pass", 0)])
async def test_ctrl_c_is_the_scripts_own_affair(engine, tmp_path, ends, code):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED_SCRIPT.format(ends=ends))
    assert not engine.interrupt_script()
    replies = engine.trace_script(script, [], tmp_path)
    await until(Output, replies)
    assert engine.interrupt_script()
    rest = [reply async for reply in replies]
    [done] = [reply for reply in rest if isinstance(reply, ScriptDone)]
    assert (done.exit_code, done.error) == (code, None)
    assert "".join(reply.text for reply in rest if isinstance(reply, Output)) == "heard\n"
    assert not rest[-1].cancelled and await passes(engine)


async def test_a_script_that_ends_its_process_is_told_with_its_exit_code(engine, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os\n\nos._exit(7)\n")
    replies = [reply async for reply in engine.trace_script(script, [], tmp_path)]
    [done] = [reply for reply in replies if isinstance(reply, ScriptDone)]
    assert (done.exit_code, done.error.id, done.error.line) == (7, "runner-lost", 3)


# ---------------------------------------------------------------- starting


@pytest.mark.parametrize("device", ["gpu", "cuda", "cuda:x", "cpu:0", ""])
async def test_a_device_that_is_none_is_refused_at_once(device):
    with pytest.raises(ValueError, match="cuda:N"):
        Engine(device)


async def test_an_import_that_fails_becomes_words(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart.so.12: cannot open shared object file')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    statuses = []
    engine = Engine("cpu", statuses.append)
    await engine.start()
    try:
        replies = await judge(engine, "x = 1\n")
        [broken] = [reply for reply in replies if isinstance(reply, Broken)]
        assert "libcudart.so.12" in broken.message
        assert "Traceback" not in broken.message
        assert report_of(replies).verdict == "error"
        assert engine.status.phase == "failed"
        assert "libcudart" in engine.status.problem
        [check] = await engine.probe()
        assert (check.id, check.ok) == ("runner-start", False)
        (tmp_path / "torch.py").unlink()
        assert await engine.probe(), "a failed child is tried again when it is asked for"
        assert engine.status.phase == "ready"
    finally:
        await engine.close()


async def test_a_crash_while_importing_becomes_words(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("import ctypes\nctypes.string_at(0)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    engine = Engine("cpu")
    await engine.start()
    try:
        replies = await judge(engine, "x = 1\n")
        [broken] = [reply for reply in replies if isinstance(reply, Broken)]
        assert "Segmentation fault" in broken.details
    finally:
        await engine.close()


async def test_a_python_that_is_not_there_becomes_words():
    engine = Engine("cpu", command=("/no/such/python",))
    await engine.start()
    try:
        replies = await judge(engine, "x = 1\n")
        [broken] = [reply for reply in replies if isinstance(reply, Broken)]
        assert "/no/such/python" in broken.message
    finally:
        await engine.close()


async def test_the_child_says_what_it_is_and_ends_when_the_engine_hangs_up(tmp_path):
    replies = asyncio.Queue()
    child = Child(["--device", "cpu"], replies.put_nowait, folder=tmp_path, command=FAKE_RUNNER)
    await child.start(child_environment("cpu", tmp_path))
    talk = asyncio.create_task(child.talk())
    ready = await asyncio.wait_for(replies.get(), 20)
    assert isinstance(ready, Ready)
    assert (ready.device, ready.python) == ("cpu", ".".join(map(str, sys.version_info[:3])))
    child._process.stdin.close()
    assert await asyncio.wait_for(talk, 20) == 0


async def test_a_request_that_is_no_frame_ends_the_child_with_a_word(tmp_path):
    replies = asyncio.Queue()
    child = Child(["--device", "cpu"], replies.put_nowait, folder=tmp_path, command=FAKE_RUNNER)
    await child.start(child_environment("cpu", tmp_path))
    talk = asyncio.create_task(child.talk())
    await asyncio.wait_for(replies.get(), 20)
    child._process.stdin.write(b"GET / HTTP/1.1\r\n\r\n")
    broken = await asyncio.wait_for(replies.get(), 20)
    assert "frame" in broken.message
    assert await asyncio.wait_for(talk, 20) == os.EX_PROTOCOL


# ---------------------------------------------------------------- the interface

INTERFACE = f"""
import asyncio, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as in a terminal, whatever runs the tests
sys.path.insert(0, {str(HERE)!r})
from support import hasty_engine, HERE
from tritontui.engine.messages import Output

async def main():
    engine = hasty_engine()
    await engine.start()
    source = sys.argv[1]
    async for reply in engine.judge(HERE, source, "kernel.py"):
        if isinstance(reply, Output):
            print(engine.pids[0], reply.text.strip(), engine._workers.scratch, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

STARTS_A_PROCESS = """import subprocess
print(subprocess.Popen(['sleep', '1000']).pid, flush=True)
"""
STARTS_A_DAEMON = """import subprocess
subprocess.run(["setsid", "-f", "sh", "-c", "echo $$; exec sleep 1000"])
import time
time.sleep(1000)
"""
HOLDS_THE_LOCK = STARTS_A_PROCESS + "open('GATE').read()\nsum(iter(int, 1))\n"


@contextlib.asynccontextmanager
async def interface(source):
    """A process that runs an engine as the app does; it, the child's pid, the grandchild's, the scratch folder."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", INTERFACE, source, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        child, grandchild, folder = line.decode().split()
        yield process, int(child), int(grandchild), Path(folder)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.parametrize("source", [STARTS_A_PROCESS, HOLDS_THE_LOCK], ids=["idle", "busy in C"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
async def test_no_process_outlives_the_interface(number, source, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    async with interface(source.replace("GATE", str(gate))) as (process, child, grandchild, folder):
        if source is HOLDS_THE_LOCK:
            await asyncio.to_thread(gate.write_text, "go")  # only now does the child hold Python's lock for good
        os.kill(process.pid, number)
        await process.wait()
        assert await dies(child)
        assert await dies(grandchild)
        assert await is_removed(folder)


async def test_no_daemon_outlives_the_interface():
    async with interface(STARTS_A_DAEMON) as (process, child, daemon, _):
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        assert await dies(child)
        assert await dies(daemon)


async def is_removed(folder):
    """The watcher removes the folder right after its kill, then ends."""
    for watcher in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in watcher.read_bytes():
                await dies(int(watcher.parent.name))
    return not folder.exists()


async def test_a_stopped_child_dies_with_the_interface_too():
    async with interface(STARTS_A_PROCESS) as (process, child, grandchild, _):
        os.kill(child, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        assert await dies(child)
        assert await dies(grandchild)


async def test_closing_the_engine_leaves_nothing_behind():
    engine = hasty_engine()
    await engine.start()
    replies = await judge(engine, STARTS_A_PROCESS)
    grandchild = int(output_of(replies))
    [child], folder = engine.pids, engine._workers.scratch
    await engine.close()
    assert await dies(child)
    assert await dies(grandchild)
    assert not folder.exists()
    assert engine.status.phase == "closed"


async def test_closing_in_the_middle_of_a_run_ends_its_stream():
    engine = hasty_engine()
    await engine.start()
    replies = engine.judge(HERE, "while True:\n    pass\n", "kernel.py")
    await until(StageStarted, replies)
    await engine.close()
    rest = [reply async for reply in replies]
    assert rest[-1].cancelled


async def test_finding_of_a_lost_child_names_no_line_of_an_innocent(engine):
    replies = engine.judge(HERE, "while True:\n    pass\n", "kernel.py")
    await until(StageStarted, replies)
    os.kill(engine.pids[0], signal.SIGKILL)
    assert finding_of([reply async for reply in replies]).line is None
