"""How right the answers are, case by case."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Mismatch(Struct, kw_only=True):
    """The first element that is wrong."""

    index: list[int]
    expected: str
    got: str
    difference: str
    written: bool = True
    """False: it holds what its fresh memory was filled with, and no store has been there; ``got`` is that filling."""
    program: int | list[int] | None = None
    lane: int | None = None
    wrong: int
    """Elements that are wrong."""
    total: int
    pattern: str | None = None
    """``tail``, ``every-k``, ``one-block``, ``transposed``, ``noise`` or ``all``."""
    pattern_params: dict[str, Any] = {}


class CaseResult(Struct, kw_only=True):
    """Of a case, or of a trial of host code."""

    name: str
    passed: bool
    milliseconds: float
    first_mismatch: Mismatch | None = None
    names: dict[str, str] = {}
    """The name in each language, where it has words to translate."""

    def name_in(self, language: str) -> str:
        return self.names.get(language, self.name)


class CaseDone(Struct, tag=True):
    run: int
    device: str
    result: CaseResult
    index: int
    total: int
