"""What can be set, which values there are, and how they are said. What is set is applied by the application."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tritontui.engine.targets import CARDS, DEFAULT_TARGET
from tritontui.i18n import N_, Translator
from tritontui.ui.theme import ANSI, DARK, LIGHT
from tritontui.ui.widgets.text_view import BLANK, Block, line

SYSTEM = "system"
LABEL_WIDTH = 26


@dataclass(frozen=True, eq=False)
class Setting:
    """One thing to set; ``id`` is its name in the progress file, the first value counts until another is chosen."""

    id: str
    label: str
    values: Mapping[str, str]
    """What each value is called; marked for the catalogue, unless it is a name."""


SETTINGS: tuple[Setting, ...] = (
    Setting("language", N_("Language"), {SYSTEM: N_("as the system says"), "en": "English", "it": "Italiano"}),
    Setting(
        "theme",
        N_("Colours"),
        {
            SYSTEM: N_("as the terminal says"),
            DARK.name: N_("dark"),
            LIGHT.name: N_("light"),
            ANSI.name: N_("the terminal's own sixteen"),
        },
    ),
    Setting("live", N_("Judging"), {"on": N_("while you type"), "off": N_("only when asked")}),
    Setting(
        "target",
        N_("Without a GPU compile for"),
        {DEFAULT_TARGET: f"{DEFAULT_TARGET} · {CARDS[DEFAULT_TARGET]}"}
        | {target: f"{target} · {cards}" for target, cards in CARDS.items()},
    ),
)
BY_ID = {setting.id: setting for setting in SETTINGS}


UNKNOWN_TOLD = "unknown-settings"
"""Name in the progress file of the values that the learner was told of already."""


def unknown_values(stored: Callable[[str], str | None]) -> dict[Setting, str]:
    """Values in the progress file that this version doesn't know: a newer one has written them, and may again."""
    values = {setting: stored(setting.id) for setting in SETTINGS}
    return {setting: value for setting, value in values.items() if value is not None and value not in setting.values}


def beside(setting: Setting, value: str, step: int) -> str:
    """The value ``step`` places on, round the end."""
    values = list(setting.values)
    return values[(values.index(value) + step) % len(values)]


def setting_blocks(
    chosen: Mapping[str, str], notes: Mapping[str, str], places: Mapping[str, str], tr: Translator
) -> Iterator[Block]:
    """A row for each setting, with what is to be said of it now; then where files are kept.

    ``places`` gives paths by their names, which are marked for the catalogue.
    """
    for setting in SETTINGS:
        value = tr(setting.values[chosen[setting.id]])
        row = (f"{tr(setting.label):<{LABEL_WIDTH}}", ("‹ ", "$primary"), (value, "bold"), (" ›", "$primary"))
        yield line(*row, target=setting)
        if note := notes.get(setting.id):
            yield line((note, "$muted"), indent=LABEL_WIDTH + 2)
    yield BLANK
    yield line((tr("Where your files are"), "bold $primary"))
    for name, path in places.items():
        yield line((f"{tr(name):<{LABEL_WIDTH}}", "$muted"), path)
