"""How a language writes figures: 4,323.5 in English, 4.323,5 in Italian, as the lessons do."""

from __future__ import annotations

from tritontui.i18n.language import Language

_SEPARATORS: dict[Language, tuple[str, str]] = {"en": (",", "."), "it": (".", ",")}
"""Of thousands and of decimals."""


def number(value: float, language: Language, decimals: int = 0) -> str:
    """``value`` with so many decimals, thousands set apart."""
    return localised(f"{value:,.{decimals}f}", language)


def localised(digits: str, language: Language) -> str:
    """A figure that Python wrote, such as ``1,234.5``, with the language's separators."""
    thousands, point = _SEPARATORS[language]
    return digits.translate({ord(","): thousands, ord("."): point})
