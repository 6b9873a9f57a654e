"""Anybody's script, run as ``python SCRIPT ARGS`` would run it, with every launch in it traced."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from triton.runtime.errors import OutOfResources

from tritontui import analysis
from tritontui.analysis.trace import Trace
from tritontui.diagnosis import check_syntax, rank, recognise
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import interpreter_set_late
from tritontui.engine.messages import Compiled, Counted, Found, LaunchSummary, Reply, ScriptDone, Traced, TraceScript
from tritontui.runner.cases.configs import remarks
from tritontui.runner.compiler.compile import Built, Compiler, Launch, Rejection
from tritontui.runner.compiler.knobs import interpreter_ignored
from tritontui.runner.compiler.listing import keep_built
from tritontui.runner.compiler.recompiling import recompiling
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.lockstep import Choice, KernelError, LaunchRecord, TraceOptions, tracing
from tritontui.runner.lockstep.options import STEP_BYTES
from tritontui.runner.no_gpu.as_on_a_gpu import FollowedHost, refusing_main_memory
from tritontui.runner.no_gpu.cuda_on_cpu import cuda_on_cpu
from tritontui.runner.scripts.as_python import as_main, run_to_its_end, standard_input
from tritontui.runner.scripts.eager import compiled_eagerly
from tritontui.runner.scripts.project import Project
from tritontui.runner.scripts.texts import Texts
from tritontui.runner.session import Session
from tritontui.runner.submission import Submission, failure_of
from tritontui.runner.tracing.study import Study, place

EXPERIMENT_SECONDS = 10.0
"""Over all launches of a script."""
COUNT_SECONDS = 0.5
"""Between two words on how many launches there are."""
MOST_COMPILED = 16
"""Binaries."""
MORE_SECONDS = 4.0
"""From the first binary on; later no other is begun but the first of each kernel."""
MOST_CONFIGS = 8
"""Of a tuner, tried when its first one asks for more than the target has."""


def trace_script(request: TraceScript, emit: Callable[[Reply], None], session: Session) -> None:
    """Run the script to its end; emits Traced and Found for each launch as it ends, Compiled for each binary, and
    ScriptDone with the exit code that Python would have given.

    Findings of the run as a whole come with ``launch=None``. ``session.Interruption`` passes.
    """
    path = Path(request.working_directory, request.path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        print(f"can't open file '{request.path}': {error}", file=sys.stderr)
        emit(ScriptDone(run=request.run, exit_code=2, error=None))
        return
    session.add_learner_file(path)
    script = Submission(text, path.name, path, ModuleType("__main__"))
    _Run(request, emit, session, script).to_the_end()


class _Run:
    """One script on its way."""

    def __init__(
        self, request: TraceScript, emit: Callable[[Reply], None], session: Session, script: Submission
    ) -> None:
        self.run = request.run
        self.request = request
        self.emit = emit
        self.session = session
        self.script = script
        self.texts = Texts(script)
        self.told: set[int] = set()
        self.counted_at = 0.0
        self.study = Study(str(script.path), script.text, EXPERIMENT_SECONDS, told=self._tell, counted=self._count)

    def to_the_end(self) -> None:
        project = Project.of(self.script.path, Path(self.request.working_directory))
        with compiling_for(self.session.target), cuda_on_cpu(FollowedHost()) as devices:
            options = TraceOptions(step_bytes=STEP_BYTES, sampled=True)
            tracer = tracing(options, file=str(self.script.path), observer=self.study)
            self.session.keep_traces(self.run, self.study.traces)
            with (
                tracer as traced,
                refusing_main_memory(even_alone=False),
                compiled_eagerly(),
                standard_input(self.request.stdin),
                interpreter_ignored(),
                as_main(self.request, self.script, project) as files,
                self.session.interrupts.reaching(self.run),
            ):
                code, error = run_to_its_end(self.script, project, self.request.entry)
            self._tell_about_all(traced.choices, cuda_was_asked=devices.asked)
            rejected = self._compile(error)
        self._tell_what_was_caught(error, rejected)
        why = self._why(error, rejected)
        launches = len(self.study.traces)
        self.emit(ScriptDone(run=self.run, exit_code=code, error=why, launches=launches, files=files))

    def _why(self, error: BaseException | None, rejected: dict[int, Finding]) -> Finding | None:
        """What stopped the script; Ctrl-C is no fault of its. Of a kernel that stopped, the compiler's word counts, if
        it has one."""
        if error is None or isinstance(error, KeyboardInterrupt):
            return None
        last = len(self.study.launches) - 1
        if not isinstance(error, KernelError) or last < 0:
            return self._finding_of(error, self.script)
        if last not in rejected:
            rejected[last] = self._finding_of(error, self.texts.of(self.study.launches[last]))
            self.emit(Found(self.run, "trace", [rejected[last]], launch=last))
        return rejected[last]

    def _tell_what_was_caught(self, error: BaseException | None, rejected: dict[int, Finding]) -> None:
        """Kernels that stopped while the script went on, each with its first such launch; ``error``: what didn't."""
        known = {(finding.id, finding.line) for finding in self.study.findings}
        told = {id(self.study.launches[number].kernel) for number in rejected}
        for number, record in enumerate(self.study.launches):
            if record.error is None or record.error is error or id(record.kernel) in told:
                continue
            told.add(id(record.kernel))
            finding = self._finding_of(record.error, self.texts.of(record))
            if (finding.id, finding.line) not in known:
                self.emit(Found(self.run, "trace", [finding], launch=number))

    def _finding_of(self, error: BaseException, text: Submission) -> Finding:
        """``text``: what the lines count in."""
        if isinstance(error, SyntaxError) and error.filename == str(self.script.path):
            syntax = check_syntax(self.script.text)
            if syntax is not None:
                return syntax
        finding = recognise(failure_of(error, text, "trace" if isinstance(error, KernelError) else "host"))
        return self.texts.filed(finding, text)

    # ------------------------------------------------------------ telling

    def _tell(self, summary: LaunchSummary, findings: list[Finding]) -> None:
        """A launch has ended; or a tuner has, whose last launch this was: then its summary is known already."""
        self.session.check_cancelled(self.run)
        new = summary.launch not in self.told
        if new:
            self.told.add(summary.launch)
            self.emit(Traced(self.run, [summary]))
        if new:
            trace = self.study.traces[summary.launch]
            rounded = _rounded_products(trace)
            for finding in rounded:
                place(finding, trace, self.study.file)
            findings = [*findings, *rounded]
        for finding in findings:
            if finding.id == "uninitialised-read" and finding.params["partly"]:
                finding.severity = "note"  # no reference says whether it matters: triangles are often read whole
        if findings:
            self.emit(Found(self.run, "trace", rank(findings), launch=summary.launch))

    def _count(self, launches: int) -> None:
        """One more launch like others; said now and then."""
        self.session.check_cancelled(self.run)
        now = time.monotonic()
        if now - self.counted_at >= COUNT_SECONDS:
            self.counted_at = now
            self.emit(Counted(self.run, launches))

    def _tell_about_all(self, choices: Sequence[Choice], *, cuda_was_asked: bool) -> None:
        """What only the whole run shows."""
        whole = {number: trace for number, trace in enumerate(self.study.traces) if number not in self.study.dropped}
        for finding in self._unwritten(list(whole.values())):
            place(finding, None, self.study.file)
            self.emit(Found(self.run, "trace", [finding], launch=_launch_of(finding, whole)))
        for text, records in self._launches_by_file():
            kernels = {id(record.kernel) for record in records}  # a kernel's own hash asks the compiler for its sources
            tuned = remarks([choice for choice in choices if id(choice.kernel) in kernels], self.session.target)
            for finding in [*recompiling(records, text.text), *tuned]:
                self.emit(Found(self.run, "trace", [self.texts.filed(finding, text)]))
        if late := interpreter_set_late(self.script.text):
            line, name = late
            warning = Finding(id="interpreter-set-too-late", severity="warning", line=line, params={"name": name})
            self.emit(Found(self.run, "trace", [warning]))
        if cuda_was_asked:
            self.emit(Found(self.run, "trace", [Finding(id="cuda-on-cpu", severity="note")]))

    def _launches_by_file(self) -> list[tuple[Submission, list[LaunchRecord]]]:
        """The launches of the kernels that each file holds."""
        by_file: dict[str, list[LaunchRecord]] = {}
        for record in self.study.launches:
            by_file.setdefault(record.kernel.fn.__code__.co_filename, []).append(record)
        return [(self.texts.of(records[0]), records) for records in by_file.values()]

    def _unwritten(self, traces: list[Trace]) -> list[Finding]:
        """``never-written`` of tensors of which no launch told so already, each with what it follows from."""
        known = self.study.findings
        told = {finding.tensor for finding in known if finding.id == "never-written"}
        new = [finding for finding in analysis.never_written(traces) if finding.tensor not in told]
        return [
            finding for finding in rank([*known, *new]) if finding.id == "never-written" and finding.tensor not in told
        ]

    # ------------------------------------------------------------ compiling

    def _compile(self, error: BaseException | None) -> dict[int, Finding]:
        """Compile each kernel, then its other specialisations while time allows; what the compiler refuses, by
        launch. ``error``: what stopped the script."""
        compiler = self.session.cache.setdefault("script-compiler", Compiler())
        rejected: dict[int, Finding] = {}
        refused: set[int] = set()
        until = time.monotonic() + MORE_SECONDS
        for build, (first, launches) in enumerate(self._binaries(compiler)[:MOST_COMPILED]):
            number, record = launches[0], self.study.launches[launches[0]]
            if id(record.kernel) in refused or (not first and time.monotonic() > until):
                continue
            self.session.check_cancelled(self.run)
            built = self._build(compiler, record)
            if isinstance(built, Rejection):
                refused.add(id(record.kernel))
                stopped = error if number == len(self.study.launches) - 1 else None
                rejected[number] = self.texts.rejected(built, self.texts.of(record), stopped)
                self.emit(Found(self.run, "legality", [rejected[number]], launch=number))
            else:
                keep_built(self.session, self.run, built, build)
                report = built.report()
                report.build = build
                self.emit(Compiled(self.run, report, launches))
        return rejected

    def _binaries(self, compiler: Compiler) -> list[tuple[bool, list[int]]]:
        """Launches that share a binary, and whether it is the first of its kernel; those that are come first."""
        groups: dict[tuple[int, str], list[int]] = {}
        for number, record in enumerate(self.study.launches):
            if number not in self.study.dropped:
                key = compiler.key(Launch(record.kernel, record.arguments, record.options, record.line))
                groups.setdefault((id(record.kernel), key), []).append(number)
        seen: set[int] = set()
        binaries = []
        for (kernel, _), launches in groups.items():
            binaries.append((kernel not in seen, launches))
            seen.add(kernel)
        return sorted(binaries, key=lambda binary: not binary[0])

    def _build(self, compiler: Compiler, record: LaunchRecord) -> Built | Rejection:
        """What a kernel became; of a tuner's, with the first of its configs that fits the target, as tuning does."""
        target = self.session.target
        built = compiler.build(Launch(record.kernel, record.arguments, record.options, record.line), target)
        if isinstance(built, Rejection) and isinstance(built.error, OutOfResources) and record.tuner is not None:
            for config in record.tuner.configs[:MOST_CONFIGS]:
                chosen = config.all_kwargs()
                arguments = {name: chosen.get(name, value) for name, value in record.arguments.items()}
                options = {name: value for name, value in chosen.items() if name not in arguments}
                other = compiler.build(Launch(record.kernel, arguments, options, record.line), target)
                if not isinstance(other, Rejection):
                    return other
        return built


def _rounded_products(trace: Trace) -> list[Finding]:
    """Worth knowing where nobody compares the results with a reference: float32 products of TF32 operands."""
    lines = sorted({event.line for event in trace.events if event.kind == "reduced-precision-dot"})
    return [
        Finding(id="reduced-precision-dot", severity="note", line=line, params={"precision": "tf32"}) for line in lines
    ]


def _launch_of(finding: Finding, traces: dict[int, Trace]) -> int | None:
    """Of the launches that write the finding's tensor on its line, the first that leaves out some of it."""
    launches = [number for number, trace in traces.items() if _has(trace, finding.tensor, finding.line)]
    for number in launches:
        if any(one.tensor == finding.tensor for one in analysis.never_written([traces[number]])):
            return number
    return launches[-1] if launches else None


def _has(trace: Trace, tensor: str | None, line: int | None) -> bool:
    """Whether this launch writes that tensor on that line, or stands there itself and has it."""
    if trace.line == line:
        return any(other.name == tensor for other in trace.tensors)
    return any(
        site.line == line and site.tensor >= 0 and trace.tensors[site.tensor].name == tensor for site in trace.sites
    )
