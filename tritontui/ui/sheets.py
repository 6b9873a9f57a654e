"""What stands on each sheet: help, steps of the course, solution, questions before something is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from textual.content import Content

from tritontui.course.model import Course, Language
from tritontui.i18n import N_, Translator
from tritontui.ui.bindings import COMMANDS, shown
from tritontui.ui.desk import Place
from tritontui.ui.status import KINDS
from tritontui.ui.study import Study
from tritontui.ui.widgets.text_view import BLANK, Block, line

Keys = tuple[tuple[str, str], ...]
"""(key, what it does), the words marked for the catalogue."""

PLACES: dict[str, tuple[str, Keys]] = {
    "lesson": (
        N_("Lesson"),
        (
            ("↑ ↓", N_("scroll, or move between answers")),
            ("Enter", N_("give the answer")),
            ("← →", N_("choose a partner, in questions that match")),
            ("PgUp PgDn", N_("a page")),
        ),
    ),
    "knobs": (
        N_("Knobs"),
        (
            ("↑ ↓", N_("another knob")),
            ("← →", N_("turn it: the kernel is traced again at once")),
            ("Home End", N_("its first value, its last value")),
        ),
    ),
    "editor": (
        N_("Editor"),
        (
            ("Tab, Shift+Tab", N_("indent, dedent")),
            ("^Z, ^Y", N_("undo, redo")),
            ("^O", N_("leave the editor; letters are commands outside it")),
        ),
    ),
    "map": (
        N_("Map"),
        (
            ("← →", N_("program before, program after")),
            ("↑ ↓", N_("another load or store")),
            (", .", N_("lane before, lane after")),
            ("Home End", N_("first lane, last lane")),
            ("+ − 0", N_("nearer, farther, all in view")),
            ("Enter", N_("go to the line")),
        ),
    ),
    "steps": (
        N_("Steps"),
        (
            ("← →", N_("a line back, a line on")),
            ("Home End", N_("first step, last step")),
            ("PgUp PgDn", N_("the same line, one round before or after")),
            ("o, O", N_("on or back over device functions; Shift+→ and Shift+← too")),
            ("u", N_("out of the device function")),
            ("c, C", N_("where the chosen name changes next, or changed before")),
            ("i", N_("where the first NaN or infinity appears")),
            ("↑ ↓", N_("choose a name")),
            ("f", N_("follow what each line changes")),
            (", .", N_("lane before, lane after")),
            ("; :", N_("lanes further back, further on")),
            ("+ −", N_("program after, program before")),
            ("Enter", N_("go to the line")),
        ),
    ),
    "compiler": (
        N_("Compiler"),
        (
            ("← →", N_("overview, and the listings from TTIR to machine code")),
            ("↑ ↓", N_("a line up, a line down; the editor points at its source")),
            (", .", N_("the line before or after that comes from the same source line")),
            ("< >", N_("long lines: to the left, to the right")),
            ("Enter", N_("go to the source line")),
        ),
    ),
    "results": (
        N_("Results"),
        (
            ("Tab, 1…6", N_("another tab")),
            ("↑ ↓", N_("move between what can be chosen")),
            ("Enter", N_("go to the line, to the map, or unfold")),
        ),
    ),
}


RESULTS = ("map", "steps", "compiler")
"""Results with keys of their own."""


def key_rows(keys: Keys, tr: Translator) -> Iterator[Block]:
    """One row a key."""
    for key, words in keys:
        yield line((f"{key:<18}", "bold $secondary"), tr(words), indent=2)


def help_blocks(place: str, tr: Translator) -> Iterator[Block]:
    """The keys of the place where the learner is, then those that work everywhere."""
    places = [place, "results"] if place in RESULTS else [place]
    for name in places:
        title, keys = PLACES[name]
        yield line((tr(title), "bold $primary"))
        yield from key_rows(keys, tr)
        yield BLANK
    if place == "map":
        yield line((tr("What the signs mean"), "bold $primary"))
        signs = (
            ("█", N_("elements of the selected program")),
            ("▒ ░", N_("elements of other programs, even and odd")),
            ("▓", N_("elements of several programs")),
            ("□", N_("lanes of the selected program that are masked off")),
            ("×", N_("lanes outside the tensor")),
            ("·", N_("untouched elements")),
        )
        yield from key_rows(signs, tr)
        yield BLANK
    yield line((tr("Everywhere"), "bold $primary"))
    for command in COMMANDS:
        keys_shown = ", ".join(shown(key) for key in command.keys)
        letter = f"  {shown(command.letter)}" if command.letter else ""
        yield line((f"{keys_shown + letter:<18}", "bold $secondary"), tr(command.help), indent=2)
    yield BLANK
    yield line((tr("Single letters work wherever nothing is being typed."), "$muted"))


def course_blocks(course: Course, study: Study, language: Language, tr: Translator) -> Iterator[Block]:
    """Every step of every lesson, done ones marked; each can be chosen."""
    for lesson_index, lesson in enumerate(course.lessons):
        done = study.done(lesson)
        count = sum(step.id in done for step in lesson.steps)
        yield line(
            (f"{lesson.number} {lesson.title[language]}", "bold $primary"),
            (f"  {count}/{len(lesson.steps)}", "$muted"),
        )
        for step_index, step in enumerate(lesson.steps):
            sign = ("✓ ", "$success") if step.id in done else ("· ", "$faint")
            kind = f"{tr(KINDS[step.kind]):<9}"
            title = step.title[language].replace("`", "")
            yield line(sign, (kind, "$muted"), title, target=Place(lesson_index, step_index), indent=2)
        yield BLANK


def question_blocks(text: str, yes: str, no: str) -> Iterator[Block]:
    """A question with two answers; the targets are True and False."""
    yield line(text)
    yield BLANK
    yield line(("› ", "$primary"), (no, "bold"), target=False)
    yield line(("› ", "$primary"), (yes, "bold"), target=True)


def solution_blocks(source: str, code: Callable[[str], Content]) -> Iterator[Block]:
    """The reference solution."""
    for row in code(source.rstrip("\n")).split("\n", allow_blank=True):
        yield Block(row, rest=Content("    "), fold=True)
