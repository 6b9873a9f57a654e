"""What works on this machine, check by check: the facts behind ``tritontui doctor``."""

from __future__ import annotations

from tritontui.engine.messages import Check


def probe(device: str) -> list[Check]:
    """Try what a runner child on ``device`` (``cpu`` or ``cuda:N``) needs; never raises."""
    raise NotImplementedError
