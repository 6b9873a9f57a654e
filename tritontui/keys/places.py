"""Keys that belong to one place: its bindings, the key line and the help sheet are all made from this table.

What works everywhere stands in ``commands``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tritontui.i18n import N_


class Key(NamedTuple):
    """A key, or a few that do one thing in several directions. ``label`` and ``help`` are marked for the catalogue."""

    shown: str
    """``{undo}`` stands for the key of that command."""
    help: str
    """For the sheet of F1."""
    does: tuple[tuple[str, str], ...] = ()
    """(Textual's names of keys, action); empty where a widget of Textual's has them already."""
    label: str = ""
    """One or two words for the key line; empty: it isn't there."""


_SCROLL = (
    Key("↑ ↓", N_("move, or scroll"), (("up", "move(-1)"), ("down", "move(1)")), N_("move")),
    Key("PgUp PgDn", N_("a page"), (("pageup", "page(-1)"), ("pagedown,space", "page(1)"))),
    Key("Home End", N_("first line, last line"), (("home", "edge(0)"), ("end", "edge(1)"))),
)

_TAB = Key("Tab, 1…6", N_("another tab"), label=N_("tab"))

PLACES: Mapping[str, tuple[Key, ...]] = {
    "lesson": (
        Key("↑ ↓", N_("scroll, or move between answers")),
        Key("Enter", N_("give the answer")),
        Key("← →", N_("choose a partner, in questions that match")),
        Key("PgUp PgDn", N_("a page")),
    ),
    "knobs": (
        Key("↑ ↓", N_("another knob"), (("up", "choose(-1)"), ("down", "choose(1)")), N_("knob")),
        Key(
            "← →",
            N_("turn it: the kernel is traced again at once"),
            (("left", "turn(-1)"), ("right", "turn(1)")),
            N_("turn"),
        ),
        Key("Home End", N_("its first value, its last value"), (("home", "edge(-1)"), ("end", "edge(1)"))),
    ),
    "editor": (
        Key("Tab, Shift+Tab", N_("indent, dedent")),
        Key("{undo}, {redo}", N_("undo, redo")),
        Key(
            "Ctrl+Home Ctrl+End",
            N_("first line, last line"),
            (
                ("ctrl+home", "document_edge(0)"),
                ("ctrl+end", "document_edge(1)"),
                ("ctrl+shift+home", "document_edge(0, True)"),
                ("ctrl+shift+end", "document_edge(1, True)"),
            ),
        ),
        Key("{select-all}", N_("select everything")),
        Key("{cycle-panes}", N_("leave the editor; letters are commands outside it")),
    ),
    "source": (
        Key("↑ ↓", N_("move, or scroll"), label=N_("move")),
        Key("{find}", N_("find a text in it"), label=N_("find")),
        Key("{cycle-panes}", N_("the next pane; letters are commands here, too")),
    ),
    "map": (
        Key(
            "← →",
            N_("program before, program after"),
            (("left", "program(-1)"), ("right", "program(1)")),
            N_("program"),
        ),
        Key(
            "Shift+← →",
            N_("along the grid's other axis, or sixteen programs on"),
            (("shift+left", "program_row(-1)"), ("shift+right", "program_row(1)")),
        ),
        Key("↑ ↓", N_("another load or store"), (("up", "site(-1)"), ("down", "site(1)")), N_("site")),
        Key(", .", N_("lane before, lane after"), (("comma", "lane(-1)"), ("full_stop", "lane(1)")), N_("lane")),
        Key("Home End", N_("first lane, last lane"), (("home", "lane_edge(0)"), ("end", "lane_edge(1)"))),
        Key(
            "+ −",
            N_("nearer, farther"),
            (("plus,equals_sign", "zoom(1)"), ("minus,underscore", "zoom(-1)")),
            N_("zoom"),
        ),
        Key("0", N_("all in view"), (("0", "zoom(0)"),)),
        Key(
            "o", N_("overlay: who touches it, how often it is written, its sectors"), (("o", "overlay"),), N_("overlay")
        ),
        Key("m", N_("the tensor's own shape, or linear memory"), (("m", "shape"),), N_("shape")),
        Key(
            "i I",
            N_("iterations of a loop, one after another or back"),
            (("i", "iteration(1)"), ("I", "iteration(-1)")),
            N_("iteration"),
        ),
        Key("j J", N_("launch after, launch before"), (("j", "launch(1)"), ("J", "launch(-1)"))),
        Key(
            "c C",
            N_("another slice, of a tensor with three axes or more"),
            (("c", "slice(1)"), ("C", "slice(-1)")),
        ),
        Key(
            "w a s d",
            N_("move the window over memory; PgUp and PgDn too"),
            (
                ("pageup", "pan(-1, 0)"),
                ("pagedown", "pan(1, 0)"),
                ("w", "pan(-0.5, 0)"),
                ("s", "pan(0.5, 0)"),
                ("a", "pan(0, -0.5)"),
                ("d", "pan(0, 0.5)"),
            ),
        ),
        Key("Enter", N_("go to the line"), (("enter", "go_to_line"),), N_("line")),
    ),
    "steps": (
        Key("← →", N_("a line back, a line on"), (("left", "step(-1)"), ("right,space", "step(1)")), N_("step")),
        Key("Home End", N_("first step, last step"), (("home", "edge(0)"), ("end", "edge(1)"))),
        Key(
            "PgUp PgDn",
            N_("the same line, one round before or after"),
            (("pagedown", "seek('line', False)"), ("pageup", "seek('line', True)")),
        ),
        Key("↑ ↓", N_("choose a name"), (("up", "name(-1)"), ("down", "name(1)")), N_("name")),
        Key(", .", N_("lane before, lane after"), (("comma", "lane(-1)"), ("full_stop", "lane(1)")), N_("lane")),
        Key(
            "c C",
            N_("where the chosen name changes next, or changed before"),
            (("c", "seek('change', False)"), ("C", "seek('change', True)")),
            N_("next change"),
        ),
        Key(
            "o O",
            N_("on or back over device functions; Shift+→ and Shift+← too"),
            (("o,shift+right", "seek('over', False)"), ("O,shift+left", "seek('over', True)")),
            N_("over"),
        ),
        Key("u", N_("out of the device function"), (("u", "seek('out', False)"),)),
        Key("i", N_("where the first NaN or infinity appears"), (("i", "seek('born', False)"),), "NaN"),
        Key("f", N_("follow what each line changes"), (("f", "follow"),)),
        Key("; :", N_("lanes further back, further on"), (("semicolon", "lane_page(-1)"), ("colon", "lane_page(1)"))),
        Key(
            "+ −",
            N_("program after, program before"),
            (("plus,equals_sign", "program(1)"), ("minus,underscore", "program(-1)")),
            N_("program"),
        ),
        Key("Enter", N_("go to the line"), (("enter", "go_to_line"),)),
    ),
    "speed": (
        Key(
            "← →",
            N_("gauge, history, sizes, blocks, roofline, autotuning"),
            (("left", "turn(-1)"), ("right", "turn(1)")),
            N_("section"),
        ),
        Key("s", N_("measure; or try every size, every block size and number of warps"), (("s", "start"),), N_("try")),
        Key("x", N_("stop trying"), (("x", "stop"),), N_("stop")),
        Key("↑ ↓", N_("another row, or scroll"), (("up", "move(-1)"), ("down", "move(1)")), N_("move")),
        Key(
            ", .",
            N_("another column of the blocks"),
            (("comma", "across(-1)"), ("full_stop", "across(1)")),
            N_("column"),
        ),
        Key("t", N_("sizes: bandwidth, or time by both clocks"), (("t", "clock"),), N_("time")),
        Key("PgUp PgDn", N_("a page"), (("pageup", "page(-1)"), ("pagedown,space", "page(1)"))),
    ),
    "compiler": (
        Key(
            "← →",
            N_("overview, and the listings from TTIR to machine code"),
            (("left", "turn(-1)"), ("right", "turn(1)")),
            N_("listing"),
        ),
        Key(
            "↑ ↓",
            N_("a line up, a line down; the editor points at its source"),
            (("up", "move(-1)"), ("down", "move(1)")),
            N_("move"),
        ),
        *_SCROLL[1:],
        Key(
            ", .",
            N_("the line before or after that comes from the same source line"),
            (("comma", "same_line(-1)"), ("full_stop", "same_line(1)")),
            N_("same line"),
        ),
        Key(
            "< >",
            N_("long lines: to the left, to the right"),
            (("less_than_sign", "sideways(-1)"), ("greater_than_sign", "sideways(1)")),
            N_("sideways"),
        ),
        Key("Enter", N_("go to the source line"), (("enter", "choose"),), N_("line")),
    ),
    "verdict": (
        Key("↑ ↓", N_("move between what can be chosen"), label=N_("move")),
        Key("Enter", N_("go to the line, to the map, or unfold"), label=N_("choose")),
        Key("o", N_("the original message of every error, or hide them again"), (("o", "originals"),), N_("original")),
        _TAB,
    ),
    "launches": (
        Key("↑ ↓", N_("another launch"), (("up", "move(-1)"), ("down", "move(1)")), N_("launch")),
        Key("PgUp PgDn", N_("a page"), (("pageup", "page(-1)"), ("pagedown,space", "page(1)"))),
        Key("Home End", N_("the script as a whole, the last launch"), (("home", "edge(0)"), ("end", "edge(1)"))),
        Key("f", N_("the next launch with an error or a warning"), (("f", "next_faulty"),), N_("next fault")),
        Key("Enter", N_("to its findings"), (("enter", "choose"),), N_("findings")),
        Key("x", N_("stop the script; what it launched stays"), (("x", "stop"),), N_("stop")),
    ),
    "results": (
        _TAB,
        Key("↑ ↓", N_("move between what can be chosen"), label=N_("move")),
        Key("Enter", N_("go to the line, to the map, or unfold"), label=N_("choose")),
    ),
}
"""By place, the most useful first. Results that aren't here have the keys of ``results`` alone."""

PLACES = {**PLACES, "findings": PLACES["verdict"]}
NAMES = {
    "lesson": N_("Lesson"),
    "knobs": N_("Knobs"),
    "editor": N_("Editor"),
    "launches": N_("Launches"),
    "source": N_("Source"),
    "findings": N_("Findings"),
    "map": N_("Map"),
    "steps": N_("Steps"),
    "speed": N_("Speed"),
    "compiler": N_("Compiler"),
    "verdict": N_("Verdict"),
    "results": N_("Results"),
}
CHARACTERS = {
    "comma": ",", "full_stop": ".", "semicolon": ";", "colon": ":", "plus": "+", "equals_sign": "=",
    "minus": "-", "underscore": "_", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip
"""Textual's names of the characters above."""

OF_RESULTS = frozenset(PLACES) - {"lesson", "knobs", "editor", "source", "launches", "results"}
"""Results with keys of their own, beside those of all results."""


def key_line(place: str) -> tuple[tuple[str, str], ...]:
    """(key, label) for the bottom line: ``("←→", "program")``; in all results, the way to another tab comes first."""
    signs = {"Enter": "↵", "Tab, 1…6": "Tab"}
    first = (_TAB,) if place in OF_RESULTS and _TAB not in PLACES[place] else ()
    return tuple(
        (signs.get(key.shown, key.shown if key.shown[0] in ",;<" else key.shown.replace(" ", "")), key.label)
        for key in (*first, *PLACES[place])
        if key.label
    )


def letters() -> frozenset[str]:
    """The characters that mean something in one place or another."""
    names = (name for keys in PLACES.values() for key in keys for names, _ in key.does for name in names.split(","))
    return frozenset(name for name in (CHARACTERS.get(name, name) for name in names) if len(name) == 1)
