"""What is known of one sweep so far: its points, joined from what CPU and GPU said, the best one, and its rivals."""

from __future__ import annotations

from typing import Any

import msgspec

from tritontui.course.model import Language
from tritontui.diagnosis import Finding, explain
from tritontui.engine.measuring import MeasuringRun
from tritontui.engine.messages import (
    Found,
    Reply,
    SweepPoint,
    SweepStarted,
)

SCHEMA = 1


class SweepResult(MeasuringRun):
    """One sweep: its points, joined from what CPU and GPU said."""

    def __init__(self, exercise: str) -> None:
        super().__init__()
        self.exercise = exercise
        self.plan: SweepStarted | None = None
        self.points: dict[int, SweepPoint] = {}
        """By index, in the order of ``plan.axes``, the last axis varying fastest."""
        self.device: str | None = None
        """Where times come from; None while there are none."""
        self._tried: set[tuple[str, int]] = set()
        self._refused: set[int] = set()
        """Points that the CPU found wrong: no GPU sees them."""

    def _take(self, reply: Reply) -> None:
        match reply:
            case SweepStarted():
                self.plan = self.plan or reply
            case SweepPoint():
                self.waiting = False
                self._tried.add((reply.device, reply.index))
                if reply.device == "cpu" and reply.problem is not None:
                    self._refused.add(reply.index)
                self._join(reply)
            case Found():
                self.waiting |= any(finding.id == "gpu-waiting" for finding in reply.findings)
                self.findings += [finding for finding in reply.findings if finding not in self.findings]
            case _:
                pass

    def _join(self, new: SweepPoint) -> None:
        """What the later reply leaves open stays as the earlier one said it."""
        if new.median_us is not None:
            self.device = new.device
        known = self.points.get(new.index)
        if known is not None:
            merged = {name: getattr(known, name) for name in known.__struct_fields__ if getattr(new, name) is None}
            new = msgspec.structs.replace(new, **merged)
        self.points[new.index] = new

    @property
    def progress(self) -> tuple[int, int]:
        """Points tried, of so many: a point that goes to the GPU as well counts twice."""
        total = self.plan.total if self.plan else 0
        timed = 0 if self.unmeasured else total - len(self._refused)
        return len(self._tried), total + timed

    @property
    def best(self) -> SweepPoint | None:
        """The quickest point, or for sizes the one with the most bandwidth; None while nothing is timed."""
        timed = [point for point in self.points.values() if point.median_us is not None]
        if self.plan is not None and self.plan.kind == "size":
            return max(timed, key=lambda point: point.gbps or point.tflops or 0.0, default=None)
        return min(timed, key=lambda point: point.median_us or 0.0, default=None)

    @property
    def ties(self) -> list[SweepPoint]:
        """Points of one case that the noise doesn't tell from the best: their quantiles 0.2…0.8 overlap with its."""
        best = self.best
        if best is None or self.plan is None or self.plan.kind == "size":
            return []
        return [
            point
            for _, point in sorted(self.points.items())
            if point.index != best.index and point.low_us is not None and point.low_us <= (best.high_us or 0.0)
        ]

    def as_json(self, language: Language) -> dict[str, Any]:
        """For scripts: every point with its figures, or with the reason why it has none, in ``language``."""
        best = self.best
        return {
            "schema": SCHEMA,
            "exercise": self.exercise,
            "device": self.device,
            "kind": self.plan.kind if self.plan else None,
            "axes": self.plan.axes if self.plan else {},
            "own": self.plan.own if self.plan else {},
            "fixed": self.plan.fixed if self.plan else {},
            "unmeasured": self.unmeasured,
            "points": [_point_json(point, language) for _, point in sorted(self.points.items())],
            "best": best.values if best else None,
            "ties": [point.values for point in self.ties],
            "findings": [_finding_json(finding, language) for finding in self.findings],
        }


def _point_json(point: SweepPoint, language: Language) -> dict[str, Any]:
    known = msgspec.to_builtins(point)
    for name in ("type", "run", "device", "index"):
        known.pop(name, None)
    known["problem"] = _finding_json(point.problem, language) if point.problem else None
    known["remarks"] = [remark.id for remark in point.remarks]
    return dict(known)


def _finding_json(finding: Finding, language: Language) -> dict[str, Any]:
    return {"id": finding.id, "line": finding.line, "message": explain(finding, language).message}
