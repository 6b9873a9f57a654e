"""The smallest application with the editor in it: a lesson as plain text beside an ``EditorPane``.

The benchmarks and the tests of the editor run on it, so that they don't depend on the rest of the workspace.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from tritontui.i18n import Translator, translator
from tritontui.keys.file import Keys
from tritontui.ui.start.environment import Terminal
from tritontui.ui.textual_compat import DiffDisplay
from tritontui.ui.theme import THEMES
from tritontui.ui.widgets.editor import EditorPane
from tritontui.ui.widgets.kernel_editor import KernelEditor

SOME_TERMINAL = Terminal(colours="256", mouse=True, remote=False, frame_diff=True)

KERNEL = '''"""Vector addition, one block of elements for each program."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)  # the tail is masked off
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = out.numel()
    grid = (triton.cdiv(n, 256),)
    add_kernel[grid](x, y, out, n, BLOCK=256)
    return out
'''

LESSON = """Every program handles one block of elements.

pid = tl.program_id(0)
offs = pid * BLOCK + tl.arange(0, BLOCK)
mask = offs < n

The last block is rarely full.
"""


class Host(DiffDisplay):
    """Lesson and editor, nothing else."""

    CSS = """
    #lesson { width: 44; padding: 0 1; border-right: solid $panel; height: 100%; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f8", "redraw", "Redraw", priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(
        self, text: str = KERNEL, *, terminal: Terminal = SOME_TERMINAL, theme: str = "tritontui-dark"
    ) -> None:
        super().__init__()
        self.text = text
        self.frame_diff = terminal.frame_diff
        self.translator: Translator = translator("en")
        self.keys = Keys()
        self.language = "en"
        for known in THEMES:
            self.register_theme(known)
        self.theme = "tritontui-ansi" if terminal.ansi else theme

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(LESSON, id="lesson", markup=False)
            yield EditorPane(self.text)

    def on_mount(self) -> None:
        self.query_one(EditorPane).learn()
        self.editor.focus()

    @property
    def editor(self) -> KernelEditor:
        return self.query_one(KernelEditor)

    def action_redraw(self) -> None:
        self.redraw()
