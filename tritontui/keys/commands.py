"""Every command of the application with its keys: bindings, key line, help, palette and key file are made from this.

Each key arrives under plain xterm, tmux, screen and mosh; each command that a terminal may swallow has a second
key, and all of them stand in the palette. Single letters work wherever nothing is being typed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tritontui.i18n import N_

Scope = Literal["everywhere", "course", "trace", "editor"]
"""Where a command is there: in both applications' screens, in the course alone, where a script is traced (the viewer,
the playground) alone, or while the editor has the focus."""

IN_COURSE: tuple[Scope, ...] = ("everywhere", "course")
IN_TRACE: tuple[Scope, ...] = ("everywhere", "trace")


class Command(NamedTuple):
    """One thing the learner can do. ``label`` and ``help`` are English texts marked for the catalogue."""

    id: str
    """By which ``keys.toml`` names it; never renamed."""
    action: str
    """Textual's, of the screen, of the application (``app.``) or of the editor."""
    label: str
    """One or two words, for the key line."""
    help: str
    """A sentence, for the help, the palette and the key file."""
    keys: tuple[str, ...] = ()
    """As long as the learner has chosen no others."""
    scope: Scope = "everywhere"
    traced: str = ""
    """Instead of ``help`` where a script is traced, if it says something else there."""

    def help_in(self, scopes: tuple[Scope, ...]) -> str:
        """What it does in a place that has the commands of ``scopes``."""
        return self.traced if self.traced and "trace" in scopes else self.help


COMMANDS: tuple[Command, ...] = (
    Command(
        "run",
        "run",
        N_("run"),
        N_("Judge the kernel now, measuring included"),
        ("ctrl+r", "f5", "r"),
        traced=N_("Run the script again"),
    ),
    Command("hint", "hint", N_("hint"), N_("Show one more hint"), ("ctrl+g", "f2", "h"), "course"),
    Command(
        "next-step",
        "step(1)",
        N_("next"),
        N_("Go to the next step"),
        ("ctrl+n", "f4", "n"),
        traced=N_("Go to the next launch"),
    ),
    Command(
        "previous-step",
        "step(-1)",
        N_("back"),
        N_("Go to the previous step"),
        ("ctrl+t", "f3", "p"),
        traced=N_("Go to the launch before"),
    ),
    Command("cycle-panes", "cycle_panes", N_("pane"), N_("Move to the next pane"), ("ctrl+o",)),
    Command("zoom", "zoom", N_("zoom"), N_("Give the pane the whole screen, or put it back"), ("f9", "z")),
    Command("knobs", "knobs", N_("knobs"), N_("Turn the knobs of an exploration"), ("f7", "k"), "course"),
    Command("palette", "palette", N_("all"), N_("Find any command by name"), ("ctrl+p", "f8")),
    Command("help", "help", N_("help"), N_("Show the keys that work here"), ("f1", "?")),
    Command(
        "course",
        "course",
        N_("steps"),
        N_("Show the course map: steps, outcomes, time, figures"),
        ("ctrl+l", "l"),
        "course",
    ),
    Command("search", "course", N_("search"), N_("Search the lessons"), ("/",), "course"),
    Command("welcome", "welcome", N_("welcome"), N_("Show the welcome of the first visit again"), (), "course"),
    Command(
        "settings", "settings", N_("settings"), N_("Settings: language, colours, judging, target GPU"), ("e",), "course"
    ),
    Command("language", "app.language", N_("italiano"), N_("Switch between English and Italian"), ("f6",)),
    Command("save", "save", N_("save"), N_("Save now (it also happens by itself)"), ("ctrl+s",), "course"),
    Command("solution", "solution", N_("solution"), N_("Show the reference solution of this exercise"), (), "course"),
    Command("reset", "reset", N_("start over"), N_("Put the starter back; undo brings your text back"), (), "course"),
    Command(
        "versions",
        "versions",
        N_("versions"),
        N_("Show earlier versions of your text; undo works after one is put back"),
        ("v",),
        "course",
    ),
    Command(
        "break", "break", N_("break"), N_("Break a passing kernel on purpose, or put yours back"), ("b",), "course"
    ),
    Command(
        "scoreboard", "scoreboard", N_("predictions"), N_("Show how often your predictions were right"), (), "course"
    ),
    Command("live", "live", N_("live"), N_("Judge while typing, or only when asked"), (), "course"),
    Command("theme", "app.next_theme", N_("colours"), N_("Next colours: dark, light, or the terminal's own sixteen")),
    Command(
        "external-editor",
        "external_editor",
        N_("editor"),
        N_("Open the file in $EDITOR"),
        (),
        traced=N_("Open the script in $EDITOR"),
    ),
    Command(
        "card",
        "card",
        N_("card"),
        N_("Write a card to share: the map and the speed, as text and as a picture"),
        (),
        "course",
    ),
    Command(
        "sweep-blocks",
        "sweep('blocks')",
        N_("blocks"),
        N_("Speed: try every block size and number of warps"),
        (),
        "course",
    ),
    Command("sweep-sizes", "sweep('sizes')", N_("sizes"), N_("Speed: measure the kernel at every size"), (), "course"),
    Command("sweep-stop", "stop_sweep", N_("stop"), N_("Speed: stop trying"), (), "course"),
    Command("redraw", "app.redraw", N_("redraw"), N_("Draw the screen again")),
    Command("show-lesson", "show_pane('lesson')", N_("lesson"), N_("Go to the lesson"), (), "course"),
    Command("show-launches", "show_pane('launches')", N_("launches"), N_("Go to the launches"), (), "trace"),
    Command(
        "show-editor", "show_pane('editor')", N_("editor"), N_("Go to the editor"), (), traced=N_("Go to the source")
    ),
    Command("show-verdict", "show_result('verdict')", N_("verdict"), N_("Show the verdict"), (), "course"),
    Command("show-findings", "show_result('findings')", N_("findings"), N_("Show the findings"), (), "trace"),
    Command("show-map", "show_result('map')", N_("map"), N_("Show the map of memory")),
    Command("show-steps", "show_result('steps')", N_("steps"), N_("Show one program line by line")),
    Command("show-speed", "show_result('speed')", N_("speed"), N_("Show the speed"), (), "course"),
    Command("show-compiler", "show_result('compiler')", N_("compiler"), N_("Show what the compiler made of it")),
    Command(
        "show-output",
        "show_result('output')",
        N_("output"),
        N_("Show what the kernel printed"),
        (),
        traced=N_("Show what the script printed"),
    ),
    Command("stop", "stop", N_("stop"), N_("Stop the script; what it launched stays"), ("X",), "trace"),
    Command(
        "playground",
        "playground",
        N_("playground"),
        N_("Open the playground: a kernel of your own, with inputs of your own"),
        ("f12", "g"),
        "course",
        traced=N_("Go back to the lesson"),
    ),
    Command("quit", "app.quit", N_("quit"), N_("Save everything and leave"), ("ctrl+q", "q")),
    Command("undo", "undo", N_("undo"), N_("Undo in the editor"), ("ctrl+z",), "editor"),
    Command("redo", "redo", N_("redo"), N_("Redo in the editor"), ("ctrl+y",), "editor"),
    Command("select-all", "select_all", N_("select all"), N_("Select everything in the editor"), ("ctrl+a",), "editor"),
    Command("dedent", "dedent", N_("dedent"), N_("Dedent the selected lines"), ("shift+tab",), "editor"),
    Command(
        "comment",
        "toggle_comment",
        N_("comment"),
        N_("Comment lines out, or back in"),
        ("ctrl+/",),
        "editor",
    ),
    Command("find", "find", N_("find"), N_("Find a text in the editor"), ("ctrl+f",), "editor"),
    Command(
        "complete",
        "complete",
        N_("complete"),
        N_("Complete or explain a name of Triton"),
        ("ctrl+space",),
        "editor",
    ),
)

BY_ID = {command.id: command for command in COMMANDS}
