"""Reading TOML, on every supported Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def load_toml(path: Path) -> dict[str, Any]:
    """The parsed file; raises OSError, or ValueError (``TOMLDecodeError``) naming line and column.

    The parser is imported on the first call: the first screen needs none of it.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    parsed: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return parsed
