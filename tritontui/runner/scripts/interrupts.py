"""Ctrl-C while a script is traced: the script has it as KeyboardInterrupt, as under Python, and what is ours is never
torn by it."""

from __future__ import annotations

import _weakrefset
import contextlib
import os
import signal
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tritontui.runner.lockstep.launch import Launch


def _ours(*names: str) -> list[str]:
    """The files of the runner that have these names, as code objects name them.

    Raises:
        FileNotFoundError: one has been moved.
    """
    files = [Path(__file__).parents[1] / name for name in names]
    if missing := [str(file) for file in files if not file.is_file()]:
        raise FileNotFoundError(missing)
    return [str(file) for file in files]


_TORN = frozenset(
    [
        *(module.__file__ for module in (contextlib, weakref, _weakrefset)),
        *(__file__, *_ours("scripts/as_python.py", "replaced.py", "lockstep/language.py")),
    ]
)
"""Stopped in the middle of these, something would stay changed that is owed to be put back, or nobody would hear of it:
what a callback of a weak reference raises is lost."""
_WHOLE = frozenset(_ours("scripts/script.py", "tracing/study.py", "process/wire.py", "lockstep/session.py"))
"""What these do beside the script, with whatever they call for it, is done to its end: lists that belong together,
frames."""
[_SCRIPT_BEGINS] = _ours("scripts/as_python.py")
_KERNEL_BEGINS = Launch._go.__code__
_AGAIN_SECONDS = 0.01

# the script may patch the modules
_kill_group, _own_group, _signal_thread = os.killpg, os.getpgrp, signal.pthread_kill
_Timer = threading.Timer
_main = threading.main_thread().ident or 0


class Interrupts:
    """``reaching`` is entered by the main thread, ``ask`` called by the one that reads requests."""

    def __init__(self) -> None:
        self._run: int | None = None
        self._lock = threading.Lock()

    @contextmanager
    def reaching(self, run: int) -> Iterator[None]:
        """While active, SIGINT raises KeyboardInterrupt in the script of ``run``; it may set a handler of its own."""
        kept = signal.getsignal(signal.SIGINT), signal.default_int_handler
        handler = self._interrupt
        # asyncio asks whether Ctrl-C is still as Python has it
        signal.default_int_handler = handler  # type: ignore[assignment]
        signal.signal(signal.SIGINT, handler)
        self._run = run
        try:
            yield
        finally:
            with self._lock:
                self._run = None
            signal.signal(signal.SIGINT, kept[0])
            signal.default_int_handler = kept[1]

    def ask(self, run: int) -> bool:
        """Ctrl-C for the script of ``run`` and for whatever it has started, as a terminal gives it to all of them;
        False when it isn't running."""
        with self._lock:
            if self._run != run:
                return False
            _kill_group(_own_group(), signal.SIGINT)
            return True

    def _interrupt(self, _signal: int, frame: FrameType | None) -> None:
        """The handler. Where something would be torn it comes again a little later."""
        if _may_stop(frame):
            raise KeyboardInterrupt
        again = _Timer(_AGAIN_SECONDS, self._again)
        again.daemon = True
        again.start()

    def _again(self) -> None:
        with self._lock:
            if self._run is not None:
                _signal_thread(_main, signal.SIGINT)


def _may_stop(frame: FrameType | None) -> bool:
    """Whether the script or a kernel is at work where the main thread stands, or something that minds no end."""
    if frame is not None and frame.f_code.co_filename in _TORN:
        return False
    while frame is not None:
        if frame.f_code is _KERNEL_BEGINS or frame.f_code.co_filename == _SCRIPT_BEGINS:
            return True
        if frame.f_code.co_filename in _WHOLE:
            return False
        frame = frame.f_back
    return True
