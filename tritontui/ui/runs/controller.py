"""From the editor's text to its results: debounce, live runs, cancelling, and nothing stale shown as current.

The engine's modules are loaded with the first run, not with the first frame.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from tritontui.course.model import ExerciseFolder, KnobValue

if TYPE_CHECKING:
    from tritontui.diagnosis.finding import Finding
    from tritontui.engine.messages import Reply, StageName
    from tritontui.engine.report import Report

Seal = Literal["", "questions", "step", "prediction", "break"]
"""What a kernel waits for before it is judged: answers to the questions of its own step, which also open the editor, or
of the predict step beside which it merely stands; or the learner's word on the verdict, or on what a break will show,
after which ^R asks for it."""

PAUSE_S = 0.4
"""After the last key, before a live run."""
STILL_S = 2.0
"""After the last key, before a passing kernel is measured by itself."""
OFTEN_S = 0.05
"""Cases and output may come by the hundred: their views are at least this far apart."""
QUICK_CHARACTERS = 50_000
"""Parsed in a few milliseconds."""
LIVE_STAGES: tuple[StageName, ...] = ("trace", "legality", "cases", "compile")
EXPLORING_STAGES: tuple[StageName, ...] = ("trace", "legality", "compile")
"""Without a reference there are no cases."""


class Judges(Protocol):
    """The part of the engine that is needed here."""

    def judge(
        self,
        exercise: Path,
        source: str,
        filename: str,
        *,
        stages: Sequence[StageName],
        target: str | None = None,
        knobs: Mapping[str, KnobValue] | None = None,
        max_changed_lines: int | None = None,
    ) -> AsyncIterator[Reply]: ...


class View(NamedTuple):
    """What the results panes show: one report, and how it relates to the text in the editor."""

    exercise: ExerciseFolder | None = None
    report: Report | None = None
    source: str = ""
    """The text that was judged."""
    knobs: Mapping[str, KnobValue] = MappingProxyType({})
    """How the knobs stood for it."""
    stale: bool = False
    """The editor holds another text by now."""
    running: bool = False
    """A run is under way: of this report, or of a newer one that has nothing to show yet."""
    sealed: Seal = ""
    """Why nothing is judged yet."""
    syntax: Finding | None = None
    """What is wrong with the text as it stands, before any run."""
    ahead: bool = False
    """The exercise is that of a later step."""
    replies: int = 0
    """Grows with what the report has taken in: two views of one report are not the same."""

    @property
    def verdict(self) -> str | None:
        """The verdict of the text in the editor; None while it isn't known."""
        if self.syntax is not None:
            return "fail"
        if self.report is None or self.stale:
            return None
        if self.report.verdict is None and any(finding.severity == "error" for finding in self.report.findings):
            return "fail"  # an error stays one, whatever the stages to come say
        return self.report.verdict

    @property
    def untried(self) -> bool:
        """Whether this is about the text that was given for a step to come: no try of the learner's."""
        return self.ahead and self.exercise is not None and self.source == self.exercise.starter_text

    @property
    def findings(self) -> list[Finding]:
        """Findings on the text as it stands (a syntax error hides everything else), cause first."""
        if self.syntax is not None:
            return [self.syntax]
        return self.report.findings if self.report is not None else []


def has_something(report: Report) -> bool:
    """Whether a report can take the place of the one before it."""
    return bool(report.finished or report.launches or report.findings or report.cases or report.output or report.lost)


def quick_syntax(text: str) -> Finding | None:
    """What Python itself says at once; a text too long for the time of a keystroke waits for its run."""
    from tritontui.diagnosis import check_syntax

    return check_syntax(text) if len(text) <= QUICK_CHARACTERS else None


class Controller:
    """Runs the judges on the newest text; ``judges`` gives them when they are first needed.

    ``changed`` is called with each new view, on the event loop.
    """

    def __init__(
        self,
        judges: Callable[[], Judges],
        changed: Callable[[View], None],
        *,
        filename: Callable[[ExerciseFolder], str],
        before_run: Callable[[], None] = lambda: None,
        can_measure: Callable[[], bool] = lambda: False,
        pause: float = PAUSE_S,
        still: float = STILL_S,
    ) -> None:
        self._judges = judges
        self._changed = changed
        self._filename = filename
        self._before_run = before_run
        self._can_measure = can_measure
        self._pause = pause
        self._still = still
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._text = ""
        self.knobs: dict[str, KnobValue] = {}
        """How the knobs of the exercise stand."""
        self._ahead = False
        self._counter = count(1)
        self._shown_at = 0.0
        self.live = True
        self.target: str | None = None
        """What to compile for, instead of what the engine would choose."""
        self.view = View()

    def open(self, exercise: ExerciseFolder | None, text: str, *, sealed: Seal = "") -> None:
        """Another exercise is on the desk: forget the old one's results and judge this one, unless it is sealed."""
        self._stop()
        self._text = text
        self.knobs = exercise.start if exercise is not None else {}
        syntax = None if sealed else quick_syntax(text)
        self._show(View(exercise, sealed=sealed, syntax=syntax, replies=next(self._counter)))
        if self.live:
            self._schedule(0.0, LIVE_STAGES)

    def place(self, *, ahead: bool) -> None:
        """Another step is on the desk; ``ahead``: that of the exercise is still to come."""
        self._ahead = ahead
        if self.view.ahead != ahead:
            self._show(self.view)

    def seal(self, reason: Seal) -> None:
        """Show nothing more, and judge nothing, until the learner has answered."""
        self._stop()
        self._show(View(self.view.exercise, sealed=reason, replies=next(self._counter)))

    def unseal(self, *, at_once: bool = True) -> None:
        """The learner has committed themselves: judge; with ``at_once`` false only if every text is judged."""
        self._show(self.view._replace(sealed="", syntax=quick_syntax(self._text)))
        if at_once or self.live:
            self._schedule(0.0, LIVE_STAGES)

    def turn(self, name: str, value: KnobValue) -> None:
        """A knob has another value: trace again at once, judged while typing or not."""
        self._stop()
        self.knobs[name] = value
        if self.view.syntax is None:
            self._schedule(0.0, LIVE_STAGES)

    @property
    def text(self) -> str:
        """The newest text it was told of."""
        return self._text

    def edited(self, text: str) -> None:
        """The text has changed: what is shown is stale, what is running is cancelled."""
        if text == self._text:
            return
        self._stop()
        self._text = text
        if self.view.sealed:
            return
        view = self.view
        syntax = quick_syntax(text)
        self._show(view._replace(stale=view.source != text or view.report is None, running=False, syntax=syntax))
        if self.live and syntax is None:
            self._schedule(self._pause, LIVE_STAGES)

    def run_now(self) -> None:
        """Judge at once, measuring included where there is a GPU."""
        self._stop()
        self._start((*LIVE_STAGES, "measure"))

    def judge(self) -> None:
        """Judge at once, without measuring."""
        self._stop()
        self._start(LIVE_STAGES)

    def hold(self) -> None:
        """Begin no run by itself until there is another text: something else has the engine."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def pause(self) -> None:
        """Stop and wait, for a while in which nothing can be followed."""
        await self.close()

    def resume(self) -> None:
        """Judge the text as it is now."""
        if self.live and self.view.syntax is None:
            self._schedule(0.0, LIVE_STAGES)

    async def close(self) -> None:
        """Cancel what runs and wait for it to end."""
        task = self._task
        self._stop()
        self.view = self.view._replace(running=False)
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    # ------------------------------------------------------------ one run

    def _schedule(self, delay: float, stages: Sequence[StageName]) -> None:
        self._timer = asyncio.get_running_loop().call_later(delay, self._start, stages)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _start(self, stages: Sequence[StageName]) -> None:
        self._timer = None
        exercise = self.view.exercise
        if exercise is None or self.view.sealed:
            return
        self._before_run()
        self._show(self.view._replace(running=True))
        stages = tuple(stages) if exercise.judged else EXPLORING_STAGES
        self._task = asyncio.create_task(self._follow(exercise, self._text, dict(self.knobs), stages))

    def _is_time(self, reply: Reply) -> bool:
        """Whether this reply should be shown now; what is left out comes with the next one, or with the last."""
        from tritontui.engine.messages import CaseDone, Output

        now = asyncio.get_running_loop().time()
        if isinstance(reply, CaseDone | Output) and now - self._shown_at < OFTEN_S:
            return False
        self._shown_at = now
        return True

    async def _follow(
        self, exercise: ExerciseFolder, text: str, knobs: Mapping[str, KnobValue], stages: tuple[StageName, ...]
    ) -> None:
        from tritontui.engine.messages import Broken, Done
        from tritontui.engine.report import Report

        report = Report(exercise.id, stages=stages)
        before = self.view
        again = before.report is not None and (before.source, before.knobs) == (text, knobs) and not before.stale
        replies = self._judges().judge(
            exercise.folder,
            text,
            self._filename(exercise),
            stages=stages,
            target=self.target,
            knobs=knobs,
            max_changed_lines=exercise.max_changed_lines,
        )
        try:
            async for reply in replies:
                report.add(reply)
                if report.finished or (has_something(report) and not again and self._is_time(reply)):
                    self._show(View(exercise, report, text, knobs, running=True, replies=next(self._counter)))
        except Exception as error:  # a defect, ours: shown as one, and the next run has its chance
            run = report.run or 0
            report.add(Broken(run, f"{type(error).__name__}: {error}", traceback.format_exc()))
            report.add(Done(run))
        self._task = None
        if self.live and report.verdict == "pass" and "measure" not in stages and self._can_measure():
            self._schedule(self._still - self._pause, (*LIVE_STAGES, "measure"))
        self._show(View(exercise, report, text, knobs, replies=next(self._counter)))

    def _show(self, view: View) -> None:
        view = view._replace(ahead=self._ahead)
        if view != self.view:
            self.view = view
            self._changed(view)
