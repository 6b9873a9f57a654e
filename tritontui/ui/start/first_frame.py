"""The first frame: lesson and code as plain text where the workspace will have them, before Textual is imported.

It can be read while the modules of the real widgets are still being imported; they hardly change a cell when they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from rich.color import Color, ColorSystem

from tritontui.course.model import Step
from tritontui.course.storage import StorageError
from tritontui.engine.status import EngineStatus
from tritontui.i18n import Language, harmless, translator
from tritontui.ui.colours import PALETTES, Palette, Pen
from tritontui.ui.layout import EDITOR_SHARE, MEDIUM, RESULTS_SHARE, WIDE, is_too_small, left_width, opening_pane
from tritontui.ui.start.beginning import Beginning
from tritontui.ui.start.environment import Terminal
from tritontui.ui.views.key_hints import EVERYWHERE, fitting, key_hints
from tritontui.ui.views.status import engine_words, place_words, step_words

Row = list[tuple[str, Pen]]
"""Texts side by side, together at most as wide as the column they stand in."""

PLAIN, HEADING, NUMBER, RULE = Pen(), Pen("primary", bold=True), Pen("gutter"), Pen("line")
KEY, MUTED = Pen("secondary", bold=True), Pen("muted")
BAR, BAR_BOLD, BAR_MUTED, BAR_TAB = (
    Pen(ground="panel"), Pen(ground="panel", bold=True), Pen("muted", "panel"), Pen("primary", "panel", bold=True)
)  # fmt: skip
DEPTHS = {"16": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "true": ColorSystem.TRUECOLOR}
_MARKS = re.compile(r"^```\w*\n|(?<![\w*])(\*\*?)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])", re.MULTILINE)
"""Fences of code, and marks of emphasis around words; the stars of arithmetic and of C stay."""


class FirstFrame:
    """Shows the step of the desk and the text of its kernel."""

    def __init__(self, beginning: Beginning) -> None:
        settled = beginning.settled
        self._desk = beginning.desk
        self._work = beginning.work
        self._language: Language = settled.language
        self._tr = translator(settled.language)
        self._keys = key_hints(EVERYWHERE, settled.keys, self._tr)
        self._engine = engine_words(EngineStatus("CPU"), settled.live, self._tr)
        self._pane = opening_pane(beginning.desk.step)

    def rows(self, width: int, height: int) -> list[Row]:
        """One for each row of the terminal; none where it is too small, which the workspace says."""
        if is_too_small(width, height):
            return []
        below: list[Row] = [*self._evidence(width), self._key_row(width)]
        room = height - 1 - len(below)
        body = islice(chain(self._body(width, room), repeat([])), room)
        return [self._title(width), *body, *below]

    # ------------------------------------------------------------ rows around the panes

    def _title(self, width: int) -> Row:
        lesson, step = self._desk.lesson, self._desk.step
        if width >= MEDIUM:
            place = f" {place_words(lesson, step, self._language, self._tr)}"
            return [(place, BAR_BOLD), (_right(self._engine + " ", width - cell_len(place)), BAR_MUTED)]
        names = {"lesson": self._tr("Lesson"), "editor": self._tr("Editor"), "results": self._tr("Results")}
        tabs: Row = [
            (f"[{name}]", BAR_TAB) if pane == self._pane else (f" {name} ", BAR_MUTED) for pane, name in names.items()
        ]
        place = place_words(lesson, step, self._language, self._tr, short=True)
        room = width - sum(map(cell_len, names.values())) - 2 * len(names)
        return [*tabs, (_right(place + " ", room), BAR_MUTED)]

    def _evidence(self, width: int) -> list[Row]:
        """The room for the first evidence, and where the title has none for it the state of the engine."""
        if width >= WIDE:
            return []
        rule: Row = [("─" * width, RULE)]
        status: Row = [(f" {self._engine}", MUTED)]
        return [rule, [], []] if width >= MEDIUM else [rule, [], [], status]

    def _key_row(self, width: int) -> Row:
        pairs = (((key, KEY), (f" {label}  ", MUTED)) for key, label in fitting(self._keys, width - 2))
        return [(" ", MUTED), *chain.from_iterable(pairs)]

    def _pane_title(self, text: str, width: int, *, focused: bool) -> Row:
        sign = ("▌", Pen("primary", "panel")) if focused else (" ", BAR)
        return [sign, (set_cell_size(text, width - 1), BAR_BOLD if focused else BAR)]

    # ------------------------------------------------------------ panes

    def _body(self, width: int, height: int) -> Iterator[Row]:
        """The rows of the panes that are visible; under the code one is left for what is said of the cursor's line."""
        if width < MEDIUM:
            yield from self._lesson(width) if self._pane == "lesson" else islice(self._code(width), height - 1)
            return
        left = left_width(width) - 1  # its border
        room = width - left - 1
        share = height * EDITOR_SHARE // (EDITOR_SHARE + RESULTS_SHARE) if width >= WIDE else height
        title = step_words(self._desk.step, self._tr)
        lesson = chain([self._pane_title(title, left, focused=self._pane == "lesson")], self._lesson(left))
        exercise = self._desk.exercise
        name = f"{exercise.id}.py" if exercise else ""
        code = chain([self._pane_title(name, room, focused=self._pane == "editor")], self._code(room))
        for text, row in zip(lesson, chain(islice(code, share - 1), repeat([])), strict=False):
            yield [*text, ("│", RULE), *row]

    def _lesson(self, width: int) -> Iterator[Row]:
        room = width - 3  # a blank before it; a blank and the scroll bar after it
        title, text = plain_text(self._desk.step, self._language)
        for row in wrap(title, room):
            yield [(set_cell_size(f" {row}", width), HEADING)]
        for line in ("", *text.splitlines()):
            for row in wrap(line, room, replace_whitespace=False, drop_whitespace=False) or [""]:
                yield [(set_cell_size(f" {row}", width), PLAIN)]
        yield from repeat([(" " * width, PLAIN)])

    def _code(self, width: int) -> Iterator[Row]:
        lines = self._text().expandtabs(4).split("\n")
        digits = max(2, len(str(len(lines))))
        room = width - digits - 4  # the sign of a mark and blanks before it, the scroll bar after it
        for number, line in enumerate(lines, 1):
            gutter = f"{number:>{digits}}   "
            for row in (line[at : at + room] for at in range(0, max(len(line), 1), room)):
                yield [(gutter, NUMBER), (row if cell_len(row) <= room else set_cell_size(row, room), PLAIN)]
                gutter = " " * len(gutter)

    def _text(self) -> str:
        exercise = self._desk.exercise
        try:
            return self._work.open(exercise) if exercise else ""
        except StorageError:
            return ""  # the workspace says so


def plain_text(step: Step, language: Language) -> tuple[str, str]:
    """Title and text of a step, before anything that understands Markdown is imported."""
    return step.title[language].replace("`", ""), _MARKS.sub(r"\2", step.body[language]).replace("`", "")


def sequences(rows: Iterable[Row], width: int, theme: str, terminal: Terminal) -> str:
    """What draws ``rows``, each to its end of ``width`` columns, in the colours of ``theme``."""
    palette = PALETTES[theme]
    written: list[str] = []
    for number, row in enumerate(rows, 1):
        blank = " " * (width - sum(cell_len(text) for text, _ in row))
        texts = "".join(f"\x1b[0{_codes(pen, palette, terminal)}m{harmless(text)}"
                        for text, pen in [*row, (blank, PLAIN)])  # fmt: skip
        written.append(f"\x1b[{number};1H{texts}")
    return "".join(written) + "\x1b[0m"


def _codes(pen: Pen, palette: Palette, terminal: Terminal) -> str:
    """The parameters of the sequence that selects ``pen``, each after a semicolon."""
    codes = ["1"] if pen.bold else []
    if terminal.colours != "none":
        depth = DEPTHS[terminal.colours]
        for role, is_text in ((pen.colour, True), (pen.ground, False)):
            colour = Color.parse(palette[role].removeprefix("ansi_")).downgrade(depth)
            codes += colour.get_ansi_codes(foreground=is_text)
    return "".join(f";{code}" for code in codes)


def _right(text: str, width: int) -> str:
    """``text`` at the right end of ``width`` columns, after one blank at least."""
    taken = cell_len(text)
    return " " * (width - taken) + text if taken < width else set_cell_size(" " + text, width)
