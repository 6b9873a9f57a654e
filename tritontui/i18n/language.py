"""Which language to speak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "it"]
LANGUAGES: tuple[Language, ...] = ("en", "it")

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""In POSIX's order of precedence; the first one that is set and not empty decides."""


def choose_language(explicit: str | None, environ: Mapping[str, str]) -> Language:
    """The language of ``--lang`` when given, else that of the locale variables, else English.

    Raises ValueError for an ``explicit`` that is none of ``LANGUAGES``.
    """
    if explicit is not None:
        chosen = _spoken(explicit)
        if chosen is None:
            raise ValueError(f"unknown language {explicit!r}: choose one of {', '.join(LANGUAGES)}")
        return chosen
    for variable in LOCALE_VARIABLES:
        if value := environ.get(variable):
            return _spoken(value) or "en"
    return "en"


def _spoken(locale: str) -> Language | None:
    """``it_IT.UTF-8`` → ``it``; None for a language that isn't spoken here (``C``, ``POSIX``, ``de_DE``)."""
    name = locale.replace("-", "_").split("_")[0].split(".")[0].lower()
    for language in LANGUAGES:
        if name == language:
            return language
    return None
