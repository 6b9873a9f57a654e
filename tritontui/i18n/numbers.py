"""How a language writes figures: 4,323.5 in English, 4.323,5 in Italian, as the lessons do."""

from __future__ import annotations

from tritontui.i18n.language import Language

_SEPARATORS: dict[Language, tuple[str, str]] = {"en": (",", "."), "it": (".", ",")}
"""Of thousands and of decimals."""


def number(value: float, language: Language, decimals: int = 0) -> str:
    """``value`` with so many decimals, thousands set apart."""
    return localised(f"{value:,.{decimals}f}", language)


def percent(share: float) -> str:
    """``share`` of one in whole per cents: ``36%``."""
    return percents(100 * share)


def percents(value: float) -> str:
    """A value in per cents, as both languages write it: ``36%``, without a space, at which a line could be broken.

    Rounding never makes it none or all of something: what isn't exactly that is ``<1%``, ``>99%`` or ``>100%``.
    """
    whole = round(value)
    if whole not in (0, 100) or value == whole:
        return f"{whole}%"
    if whole == 0:
        return "<1%"
    return ">99%" if value < 100 else ">100%"


def localised(digits: str, language: Language) -> str:
    """A figure that Python wrote, such as ``1,234.5``, with the language's separators."""
    thousands, point = _SEPARATORS[language]
    return digits.translate({ord(","): thousands, ord("."): point})
