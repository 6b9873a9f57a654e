"""Lines of a test's own file, by the comment at their end."""

from __future__ import annotations

from pathlib import Path


def marked_line(file: str, marker: str) -> int:
    """Number of the line of ``file`` that ends in ``# marker``."""
    lines = Path(file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {marker}"))
