"""The words of a finding, in the learner's language, with the learner's own names and numbers."""

from __future__ import annotations

from typing import NamedTuple

from tritontui.diagnosis.finding import Finding
from tritontui.i18n import Language


class Explanation(NamedTuple):
    """Plain text (no markup; code stands between backquotes), every part free of control characters."""

    title: str
    """A few words, without a full stop."""
    message: str
    """What happened and why."""
    fix: str
    """How to go on, without giving the solution away."""
    lesson: int | None
    """Number of the lesson that teaches it."""


def explain(finding: Finding, language: Language) -> Explanation:
    """The words of ``finding``. Never raises: what isn't known is left out of the sentence."""
    raise NotImplementedError
