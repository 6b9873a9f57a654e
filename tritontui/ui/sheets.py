"""What stands on each sheet: help, steps of the course, solution, questions before something is replaced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from textual.content import Content

from tritontui.i18n import N_, Translator
from tritontui.keys.commands import COMMANDS, Scope
from tritontui.keys.file import Keys
from tritontui.keys.places import NAMES, OF_RESULTS, PLACES
from tritontui.ui.widgets.text_view import BLANK, Block, line


def key_rows(table: Iterable[tuple[str, str]], keys: Keys, tr: Translator) -> Iterator[Block]:
    """One row a key."""
    for key, words in table:
        yield line((f"{keys.filled_in(key):<18}", "bold $secondary"), tr(words), indent=2)


def help_blocks(
    place: str, scopes: tuple[Scope, ...], keys: Keys, tr: Translator, more: Collection[str] = ()
) -> Iterator[Block]:
    """The keys of the place where the learner is, then those that work everywhere there.

    Those are of the commands of ``scopes``, and of those with the ids ``more``.
    """
    for name in (place, "results") if place in OF_RESULTS else (place,):
        yield line((tr(NAMES[name]), "bold $primary"))
        yield from key_rows(((key.shown, key.help) for key in PLACES[name]), keys, tr)
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
        yield from key_rows(signs, keys, tr)
        yield BLANK
    yield line((tr("Everywhere"), "bold $primary"))
    for command in COMMANDS:
        if command.scope in scopes or command.id in more:
            words = tr(command.help_in(scopes))
            yield line((f"{keys.all_shown(command.id):<18}", "bold $secondary"), words, indent=2)
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
