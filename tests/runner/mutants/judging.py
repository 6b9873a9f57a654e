"""What the judge says of each mutant, and how right that is."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.runner.mutants.corpus import Subject
from tests.runner.mutants.source import Mutant
from tritontui.diagnosis import Finding
from tritontui.engine.engine import Engine
from tritontui.engine.messages import StageName
from tritontui.engine.report import Report
from tritontui.toml import load_toml

STAGES: tuple[StageName, ...] = ("trace", "legality", "cases")
VAGUE = ("value-mismatch", "compile-error", "host-exception", "runner-lost")
"""Ids that say that something is wrong, not what."""
EQUIVALENT: dict[str, list[dict[str, Any]]] = load_toml(Path(__file__).parent / "equivalent.toml")
"""Mutants that pass because they are right after all, by name, each with the reason."""

Outcome = Literal["found", "warned", "vague", "passed", "equivalent", "crash", "hang"]
"""``warned``: the values are right on this machine, and a warning says why they needn't be."""


@dataclass(frozen=True)
class Judged:
    """One mutant and what was said of it."""

    mutant: Mutant
    report: Report
    seconds: float

    @property
    def first(self) -> Finding | None:
        """What the learner reads first."""
        return next(iter(self.report.findings), None)

    @property
    def outcome(self) -> Outcome:
        report = self.report
        if report.broken is not None or (report.lost is not None and report.lost.reason != "deadline"):
            return "crash"
        if report.lost is not None:
            return "hang"
        if report.verdict == "pass":
            if self.first is not None and self.first.severity == "warning":
                return "warned"
            return "equivalent" if equivalence(self.mutant) else "passed"
        if report.verdict != "fail" or self.first is None:
            return "crash"
        if self.first.severity == "warning":  # a case may have been too large for the interpreter
            return "warned"
        return "vague" if self.first.id in VAGUE else "found"

    @property
    def line(self) -> Literal["fault", "also", "wrong"]:
        """Whether the blamed line is the fault's, one declared to be right too, or neither."""
        line = self.first.line if self.first is not None else None
        if line == self.mutant.line:
            return "fault"
        return "also" if line in self.mutant.also else "wrong"


def equivalence(mutant: Mutant) -> str:
    """Why the mutant is right; empty when nobody has shown that it is."""
    for entry in EQUIVALENT.get(mutant.kind, ()):
        known = entry["exercises"] == ["*"] or mutant.exercise in entry["exercises"]
        if known and entry.get("after", "") in mutant.after and entry.get("before", "") in mutant.before:
            return str(entry["why"])
    return ""


async def judged(engine: Engine, subject: Subject, mutants: Iterable[Mutant]) -> AsyncIterator[Judged]:
    for one in mutants:
        begin = time.perf_counter()
        report = Report(subject.name, stages=STAGES)
        async for reply in engine.judge(subject.folder, one.text, "mine.py", stages=STAGES):
            report.add(reply)
        yield Judged(one, report, time.perf_counter() - begin)
