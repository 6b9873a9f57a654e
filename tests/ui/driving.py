"""Drives the whole application in a test: real files, real runner, no sleeping."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from captured import CaptureDriver
from fake_engine import FakeEngine
from shared_engine import SharedEngine, shared_engine
from textual.pilot import Pilot

from tritontui.i18n import Language
from tritontui.ui.app import Options
from tritontui.ui.application import TritonApp
from tritontui.ui.learner.desk import Place
from tritontui.ui.screens.workspace import Workspace
from tritontui.ui.start.environment import prepare
from tritontui.ui.widgets.access_map import AccessMap
from tritontui.ui.widgets.drawn_rows import DrawnRows
from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.text_view import TextView

WAIT_S = 60.0
"""A cold child imports torch and compiles; a test that waits longer has failed."""


class Driver:
    """The application, its pilot, and a way to wait for what it says."""

    def __init__(self, app: TritonApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self._changed = asyncio.Event()
        for name in ("run_changed", "sweeps_changed", "engine_changed", "saved", "panes_changed", "experiment_changed"):
            self._listen(app.workspace, name)

    def _listen(self, workspace: Workspace, name: str) -> None:
        told: Callable[..., None] = getattr(workspace, name)

        def tell(*arguments: object) -> None:
            told(*arguments)
            self._changed.set()

        setattr(workspace, name, tell)

    @property
    def workspace(self) -> Workspace:
        return self.app.workspace

    @property
    def lesson(self) -> LessonView:
        return self.workspace.query_one(LessonView)

    @property
    def map(self) -> AccessMap:
        return self.workspace.query_one(AccessMap)

    async def until(self, condition: Callable[[], object], seconds: float = WAIT_S) -> None:
        """Until ``condition`` holds; it is looked at whenever the workspace is told something."""
        deadline = asyncio.get_running_loop().time() + seconds
        await self.pilot.pause()
        while not condition():
            self._changed.clear()
            left = deadline - asyncio.get_running_loop().time()
            await asyncio.wait_for(self._changed.wait(), max(left, 0.001))
            await self.pilot.pause()

    async def judged(self) -> None:
        """Until the text in the editor has been judged."""
        view = lambda: self.app.controller.view  # noqa: E731
        await self.until(
            lambda: (
                view().source == self.workspace.editor.text
                and view().report is not None
                and not view().running
                and not view().stale
            )
        )
        await self.map.settled()
        await self.pilot.pause()

    async def saved(self) -> None:
        """Until nothing waits for the disk."""
        await self.until(lambda: not self.app.study.saver.pending)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type into whatever has the focus."""
        names = {" ": "space", "\n": "enter"}
        await self.press(*(names.get(character, character) for character in text))

    async def answer(self) -> None:
        """The questions of the step, rightly, in the lesson that has the focus."""
        quiz = self.lesson.quiz
        while quiz is not None and (asked := quiz.current) is not None:
            solution = asked.drawn.solution()
            if asked.question.kind == "number":
                await self.type(str(solution))
            else:
                targets = [self.lesson.blocks[index].target for index in self.lesson.targets]
                wanted = [getattr(target, "option", None) for target in targets].index(solution)
                await self.press(*["up"] * len(targets), *["down"] * wanted)
            await self.press("enter")

    async def go(self, step: str) -> None:
        """To the step of this lesson with that id."""
        ids = [found.id for found in self.app.study.lesson.steps]
        self.workspace.go(Place(self.app.study.desk.place.lesson, ids.index(step)))
        await self.pilot.pause()

    async def set_text(self, text: str) -> None:
        """The learner pastes a whole file."""
        self.workspace.editor.replace_text(text)
        await self.pilot.pause()

    def shown(self, name: str) -> str:
        """The text of one of the results."""
        view = self.workspace.query_one(f"#{name}")
        assert isinstance(view, TextView | DrawnRows)
        return view.plain

    def line(self, selector: str) -> str:
        """The text of one of the one-line widgets."""
        return str(self.workspace.query_one(selector).render())


@asynccontextmanager
async def opened(
    size: tuple[int, int] = (120, 40),
    language: Language | None = "en",
    lesson: int | None = 5,
    *,
    engine: FakeEngine | SharedEngine | Literal["shared", "own"] = "shared",
    environ: dict[str, str] | None = None,
    captured: bool = False,
    welcome: bool = False,
    notifications: bool = False,
) -> AsyncIterator[Driver]:
    """The application, furnished; its files are where TRITONTUI_HOME says.

    ``engine``: the real one that all tests share, a real one of this application's own (which takes seconds to start),
    or one that answers as it is told; ``captured``: what it writes to the terminal is kept; ``welcome``: greet who
    comes for the first time; ``notifications``: what is said for a moment is on the screen.
    """
    app = TritonApp(
        Options(language=language, device="cpu", lesson=lesson), prepare(environ or {"TERM": "xterm-256color"})
    )
    if engine == "shared":
        engine = shared_engine()
    if isinstance(engine, SharedEngine):
        engine.lend(app)
    elif engine != "own":
        app._engine = engine
    if captured:
        app.driver_class = CaptureDriver
    if not welcome:
        app.study.ledger.set_setting("welcomed", "yes")
    async with app.run_test(size=size, headless=not captured, notifications=notifications) as pilot:
        await asyncio.wait_for(app.furnished.wait(), WAIT_S)
        await pilot.pause()
        yield Driver(app, pilot)


def solution(exercise: str = "vector_add") -> str:
    """The reference solution's text."""
    from tritontui.course.loader import load_course

    return load_course().exercise(exercise).solution.read_text(encoding="utf-8")


def work_file(home: Path, exercise: str = "vector_add") -> Path:
    """The learner's file under a TRITONTUI_HOME."""
    return home / "data" / "work" / f"{exercise}.py"
