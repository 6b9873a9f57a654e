"""Triton's knobs: what the environment or a program sets for all of Triton in a process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from triton import knobs


def knob_groups() -> list[Any]:
    """Each keeps in its ``vars`` what a program has set; for the rest it asks the environment."""
    return [group for group in vars(knobs).values() if isinstance(group, knobs.base_knobs)]


class _Off:
    """A knob that is off, whatever is set."""

    def __get__(self, group: object, owner: type | None = None) -> bool:
        return False

    def __set__(self, group: object, value: object) -> None:
        pass

    def __delete__(self, group: object) -> None:
        pass


@contextmanager
def interpreter_ignored() -> Iterator[None]:
    """While active neither TRITON_INTERPRET nor the knob says anything, whoever sets it and when: kernels are made for
    the compiler, and traced all the same."""
    group: Any = type(knobs.runtime)
    knob = vars(group)["interpret"]
    group.interpret = _Off()
    try:
        yield
    finally:
        group.interpret = knob
