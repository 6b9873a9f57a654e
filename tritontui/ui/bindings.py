"""Every command of the application with its keys: bindings, key line, help and palette are all made from this table.

Each key arrives under plain xterm, tmux, screen and mosh; each command that a terminal may swallow has a second
key, and all of them stand in the palette. Single letters work wherever nothing is being typed.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding

from tritontui.i18n import N_


@dataclass(frozen=True)
class Command:
    """One thing the learner can do. ``label`` and ``help`` are English texts marked for the catalogue."""

    id: str
    action: str
    label: str
    """One or two words, for the key line."""
    help: str
    """A sentence, for the help and the palette."""
    keys: tuple[str, ...] = ()
    letter: str | None = None

    @property
    def shown_key(self) -> str:
        """The first key as people write it: ``^R``, ``F9``."""
        return shown(self.keys[0]) if self.keys else (self.letter or "")

    def bindings(self) -> list[Binding]:
        """The Textual bindings: priority for control and function keys, so that no widget takes them first."""
        made = []
        if self.keys:
            made.append(Binding(",".join(self.keys), self.action, self.label, id=self.id, show=False, priority=True))
        if self.letter:
            made.append(Binding(self.letter, self.action, self.label, id=f"{self.id}-letter", show=False))
        return made


def shown(key: str) -> str:
    """``ctrl+r`` as ``^R``, ``f9`` as ``F9``."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+").upper()
    return {"question_mark": "?", "enter": "↵", "left": "←", "right": "→", "up": "↑", "down": "↓"}.get(
        key, key.upper() if key.startswith("f") and key[1:].isdigit() else key
    )


COMMANDS: tuple[Command, ...] = (
    Command("run", "run", N_("run"), N_("Judge the kernel now, measuring included"), ("ctrl+r", "f5"), "r"),
    Command("hint", "hint", N_("hint"), N_("Show one more hint"), ("ctrl+g", "f2"), "h"),
    Command("next-step", "step(1)", N_("next"), N_("Go to the next step"), ("ctrl+n", "f4"), "n"),
    Command("previous-step", "step(-1)", N_("back"), N_("Go to the previous step"), ("ctrl+t", "f3"), "p"),
    Command("cycle-panes", "cycle_panes", N_("pane"), N_("Move to the next pane"), ("ctrl+o",)),
    Command("zoom", "zoom", N_("zoom"), N_("Give the pane the whole screen, or put it back"), ("f9",), "z"),
    Command("knobs", "knobs", N_("knobs"), N_("Turn the knobs of an exploration"), ("f7",), "k"),
    Command("palette", "palette", N_("all"), N_("Find any command by name"), ("ctrl+p", "f8")),
    Command("help", "help", N_("help"), N_("Show the keys that work here"), ("f1",), "question_mark"),
    Command("course", "course", N_("steps"), N_("Show the steps of the course and jump to one"), ("ctrl+l",), "l"),
    Command("language", "app.language", N_("italiano"), N_("Switch between English and Italian"), ("f6",)),
    Command("save", "save", N_("save"), N_("Save now (it also happens by itself)"), ("ctrl+s",)),
    Command("solution", "solution", N_("solution"), N_("Show the reference solution of this exercise")),
    Command("reset", "reset", N_("start over"), N_("Put the starter back; undo brings your text back")),
    Command("live", "live", N_("live"), N_("Judge while typing, or only when asked")),
    Command("theme", "app.next_theme", N_("colours"), N_("Next colours: dark, light, or the terminal's own sixteen")),
    Command("external-editor", "external_editor", N_("editor"), N_("Open the file in $EDITOR")),
    Command("redraw", "app.redraw", N_("redraw"), N_("Draw the screen again")),
    Command("quit", "app.quit", N_("quit"), N_("Save everything and leave"), ("ctrl+q",), "q"),
)

BINDINGS: list[Binding] = [binding for command in COMMANDS for binding in command.bindings()]
