"""Which finding to show first, and which merely follow from another."""

from __future__ import annotations

from collections.abc import Iterable

from tritontui.diagnosis.finding import Finding


def rank(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, causes first; each consequence carries ``caused_by`` and comes after its cause.

    The arguments stay as they are. A cause is shown at least as grave as the gravest of its consequences.
    """
    raise NotImplementedError
