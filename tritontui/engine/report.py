"""What is known of one run so far, gathered from its replies: the verdict, and the JSON of ``tritontui check``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

import msgspec

from tritontui.course.model import Language
from tritontui.diagnosis import Finding, explain, rank
from tritontui.diagnosis.catalogue import entry
from tritontui.engine.messages import (
    ALL_STAGES,
    SECTOR_BYTES,
    Broken,
    CaseDone,
    CaseResult,
    Compiled,
    CompilerReport,
    Done,
    Found,
    LaunchSummary,
    Lost,
    Measured,
    Measurement,
    Output,
    Ready,
    Reply,
    StageDone,
    StageName,
    StageSkipped,
    StageStarted,
    Stalled,
    Traced,
    Tuned,
    Workload,
)

Verdict = Literal["pass", "fail", "error"]
StageState = Literal["waiting", "running", "done", "skipped", "stopped"]

SCHEMA = 1
STAGES = ALL_STAGES


class Report:
    """Add the replies of one run as they come, then read off what they amount to.

    A pass needs all of: the trace ran and its kernel stored something, the compiler accepted every specialisation (both
    but for an exercise about host code alone), every case is right, and no finding is an error. ``error`` means that
    tritontui or the machine failed, not the learner.
    """

    def __init__(self, exercise: str, *, stages: Sequence[StageName] = STAGES) -> None:
        self.exercise = exercise
        self.run: int | None = None
        self.launches: list[LaunchSummary] = []
        self.compiler: CompilerReport | None = None
        self.workload: Workload | None = None
        """What the measured case must do at least, once it is known."""
        self.traced_case = ""
        self._traced_names: dict[str, str] = {}
        """Name of the case that Map and Steps show; "": nobody told."""
        self.traced_ideal_bytes = 0
        """What the traced case had to move; 0 where nobody knows."""
        self.measurement: Measurement | None = None
        self.tuned: dict[str, Tuned] = {}
        """By kernel; what was seen on the GPU takes the place of what the CPU knew."""
        self.output = ""
        self.output_dropped = 0
        """Bytes printed over the cap."""
        self.device = "cpu"
        """Where the cases were judged last: ``cuda:N`` once the GPU answers."""
        self.target: str | None = None
        self.stalled: Stalled | None = None
        self.lost: Lost | None = None
        self.broken: Broken | None = None
        self.cancelled = False
        self.finished = False
        self.timings: dict[str, float] = {}
        """Milliseconds by stage; the cases on the GPU have their own entry, ``cases cuda:0``."""
        self._states: dict[StageName, dict[str, StageState]] = {stage: {} for stage in stages}
        """By device: with a GPU, ``cases`` runs in both children."""
        self._reasons: dict[StageName, str] = {}
        self._found: list[Finding] = []
        self._launches: list[tuple[Finding, int | None]] = []
        self._cases: dict[tuple[str, int], CaseResult] = {}

    # ------------------------------------------------------------ gathering

    @property
    def traced_bytes(self) -> int:
        """What the programs of the traced case moved between memory and themselves: whole sectors, caches left out."""
        return sum(SECTOR_BYTES * site.sectors for launch in self.launches for site in launch.sites)

    def add(self, reply: Reply) -> None:
        """Take one reply of the run in. Replies of another run than the first one seen are ignored."""
        run = getattr(reply, "run", None)
        if run is not None:
            if self.run is None:
                self.run = run
            if run != self.run:
                return
        match reply:
            case Ready():
                self.target = reply.target
            case StageStarted():
                self._set_state(reply.stage, reply.device, "running")
            case StageDone():
                self._set_state(reply.stage, reply.device, "done")
                alone = reply.device == "cpu" or reply.stage == "measure"
                self.timings[reply.stage if alone else f"{reply.stage} {reply.device}"] = reply.milliseconds
            case StageSkipped():
                self._set_state(reply.stage, reply.device, "skipped")
                self._reasons[reply.stage] = reply.reason
            case Found():
                self._found += reply.findings
                self._launches += [(finding, reply.launch) for finding in reply.findings]
            case Traced():
                self.launches += reply.launches
                if reply.case:
                    self.traced_case, self._traced_names = reply.case, reply.names
                self.traced_ideal_bytes += reply.ideal_bytes
            case CaseDone():
                self._cases[reply.device, reply.index] = reply.result
                self.device = max(self.device, reply.device, key=len)
            case Compiled():
                self.compiler = reply.report
                self.target = reply.report.target
            case Workload():
                self.workload = reply
            case Measured():
                self.measurement = reply.measurement
                self._found += reply.measurement.remarks
            case Tuned():
                self._join_tuning(reply)
            case Output():
                self.output += reply.text
                self.output_dropped += reply.dropped
            case Stalled():
                self.stalled = reply
            case Lost():
                self.lost = reply
            case Broken():
                self.broken = reply
            case Done():
                self._finish(reply)
            case _:
                pass

    def _set_state(self, stage: StageName, device: str, state: StageState) -> None:
        self._states.setdefault(stage, {})[device] = state

    def _join_tuning(self, new: Tuned) -> None:
        """Times come from the GPU, the reasons against a config from the compiler, in either order."""
        known = self.tuned.get(new.kernel)
        if known is not None:
            new, other = (known, new) if new.seconds is None else (new, known)
            for config in new.configs:
                twin = next((one for one in other.configs if one.values == config.values), None)
                if twin is not None and config.median_us is None:
                    config.problem = config.problem or twin.problem
        self.tuned[new.kernel] = new

    def _finish(self, reply: Done) -> None:
        self.finished = True
        self.cancelled = reply.cancelled
        for states in self._states.values():
            for device, state in states.items():
                if state == "running":
                    states[device] = "stopped"

    # ------------------------------------------------------------ reading

    @property
    def stages(self) -> dict[StageName, StageState]:
        """Every stage asked for, in order, with its state over all devices."""
        return {stage: _overall(states.values()) for stage, states in self._states.items()}

    @property
    def skipped(self) -> dict[StageName, str]:
        """Why a stage ran nowhere, as in ``StageSkipped``."""
        return {stage: self._reasons[stage] for stage, state in self.stages.items() if state == "skipped"}

    @property
    def findings(self) -> list[Finding]:
        """Causes before consequences, errors before warnings, each once."""
        return rank(list(_distinct(self._found)))

    def launch_of(self, finding: Finding) -> int | None:
        """The launch that a finding is about; None: the run as a whole."""
        return next((launch for one, launch in self._launches if one == finding), None)

    @property
    def cases(self) -> list[CaseResult]:
        """One result a case; where CPU and GPU both judged it, the one that failed, else the GPU's."""
        merged: dict[int, CaseResult] = {}
        for (_, index), result in sorted(self._cases.items()):
            if index not in merged or merged[index].passed:
                merged[index] = result
        return [merged[index] for index in sorted(merged)]

    def case_in(self, language: str, name: str) -> str:
        """What ``language`` calls the case ``name``: one that was judged, or the traced one."""
        if name == self.traced_case:
            return self._traced_names.get(language, name)
        return next((case.name_in(language) for case in self._cases.values() if case.name == name), name)

    @property
    def wrote(self) -> bool:
        """Whether some kernel's store or atomic had an active lane."""
        return any(site.op != "load" and site.lanes_on > 0 for launch in self.launches for site in launch.sites)

    @property
    def verdict(self) -> Verdict | None:
        """None while the run goes on, when it was cancelled, and when all of only some stages went well."""
        if not self.finished or self.cancelled:
            return None
        if self.broken is not None or (self.lost is not None and not self.lost.learner):
            return "error"
        if self.lost is not None or any(finding.severity == "error" for finding in self._found):
            return "fail"
        if not all(case.passed for case in self.cases):
            return "fail"
        stages = self.stages
        if any(stage not in stages for stage in _JUDGING):
            return None
        if any(stages[stage] != "done" and self._reasons.get(stage) != NO_KERNEL for stage in _JUDGING):
            return "error"
        wrote = self.wrote or self._reasons.get("trace") == NO_KERNEL
        return "pass" if wrote and self.cases else "fail"

    @property
    def merely_slow(self) -> bool:
        """Every case is right, and what keeps it from passing is no error elsewhere: it is worth measuring."""
        errors = [finding for finding in self._found if finding.severity == "error"]
        right = bool(self.cases) and all(case.passed for case in self.cases)
        return right and bool(errors) and all(entry(finding.id).severity != "error" for finding in errors)

    @property
    def diagnosis(self) -> str | None:
        """What it says first: the id of a finding that is no mere note, else ``pass``; None without a verdict."""
        verdict = self.verdict
        if verdict in (None, "error"):
            return None
        first = next((finding.id for finding in self.findings if finding.severity != "note"), None)
        return first or ("pass" if verdict == "pass" else "value-mismatch")

    def shows(self, options: Collection[str]) -> str | None:
        """Which of ``options`` it shows: its diagnosis, or what follows from that; the diagnosis where it is none."""
        said = self.diagnosis
        if said is None or said in options:
            return said
        follows = (finding.id for finding in self.findings if finding.caused_by == said)
        return next((identifier for identifier in follows if identifier in options), said)

    def as_json(self, language: Language) -> dict[str, Any]:
        """What ``tritontui check --json`` prints, with the messages in ``language``."""
        return {
            "schema": SCHEMA,
            "exercise": self.exercise,
            "device": self.device,
            "target": self.target,
            "verdict": self.verdict,
            "cases": [_case_json(case, language) for case in self.cases],
            "findings": [_finding_json(finding, language) for finding in self.findings],
            "workload": _builtins(self.workload),
            "measurement": _builtins(self.measurement),
            "compiler": _builtins(self.compiler),
            "tuned": [_builtins(tuned) for tuned in self.tuned.values()],
            "timings_ms": {stage: round(spent, 1) for stage, spent in self.timings.items()},
            "output": self.output,
            "output_dropped": self.output_dropped,
            "error": self._error_json(),
        }

    def _error_json(self) -> dict[str, Any] | None:
        if self.broken is not None:
            return {"message": self.broken.message, "details": self.broken.details}
        if self.lost is not None and not self.lost.learner:
            return {"message": f"the runner was lost: {self.lost.reason}", "details": _exit_words(self.lost.exit_code)}
        return None


NO_KERNEL = "no-kernel"
"""Why an exercise about host code alone skips the stages of kernels."""

_JUDGING: tuple[StageName, ...] = ("trace", "legality", "cases")
"""Stages without which nothing is passed."""


_TELLING: tuple[StageState, ...] = ("running", "stopped", "done", "skipped", "waiting")
"""A stage in two children is in the first of these that holds for either."""


def _overall(states: Collection[StageState]) -> StageState:
    return min(states, key=_TELLING.index, default="waiting")


def _distinct(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Each fact once: CPU and GPU, or two cases, may both have seen it, and only the CPU can say on which line."""
    seen: list[Finding] = []
    for finding in findings:
        if finding not in seen and not any(_says_more(other, finding) for other in findings):
            seen.append(finding)
            yield finding


def _says_more(one: Finding, other: Finding) -> bool:
    """Whether ``one`` places on a line what ``other`` only tells of the same case."""
    return (
        other.line is None
        and one.line is not None
        and one.id == other.id
        and "case" in other.params
        and one.params.get("case") == other.params["case"]
    )


def _case_json(case: CaseResult, language: Language) -> dict[str, Any]:
    return {"name": case.name_in(language), "passed": case.passed, "first_mismatch": _builtins(case.first_mismatch)}


def _finding_json(finding: Finding, language: Language) -> dict[str, Any]:
    explanation = explain(finding, language)
    return {
        "id": finding.id,
        "severity": finding.severity,
        "line": finding.line,
        "column": finding.column,
        "tensor": finding.tensor,
        "program": finding.program,
        "lanes": [list(lanes) for lanes in finding.lanes],
        "message": explanation.message,
        "fix": explanation.fix,
        "lesson": explanation.lesson,
        "caused_by": finding.caused_by,
    }


def _builtins(value: msgspec.Struct | None) -> Any:
    return msgspec.to_builtins(value)


def _exit_words(exit_code: int | None) -> str:
    if exit_code is None:
        return "exit code unknown"
    return f"killed by signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
