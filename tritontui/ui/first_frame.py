"""The first frame: lesson and code as plain text where the workspace will have them, drawn by a single widget.

It can be read while the modules of the real widgets are still being imported; they hardly change a cell when they come.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, repeat
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widget import Widget

from tritontui.course.model import Step
from tritontui.course.storage import StorageError
from tritontui.engine.status import EngineStatus
from tritontui.i18n import Language, Translator
from tritontui.keys.file import Keys
from tritontui.ui.key_hints import EVERYWHERE, key_hints, key_row
from tritontui.ui.layout import EDITOR_SHARE, MEDIUM, RESULTS_SHARE, WIDE, is_too_small, left_width, opening_pane
from tritontui.ui.status import engine_words, place_words, step_words
from tritontui.ui.study import Study

Part = str | tuple[str, str] | Content
Row = list[Part]
"""Texts with their styles, together as wide as the column they stand in."""

BAR = "on $panel"
MUTED = "$muted on $panel"
_MARKS = re.compile(r"^```\w*\n|(?<![\w*])(\*\*?)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])", re.MULTILINE)
"""Fences of code, and marks of emphasis around words; the stars of arithmetic and of C stay."""


class FirstFrame(Widget):
    """Shows the step of the desk and the text of its kernel."""

    DEFAULT_CSS = """
    FirstFrame { width: 100%; height: 100%; }
    """

    def __init__(self, study: Study, keys: Keys, language: Language, tr: Translator, *, live: bool) -> None:
        super().__init__()
        self._study = study
        self._keys = key_hints(EVERYWHERE, keys, tr)
        self._language: Language = language
        self._tr = tr
        self._engine = engine_words(EngineStatus("CPU"), live, tr)
        self._pane = opening_pane(study.step)

    def render(self) -> Content:
        width, height = self.size
        if is_too_small(width, height):
            return Content("")  # the workspace says so
        keys: Row = [" ", key_row(self._keys, width - 2)]
        below: list[Row] = [*self._evidence(width), keys]
        room = height - 1 - len(below)
        body = islice(chain(self._body(width, room), repeat([])), room)
        return _stacked([self._title(width), *body, *below])

    # ------------------------------------------------------------ rows around the panes

    def _title(self, width: int) -> Row:
        lesson, step = self._study.lesson, self._study.step
        if width >= MEDIUM:
            place = f" {place_words(lesson, step, self._language, self._tr)}"
            return [(place, f"bold {BAR}"), (_right(self._engine + " ", width - cell_len(place)), MUTED)]
        names = {"lesson": self._tr("Lesson"), "editor": self._tr("Editor"), "results": self._tr("Results")}
        tabs: Row = [
            (f"[{name}]", f"bold $primary {BAR}") if pane == self._pane else (f" {name} ", MUTED)
            for pane, name in names.items()
        ]
        place = place_words(lesson, step, self._language, self._tr, short=True)
        return [*tabs, (_right(place + " ", width - sum(map(cell_len, names.values())) - 2 * len(names)), MUTED)]

    def _evidence(self, width: int) -> list[Row]:
        """The room for the first evidence, and where the title has none for it the state of the engine."""
        if width >= WIDE:
            return []
        rule: Row = [("─" * width, "$line")]
        status: Row = [(f" {self._engine}", "$muted")]
        return [rule, [], []] if width >= MEDIUM else [rule, [], [], status]

    def _pane_title(self, text: str, width: int, *, focused: bool) -> Row:
        sign = ("▌", f"$primary {BAR}") if focused else (" ", BAR)
        return [sign, (set_cell_size(text, width - 1), f"bold {BAR}" if focused else BAR)]

    # ------------------------------------------------------------ panes

    def _body(self, width: int, height: int) -> Iterator[Row]:
        """The rows of the panes that are visible; under the code one is left for what is said of the cursor's line."""
        if width < MEDIUM:
            yield from self._lesson(width) if self._pane == "lesson" else islice(self._code(width), height - 1)
            return
        left = left_width(width) - 1  # its border
        room = width - left - 1
        share = height * EDITOR_SHARE // (EDITOR_SHARE + RESULTS_SHARE) if width >= WIDE else height
        title = step_words(self._study.step, False, self._tr).plain
        lesson = chain([self._pane_title(title, left, focused=self._pane == "lesson")], self._lesson(left))
        exercise = self._study.exercise
        name = f"{exercise.id}.py" if exercise else ""
        code = chain([self._pane_title(name, room, focused=self._pane == "editor")], self._code(room))
        for text, row in zip(lesson, chain(islice(code, share - 1), repeat([])), strict=False):
            yield [*text, ("│", "$line"), *row]

    def _lesson(self, width: int) -> Iterator[Row]:
        room = width - 2  # a blank before it, the scroll bar after it
        title, text = plain_text(self._study.step, self._language)
        for row in wrap(title, room):
            yield [(set_cell_size(f" {row}", width), "bold $primary")]
        for line in ("", *text.splitlines()):
            for row in wrap(line, room, replace_whitespace=False, drop_whitespace=False) or [""]:
                yield [set_cell_size(f" {row}", width)]
        yield from repeat([" " * width])

    def _code(self, width: int) -> Iterator[Row]:
        lines = self._text().expandtabs(4).split("\n")
        digits = max(2, len(str(len(lines))))
        room = width - digits - 4  # the sign of a mark and blanks before it, the scroll bar after it
        for number, line in enumerate(lines, 1):
            gutter = f"{number:>{digits}}   "
            for row in (line[at : at + room] for at in range(0, max(len(line), 1), room)):
                yield [(gutter, "$foreground 45%"), row]
                gutter = " " * len(gutter)

    def _text(self) -> str:
        exercise = self._study.exercise
        try:
            return self._study.text(exercise) if exercise else ""
        except StorageError:
            return ""  # the workspace says so


def plain_text(step: Step, language: Language) -> tuple[str, str]:
    """Title and text of a step, before anything that understands Markdown is imported."""
    return step.title[language].replace("`", ""), _MARKS.sub(r"\2", step.body[language]).replace("`", "")


def _right(text: str, width: int) -> str:
    """``text`` at the right end of ``width`` columns, after one blank at least."""
    taken = cell_len(text)
    return " " * (width - taken) + text if taken < width else set_cell_size(" " + text, width)


def _stacked(rows: list[Row]) -> Content:
    return Content.assemble(*chain.from_iterable((*row, "\n") for row in rows))
