"""The catalogue of ids: how grave each is, which lesson teaches it, what it carries, what follows from it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from tritontui.diagnosis.finding import Severity
from tritontui.toml import load_toml

CATALOGUE = Path(__file__).parent / "catalogue.toml"


class Entry(NamedTuple):
    """One id of the catalogue."""

    severity: Severity
    lesson: int | None
    """Number of the lesson that teaches it; None when no lesson does."""
    params: tuple[str, ...]
    """Names that a finding of this id carries in ``params``."""
    folds: tuple[str, ...]
    """Ids that merely follow from this one when both hold."""


def entry(identifier: str) -> Entry:
    """The entry of that id; KeyError when there is none."""
    return _entries()[identifier]


def identifiers() -> tuple[str, ...]:
    """Every id, in the catalogue's order."""
    return tuple(_entries())


@cache
def _entries() -> dict[str, Entry]:
    return {
        identifier: Entry(
            severity=fields["severity"],
            lesson=fields.get("lesson"),
            params=tuple(fields.get("params", ())),
            folds=tuple(fields.get("folds", ())),
        )
        for identifier, fields in load_toml(CATALOGUE).items()
    }
