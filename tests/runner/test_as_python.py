"""How a traced script ends: what Python would do, print and answer, without any kernel."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tritontui.engine.messages import ScriptDone, TraceScript
from tritontui.runner.process.exits import closed_exits
from tritontui.runner.scripts.script import trace_script
from tritontui.runner.session import LearnerExit, Session

ENDINGS = {
    "what is registered for the exit": (
        """
        import atexit, sys
        atexit.register(print, "last")
        atexit.register(print, "never")

        @atexit.register
        def broken():
            raise ValueError("mine")

        sys.exit(4)
        """,
        4,
        "never\nlast\n",
        "Exception ignored in atexit callback: <function broken",
    ),
    "what is registered and taken back": (
        "import atexit\natexit.register(print, 1)\natexit.unregister(print)\n",
        0,
        "",
        "",
    ),
    "threads": (
        """
        import threading
        gate = threading.Event()
        threading.Thread(target=lambda: (gate.wait(), print("thread"))).start()
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        threading.Timer(0.01, gate.set).start()
        print("main")
        """,
        0,
        "main\nthread\n",
        "",
    ),
    "a hook for exceptions": (
        """
        import sys
        sys.excepthook = lambda kind, error, trace: print(kind.__name__, error, trace.tb_lineno)
        raise ValueError("mine")
        """,
        1,
        "ValueError mine 4\n",
        "",
    ),
    "interrupted": ("raise KeyboardInterrupt", 130, "", "KeyboardInterrupt"),
    "no Exception": ("class Own(BaseException): pass\nraise Own('mine')", 1, "", "Own: mine"),
    "closed streams": (
        "import sys\nprint('said')\nsys.stdout.close()\nsys.stderr.close()\nraise ValueError",
        1,
        "said\n",
        "",
    ),
    "a child that exits": (
        """
        import os, sys
        child = os.fork()
        if not child:
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
        0,
        "3\n",
        "",
    ),
    "names of its own": (
        "print(__annotations__, __loader__.name, type(__builtins__).__name__, __spec__)",
        0,
        "{} __main__ module None\n",
        "",
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_script_ends_as_under_python(
    ending: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, code, output, errors = ENDINGS[ending]
    monkeypatch.setattr("sys.excepthook", sys.__excepthook__)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):  # a runner's, which a script may close
        monkeypatch.setattr(sys, name, os.fdopen(descriptor, "w", buffering=1, closefd=False))
    (tmp_path / "script.py").write_text(dedent(text))
    replies = []
    request = TraceScript(run=1, path="script.py", arguments=[], working_directory=str(tmp_path))
    trace_script(request, replies.append, Session("cpu", "sm_90"))
    [done] = [reply for reply in replies if isinstance(reply, ScriptDone)]
    printed = capfd.readouterr()
    assert (done.exit_code, printed.out) == (code, output)
    assert errors in printed.err and (errors or not printed.err)


def test_a_signal_that_is_handled_is_no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, ...]] = []
    monkeypatch.setattr("os.kill", lambda *given: sent.append(given))
    kept = signal.getsignal(signal.SIGUSR2)
    try:
        with closed_exits(lambda _: 7):
            signal.signal(signal.SIGUSR2, lambda *_: None)
            for number in (0, signal.SIGCHLD, signal.SIGUSR2):
                os.kill(os.getpid(), number)
            signal.signal(signal.SIGUSR2, signal.SIG_DFL)
            with pytest.raises(LearnerExit) as left:
                os.kill(os.getpid(), signal.SIGUSR2)
            with pytest.raises(LearnerExit):
                os.kill(os.getppid(), signal.SIGCHLD)
            with pytest.raises(LearnerExit) as aborted:
                os.abort()
    finally:
        signal.signal(signal.SIGUSR2, kept)
    assert [number for _, number in sent] == [0, signal.SIGCHLD, signal.SIGUSR2]
    assert (left.value.line, left.value.status, aborted.value.status) == (7, 128 + signal.SIGUSR2, 134)
