"""Small texts that several views share, as styled content. Learner text is never read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

if TYPE_CHECKING:
    from tritontui.diagnosis.finding import Finding, LaneRange, Severity

SIGNS: dict[Severity, tuple[str, str]] = {
    "error": ("✗", "bold $error"),
    "warning": ("!", "bold $warning"),
    "note": ("·", "bold $secondary"),
}


def prose(text: str, style: str = "") -> Content:
    """Plain text in which code stands between backquotes."""
    parts = [
        (part, f"{style} $accent".strip() if index % 2 else style) for index, part in enumerate(text.split("`")) if part
    ]
    return Content.assemble(*parts)


def lanes_words(lanes: Sequence[LaneRange]) -> str:
    """``232–255``, ``0, 5, 7–9``."""
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in lanes)


def program_words(program: int | list[int]) -> str:
    """``3`` or ``(0, 3)``."""
    return str(program) if isinstance(program, int) else "(" + ", ".join(map(str, program)) + ")"


def first_error(findings: Sequence[Finding]) -> Finding | None:
    """The finding that a short space shows: the first error, else the first of all."""
    return next((finding for finding in findings if finding.severity == "error"), next(iter(findings), None))
