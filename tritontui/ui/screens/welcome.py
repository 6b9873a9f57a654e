"""The first visit: one screen that says what this is, where things are, and which keys one needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen

from tritontui.engine.status import EngineStatus
from tritontui.i18n import LANGUAGES, N_, Translator
from tritontui.keys.file import Keys
from tritontui.ui.bindings import closing_binding
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line

NAMES = {"en": "English", "it": "Italiano"}
COLUMN = 12
PANES = (
    (N_("Lesson"), N_("what to read, to try and to answer")),
    (N_("Editor"), N_("your kernel, saved by itself")),
    (N_("Results"), N_("what it really did: right or wrong, and why")),
)
KEYS = (
    ("{cycle-panes}", N_("the next pane")),
    ("{next-step}", N_("the next step")),
    ("{run}", N_("run and measure; judging goes on while you type")),
    ("{palette}", N_("every command by name")),
    ("{help}", N_("the keys that work where you are")),
)


class Welcome(Speaking, ClosesOnce, Screen[None]):
    """Ends when the learner starts."""

    CSS_PATH = "welcome.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "leave", show=False, priority=True),
        Binding("left,right,tab", "language", show=False, priority=True),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="welcome"):
            yield TextView(id="welcome-text")
            yield OneLine(id="welcome-start")

    def on_mount(self) -> None:
        give_bindings(self, [closing_binding(self.triton.keys, typing=False)])
        self._show()
        self.set_focus(self.query_one(TextView))

    def engine_changed(self) -> None:
        """The engine says something new: it may have found a GPU."""
        self._show()

    def _show(self) -> None:
        self.query_one(TextView).show_blocks(self._blocks())
        start = Content.styled(self.tr("Enter starts"), "bold $primary")
        self.query_one(OneLine).show(start, Content.styled("tritontui", "$muted"))

    def _blocks(self) -> Iterator[Block]:
        tr, language = self.tr, self.language
        yield line((tr("Welcome to tritontui"), "bold $primary"))
        words = N_("You write GPU kernels in Triton, and every edit is answered with what your kernel really did.")
        yield line(tr(words))
        yield BLANK
        for name, said in PANES:
            yield line((f"{tr(name):<{COLUMN}}", "bold"), tr(said))
        yield BLANK
        yield from key_rows(self.triton.keys, tr)
        chosen = [
            (f"‹ {NAMES[one]} › ", "bold $primary") if one == language else f"  {NAMES[one]}   " for one in LANGUAGES
        ]
        yield line((f"{'← →':<{COLUMN}}", "bold $secondary"), *chosen)
        yield line((f"{'GPU':<{COLUMN}}", "bold"), gpu_words(self.triton.engine_status, tr))

    def action_language(self) -> None:
        """The other language."""
        self.triton.action_language()
        self._show()

    def action_leave(self) -> None:
        """To work."""
        self.dismiss(None)


def key_rows(keys: Keys, tr: Translator) -> Iterator[Block]:
    """The keys that one needs; a command without a key isn't there."""
    for key, said in KEYS:
        if shown := keys.filled_in(key):
            yield line((f"{shown:<{COLUMN}}", "bold $secondary"), tr(said))


def gpu_words(status: EngineStatus, tr: Translator) -> str:
    """Whether there is a GPU, as far as it is known by now."""
    if status.gpu is not None:
        return tr("{device}: runs and measures your kernels", device=status.device)
    if status.cpu == "starting":
        return tr("looking for one…")
    return tr("none in use: all works but measuring")
