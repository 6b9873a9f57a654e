"""Prints put aside: the learner sees those of the traced call and of the first case that fails, not of every call."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from contextlib import contextmanager

KEPT_CHARACTERS = 16 * 1024
"""Of one call; what a screen of prints holds many times over."""


class Aside(io.TextIOBase):
    """A text stream that keeps the first characters written to it and swallows the rest."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """As for any stream: the number of characters taken."""
        self.text += text[: KEPT_CHARACTERS - len(self.text)]
        return len(text)


@contextmanager
def prints_aside() -> Iterator[Aside]:
    """While active, Python's own prints go to the Aside that is given."""
    aside = Aside()
    with contextlib.redirect_stdout(aside):
        yield aside
