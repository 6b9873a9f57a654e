"""The kernel editor alone in an application, and what it offers to complete."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from benchmarks.terminal.host import Host
from tritontui.ui.code.completion import Name, Names
from tritontui.ui.widgets.editor import EditorPane, KernelEditor

NAMES = Names(
    [
        Name("tl.load", "pointer, mask=None, other=None, _semantic=None", "Load a block.\n\nMore."),
        Name("tl.load_tensor_descriptor"),
        Name("tl.log", "x", "The natural logarithm."),
        Name("tl.store", "pointer, value", "Store a block."),
    ]
)


@asynccontextmanager
async def editing(text: str, *keys: str) -> AsyncIterator[tuple[KernelEditor, Pilot[None]]]:
    """An application with ``text`` in its editor, after ``keys``; names are those above."""
    app = Host(text)
    async with app.run_test(size=(110, 30)) as pilot:
        await app.workers.wait_for_complete()
        app.editor.names = NAMES
        await pilot.press(*keys)
        await pilot.pause()
        yield app.editor, pilot


async def typed(text: str, *keys: str) -> str:
    """What ``text`` has become after ``keys``."""
    async with editing(text, *keys) as (editor, _):
        return editor.text


def said(pane: EditorPane) -> str:
    """The line below the text."""
    return pane._line.left.plain
