"""One table of keys: what is bound, what the key line shows and what F1 says can't differ."""

import pytest

from tritontui.i18n import LANGUAGES, translator
from tritontui.keys.commands import COMMANDS, IN_COURSE
from tritontui.keys.file import Keys
from tritontui.keys.names import is_letter
from tritontui.keys.places import OF_RESULTS, PLACES, key_line, letters
from tritontui.ui.views.key_hints import GETTING_ABOUT, fitting, key_hints
from tritontui.ui.views.sheets import ABOUT_KINDS, help_blocks, kind_blocks
from tritontui.ui.views.status import KINDS
from tritontui.ui.widgets.access_map import AccessMap
from tritontui.ui.widgets.compiler import CompilerView
from tritontui.ui.widgets.knob_bar import KnobBar
from tritontui.ui.widgets.steps import StepsView

WIDGETS = {"map": AccessMap, "steps": StepsView, "compiler": CompilerView, "knobs": KnobBar}


@pytest.mark.parametrize("place", WIDGETS)
def test_every_key_of_a_place_does_something_there(place: str) -> None:
    actions = [action.partition("(")[0] for key in PLACES[place] for _, action in key.does]
    assert actions and all(hasattr(WIDGETS[place], f"action_{action}") for action in actions)


@pytest.mark.parametrize("place", sorted(OF_RESULTS))
def test_no_key_of_a_result_does_two_things(place: str) -> None:
    own = [name for key in PLACES[place] for names, _ in key.does for name in names.split(",")]
    assert len(own) == len(set(own))
    assert not letters() & {key for command in COMMANDS for key in command.keys if is_letter(key)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", PLACES)
def test_the_sheet_names_every_key(place: str, language) -> None:  # type: ignore[no-untyped-def]
    tr = translator(language)
    sheet = "\n".join((block.first + block.text).plain for block in help_blocks(place, IN_COURSE, Keys(), tr))
    assert all(Keys().filled_in(key.shown) in sheet and tr(key.help) in sheet for key in PLACES[place])


@pytest.mark.parametrize("place", sorted(OF_RESULTS))
def test_the_key_line_of_every_result_leads_to_the_others(place: str) -> None:
    assert "Tab" in [key for key, _ in key_line(place)]


def test_the_key_line_of_the_map_has_what_every_map_needs() -> None:
    assert [key for key, _ in key_line("map")] == ["Tab", "←→", "↑↓", ", .", "+−", "o", "m", "iI", "↵"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_step_is_explained(language) -> None:  # type: ignore[no-untyped-def]
    said = ["\n".join(block.text.plain for block in kind_blocks(kind, translator(language))) for kind in KINDS]
    assert set(ABOUT_KINDS) == set(KINDS) and len(set(said)) == len(KINDS)
    assert all(language != "en" or ABOUT_KINDS[kind] in text for kind, text in zip(KINDS, said, strict=True))


def test_no_key_needs_altgr_on_an_italian_keyboard() -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert not ({*letters()} | {key.rpartition("+")[2] or key for key in keys}) & set("[]{}@#~`€")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", sorted(OF_RESULTS))
def test_help_is_named_however_many_keys_a_place_has(place: str, language) -> None:  # type: ignore[no-untyped-def]
    hints = key_hints((*key_line(place), *GETTING_ABOUT), Keys(), translator(language))
    for width in (58, 78, 118, 198):
        shown = fitting(hints, width)
        assert shown[-1][0] == "F1" and shown[:-1] == hints[: len(shown) - 1]
        assert len("  ".join(f"{key} {label}" for key, label in shown)) <= width
    assert shown == hints
