"""Textual's caches keep no more than a screen needs, so that the memory of a long session stands still.

Textual 8 remembers the last 1,024 results of ``StylesCache.get_inner_outer`` by the cache that asked, too, and so keeps
up to as many caches, with every line drawn in them, of widgets that were removed: about a megabyte a course map. What
it remembers of regions, strips, segments and colours is bounded, at up to 16,384 results each: 0.5 to 0.7 KB a result,
some 40 MB that would fill in the course of hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import _styles_cache
from textual.color import Color
from textual.css.scalar import Scalar
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style

KEPT = 512
"""Results of each method; a frame of the widest screen asks for fewer different ones."""
REMEMBERING = (Region, Strip, Segment, Scalar, Color, Style, RichStyle, RichColor)
"""Classes whose methods remember results."""


def keep_less() -> None:
    """Make every cache in ``REMEMBERING`` forget sooner, and the answers about backgrounds depend on colours alone.

    What a Textual hasn't is left out; a second call finds nothing to do.
    """
    _remember_colours_alone()
    for owner in REMEMBERING:
        for name, held, cached in list(caches_of(owner)):
            parameters = cached.cache_parameters()
            if parameters["maxsize"] is None or parameters["maxsize"] > KEPT:
                smaller = lru_cache(maxsize=KEPT, typed=parameters["typed"])(cached.__wrapped__)
                setattr(owner, name, smaller if held is cached else type(held)(smaller))


def caches_of(owner: type) -> Iterator[tuple[str, Any, Any]]:
    """Name, attribute and cached function of each method of ``owner`` that remembers its results."""
    for name, held in vars(owner).items():
        cached = held.__func__ if isinstance(held, (classmethod, staticmethod)) else held
        if hasattr(cached, "cache_parameters"):
            yield name, held, cached


def _remember_colours_alone() -> None:
    cache_class: Any = getattr(_styles_cache, "StylesCache", None)
    compute = getattr(getattr(cache_class, "get_inner_outer", None), "__wrapped__", None)
    if compute is None or isinstance(cache_class.__dict__.get("get_inner_outer"), staticmethod):
        return

    @lru_cache(maxsize=KEPT)
    def inner_and_outer(base_background: Any, background: Any) -> Any:
        return compute(cache_class, base_background, background)

    cache_class.get_inner_outer = staticmethod(inner_and_outer)
