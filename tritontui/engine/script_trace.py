"""What is known of one run of a script, gathered from its replies: launch by launch, and as a whole."""

from __future__ import annotations

from tritontui.diagnosis import Finding, rank
from tritontui.engine.messages import (
    INTERRUPTED,
    Broken,
    Compiled,
    CompilerReport,
    Counted,
    Done,
    Found,
    LaunchSummary,
    Lost,
    Output,
    Reply,
    ScriptDone,
    Traced,
)
from tritontui.engine.report import Report


class ScriptTrace:
    """Add the replies as they come, then read off what the script and each of its launches did."""

    def __init__(self) -> None:
        self.run: int | None = None
        self.launches: list[LaunchSummary] = []
        self.findings: dict[int | None, list[Finding]] = {}
        """By launch; None: the script as a whole."""
        self._compiled: dict[int, CompilerReport] = {}
        self.done: ScriptDone | None = None
        self.output = ""
        self.output_dropped = 0
        """Bytes printed over the cap."""
        self.broken: Broken | None = None
        self.lost: Lost | None = None
        self._counted = 0
        self.finished = False
        """Nothing more will come: the script ended, was stopped, or could not be traced."""

    def add(self, reply: Reply) -> None:
        """Take one reply in."""
        self.run = self.run or getattr(reply, "run", None)
        match reply:
            case Traced():
                self.launches += reply.launches
            case Found():
                self.findings.setdefault(reply.launch, []).extend(reply.findings)
            case Compiled():
                self._compiled |= dict.fromkeys(reply.launches, reply.report)
            case Output():
                self.output += reply.text
                self.output_dropped += reply.dropped
            case Counted():
                self._counted = reply.launches
            case ScriptDone():
                self.done = reply
                self._counted = reply.launches
            case Broken():
                self.broken = reply
            case Lost():
                self.lost = reply
            case Done():
                self.finished = True
            case _:
                pass

    @property
    def failure(self) -> str:
        """Why tritontui or the machine couldn't finish; empty when they could."""
        if self.broken is not None:
            return f"{self.broken.message}\n{self.broken.details}".rstrip()
        return f"the runner was lost: {self.lost.reason}" if self.lost is not None and not self.died else ""

    @property
    def died(self) -> bool:
        """The script ended its own process, by a wild address for one; a finding says where."""
        return self.lost is not None and self.lost.learner

    @property
    def only_counted(self) -> int:
        """Launches of which nothing is told: each is like one that is."""
        return max(0, self._counted - len(self.launches))

    @property
    def stopped(self) -> bool:
        """It was ended before its end, on purpose."""
        if self.done is not None:
            return self.done.exit_code == INTERRUPTED
        return self.finished and not self.failure and not self.died

    def about(self, launch: int | None) -> list[Finding]:
        """Findings of one launch, or of the script as a whole with what stopped it; causes first."""
        found = self.findings.get(launch, [])
        error = self.done.error if launch is None and self.done is not None else None
        return rank(found if error is None or error in found else [*found, error])

    def apart(self) -> list[Finding]:
        """Of the script as a whole, without what is said of a launch already: what stops a launch stops both."""
        said = {(one.id, one.line, one.column) for summary in self.launches for one in self.about(summary.launch)}
        return [one for one in self.about(None) if (one.id, one.line, one.column) not in said]

    def launch(self, number: int) -> LaunchSummary | None:
        """The launch of that number, if it was told of."""
        return next((one for one in self.launches if one.launch == number), None)

    def compiled(self, launch: int) -> CompilerReport | None:
        """The binary that this launch runs; None: it wasn't compiled, or is refused."""
        return self._compiled.get(launch)

    def report(self, number: int | None) -> Report:
        """One launch as the results show it, what the script printed included; None: the script as a whole."""
        report = Report("", stages=("trace",))
        report.run, report.output, report.output_dropped = self.run, self.output, self.output_dropped
        report.broken, report.lost, report.finished = self.broken, self.lost, self.finished
        launch = None if number is None else self.launch(number)
        replies: list[Reply] = [Found(self.run or 0, "trace", self.about(number), number)]
        if launch is not None:
            replies.append(Traced(self.run or 0, [launch]))
            if (compiled := self.compiled(launch.launch)) is not None:
                replies.append(Compiled(self.run or 0, compiled))
        for reply in replies:
            report.add(reply)
        return report

    @property
    def wrong(self) -> bool:
        """Whether any launch, or the script itself, is at fault."""
        errors = any(finding.severity == "error" for found in self.findings.values() for finding in found)
        return errors or (self.done is not None and (self.done.error is not None or self.done.exit_code != 0))

    @property
    def clean(self) -> bool:
        """Whether it launched something, ran to its end, and nothing in it is at fault."""
        return bool(self.launches) and self.done is not None and not self.failure and not self.wrong
