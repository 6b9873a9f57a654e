"""The figures of a judged corpus, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.runner.mutants.judging import Judged


@dataclass(frozen=True)
class Figures:
    """Of one corpus. Shares are of the mutants that are wrong, and of those with a specific diagnosis."""

    outcomes: Counter[str]
    lines: Counter[str]

    @classmethod
    def of(cls, rows: Sequence[Judged]) -> Figures:
        named = [row for row in rows if row.outcome in ("found", "warned")]
        return cls(Counter(row.outcome for row in rows), Counter(row.line for row in named))

    @property
    def wrong(self) -> int:
        return sum(self.outcomes.values()) - self.outcomes["equivalent"]

    @property
    def specific(self) -> float:
        return (self.outcomes["found"] + self.outcomes["warned"]) / max(1, self.wrong)

    @property
    def on_line(self) -> float:
        return 1 - self.lines["wrong"] / max(1, sum(self.lines.values()))

    def table(self) -> list[str]:
        """Rows of Markdown."""
        outcomes, lines = self.outcomes, self.lines
        named = outcomes["found"] + outcomes["warned"]
        rows = [
            ("mutants", sum(outcomes.values()), ""),
            ("right after all (tests/runner/mutants/equivalent.toml says why)", outcomes["equivalent"], ""),
            ("wrong", self.wrong, ""),
            ("crashes of the judge", outcomes["crash"], "0"),
            ("hangs", outcomes["hang"], "0"),
            ("wrong and passed without a word", outcomes["passed"], "0"),
            ("a specific diagnosis first", f"{named} ({100 * self.specific:.1f} %)", "≥ 90 %"),
            ("… of them a warning: the values are right here, by luck", outcomes["warned"], ""),
            ("… on the changed line", lines["fault"], ""),
            ("… on a line declared to be right too", lines["also"], ""),
            ("… on one of the two", f"{100 * self.on_line:.1f} %", "≥ 95 %"),
        ]
        return [
            "| | | target |",
            "|---|---:|---:|",
            *(f"| {name} | {value} | {target} |" for name, value, target in rows),
        ]


def outside(rows: Sequence[Judged]) -> list[str]:
    """What isn't as it should be, one line each."""
    return [
        describe(row)
        for row in rows
        if row.outcome in ("crash", "hang", "passed", "vague") or (row.outcome != "equivalent" and row.line == "wrong")
    ]


def describe(row: Judged) -> str:
    said = f"{row.first.id}, line {row.first.line}" if row.first is not None else "nothing"
    why = row.outcome if row.outcome not in ("found", "warned") else "another line"
    return f"{why}: {row.mutant.name}: {said}: {row.mutant.after}"
