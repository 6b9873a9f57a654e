"""Names of other modules and classes that mean something else for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ABSENT = object()


@contextmanager
def replaced(*replacements: tuple[Any, str, Any]) -> Iterator[None]:
    """While active ``owner.name`` is ``value``, for each ``(owner, name, value)``; afterwards it is what it was.

    What the owner only inherited, or hadn't at all, is taken away again.
    """
    originals = [(owner, name, vars(owner).get(name, _ABSENT)) for owner, name, _ in replacements]
    try:
        for owner, name, value in replacements:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, original in reversed(originals):
            if original is not _ABSENT:
                setattr(owner, name, original)
            elif name in vars(owner):
                delattr(owner, name)
