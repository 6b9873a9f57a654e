"""Operators that a traced script registers with torch: they end with the script, or its next run would meet them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.library import Library

from tritontui.runner.replaced import replaced

_INSIDERS = (f"{Path(torch.__file__).parent}/", functools.__file__, __file__)


@contextmanager
def own_operators(is_own: Callable[[str], bool]) -> Iterator[None]:
    """While active, libraries of operators may be made by files that ``is_own`` knows; they are gone afterwards.

    As ``torch.library`` has it, a namespace can be defined once in a process; and whatever else is imported for the
    first time meanwhile keeps what it registers.
    """
    made: list[Library] = []
    begin = Library.__init__

    def begin_own(library: Library, *arguments: Any, **named: Any) -> None:
        begin(library, *arguments, **named)
        if is_own(_asker(sys._getframe(1))):
            made.append(library)

    try:
        with replaced((Library, "__init__", begin_own)):
            yield
    finally:
        for library in reversed(made):
            library._destroy()


def _asker(frame: FrameType | None) -> str:
    """The file of the innermost frame outside of torch."""
    while frame is not None and frame.f_code.co_filename.startswith(_INSIDERS):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename
