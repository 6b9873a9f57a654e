"""What stands on each sheet: help, steps of the course, solution, questions before something is replaced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from textual.content import Content

from tritontui.i18n import N_, Translator
from tritontui.keys.commands import COMMANDS, Scope
from tritontui.keys.file import Keys
from tritontui.keys.places import NAMES, OF_RESULTS, PLACES
from tritontui.ui.views.status import KINDS
from tritontui.ui.widgets.text_view import BLANK, Block, line

KEY_WIDTH = 18
ABOUT_KINDS = {
    "opening": N_("Three questions about earlier lessons. Answer from memory; a wrong answer is explained."),
    "read": N_("Text to read. It is done when you go on."),
    "explore": N_("A kernel to play with: turn its knobs, or edit it, and look at the map. Nothing is right or wrong."),
    "predict": N_("Questions to answer before you see anything. A wrong answer is explained, and asked again."),
    "code": N_("A kernel to write. It is judged while you type; done when it passes. Hints come one at a time."),
    "fix": N_("A kernel to repair in a few lines. Answer first: the editor opens once the questions are answered."),
    "measure": N_("Commit to your predictions, then measure on your GPU, or look at figures recorded on another."),
    "do": N_("Something to do in another terminal. It is noticed by itself, or can be skipped."),
    "evidence": N_("Say where you stand; then see what you have shown so far."),
    "closing": N_("A guess. The next lesson begins with the answer; after the last one it comes at once."),
}
"""What each kind of step asks for, on the sheet of F1."""


def kind_blocks(kind: str, tr: Translator) -> Iterator[Block]:
    """What the learner is asked to do in a step of this kind."""
    yield line((tr("This step: {kind}", kind=tr(KINDS[kind])), "bold $primary"))
    yield line(tr(ABOUT_KINDS[kind]), indent=2)
    yield BLANK


def key_rows(table: Iterable[tuple[str, str]], keys: Keys, tr: Translator) -> Iterator[Block]:
    """One row a key."""
    for key, words in table:
        yield key_row(keys.filled_in(key), tr(words))


def key_row(shown: str, words: str) -> Block:
    """Keys, and beside them what they do: its further rows stand under its first."""
    first = Content.assemble("  ", (f"{shown:<{KEY_WIDTH}}", "bold $secondary"))
    return Block(Content(words), first=first, rest=Content(" " * first.cell_length))


def help_blocks(
    place: str, scopes: tuple[Scope, ...], keys: Keys, tr: Translator, more: Collection[str] = ()
) -> Iterator[Block]:
    """The keys of the place where the learner is, then those that work everywhere there.

    Those are of the commands of ``scopes``, and of those with the ids ``more``.
    """
    named: set[str] = set()
    for name in (place, "results") if place in OF_RESULTS else (place,):
        if rows := [(key.shown, key.help) for key in PLACES[name] if key.shown not in named]:
            yield line((tr(NAMES[name]), "bold $primary"))
            yield from key_rows(rows, keys, tr)
            yield BLANK
            named.update(shown for shown, _ in rows)
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
        yield from key_rows(signs, keys, tr)
        yield BLANK
    here = [command for command in COMMANDS if command.scope in scopes or command.id in more]
    yield line((tr("Everywhere"), "bold $primary"))
    for command in here:
        if shown := keys.all_shown(command.id):
            yield key_row(shown, tr(command.help_in(scopes)))
    yield BLANK
    yield line((tr("By name alone, with {key}", key=keys.shown("palette")), "bold $primary"))
    for command in here:
        if not keys.all_shown(command.id):
            yield line(tr(command.help_in(scopes)), indent=2)
    yield BLANK
    yield line((tr("Single letters work wherever nothing is being typed."), "$muted"))


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
