"""What a learner's code printed beyond what is kept, in words."""

from __future__ import annotations

from tritontui.i18n import Translator


def not_kept(dropped: int, tr: Translator) -> str:
    """``dropped``: bytes, at least one."""
    return tr.plural(
        "{n} more byte was printed than is kept.",
        "{n} more bytes were printed than are kept.",
        dropped,
        n=tr.number(dropped),
    )
