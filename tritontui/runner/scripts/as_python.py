"""A script's surroundings and its end, as ``python SCRIPT ARGS`` makes them."""

from __future__ import annotations

import atexit
import builtins
import importlib
import importlib.machinery
import operator
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from traceback import TracebackException
from typing import Any

import torch

import tritontui
from tritontui.engine.messages import INTERRUPTED, TraceScript
from tritontui.runner.replaced import replaced
from tritontui.runner.scripts.operators import own_operators
from tritontui.runner.scripts.project import Project
from tritontui.runner.session import Interruption, LearnerExit
from tritontui.runner.submission import Submission

_PACKAGE = Path(tritontui.__file__).parent
_OURS = (
    f"{_PACKAGE / 'runner'}/",
    f"{_PACKAGE / 'analysis'}/",
    torch.overrides.__file__,
    "<frozen runpy>",
    runpy.__file__,
)
"""Whose frames stand in the stack only because a script is traced."""

_getpid, _exit = os.getpid, os._exit  # the script may patch the module


def run_to_its_end(script: Submission, project: Project, entry: str) -> tuple[int, BaseException | None]:
    """Run the script, wait for its threads, call what it left for the exit. Exit code, and what stopped it.

    ``entry``: as in ``TraceScript``. A fork of the process that gets here ends here. ``Interruption`` passes.
    """
    process, threads, error = _getpid(), set(threading.enumerate()), None
    with _tracebacks_of_its_own(), _own_atexit(project) as at_exit:
        try:
            code = 0
            if entry:
                _call_entry(entry)
            else:
                exec(compile(script.text, str(script.path), "exec", dont_inherit=True), script.module.__dict__)
        except LearnerExit as left:
            if left.call != "os._exit" or left.status:
                raise
            return 0, None
        except SystemExit as left:
            code = _exit_code(left)
        except Interruption:
            raise
        except BaseException as stopped:
            code, error = INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else 1, stopped
            _report(stopped, str(script.path))
        _wind_up(threads, at_exit)
    if _getpid() != process:
        _exit(code)
    return code, error


def _wind_up(threads: set[threading.Thread], at_exit: list[partial[Any]]) -> None:
    """What Python does between a script's last line and the end of the process, in its order."""
    try:
        for thread in threading.enumerate():
            if thread not in threads and not thread.daemon and thread is not threading.current_thread():
                thread.join()
    except KeyboardInterrupt:
        print(f"Exception ignored in: {threading!r}", file=sys.stderr)
        traceback.print_exc()
    while at_exit:
        call = at_exit.pop()
        try:
            call()
        except Interruption:
            raise
        except BaseException:
            print(f"Exception ignored in atexit callback: {call.func}", file=sys.stderr)
            traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed by the script, or replaced by something of its own
            stream.flush()


@contextmanager
def _own_atexit(project: Project) -> Iterator[list[partial[Any]]]:
    """While active, what code of ``project`` registers for the exit is kept in the list that this gives.

    Installed modules outlive the script, and register for the end of the process.
    """
    register, unregister = atexit.register, atexit.unregister
    kept: list[partial[Any]] = []

    def own_register(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Callable[..., Any]:
        if not project.holds(sys._getframe(1).f_code.co_filename):
            return register(function, *arguments, **named)
        kept.append(partial(function, *arguments, **named))
        return function

    def own_unregister(function: Callable[..., Any], /) -> None:
        kept[:] = [call for call in kept if call.func != function]
        unregister(function)

    with replaced((atexit, "register", own_register), (atexit, "unregister", own_unregister)):
        yield kept


def _call_entry(entry: str) -> None:
    """Import the module anew and call the function, which may stand in a class."""
    name, _, function = entry.partition(":")
    sys.modules.pop(name, None)
    operator.attrgetter(function)(importlib.import_module(name))()


@contextmanager
def standard_input(path: str) -> Iterator[None]:
    """The script's standard input; the runner's own is nothing. Left so where the path can't be opened."""
    try:
        given = os.open(path, os.O_RDONLY)
    except OSError:
        yield
        return
    kept, stream = os.dup(0), sys.stdin
    os.dup2(given, 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - its descriptor outlives it
    try:
        yield
    finally:
        sys.stdin = stream
        os.dup2(kept, 0)
        os.close(kept)
        os.close(given)


@contextmanager
def as_main(request: TraceScript, script: Submission, project: Project) -> Iterator[list[str]]:
    """The process as ``python SCRIPT ARGS`` sets it up; afterwards the list holds the files that it imported of
    ``project``, its own."""
    module, path = script.module, str(script.path)
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    own = {"__file__": path, "__builtins__": builtins, "__loader__": loader, "__cached__": None, "__annotations__": {}}
    module.__dict__.update(own)
    kept = sys.modules["__main__"], sys.argv, list(sys.path), Path.cwd()
    environment = dict(os.environ)
    sys.modules["__main__"] = module
    sys.argv = [request.path, *request.arguments]
    sys.path[:1] = [request.working_directory if request.entry else str(script.path.parent)]
    os.chdir(request.working_directory)
    try:
        with project.read_anew() as files, own_operators(project.holds):
            yield files
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = kept[:3]
        os.chdir(kept[3])
        os.environ.clear()
        os.environ.update(environment)


def _exit_code(left: SystemExit) -> int:
    """What the shell would see."""
    if left.code is None:
        return 0
    if isinstance(left.code, int):
        return left.code & 0xFF
    print(left.code, file=sys.stderr)
    return 1


def _report(error: BaseException, path: str) -> None:
    """The exception as Python reports it, from the script's first line on."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != path:
        frame = frame.tb_next
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, frame)
        return
    with suppress(ValueError, AttributeError):  # closed, or none
        traceback.print_exception(type(error), error, frame)


@contextmanager
def _tracebacks_of_its_own() -> Iterator[None]:
    """While active, what ``traceback`` shows, also for ``logging`` and for threads, has no frames of ours in it."""
    kept = TracebackException.__init__, traceback.extract_tb, traceback.extract_stack, threading.excepthook

    def described(self: TracebackException, *arguments: Any, **named: Any) -> None:
        kept[0](self, *arguments, **named)
        self.stack = _without_ours(self.stack)

    def extracted_tb(*arguments: Any, **named: Any) -> traceback.StackSummary:
        return _without_ours(kept[1](*arguments, **named))

    def extracted_stack(*arguments: Any, **named: Any) -> traceback.StackSummary:
        return _without_ours(kept[2](*arguments, **named))

    TracebackException.__init__ = described  # type: ignore[method-assign]
    traceback.extract_tb, traceback.extract_stack = extracted_tb, extracted_stack
    threading.excepthook = _report_of_thread
    try:
        yield
    finally:
        TracebackException.__init__ = kept[0]  # type: ignore[method-assign]
        traceback.extract_tb, traceback.extract_stack, threading.excepthook = kept[1:]


def _without_ours(stack: traceback.StackSummary) -> traceback.StackSummary:
    return traceback.StackSummary.from_list([frame for frame in stack if not frame.filename.startswith(_OURS)])


def _report_of_thread(failure: threading.ExceptHookArgs) -> None:
    """As ``threading`` does it; its own, in C, asks nobody which frames to show."""
    if failure.exc_type is SystemExit:
        return
    name = failure.thread.name if failure.thread is not None else threading.get_ident()
    with suppress(ValueError, AttributeError):
        print(f"Exception in thread {name}:", file=sys.stderr)
        traceback.print_exception(failure.exc_type, failure.exc_value, failure.exc_traceback)
