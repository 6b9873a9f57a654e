"""One run of the judge: what it was asked, what is known so far, and what has been said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from msgspec.structs import replace

from tritontui.diagnosis import review
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Found, Judge, Reply, StageName
from tritontui.engine.targets import TARGET_KNOB
from tritontui.runner.cases.check import CaseOutcome
from tritontui.runner.cases.contract import contract_of
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.explaining import verdicts
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.session import Session
from tritontui.runner.spec import Exercise, Trial
from tritontui.runner.submission import Submission
from tritontui.runner.triton_compat import Tuning
from tritontui.runner.workbench import Tools


@dataclass
class Run:
    """Given to every stage; a stage leaves here what the later ones build on."""

    request: Judge
    send: Callable[[Reply], None]
    session: Session
    exercise: Exercise
    submission: Submission
    tools: Tools

    def __post_init__(self) -> None:
        self.number = self.request.run
        traced = self.exercise.trace_case
        self.traced_case = traced.turned(self.request.knobs) if traced is not None else None
        turned = self.request.knobs.get(TARGET_KNOB)
        self.target = str(turned) if turned else self.request.target or self.session.target
        self.loaded: Callable[..., Any] | None = None
        """The learner's function, once the submission is imported."""
        self.obstacle: str | None = None
        """Why the stages after this one can't run."""
        self.explained = False
        """The trace found an error: wrong values in the cases follow from it."""
        self.causes: set[str] = set()
        """Ids of what was said so far that says why values are wrong."""
        self.padding_lines: set[int | None] = set()
        """Lines of loads whose padding is said to be counted."""
        self.unsafe = False
        """The trace left the tensors: not for a GPU."""
        self.wrong = False
        """A case failed: not worth measuring."""
        self.shown: tuple[CaseOutcome, verdicts.Owner | None] | None = None
        """The first case with wrong values, or the one that the access map shows."""
        self.launches: list[Launch] = []
        self.noted: list[Launch] = []
        """Of the cases."""
        self.large: list[Launch] | None = None
        """Launches of the measured case, once they are known."""
        self.tunings: dict[str, Tuning] = {}
        """Of the measured case on the CPU, of the cases so far on a GPU, by kernel."""
        self.deferred: Finding | None = None
        """What stopped the kernel under the interpreter, until the compiler has had its say on the same fault."""
        self.blame = Blame(self.submission, self.exercise.entry, self.session.device)
        self.contract = contract_of(self.exercise, self.submission.text)
        self._said: set[tuple[Any, ...]] = set()
        self._in_error = False
        """Something that was said is an error."""
        self._held: list[tuple[StageName, Finding]] = []
        """What the exercise's ``must_not`` names, until it is known whether everything else is right."""
        self._holds = True

    @property
    def on_cpu(self) -> bool:
        """Whether this child stands for a GPU: in lockstep, and compiling for a target."""
        return self.session.device == "cpu"

    @property
    def device(self) -> torch.device:
        return torch.device(self.session.device)

    @property
    def function(self) -> Callable[..., Any]:
        """The learner's function; no stage runs without one."""
        assert self.loaded is not None
        return self.loaded

    @property
    def trials(self) -> Sequence[Trial]:
        """Those of the exercise that this child may run."""
        return () if self.exercise.trials_in_lockstep and not self.on_cpu else self.exercise.trials

    def check_cancelled(self) -> None:
        """Raises ``session.RunCancelled`` when nobody wants this run any more."""
        self.session.check_cancelled(self.number)

    def say(self, stage: StageName, findings: Sequence[Finding]) -> None:
        """Emit what hasn't been said in this run; what the exercise's ``must_not`` names waits for ``say_held``."""
        barred = [f for f in findings if f.id in self.exercise.must_not and f.severity != "error"]
        findings = [finding for finding in findings if finding not in barred]
        if self._holds:
            self._held += [(stage, finding) for finding in barred]
        else:
            findings += [replace(finding, severity="error") for finding in barred]
        new: dict[tuple[Any, ...], Finding] = {}
        for finding in findings:
            new.setdefault(verdicts.identity(finding), finding)
        fresh = [finding for key, finding in new.items() if key not in self._said]
        self._said.update(new)
        self.causes |= {finding.id for finding in fresh if verdicts.explains_values(finding)}
        self._in_error = self._in_error or any(finding.severity == "error" for finding in fresh)
        self.padding_lines |= {finding.line for finding in fresh if finding.id in verdicts.OF_PADDING}
        if fresh:
            self.send(Found(self.number, stage, fresh))

    def say_held(self) -> None:
        """What an otherwise right submission must not do, as errors; nothing while something else is wrong."""
        self._holds = False
        if not self.wrong and not self._in_error:
            for stage, finding in self._held:
                self.say(stage, [finding])
        self._held.clear()

    def say_deferred(self) -> None:
        if self.deferred is not None:
            self.say("trace", [self.deferred])
            self.deferred = None

    def review(self, stage: StageName, *, wrong: bool) -> None:
        """Say what the text alone tells of the kernels that were launched."""
        text, kernels = self.submission.text, [launch.kernel.fn.__name__ for launch in self.launches]
        returned = review.returned_values(text, kernels)
        self.explained = self.explained or bool(returned)
        self.say(stage, returned + (review.exchanged_arguments(text, kernels) if wrong or returned else []))
