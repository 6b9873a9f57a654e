"""Translating the interface's words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritontui.i18n.language import Language
from tritontui.i18n.numbers import localised, number

if TYPE_CHECKING:
    from gettext import NullTranslations

DOMAIN = "tritontui"
LOCALE_FOLDER = Path(__file__).parent / "locale"


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for this mark
    """Mark ``message`` for the catalogue without translating it here."""
    return message


class Translator:
    """Calls return the English text's translation with ``{names}`` filled in from the keyword arguments."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._catalogue = _catalogue(language)

    def __call__(self, message: str, /, **values: Any) -> str:
        translated = self._catalogue.gettext(message) if message else ""
        return translated.format_map(values) if values else translated

    def plural(self, one: str, many: str, n: int, /, **values: Any) -> str:
        """The form of ``one``/``many`` that goes with ``n``, which fills ``{n}``."""
        return self._catalogue.ngettext(one, many, n).format_map({"n": n, **values})

    def number(self, value: float, decimals: int = 0) -> str:
        """A figure with so many decimals, thousands set apart: ``4,323.5``, ``4.323,5``."""
        return number(value, self.language, decimals)

    def figure(self, digits: str) -> str:
        """A figure that Python wrote, with the language's separators: ``1.5M``, ``1,5M``."""
        return localised(digits, self.language)


@cache
def translator(language: Language) -> Translator:
    """The translator into ``language``; there is one of each."""
    return Translator(language)


def _catalogue(language: Language) -> NullTranslations:
    from gettext import NullTranslations, translation

    if language == "en":
        return NullTranslations()
    return translation(DOMAIN, LOCALE_FOLDER, [language])
