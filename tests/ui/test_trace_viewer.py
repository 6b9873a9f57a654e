"""The trace viewer on scripts of one's own, from the keyboard, with the real runner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from shared_engine import shared_engine
from textual.pilot import Pilot

from tritontui.course.progress import OWN_TRACE
from tritontui.i18n import Language
from tritontui.ui.app import Script
from tritontui.ui.screens.trace import TraceScreen
from tritontui.ui.start.environment import prepare
from tritontui.ui.trace_app import TraceApp
from tritontui.ui.widgets.drawn_rows import DrawnRows
from tritontui.ui.widgets.steps import StepsView
from tritontui.ui.widgets.text_view import TextView

WAIT_S = 60.0

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, 2 * tl.load(x_ptr + offs, mask=mask), mask=mask)
"""

SCRIPT = """\
import sys

import torch
import triton
import triton.language as tl

from kernels import double_kernel


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs))


x = torch.rand(int(sys.argv[1]))
out = torch.empty_like(x)
grid = (triton.cdiv(len(x), 64),)
double_kernel[grid](x, out, len(x), BLOCK=64)
print("doubled", len(x))
copy_kernel[grid](x, out, len(x), BLOCK=64)
"""

ENDLESS = """\
import itertools
for _ in itertools.count():
    double_kernel[grid](x, out, len(x), BLOCK=64)
"""


class Watched:
    """The viewer, its pilot, and a way to wait for what it says."""

    def __init__(self, app: TraceApp, pilot: Pilot[None], viewer: TraceScreen) -> None:
        self.app = app
        self.pilot = pilot
        self.viewer = viewer
        self._changed = asyncio.Event()
        told = viewer.panes_changed

        def tell() -> None:
            told()
            self._changed.set()

        viewer.panes_changed = tell  # type: ignore[method-assign]

    async def until(self, condition: Callable[[], object]) -> None:
        deadline = asyncio.get_running_loop().time() + WAIT_S
        await self.pilot.pause()
        while not condition():
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), deadline - asyncio.get_running_loop().time())
            await self.pilot.pause()

    async def ran(self) -> None:
        """Until the script has been run to its end."""
        await self.until(lambda: self.viewer.tracer.trace is not None and not self.viewer.tracer.running)
        await self.viewer.map.settled()
        await self.pilot.pause()

    async def write(self, path: Path, text: str) -> None:
        """Somebody saves the file elsewhere; until the script has been run again."""
        before = self.viewer.tracer.trace
        path.write_text(text, encoding="utf-8")
        await self.until(lambda: self.viewer.tracer.trace is not before and not self.viewer.tracer.running)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()
            await self.viewer.map.settled()
            await self.viewer.query_one(StepsView).settled()
            await self.viewer.compiler.settled()
            await self.pilot.pause()

    def shown(self, name: str) -> str:
        view = self.viewer.query_one(f"#{name}")
        assert isinstance(view, TextView | DrawnRows)
        return view.plain

    def line(self, selector: str) -> str:
        return str(self.viewer.query_one(selector).render())


@asynccontextmanager
async def watching(
    script: Path,
    *arguments: str,
    launch: int | None = None,
    language: Language = "en",
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Watched]:
    app = TraceApp(Script(script, arguments, launch), language, "cpu", prepare({"TERM": "xterm-256color"}))
    shared_engine().lend(app)
    async with app.run_test(size=size) as pilot:
        while app.viewer is None or not app.viewer.is_mounted:
            await pilot.pause()
        yield Watched(app, pilot, app.viewer)


async def test_every_launch_can_be_looked_into(home: Path, tmp_path: Path) -> None:
    script, kernels = tmp_path / "script.py", tmp_path / "kernels.py"
    script.write_text(SCRIPT)
    kernels.write_text(KERNELS)
    async with watching(script, "100") as watched:
        viewer = watched.viewer
        await watched.ran()
        assert "2 launches · exit 0" in watched.line("#title") and "script.py 100" in watched.line("#title")
        rows = watched.shown("launches")
        assert "0 double_kernel" in rows and "▸1 copy_kernel" in rows and "x_ptr 100 fp32" in rows

        # the launch with an error is chosen by itself, at its line, with the mark and the words of its finding
        assert viewer.chosen == 1
        assert "28 lanes of program 1 read outside x_ptr" in watched.shown("findings")
        assert "launched in line 21" in watched.shown("findings") and "What it touched" in watched.shown("findings")
        assert viewer.editor.text == SCRIPT and viewer.editor.mark_at(12) is not None
        assert viewer.editor.cursor_location[0] == 12 and viewer.editor.read_only

        # map, steps, compiler and output of this launch
        await watched.press("ctrl+o", "ctrl+o", "2")
        assert any("outside x_ptr" in row for row in viewer.map.rows)
        await watched.press("3")
        assert "program 1 of 2" in watched.shown("steps")
        await watched.press("4", "right")
        assert "copy_kernel" in watched.shown("compiler") and viewer.compiler.listing is not None
        await watched.press("5")
        assert watched.shown("output") == "doubled 100\n\nexit 0"

        # of another, whose kernel is written in another file; letters are commands, for nothing is typed here
        await watched.press("p", "2")
        assert viewer.chosen == 0 and viewer.editor.text == KERNELS and viewer.map.selection.launch == 0
        assert not viewer.editor.mark_at(8)
        await watched.press("j")
        assert viewer.chosen == 1 and viewer.editor.text == SCRIPT


async def test_it_follows_the_files(home: Path, tmp_path: Path) -> None:
    script, kernels = tmp_path / "script.py", tmp_path / "kernels.py"
    script.write_text(SCRIPT)
    kernels.write_text(KERNELS)
    async with watching(script, "100", launch=0, language="it", size=(80, 24)) as watched:
        viewer = watched.viewer
        await watched.ran()
        assert viewer.chosen == 0 and "[Lanci]" in watched.line("#title") and "2 lanci" in watched.line("#status")
        assert "double_kernel" in watched.line("#evidence") and "Nessun riscontro" in watched.line("#evidence")

        # a module of the script changes: the faulty kernel is seen at once
        await watched.write(kernels, KERNELS.replace("offs < n", "offs <= n"))
        assert viewer.chosen == 0 and "✗" in watched.line("#evidence") and "offs <= n" in viewer.editor.text
        await watched.press("enter")
        assert viewer.pane == "results" and "kernels.py" in watched.shown("findings")

        # a script that crashes, that prints and launches nothing, that wants to be typed into
        await watched.write(script, SCRIPT + "raise ValueError('no')\n")
        assert "si è interrotto: riga 22" in watched.line("#status")
        assert "ValueError: no" in viewer.tracer.view(None).report.output  # type: ignore[union-attr]
        await watched.write(script, "import sys\nsys.exit(3)\n")
        assert "0 lanci · uscita 3" in watched.line("#status")
        assert "Lo script non ha lanciato nessun kernel" in watched.shown("findings")
        await watched.write(script, "input()\n")
        assert "il suo standard input è vuoto" in watched.shown("findings")

        # a script that somebody removes, and puts back
        script.unlink()
        await watched.until(lambda: "script.py non è sul disco" in watched.line("#status"))
        await watched.write(script, "import sys\nsys.exit(4)\n")
        assert "0 lanci · uscita 4" in watched.line("#status")
        await watched.write(script, "input()\n")

        # wide, and in the other language
        await watched.pilot.resize_terminal(200, 60)
        await watched.press("f6")
        assert "its standard input is empty" in watched.shown("findings") and "script.py" in watched.line("#title")


async def test_a_script_without_end_is_stopped_and_looked_into(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("from kernels import double_kernel", KERNELS) + ENDLESS)
    async with watching(script, "64", size=(100, 30)) as watched:
        viewer = watched.viewer
        await watched.until(lambda: viewer.tracer.trace is not None and len(viewer.tracer.trace.launches) > 2)
        assert "running" in watched.line("#title") and "stop" in watched.line("#keys")
        await watched.press("x")
        await watched.until(lambda: not viewer.tracer.running)
        assert "stopped" in watched.line("#title")
        await watched.press("down", "enter", "2")
        assert viewer.chosen == 1 and any("program 0 of 1" in row for row in viewer.map.rows)
        assert watched.app.outcome is None

        await watched.write(script, SCRIPT.replace("from kernels import double_kernel", KERNELS))
        assert "2 launches · exit 0" in watched.line("#title") and watched.app.outcome is True
        assert watched.app.progress.setting(OWN_TRACE) == str(script)
        await watched.press("ctrl+p")
        await watched.press(*"copy", "enter")
        assert viewer.chosen == 1
