"""The words of a finding, in the learner's language, with the learner's own names and numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding
from tritontui.i18n import Language, plain
from tritontui.toml import load_toml

TEXTS = Path(__file__).parent / "texts"


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
    from tritontui.diagnosis.template import render

    known = _known(finding)
    texts = _texts(language).get(finding.id)
    if texts is None:
        return Explanation(plain(finding.id), plain(finding.original or ""), "", None)
    title, message, fix = (render(texts[part], known, language) for part in ("title", "message", "fix"))
    return Explanation(title, message, fix, entry(finding.id).lesson)


def _known(finding: Finding) -> dict[str, Any]:
    """All that a sentence may mention."""
    return {
        **finding.params,
        "line": finding.line,
        "column": finding.column,
        "tensor": finding.tensor,
        "program": finding.program,
        "lanes": finding.lanes,
    }


@cache
def _texts(language: Language) -> dict[str, dict[str, str]]:
    """By id: ``title``, ``message`` and ``fix``."""
    return load_toml(TEXTS / f"{language}.toml")
