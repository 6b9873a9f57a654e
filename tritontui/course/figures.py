"""The figures of an experiment: what was measured at each point of its axes, on which card, when and by what.

The same JSON is an experiment's ``recorded.json``, a file to be imported, and what the progress file keeps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

SCHEMA = 1

FIGURES = ("us", "low_us", "high_us", "host_us", "loop_us", "gbps", "tflops")
"""What is known of an entry at each point. ``us``, ``low_us``, ``high_us``: device time, quantiles 0.5, 0.2 and 0.8 of
do_bench; ``host_us``: what a call takes of the host, the GPU not waited for; ``loop_us``: a call in a Python loop that
ends with one synchronisation; ``gbps``: bytes that must move over device time (1e9 bytes a second); ``tflops``."""

CARD = "card"
"""Stands for the GPU itself in an expression: ``card.copy_gbps``."""

CARD_FIGURES = (
    "copy_gbps", "add_gbps", "read_gbps", "fill_gbps", "empty_us",
    "peak_gbps", "peak_fp32_tflops", "peak_tensor_tflops", "l2_bytes", "sms",
)  # fmt: skip
"""Its ceilings by mix of reads and writes, an empty kernel's device time; the datasheet's bandwidth and arithmetic, its
L2 cache, its multiprocessors."""

AxisValue: TypeAlias = int | float | str


class FiguresError(ValueError):
    """Not figures, or not of this experiment; ``str()`` says why."""


class Series(NamedTuple):
    """One figure of one entry over its axes; ``values`` has the last axis varying fastest, None where there is none."""

    name: str
    axes: Mapping[str, Sequence[AxisValue]]
    values: Sequence[float | None]
    at_values: Mapping[str, AxisValue] = MappingProxyType({})
    """What was chosen of the axes that it no longer has."""

    def at(self, indices: Sequence[AxisValue | slice]) -> Series:
        """The part at these values of the axes, a slice standing for the whole axis; without axes it is one figure.

        Raises FiguresError.
        """
        if len(indices) != len(self.axes):
            raise FiguresError(f"{self.name} has {len(self.axes)} axes: {', '.join(self.axes)}")
        for (axis, known), index in zip(self.axes.items(), indices, strict=True):
            if not isinstance(index, slice) and index not in known:
                raise FiguresError(f"{self.name} has no {axis} = {index!r}")
        wanted = [
            known if isinstance(index, slice) else (index,)
            for known, index in zip(self.axes.values(), indices, strict=True)
        ]
        left = {axis: known for (axis, known), at in zip(self.axes.items(), indices, strict=True) if _is_whole(at)}
        chosen = {axis: at for axis, at in zip(self.axes, indices, strict=True) if not isinstance(at, slice)}
        by_point = dict(zip(product(*self.axes.values()), self.values, strict=True))
        return Series(self.name, left, [by_point[point] for point in product(*wanted)], {**self.at_values, **chosen})

    def figure(self) -> float:
        """The one figure of a series without axes. Raises FiguresError when it has axes, or no figure."""
        if self.axes:
            raise FiguresError(f"{self.name} is a figure at each {', '.join(self.axes)}: say which")
        [value] = self.values
        if value is None:
            raise FiguresError(f"{self.name} has no figure here")
        return value

    def known(self) -> list[float]:
        """Every figure that there is. Raises FiguresError when there is none."""
        found = [value for value in self.values if value is not None]
        if not found:
            raise FiguresError(f"{self.name} has no figure here")
        return found

    def points(self) -> Iterator[tuple[tuple[AxisValue, ...], float | None]]:
        """The values of the axes, and the figure there."""
        yield from zip(product(*self.axes.values()), self.values, strict=True)


def _is_whole(index: AxisValue | slice) -> bool:
    return isinstance(index, slice)


class Machine(NamedTuple):
    """Where figures were measured."""

    gpu: str
    """Its name, ``NVIDIA H200``."""
    card: Mapping[str, float] = MappingProxyType({})
    """Some of ``CARD_FIGURES``."""
    versions: Mapping[str, str] = MappingProxyType({})
    """Of python, torch, triton and the driver, as far as they are known."""


class EntryFigures(NamedTuple):
    """Figures of one entry: each list has one place for each point of the axes, the last axis varying fastest."""

    axes: Mapping[str, Sequence[AxisValue]]
    figures: Mapping[str, Sequence[float | None]]


class Figures(NamedTuple):
    """All figures of one experiment from one run."""

    experiment: str
    machine: Machine
    date: str
    """ISO 8601, UTC, such as ``2026-12-02T17:05:00Z``."""
    command: str
    """What measured them."""
    entries: Mapping[str, EntryFigures]

    def series(self, entry: str, figure: str) -> Series:
        """One figure of one entry, or of ``card``. Raises FiguresError."""
        name = f"{entry}.{figure}"
        if entry == CARD:
            if figure not in CARD_FIGURES:
                raise FiguresError(f"nothing called {name} is known of a card")
            return Series(name, {}, [self.machine.card.get(figure)])
        if entry not in self.entries:
            raise FiguresError(f"there is no entry {entry} here")
        found = self.entries[entry]
        if figure not in found.figures:
            raise FiguresError(f"{name} is not measured here")
        return Series(name, found.axes, found.figures[figure])

    def as_json(self) -> dict[str, Any]:
        """For ``json.dumps``; ``read`` makes the same of it again."""
        return {
            "schema": SCHEMA,
            "experiment": self.experiment,
            "machine": {
                "gpu": self.machine.gpu,
                "card": dict(self.machine.card),
                "versions": dict(self.machine.versions),
            },
            "date": self.date,
            "command": self.command,
            "entries": {
                name: {
                    "axes": {axis: list(values) for axis, values in entry.axes.items()},
                    **{figure: list(values) for figure, values in entry.figures.items()},
                }
                for name, entry in self.entries.items()
            },
        }

    def as_text(self) -> str:
        """As ``read_figures`` reads it."""
        import json  # not for the first frame

        return json.dumps(self.as_json())

    def matches(self, entries: Mapping[str, Mapping[str, Sequence[AxisValue]]]) -> bool:
        """Whether these are figures of that very grid: axes by entry."""
        return {name: _plain(entry.axes) for name, entry in self.entries.items()} == {
            name: _plain(axes) for name, axes in entries.items()
        }


def _plain(axes: Mapping[str, Sequence[AxisValue]]) -> list[tuple[str, list[AxisValue]]]:
    return [(name, list(values)) for name, values in axes.items()]


def read_figures(text: str) -> Figures:
    """The figures in a JSON text. Raises FiguresError."""
    import json  # not for the first frame

    try:
        return figures_of(json.loads(text))
    except ValueError as error:
        raise FiguresError(f"not JSON: {error}") if isinstance(error, json.JSONDecodeError) else error from None


def figures_of(value: Any) -> Figures:
    """The figures in what ``json.loads`` gave. Raises FiguresError."""
    try:
        if value["schema"] != SCHEMA:
            raise FiguresError(f"schema {value['schema']!r} is not known here, only {SCHEMA}")
        machine = value["machine"]
        return Figures(
            _text(value["experiment"]),
            Machine(
                _text(machine["gpu"]),
                {name: _number(figure) for name, figure in machine["card"].items()},
                {name: _text(version) for name, version in machine["versions"].items()},
            ),
            _text(value["date"]),
            _text(value["command"]),
            {name: _entry(name, entry) for name, entry in value["entries"].items()},
        )
    except KeyError as error:
        raise FiguresError(f"{error} is missing") from None
    except (TypeError, AttributeError) as error:
        raise FiguresError(f"not figures of an experiment: {error}") from None


def _entry(name: str, value: Mapping[str, Any]) -> EntryFigures:
    axes = {axis: _axis(axis, values) for axis, values in value["axes"].items()}
    count = math.prod(len(values) for values in axes.values())
    figures = {}
    for figure, values in value.items():
        if figure == "axes":
            continue
        if len(values) != count:
            raise FiguresError(f"{name}.{figure} has {len(values)} figures for {count} points")
        figures[figure] = tuple(None if one is None else _number(one) for one in values)
    return EntryFigures(axes, figures)


def _axis(name: str, values: Any) -> tuple[AxisValue, ...]:
    if not isinstance(values, list) or not all(type(value) in (int, float, str) for value in values):
        raise FiguresError(f"the axis {name} must be a list of numbers or strings")
    return tuple(values)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise FiguresError(f"{value!r} is no figure")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise FiguresError(f"{value!r} is no text")
    return value
