"""Widgets that are gone give their memory back.

Textual 8 remembers the last 1,024 results of ``StylesCache.get_inner_outer`` by the cache that asked, too, and so keeps
up to as many caches, with every line drawn in them, of widgets that were removed: about a megabyte a course map.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from textual import _styles_cache


def remember_colours_alone() -> None:
    """Let the answer depend on nothing but the two colours; a Textual without that method is left as it is."""
    cache_class: Any = getattr(_styles_cache, "StylesCache", None)
    compute = getattr(getattr(cache_class, "get_inner_outer", None), "__wrapped__", None)
    if compute is None or isinstance(cache_class.__dict__.get("get_inner_outer"), staticmethod):
        return

    @lru_cache(maxsize=1024)
    def inner_and_outer(base_background: Any, background: Any) -> Any:
        return compute(cache_class, base_background, background)

    cache_class.get_inner_outer = staticmethod(inner_and_outer)
