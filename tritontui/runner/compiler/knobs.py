"""Triton's knobs: what the environment or a program sets for all of Triton in a process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from triton import knobs


def knob_groups() -> list[Any]:
    """Each keeps in its ``vars`` what a program has set; for the rest it asks the environment."""
    return [group for group in vars(knobs).values() if isinstance(group, knobs.base_knobs)]


@contextmanager
def interpreter_ignored() -> Iterator[None]:
    """While active TRITON_INTERPRET says nothing: kernels are made for the compiler, and traced all the same."""
    kept = vars(knobs.runtime)
    before = dict(kept)
    kept["interpret"] = False
    try:
        yield
    finally:
        kept.clear()
        kept.update(before)
