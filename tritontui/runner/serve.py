"""The child's loop: requests in, replies out, one run at a time, and the process as it was after each."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType

from tritontui.diagnosis.finding import Finding
from tritontui.engine.frames import FrameError
from tritontui.engine.limits import GPU_WAIT, OUTPUT_BYTES
from tritontui.engine.messages import (
    INTERRUPTED,
    Broken,
    Cancel,
    Check,
    Done,
    ExperimentRequest,
    Found,
    Inspection,
    InspectRequest,
    Interrupt,
    Judge,
    Listing,
    ListingRequest,
    Probe,
    Probed,
    Reply,
    Request,
    ScriptDone,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
    Steps,
    StepsRequest,
    SweepRequest,
    Tile,
    TileRequest,
    TraceScript,
    Unanswered,
    Work,
)
from tritontui.runner.compiler.knobs import interpreter_ignored
from tritontui.runner.process.capture import Capture
from tritontui.runner.process.exits import closed_exits
from tritontui.runner.process.remains import Remains
from tritontui.runner.process.standing import Standing
from tritontui.runner.process.surroundings import Changes, restored
from tritontui.runner.process.unattended import unattended
from tritontui.runner.process.watchdog import Watchdog
from tritontui.runner.process.wire import Wire
from tritontui.runner.session import DeadlinePassed, LearnerExit, RunCancelled, Session

Emit = Callable[[Reply], None]
Question = TileRequest | InspectRequest | ListingRequest | StepsRequest

_exit = os._exit  # the learner's code may run while os._exit is wrapped


@dataclass(frozen=True)
class Handlers:
    """Who does the work; tests give their own."""

    judge: Callable[[Judge, Emit, Session], None]
    trace_script: Callable[[TraceScript, Emit, Session], None]
    tile: Callable[[TileRequest, Session], Tile]
    inspect: Callable[[InspectRequest, Session], Inspection]
    probe: Callable[[str], list[Check]]
    listing: Callable[[ListingRequest, Session], Listing]
    steps: Callable[[StepsRequest, Session], Steps]
    sweep: Callable[[SweepRequest, Emit, Session], None]
    experiment: Callable[[ExperimentRequest, Emit, Session], None]


class Server:
    """Runs go through the main thread; questions about kept traces are answered beside it, by a thread of their own."""

    def __init__(self, wire: Wire, capture: Capture, session: Session, handlers: Handlers, faults: int) -> None:
        """``faults`` is the descriptor of the process's first stderr."""
        self._wire = wire
        self._capture = capture
        self._session = session
        self._handlers = handlers
        self._watchdog = Watchdog(session.is_learner_file, wire.send, faults)
        self._runs: queue.SimpleQueue[Work | Probe] = queue.SimpleQueue()
        self._questions: queue.SimpleQueue[Question] = queue.SimpleQueue()
        self._answering = threading.Lock()

    def serve(self) -> None:
        """Answer requests until the engine hangs up, which ends the process. Main thread."""
        for work in (self._read, self._answer):
            threading.Thread(target=work, name=work.__name__, daemon=True).start()
        while True:
            request = self._runs.get()
            if isinstance(request, Probe):
                self._wire.send(Probed(self._handlers.probe(self._session.device)))
            else:
                self._run(request)

    # ------------------------------------------------------------ threads

    def _read(self) -> None:
        try:
            for request in self._wire.receive():
                self._dispatch(request)
        except FrameError as error:
            self._wire.send(Broken(0, f"the runner got {error}", ""))
            _exit(os.EX_PROTOCOL)
        _exit(os.EX_OK)  # the interface is gone: nobody needs the rest

    def _dispatch(self, request: Request) -> None:
        match request:
            case Cancel():
                self._cancel(request.run)
            case Interrupt():
                if not self._session.interrupts.ask(request.run):
                    self._cancel(request.run)
            case TileRequest() | InspectRequest() | ListingRequest() | StepsRequest():
                self._questions.put(request)
            case Judge() | SweepRequest() | ExperimentRequest() | TraceScript() | Probe():
                self._runs.put(request)

    def _cancel(self, run: int) -> None:
        self._session.cancel(run)
        self._watchdog.cancel(run)

    def _answer(self) -> None:
        while True:
            request = self._questions.get()
            try:
                with self._answering:
                    answer = self._answer_to(request)
                self._wire.send(answer)
            except LookupError as error:
                self._wire.send(Unanswered(request.run, request.request, str(error)))
            except Exception as error:
                self._wire.send(Unanswered(request.run, request.request, _traceback(error)))

    def _answer_to(self, request: Question) -> Tile | Inspection | Listing | Steps:
        match request:
            case TileRequest():
                return self._handlers.tile(request, self._session)
            case InspectRequest():
                return self._handlers.inspect(request, self._session)
            case ListingRequest():
                return self._handlers.listing(request, self._session)
            case StepsRequest():
                return self._handlers.steps(request, self._session)

    # ------------------------------------------------------------ one run

    def _run(self, request: Work) -> None:
        run = _Run(request, self._session.device, self._wire.send, self._watchdog)
        before, standing, changes = Remains.now(), Standing.now(), Changes()
        self._capture.begin(request.run, _output_bytes(request))
        self._begin_watching(request)
        try:
            with standing.kept(), restored(changes), closed_exits(self._watchdog.learner_line), _as_here(request):
                self._session.check_cancelled(request.run)
                self._handle(request, run.emit)
        except RunCancelled:
            run.cancelled = True
        except DeadlinePassed as passed:
            run.stopped(self._no_progress(passed))
        except LearnerExit as left:
            run.stopped(_runner_lost(left.call, left.line), left.status)
        except SystemExit as left:
            run.stopped(_runner_lost("sys.exit", self._learner_line(left.__traceback__)))
        except KeyboardInterrupt as stop:
            run.interrupted(_runner_lost("KeyboardInterrupt", self._learner_line(stop.__traceback__)))
        except MemoryError as error:
            run.stopped(_out_of_memory(self._learner_line(error.__traceback__)))
        except BaseException as error:
            run.suspect = True  # what was met here may be met again
            line = self._learners_own(error)
            finding = _trodden(request, changes, error) if line is None else _host_exception(error, line)
            run.broken(error) if finding is None else run.stopped(finding)
        finally:
            self._watchdog.end()
            self._session.end_run(request.run)
            self._capture.finish()
        run.finish(tainted=run.suspect or standing.lost or changes.lost or not before.settled(self._answering))

    def _begin_watching(self, request: Work) -> None:
        match request:
            case Judge():
                self._watchdog.begin(request.run, first=request.stages[0], soft=request.soft_seconds)
            case SweepRequest() | ExperimentRequest():
                self._watchdog.begin(request.run, first="sweep", soft=request.soft_seconds)
            case TraceScript():
                self._watchdog.begin(request.run, first="trace", soft={}, limited=False)

    def _handle(self, request: Work, emit: Emit) -> None:
        match request:
            case Judge():
                self._handlers.judge(request, emit, self._session)
            case SweepRequest():
                self._handlers.sweep(request, emit, self._session)
            case ExperimentRequest():
                self._handlers.experiment(request, emit, self._session)
            case TraceScript():
                self._handlers.trace_script(request, emit, self._session)

    def _learners_own(self, error: BaseException) -> int | None:
        """The line that raised what no judge would catch: a class of the learner's own, or from a hook of theirs."""
        innermost = error.__traceback__
        while innermost is not None and innermost.tb_next is not None:
            innermost = innermost.tb_next
        return self._learner_line(error.__traceback__ if not isinstance(error, Exception) else innermost)

    def _learner_line(self, trace: TracebackType | None) -> int | None:
        """Innermost learner's line of a traceback."""
        line = None
        while trace is not None:
            if self._session.is_learner_file(trace.tb_frame.f_code.co_filename):
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def _no_progress(self, passed: DeadlinePassed) -> Finding:
        done, programs = passed.programs or (0, 0)
        return Finding(
            id="no-progress",
            severity="error",
            line=passed.line,
            params={
                "seconds": passed.seconds,
                "printed": self._capture.dropped,
                "done": done or None,
                "programs": programs if done else None,
            },
        )


class _Run:
    """Follows what the judge emits: stamps the device, arms the watchdog, keeps Done for the end."""

    def __init__(self, request: Work, device: str, send: Emit, watchdog: Watchdog) -> None:
        self._run = request.run
        self._is_script = isinstance(request, TraceScript)
        self._device = device
        self._send = send
        self._watchdog = watchdog
        self._stage: StageName = "sweep" if isinstance(request, SweepRequest | ExperimentRequest) else "trace"
        self.cancelled = False
        self.suspect = False
        """The process is not what it was."""

    def emit(self, reply: Reply) -> None:
        match reply:
            case StageStarted():
                self._stage = reply.stage
                self._watchdog.enter(reply.stage)
                reply.device = self._device
            case StageDone() | StageSkipped():
                reply.device = self._device
            case Found():
                if any(finding.id == "gpu-waiting" for finding in reply.findings):
                    self._watchdog.allow(GPU_WAIT.soft)
            case Done():
                self.cancelled = reply.cancelled
                return
            case _:
                pass
        self._send(reply)

    def stopped(self, finding: Finding, exit_code: int = 1) -> None:
        """The learner's code was ended, or ended itself, before the judge could say what it was."""
        if self._is_script:
            self._send(ScriptDone(run=self._run, exit_code=exit_code, error=finding))
        else:
            self._send(Found(self._run, self._stage, [finding]))

    def interrupted(self, finding: Finding) -> None:
        """By Ctrl-C, which is no fault of a script's; no judged code has it but by its own doing: ``finding``."""
        if self._is_script:
            self._send(ScriptDone(run=self._run, exit_code=INTERRUPTED))
        else:
            self.stopped(finding)

    def broken(self, error: BaseException) -> None:
        """Our own code failed."""
        self._send(Broken(self._run, f"{type(error).__name__}: {error}", _traceback(error)))

    def finish(self, *, tainted: bool) -> None:
        """Only now has everything been said, prints included."""
        self._send(Done(self._run, self.cancelled, tainted))


@contextlib.contextmanager
def _as_here(request: Work) -> Iterator[None]:
    """What holds for the learner's code alone. A script is run as Python would, and may have a stdin to answer from."""
    with contextlib.ExitStack() as stack:
        if not isinstance(request, TraceScript) or not request.stdin:
            stack.enter_context(unattended())
        if not isinstance(request, TraceScript):
            stack.enter_context(interpreter_ignored())
        yield


def _output_bytes(request: Work) -> int:
    return (request.output_bytes if isinstance(request, TraceScript) else 0) or OUTPUT_BYTES


def _runner_lost(call: str, line: int | None) -> Finding:
    return Finding(
        id="runner-lost",
        severity="error",
        line=line,
        params={"call": call, "reason": "died", "exit_code": 0, "seconds": 0},
    )


def _out_of_memory(line: int | None) -> Finding:
    return Finding(
        id="out-of-memory", severity="error", line=line, params={"requested": 0, "free": 0, "total": 0, "device": "cpu"}
    )


def _trodden(request: Work, changes: Changes, error: BaseException) -> Finding | None:
    """What of Python's or torch's the learner's text has changed, where our own code stumbled: perhaps over that."""
    if not isinstance(request, Judge | SweepRequest):
        return None
    for name in changes.names:
        word = re.compile(rf"\b{re.escape(name.rpartition('.')[2])}\b")
        lines = [number for number, line in enumerate(request.source.splitlines(), 1) if word.search(line)]
        if lines:
            params = {"name": name, "kind": type(error).__name__, "message": str(error)}
            return Finding(
                id="changed-for-all", severity="error", line=lines[0], params=params, original=_traceback(error)
            )
    return None


def _host_exception(error: BaseException, line: int) -> Finding:
    params = {"kind": type(error).__name__, "message": str(error)}
    return Finding(id="host-exception", severity="error", line=line, params=params, original=_traceback(error))


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))
