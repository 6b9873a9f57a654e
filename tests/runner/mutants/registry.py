"""The kinds of fault by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.runner.mutants.source import Change, Solution

Maker = Callable[[Solution], Iterator[Change]]
KINDS: dict[str, Maker] = {}
OF_THE_HOST: set[str] = set()
"""Kinds that need no kernel."""


def kind(name: str, *, needs_kernel: bool = True) -> Callable[[Maker], Maker]:
    """Register what puts one kind of fault into a solution, at every place where it can stand."""

    def register(make: Maker) -> Maker:
        assert name not in KINDS, name
        KINDS[name] = make
        if not needs_kernel:
            OF_THE_HOST.add(name)
        return make

    return register
