"""Writing a learner's names and numbers into a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tritontui.i18n import Language, localised, percents, plain

LONGEST = 120
"""Characters of one value in a sentence; the rest is cut, with an ellipsis."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_WIDEST = 1024
"""Bits of the widest integer that is written out."""
_MOST = 32
"""Items of a list that are looked at; the line is cut before so many fit."""


def is_known(value: Any) -> bool:
    """Whether there is anything to write: None, ``""`` and ``[]`` say that a value isn't known."""
    return value is not None and value != "" and value != [] and value != ()


def plural_of(value: Any) -> int:
    """0 where the singular belongs, 1 where the plural does; of ranges, by how many they hold."""
    if isinstance(value, (list, tuple)):
        return int(sum(last - first + 1 for first, last in value) != 1 if _is_ranges(value) else len(value) != 1)
    return int(value != 1)


def written(value: Any, language: Language, style: str = "") -> str:
    """``value`` in words of one line.

    Lists of pairs are ranges (``232–255, 300``), lists of text are joined by commas, other lists are tuples
    (``(3, 1)``). Of style ``raw`` numbers are written as in code, of style ``bytes`` as amounts of memory, of style
    ``percents`` with their sign (``percents``), of style ``index`` lists without their parentheses, of style ``code``
    lists of text with each between backquotes. A dict is a text in each language.
    """
    if isinstance(value, dict) and isinstance(text := value.get(language), str):
        return _one_line(text)
    if isinstance(value, bool) or not isinstance(value, (int, float, list, tuple)):
        return _shortened(str(value))
    if isinstance(value, (list, tuple)):
        if style == "code":
            value = [f"`{one}`" for one in value]
        return _shortened(_sequence(value, language, bare=style == "index"))
    if isinstance(value, int) and value.bit_length() > _WIDEST:
        return "…"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if style == "percents":
        return percents(value)
    if style == "bytes":
        return _memory(value, language)
    return _number(value, language, raw=style == "raw")


def _number(value: float, language: Language, *, raw: bool = False) -> str:
    """Separators of thousands from five digits on: 1000, but 65,536 (English) and 65.536 (Italian)."""
    if raw:
        return str(value) if isinstance(value, int) else f"{value:.6g}"
    grouped = "," if abs(value) >= 10_000 else ""
    digits = f"{value:{grouped}}" if isinstance(value, int) else f"{value:{grouped}.4g}"
    return localised(digits, language)


def _memory(value: float, language: Language) -> str:
    """In the largest binary unit that leaves at least one of it, to three digits."""
    unit = 0
    while abs(value) >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{_number(float(f'{value:.3g}'), language)} {_UNITS[unit]}"


def _sequence(values: Sequence[Any], language: Language, *, bare: bool) -> str:
    if _is_ranges(values):
        return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in values[:_MOST])
    items = [written(value, language, "raw") for value in values[:_MOST]]
    if bare or all(isinstance(value, str) for value in values):
        return ", ".join(items)
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _is_ranges(values: Sequence[Any]) -> bool:
    return all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(end, int) for end in pair)
        for pair in values
    )


def _one_line(text: str) -> str:
    return plain(" ".join(text.split()))


def _shortened(text: str) -> str:
    line = _one_line(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
