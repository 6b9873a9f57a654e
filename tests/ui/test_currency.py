"""Nothing of an earlier text, or of another lesson, is shown as if it were of the text in the editor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from driving import WAIT_S, Driver, opened, solution
from fake_engine import WRONG, FakeEngine
from textual.events import Paste

from tritontui.engine.messages import Reply
from tritontui.ui.learner.desk import Place
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.tab_line import TabLine

AN_EARLIER = "of an earlier text"


class Held(FakeEngine):
    """Says nothing of a run until it is let go."""

    def __init__(self) -> None:
        super().__init__(gpu=False)
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    def hold(self) -> None:
        self.asked.clear()
        self.go.clear()

    async def judge(self, exercise: Path, source: str, filename: str, **how: Any) -> AsyncIterator[Reply]:
        self.asked.set()
        await self.go.wait()
        async for reply in super().judge(exercise, source, filename, **how):
            yield reply


async def tabs_that_say_so(driver: Driver) -> list[str]:
    """Of the results: those under a line that says that they are of an earlier text. Each is shown once."""
    results = driver.workspace.results
    line = results.query_one(TabLine)
    said = []
    for name in results.offered:
        results.pick(name)
        await driver.pilot.pause()
        if AN_EARLIER in line.render_line(0).text:
            said.append(name)
    return said


async def test_each_result_of_an_earlier_text_says_so(home: Path) -> None:
    """From the edit on, through the run on the new text, until that run says something; at every size."""
    engine = Held()
    async with opened((80, 24), engine=engine) as driver:
        app, results = driver.app, driver.workspace.results
        await driver.go("write-it")
        await driver.set_text(solution())
        await driver.judged()
        await driver.workspace.run_action("show_result('verdict')")
        assert results.offered and await tabs_that_say_so(driver) == []

        app.controller.live = False
        await driver.set_text(f"{solution()}{WRONG}\n")
        assert await tabs_that_say_so(driver) == results.offered, "the text has been edited"

        engine.hold()
        app.controller.judge()
        await asyncio.wait_for(engine.asked.wait(), WAIT_S)
        for size in ((100, 30), (120, 40)):
            await driver.pilot.resize_terminal(*size)
            assert app.controller.view.running
            assert await tabs_that_say_so(driver) == results.offered, "a run is under way"
        assert driver.workspace.query_one(EvidenceStrip).rows[0].plain == "… judging the new text"

        engine.go.set()
        await driver.judged()
        assert await tabs_that_say_so(driver) == []
        assert app.controller.view.verdict == "fail"


async def test_a_verdict_that_comes_late_is_not_shown_in_another_lesson(home: Path) -> None:
    engine = Held()
    async with opened(engine=engine) as driver:
        app = driver.app
        await driver.go("write-it")
        engine.hold()
        await driver.set_text(f"{solution()}{WRONG}\n")
        await asyncio.wait_for(engine.asked.wait(), WAIT_S)
        driver.workspace.go(Place(app.study.desk.place.lesson + 1, 0))
        engine.go.set()
        await driver.until(lambda: not app.controller.view.running)
        there = app.controller.view
        assert there.exercise == app.study.exercise and WRONG not in there.source
        assert not any(finding.id == "program-id-unused" for finding in there.findings)
        assert WRONG in driver.workspace.study.work.read("vector_add")


async def test_a_run_under_way_bears_resizes_pastes_and_a_held_key(home: Path) -> None:
    engine = Held()
    async with opened(engine=engine) as driver:
        app, editor = driver.app, driver.workspace.editor
        await driver.go("write-it")
        await driver.set_text(solution())
        await driver.judged()
        editor.focus()
        engine.hold()
        app.controller.judge()
        await asyncio.wait_for(engine.asked.wait(), WAIT_S)
        for size in ((80, 24), (30, 8), (200, 60), (100, 30)):
            await driver.pilot.resize_terminal(*size)
        lines = editor.document.line_count
        editor.post_message(Paste("y = 1\n" * 5000))
        await driver.press("number_sign", *["x"] * 20)
        assert editor.document.line_count == lines + 5000 and "#" + "x" * 20 in editor.text
        assert app.controller.view.stale and app.controller.view.verdict is None
        engine.go.set()
        await driver.judged()
        assert app.is_running and app.controller.view.source == editor.text
