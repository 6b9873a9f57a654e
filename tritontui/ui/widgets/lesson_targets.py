"""What Enter chooses in a lesson: an option, the answer as a whole, the original message of a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Pick(NamedTuple):
    """An option of a choice, an item of an order or of a match."""

    question: str
    option: str


class Check(NamedTuple):
    """The row that hands the answer in."""

    question: str


@dataclass(frozen=True)
class Original:
    """The row that unfolds the error message as it was met in the wild."""
