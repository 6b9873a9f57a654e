"""Names of ``tl`` and ``triton`` with their documentation, read from the installed Triton's source, never imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """One public name, such as ``tl.load``."""

    qualified: str
    """As learners write it: ``tl.load``, ``triton.cdiv``."""
    signature: str
    """``(pointer, mask=None, other=None, …)``, or empty for what is no function."""
    summary: str
    """First sentence of its docstring, in Triton's own English."""
    doc: str
    """The whole docstring."""
