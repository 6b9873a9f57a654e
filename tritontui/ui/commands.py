"""The command palette: every command by name, and every step of the course."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tritontui.ui.bindings import COMMANDS

if TYPE_CHECKING:
    from tritontui.ui.screens.workspace import Workspace


class Commands(Provider):
    """Commands of the workspace, in the learner's language."""

    def _entries(self) -> Iterator[tuple[str, str, Any]]:
        """(name, help, what to call)."""
        workspace = cast("Workspace", self.screen)
        tr = workspace.tr
        for command in COMMANDS:
            if command.id != "palette":
                key = f"  ({command.shown_key})" if command.shown_key else ""
                yield tr(command.help) + key, tr(command.label), partial(workspace.run_action, command.action)

    async def discover(self) -> Hits:
        for name, help_text, call in self._entries():
            yield DiscoveryHit(name, call, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, help_text, call in self._entries():
            score = matcher.match(f"{name} {help_text}")
            if score > 0:
                yield Hit(score, matcher.highlight(name), call, text=name, help=help_text)
