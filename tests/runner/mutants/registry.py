"""The kinds of fault by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.runner.mutants.source import Change, Solution

Maker = Callable[[Solution], Iterator[Change]]
KINDS: dict[str, Maker] = {}


def kind(name: str) -> Callable[[Maker], Maker]:
    """Register what puts one kind of fault into a solution, at every place where it can stand."""

    def register(make: Maker) -> Maker:
        assert name not in KINDS, name
        KINDS[name] = make
        return make

    return register
