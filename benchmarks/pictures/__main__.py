"""The pictures of the README: the application itself, at work on wrong kernels of the course.

Run ``python -m benchmarks.pictures`` with ``tritontui[test]`` installed; each SVG lands beside this file. The kernels
are faults that the course keeps, really judged on the CPU: a picture changes when the application does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tritontui.ui.runs.controller import View
    from tritontui.ui.screens.workspace import Workspace

HERE = Path(__file__).parent
SIZE = (120, 40)
WAIT_S = 120.0
"""A cold child imports torch and compiles."""
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""What stands on readers' machines: a README's pictures may fetch nothing."""


class Picture(NamedTuple):
    """One SVG: where the learner is, what they wrote, and what they look at."""

    name: str
    lesson: int
    step: str
    exercise: str
    file: str
    """In the exercise's folder."""
    result: str
    """The tab that is shown."""
    keys: tuple[str, ...] = ()
    """Pressed in it."""


PICTURES = (
    Picture("map", 5, "write-it", "vector_add", "attempts/no_mask.py", "map"),
    Picture("steps", 8, "where-inf-is-born", "softmax_overflow", "starter.py", "steps", ("i",)),
)


async def take(picture: Picture) -> str:
    """The screen as SVG, once the attempt has been judged."""
    from tritontui.course.loader import load_course
    from tritontui.ui.app import Options
    from tritontui.ui.application import TritonApp
    from tritontui.ui.learner.desk import Place
    from tritontui.ui.start.environment import prepare

    app = TritonApp(Options(language="en", device="cpu", lesson=picture.lesson), prepare())
    app.study.ledger.set_setting("welcomed", "yes")
    source = (load_course().exercise(picture.exercise).folder / picture.file).read_text(encoding="utf-8")
    async with app.run_test(size=SIZE) as pilot:
        await asyncio.wait_for(app.furnished.wait(), WAIT_S)
        workspace = app.workspace
        lesson = app.study.lesson
        step = next(step for step in lesson.steps if step.id == picture.step)
        for question in step.question_ids:  # a repair is judged once its questions are answered
            app.study.progress.record_answer(lesson.id, step.id, question, "", True)
        workspace.go(Place(app.study.desk.place.lesson, lesson.steps.index(step)))
        workspace.editor.replace_text(without_remarks(source))
        await asyncio.wait_for(_until(lambda: _judged(app.controller.view, workspace.editor.text), pilot), WAIT_S)
        await workspace.run_action(f"show_result('{picture.result}')")
        for key in ("", *picture.keys):
            await pilot.press(*filter(None, [key]))
            await _settled(workspace, pilot)
        return app.export_screenshot(title="tritontui")


async def _until(condition: Callable[[], bool], pilot: Pilot[None]) -> None:
    while not condition():
        await pilot.pause(0.05)


def _judged(view: View, text: str) -> bool:
    return view.source == text and view.report is not None and not view.running and not view.stale


async def _settled(workspace: Workspace, pilot: Pilot[None]) -> None:
    from tritontui.ui.widgets.access_map import AccessMap
    from tritontui.ui.widgets.steps import StepsView

    await pilot.pause()
    await workspace.query_one(AccessMap).settled()
    await workspace.query_one(StepsView).settled()
    await pilot.pause()


def without_remarks(source: str) -> str:
    """A kernel as a learner would have written it: without what the course notes about it."""
    return re.sub(r" *# expect: .*", "", source)


def at_home(svg: str) -> str:
    """``svg`` without fonts from the network."""
    svg = re.sub(r"@font-face\s*{[^}]*}\s*", "", svg)
    return re.sub(r"font-family: [^;]+;", f"font-family: {FONTS};", svg)


def main() -> None:
    """Take them all, as someone sees them who starts afresh in a terminal with all colours."""
    argparse.ArgumentParser(prog="benchmarks.pictures", description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(TRITONTUI_HOME=home, TERM="xterm-256color", COLORTERM="truecolor")
        for picture in PICTURES:
            (HERE / f"{picture.name}.svg").write_text(at_home(asyncio.run(take(picture))), encoding="utf-8")


if __name__ == "__main__":
    main()
