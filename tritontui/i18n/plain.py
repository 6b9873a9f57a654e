"""Making text from outside harmless before it is shown."""

from __future__ import annotations

from functools import cache

_INVISIBLE = (
    *range(0x20),  # C0 controls, the escape that starts a terminal sequence among them
    *range(0x7F, 0xA0),  # delete and the C1 controls, which some terminals obey
    0x00AD,  # soft hyphen
    0x061C,  # marks, embeddings, overrides and isolates of writing direction: they reorder what is read
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xD800, 0xE000),  # lone surrogates can't be encoded for the terminal
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
)


def plain(text: str, *, lines: bool = False) -> str:
    """``text`` with every control and invisible character written out, as ``\\x1b`` is.

    With ``lines``, newlines and tabs stay as they are.
    """
    return text.translate(_shown("\n\t" if lines else ""))


_STEERING = dict.fromkeys(set(_INVISIBLE) - {0x00AD, 0x200B, 0x200C, 0x200D, *range(0x2060, 0x2066)})
"""The characters that may drive a terminal, or change the order in which others are read, to be taken out.

Of the invisible ones only those that join letters and emoji (U+200C, U+200D) or part words may stand in a text.
"""


def harmless(text: str) -> str:
    """``text`` without what may steer a terminal."""
    return text.translate(_STEERING)


def plain_json(text: str) -> str:
    """``text``, which is JSON over several lines, with every such character in its strings as an escape of JSON."""
    return text.translate({code: f"\\u{code:04x}" for code in _INVISIBLE if code != 0x0A})


@cache
def _shown(kept: str) -> dict[int, str]:
    """How each of them is written, but for those ``kept`` as they are."""
    return {
        code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _INVISIBLE if chr(code) not in kept
    }
