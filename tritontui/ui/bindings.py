"""The commands' keys as Textual's bindings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from textual.binding import Binding, BindingType

from tritontui.keys.commands import BY_ID, COMMANDS, Command, Scope
from tritontui.keys.file import Keys
from tritontui.keys.names import is_letter
from tritontui.keys.places import PLACES

ARRIVES_AS = {
    "ctrl+space": "ctrl+space,ctrl+@",
    "ctrl+/": "ctrl+underscore,ctrl+slash",
    "ctrl+\\": "ctrl+backslash",
    "ctrl+]": "ctrl+right_square_bracket",
    "ctrl+^": "ctrl+circumflex_accent",
    ",": "comma",
}
"""How Textual announces a key: a name for each way in which terminals send it."""


def command_bindings(keys: Keys, *scopes: Scope) -> list[Binding]:
    """Of all commands of ``scopes``. But in the editor, what isn't a letter has priority: no widget takes it first."""
    return [binding for command in COMMANDS if command.scope in scopes for binding in _bindings(command, keys)]


def bindings_for(keys: Keys, actions: Mapping[str, str]) -> list[Binding]:
    """Of the commands with the ids in ``actions``, each with another action than its own."""
    return [replace(made, action=action) for id, action in actions.items() for made in _bindings(BY_ID[id], keys)]


def bindings_of(place: str) -> list[BindingType]:
    """What a widget binds of its own."""
    return [Binding(keys, action, show=False) for key in PLACES[place] for keys, action in key.does]


def closing_binding(keys: Keys, *, typing: bool, also: Sequence[str] = ()) -> Binding:
    """What closes a sheet: Esc, which some lines make slow, and the keys that open sheets and leave panes.

    Where something is typed, letters close nothing. ``also``: ids of commands that open this very sheet.
    """
    opening = [key for command in ("palette", "cycle-panes", "help", *also) for key in keys.of[command]]
    closing = ["escape", "q", *opening]
    names = [_textual(key) for key in closing if not (typing and is_letter(key))]
    return Binding(",".join(names), "leave", id="close", show=False, priority=typing)


def _bindings(command: Command, keys: Keys) -> Iterator[Binding]:
    chosen = keys.of[command.id]
    for letters in (False, True):
        names = [_textual(key) for key in chosen if is_letter(key) == letters]
        if names:
            priority = not letters and command.scope != "editor"
            yield Binding(",".join(names), command.action, command.label, id=command.id, show=False, priority=priority)


def _textual(key: str) -> str:
    """Textual's name or names; a character may stand for itself."""
    return ARRIVES_AS.get(key, key)
