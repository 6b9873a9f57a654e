"""The settings: what is chosen is there at once, and the next time too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tritontui.i18n import N_
from tritontui.ui.bindings import closing_binding
from tritontui.ui.settings import Setting, beside, setting_blocks
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line


class SettingsSheet(OfTheCourse, ClosesOnce, ModalScreen[None]):
    """Up and down choose a setting, left, right and Enter its value."""

    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False, priority=True),
        Binding("right,enter,space", "turn(1)", show=False, priority=True),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield OneLine(id="sheet-title")
            yield TextView(id="sheet-text")

    def on_mount(self) -> None:
        give_bindings(self, [closing_binding(self.triton.keys, typing=False, also=("settings",))])
        self._show()
        self.set_focus(self.view)

    @property
    def view(self) -> TextView:
        """The list."""
        return self.query_one(TextView)

    def _show(self) -> None:
        title = Content.styled(self.tr("Settings"), "bold $primary")
        closes = Content.styled(self.tr("← → change, q closes"), "$muted")
        self.query_one(OneLine).show(title, closes)
        self.view.show_blocks(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        triton, paths = self.triton, self.triton.paths
        places = {
            N_("your kernels"): str(paths.work),
            N_("progress and settings"): str(paths.progress),
            N_("your keys"): str(paths.keys),
            N_("caches"): str(paths.cache),
        }
        yield from setting_blocks(triton.chosen_settings(), triton.setting_notes(), places, self.tr)
        yield BLANK
        for fault in triton.keys.faults:
            yield line((fault.said(paths.keys, self.tr), "$warning"))
        yield line((self.tr("tritontui keys prints a file in which to choose your own keys."), "$muted"))

    async def action_turn(self, step: int) -> None:
        """Another value for the setting under the cursor."""
        setting = self.view.target
        if isinstance(setting, Setting):
            value = beside(setting, self.triton.chosen_settings()[setting.id], step)
            self.triton.apply_setting(setting.id, value)
            self._show()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
