"""Python's own grammar, checked in the time of a keystroke."""

from __future__ import annotations

from tritontui.diagnosis.finding import Finding


def check_syntax(source: str) -> Finding | None:
    """A ``syntax-error`` with line and column, or None when ``source`` parses. Never raises."""
    raise NotImplementedError
