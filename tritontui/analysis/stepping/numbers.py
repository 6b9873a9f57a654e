"""Numbers of a kernel as text: short for a column of lanes, exact for the one that is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritontui.analysis.stepping.recording import Value

SHORT_LENGTH = 7
_SHORTEST = {np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)}
_EXACT_IN_FLOAT32 = ("bf16", "fp8")
"""Kept in float32 arrays: every digit of the float32 belongs to them, and few are needed."""


def short(value: Value, item: Any) -> str:
    """``item``, one lane of ``value``: a float with as many digits, up to four, as fit in seven characters."""
    special = _special(value, item)
    if special is not None:
        return special
    texts = (f"{float(item):.{digits}g}" for digits in (4, 3, 2, 1))
    return next((text for text in texts if len(text) <= SHORT_LENGTH), f"{float(item):.0e}")


def exact(value: Value, item: Any) -> str:
    """``item`` with as many digits as tell it from its neighbours."""
    special = _special(value, item)
    if special is not None:
        return special
    if value.dtype.startswith(_EXACT_IN_FLOAT32) or np.asarray(item).dtype not in _SHORTEST:
        return repr(float(item))
    size = abs(float(item))
    if size and not 1e-4 <= size < 1e16:
        return str(np.format_float_scientific(item, trim="-"))
    return str(np.format_float_positional(item, trim="0"))


def _special(value: Value, item: Any) -> str | None:
    """What isn't a finite floating-point number."""
    if value.dtype.startswith("*"):
        return f"{value.text}{int(item):+}" if value.text else f"{int(item):#x}"
    kind = np.asarray(item).dtype.kind
    if kind == "b":
        return "true" if item else "false"
    if kind in "iu":
        return str(int(item))
    if np.isnan(item):
        return "NaN"
    if np.isinf(item):
        return "inf" if item > 0 else "-inf"
    return None
