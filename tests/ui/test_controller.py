"""Debounce, cancelling and staleness, against judges whose every reply the test hands out itself."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from tritontui.course.model import ExerciseFolder, KnobValue
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import CaseDone, CaseResult, Done, Found, Reply, StageDone, StageName, Traced
from tritontui.i18n import Language, Translator
from tritontui.ui.runs.controller import LIVE_STAGES, Controller, View
from tritontui.ui.views.status import SEALED, verdict_sign

EXERCISE = ExerciseFolder("vector_add", Path("/nowhere/vector_add"), {"en": "Vector add", "it": "Somma"})
OUT_OF_BOUNDS = Finding(id="out-of-bounds-read", severity="error", line=3)


class HandedOut:
    """Judges that answer what the test puts into ``replies``, run by run."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, tuple[StageName, ...]]] = []
        self.replies: list[asyncio.Queue[Reply]] = []
        self.ended: list[int] = []
        self.started = asyncio.Event()

    async def judge(
        self,
        exercise: Path,
        source: str,
        filename: str,
        *,
        stages: Sequence[StageName],
        target: str | None = None,
        knobs: Mapping[str, KnobValue] | None = None,
        max_changed_lines: int | None = None,
    ) -> AsyncIterator[Reply]:
        number = len(self.runs)
        self.runs.append((source, tuple(stages)))
        self.replies.append(asyncio.Queue())
        self.started.set()
        try:
            while True:
                reply = await self.replies[number].get()
                yield reply
                if isinstance(reply, Done):
                    return
        finally:
            self.ended.append(number)

    def answer(self, run: int, *replies: Reply) -> None:
        for reply in replies:
            self.replies[run].put_nowait(reply)


class Watched:
    """A controller with every view it has shown."""

    def __init__(self, *, pause: float = 0.0, can_measure: bool = False) -> None:
        self.judges = HandedOut()
        self.views: list[View] = []
        self.changed = asyncio.Event()
        self.controller = Controller(
            lambda: self.judges,
            self._show,
            filename=lambda exercise: f"{exercise.id}.py",
            can_measure=lambda: can_measure,
            pause=pause,
            still=pause,
        )

    def _show(self, view: View) -> None:
        self.views.append(view)
        self.changed.set()

    async def until(self, condition) -> View:
        while not condition(self.controller.view):
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 5)
        return self.controller.view

    async def runs(self, count: int) -> None:
        while len(self.judges.runs) < count:
            self.judges.started.clear()
            await asyncio.wait_for(self.judges.started.wait(), 5)


def passing(run: int) -> list[Reply]:
    stages = [StageDone(run, stage, 1.0) for stage in LIVE_STAGES]
    return [CaseDone(run, "cpu", CaseResult(name="n = 1", passed=True, milliseconds=1.0), 0, 1), *stages, Done(run)]


async def test_opening_judges_at_once_and_shows_the_first_evidence() -> None:
    watched = Watched()
    watched.controller.open(EXERCISE, "x = 1\n")
    await watched.runs(1)
    assert watched.judges.runs == [("x = 1\n", LIVE_STAGES)]
    assert watched.controller.view.running
    watched.judges.answer(0, Found(1, "trace", [OUT_OF_BOUNDS]))
    view = await watched.until(lambda view: view.findings)
    assert view.verdict == "fail" and view.running and not view.stale
    watched.judges.answer(0, Done(1))
    view = await watched.until(lambda view: not view.running)
    assert view.verdict == "fail"


async def test_an_edit_makes_the_result_stale_and_cancels_the_run() -> None:
    watched = Watched()
    watched.controller.open(EXERCISE, "x = 1\n")
    await watched.runs(1)
    watched.judges.answer(0, Found(1, "trace", [OUT_OF_BOUNDS]), Done(1))
    await watched.until(lambda view: not view.running)
    watched.controller.edited("x = 2\n")
    assert watched.controller.view.stale and watched.controller.view.verdict is None
    await watched.runs(2)
    assert watched.controller.view.stale, "the old result stays, as an old one, until the new run says something"
    watched.controller.edited("x = 3\n")
    await watched.runs(3)
    assert 1 in watched.judges.ended
    assert watched.judges.runs[2][0] == "x = 3\n"
    watched.judges.answer(2, Traced(3, []), Done(3))
    view = await watched.until(lambda view: not view.running)
    assert view.source == "x = 3\n" and not view.stale and view.findings == []


async def test_no_view_ever_gives_a_verdict_on_another_text() -> None:
    watched = Watched()
    watched.controller.open(EXERCISE, "x = 0\n")
    for number in range(1, 6):
        await watched.runs(number)
        watched.judges.answer(number - 1, Found(number, "trace", [OUT_OF_BOUNDS]))
        await watched.until(lambda view: view.findings and not view.stale)
        watched.controller.edited(f"x = {number}\n")
    texts = [f"x = {number}\n" for number in range(6)]
    newest = iter(texts)
    current = next(newest)
    for view in watched.views:
        if view.stale and view.source == current:
            current = next(newest)
        assert view.verdict is None or view.source == current


async def test_typing_fast_runs_once() -> None:
    watched = Watched(pause=0.05)
    watched.controller.open(EXERCISE, "")
    await watched.runs(1)
    for number in range(20):
        watched.controller.edited(f"x = {number}\n")
    await watched.runs(2)
    assert [source for source, _ in watched.judges.runs] == ["", "x = 19\n"]


async def test_a_syntax_error_is_said_at_once_and_not_run() -> None:
    watched = Watched()
    watched.controller.open(EXERCISE, "x = 1\n")
    await watched.runs(1)
    watched.controller.edited("def f(:\n")
    view = watched.controller.view
    assert view.syntax is not None and view.verdict == "fail" and view.findings == [view.syntax]
    watched.controller.edited("x = 2\n")
    assert watched.controller.view.syntax is None
    await watched.runs(2)
    assert [source for source, _ in watched.judges.runs] == ["x = 1\n", "x = 2\n"]


async def test_live_mode_off_waits_for_the_key() -> None:
    watched = Watched()
    watched.controller.live = False
    watched.controller.open(EXERCISE, "x = 1\n")
    watched.controller.edited("x = 2\n")
    await asyncio.get_running_loop().run_in_executor(None, lambda: None)
    assert watched.judges.runs == []
    watched.controller.run_now()
    await watched.runs(1)
    assert "measure" in watched.judges.runs[0][1]


@pytest.mark.parametrize("can_measure", [True, False])
async def test_a_pass_is_measured_by_itself_only_on_a_gpu(can_measure: bool) -> None:
    watched = Watched(can_measure=can_measure)
    watched.controller.open(EXERCISE, "x = 1\n")
    await watched.runs(1)
    watched.judges.answer(0, Traced(1, []), *passing(1))
    await watched.until(lambda view: not view.running)
    assert watched.controller.view.report.verdict in ("pass", "fail")
    if can_measure and watched.controller.view.verdict == "pass":
        await watched.runs(2)
        assert "measure" in watched.judges.runs[1][1]
    else:
        assert len(watched.judges.runs) == 1


async def test_judges_that_break_are_shown_as_a_defect_and_the_next_run_goes_on() -> None:
    watched = Watched()

    async def broken(*args, **keywords):
        raise RuntimeError("no such pipe")
        yield

    judge, watched.judges.judge = watched.judges.judge, broken
    watched.controller.open(EXERCISE, "x = 1\n")
    view = await watched.until(lambda view: view.report is not None and not view.running)
    assert view.verdict == "error" and "no such pipe" in view.report.broken.message
    watched.judges.judge = judge
    watched.controller.edited("x = 2\n")
    await watched.runs(1)
    watched.judges.answer(0, Traced(1, []), Done(1))
    view = await watched.until(lambda view: not view.running)
    assert view.source == "x = 2\n" and view.report.broken is None


async def test_closing_ends_the_run() -> None:
    watched = Watched()
    watched.controller.open(EXERCISE, "x = 1\n")
    await watched.runs(1)
    await watched.controller.close()
    assert watched.judges.ended == [0]


async def test_a_text_given_for_a_later_step_is_no_try(tmp_path: Path) -> None:
    (tmp_path / "starter.py").write_text("given")
    exercise = ExerciseFolder("later", tmp_path, EXERCISE.title)
    watched = Watched()
    watched.controller.place(ahead=True)
    watched.controller.open(exercise, "given")
    await watched.runs(1)
    watched.judges.answer(0, Found(1, "trace", [OUT_OF_BOUNDS]), Done(1))
    view = await watched.until(lambda view: view.verdict == "fail" and not view.running)
    assert verdict_sign(view) == ("", "")
    watched.controller.place(ahead=False)
    assert verdict_sign(watched.controller.view)[0] == "✗"
    watched.controller.place(ahead=True)
    watched.controller.edited("tried")
    await watched.runs(2)
    watched.judges.answer(1, Found(2, "trace", [OUT_OF_BOUNDS]), Done(2))
    view = await watched.until(lambda view: view.verdict == "fail" and not view.running)
    assert verdict_sign(view)[0] == "✗"


@pytest.mark.parametrize("language", ["en", "it"])
def test_what_the_results_wait_for_fits_a_narrow_terminal(language: Language) -> None:
    tr = Translator(language)
    assert all(len(tr(words, key="^R")) < 80 for words in SEALED.values())
