"""Another program on this terminal while the application waits for it: the learner's editor."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def run_in_terminal(command: Sequence[str]) -> int:
    """Run ``command`` to its end; its exit status, negative for a signal. Raises OSError when it can't be started.

    Keys that make signals (Ctrl-C, Ctrl-\\) are the other program's alone. One that stops itself takes the application
    along, so that the shell shows up, and goes on with it; where no shell could continue it, it goes on at once.
    """
    with _deaf_to(signal.SIGINT, signal.SIGQUIT):
        program = subprocess.Popen(command)
        while _is_stopped(program.pid):
            _stop()
            program.send_signal(signal.SIGCONT)
        return program.wait()


def _is_stopped(pid: int) -> bool:
    """Wait until the child stops (True) or ends."""
    told = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    if told is None or told.si_code != os.CLD_STOPPED:
        return False
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG)  # taken note of; an end is left to whoever started it
    return True


def _stop() -> None:
    """Until continued; at once over in a session without a shell, for Linux lets no orphaned group be stopped so."""
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.kill(os.getpid(), signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, handler)


@contextmanager
def _deaf_to(*numbers: signal.Signals) -> Iterator[None]:
    """A handler that does nothing, and not SIG_IGN, which the program would be started with."""
    handlers = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
