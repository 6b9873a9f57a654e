"""Plots in characters: pure functions from figures to rows of styled text.

Series differ by their markers and levels by their height, so that everything holds without colour; ``ASCII`` is for
terminals without Unicode. Names are the caller's, in the learner's language; ``write`` writes a figure in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from textual.content import Content

from tritontui.ui.drawing.canvas import ASCII, UNICODE, Canvas, Glyphs, Scale, scale

__all__ = [
    "ASCII",
    "UNICODE",
    "Axis",
    "Bar",
    "Glyphs",
    "Level",
    "Note",
    "Roof",
    "Series",
    "bars",
    "compact",
    "curves",
    "gauge",
    "history",
    "roofline",
]

Write = Callable[[float], str]

GAUGE_CELLS = 40
FRAME_ROWS = 4
"""Of a plot: its name, the axis, the ticks, the legend."""
NAME_ROWS = 1.6
"""Over the highest roof, for its name."""
EIGHTHS = " ▏▎▍▌▋▊▉"


def compact(value: float) -> str:
    """``950``, ``64k``, ``1.5M``: short enough for a tick; in thousands, millions, milliards."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor and (factor > 1e3 or abs(value) >= 1e4):
            return f"{value / factor:.3g}{unit}"
    return f"{value:.4g}"


# ---------------------------------------------------------------- bars


@dataclass(frozen=True)
class Bar:
    """One row of a bar chart."""

    name: str
    value: float
    words: str
    """What is said behind the bar."""
    style: str = "$secondary"


def gauge(share: float, cells: int = GAUGE_CELLS, glyphs: Glyphs = UNICODE) -> str:
    """A bar of ``cells`` characters, to the eighth; over 1 it is full."""
    eighths = round(min(max(share, 0.0), 1.0) * cells * 8)
    full, rest = divmod(eighths, 8)
    if not glyphs.braille:
        return ("#" * (full + (rest >= 4))).ljust(cells, glyphs.empty)
    return ("█" * full + (EIGHTHS[rest] if rest else "")).ljust(cells, glyphs.empty)


def bars(rows: Sequence[Bar], cells: int, glyphs: Glyphs = UNICODE) -> list[Content]:
    """Bars one under another, the largest ``cells`` wide, names before and words behind."""
    top = max((row.value for row in rows), default=0.0)
    width = max((len(row.name) for row in rows), default=0)
    return [
        Content.assemble(
            (f"{row.name:<{width}} ", "$muted"),
            (gauge(row.value / top if top > 0 else 0.0, cells, glyphs), row.style),
            f" {row.words}",
        )
        for row in rows
    ]


def history(
    values: Sequence[float], width: int, height: int = 3, *, level: float | None = None, glyphs: Glyphs = UNICODE
) -> list[Content]:
    """Columns, oldest first, as many of the last as fit; the newest is bright, and ``level`` is the full height."""
    shown = values[-max(1, width // 2) :]
    top = max([level or 0.0, *shown]) or 1.0
    steps = len(glyphs.levels) - 1
    heights = [max(1, round(value / top * height * steps)) for value in shown]
    rows = []
    for row in range(height - 1, -1, -1):
        parts = []
        for index, tall in enumerate(heights):
            sign = glyphs.levels[min(max(tall - row * steps, 0), steps)]
            parts.append((f"{sign} ", "bold $selected" if index == len(heights) - 1 else "$secondary"))
        rows.append(Content.assemble(*parts))
    return rows


# ---------------------------------------------------------------- curves


@dataclass(frozen=True)
class Axis:
    """An axis; ``scale`` None fits what is drawn."""

    name: str
    log: bool = False
    scale: Scale | None = None


@dataclass(frozen=True)
class Series:
    """Points (x, y) that belong together."""

    name: str
    points: Sequence[tuple[float, float]]
    style: str = "$primary"
    joined: bool = True
    """By a line."""
    marked: bool = True
    """Each point has its sign; else there is only the line."""


@dataclass(frozen=True)
class Level:
    """A value of y that is worth a line across, such as a ceiling."""

    name: str
    value: float
    style: str = "$muted"


@dataclass(frozen=True)
class Note:
    """Words at a point of the plot, a row above it or below it."""

    x: float
    y: float
    words: str
    style: str = "$muted"
    rows: int = 1
    """Rows above the point; negative: below it."""
    ends: bool = False
    """The words end at the point instead of beginning there."""


def curves(
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    width: int,
    height: int,
    *,
    levels: Sequence[Level] = (),
    notes: Sequence[Note] = (),
    glyphs: Glyphs = UNICODE,
    write: Write = compact,
) -> list[Content]:
    """A plot of ``width`` × ``height`` cells, axes, ticks and legend included.

    Too small a space gives the legend alone.
    """
    legend = _legend(series, levels, glyphs, write)
    points = [point for one in series for point in one.points]
    across = x.scale or scale([px for px, _ in points], log=x.log)
    up = y.scale or scale([*(py for _, py in points), *(level.value for level in levels)], log=y.log)
    rows = height - FRAME_ROWS
    ticks = up.ticks(max(2, rows // 2))
    margin = max([len(write(tick)) for tick in ticks], default=0) + 1
    columns = width - margin - 1
    if rows < 3 or columns < 10:
        return [legend]
    canvas = _painted(series, across, up, levels, columns, rows, glyphs)
    for note in notes:
        row = up.place(note.y) + note.rows / max(rows - 1, 1)
        canvas.words(across.place(note.x), min(max(row, 0.0), 1.0), note.words, note.style, ends=note.ends)
    label_rows = {canvas.cell(0, up.place(tick))[1]: write(tick) for tick in ticks}
    head = Content.styled(f"{'':>{margin}}{y.name}", "$muted")
    body = [
        Content.assemble(
            (label_rows.get(row, "").rjust(margin), "$muted"),
            (glyphs.tick if row in label_rows else glyphs.vertical, "$faint"),
            canvas.row(row),
        )
        for row in range(rows)
    ]
    return [head, *body, *_foot(x, across, margin, columns, glyphs, write), legend]


def _painted(
    series: Sequence[Series],
    across: Scale,
    up: Scale,
    levels: Sequence[Level],
    columns: int,
    rows: int,
    glyphs: Glyphs,
) -> Canvas:
    canvas = Canvas(columns, rows, glyphs)
    places = [[(across.place(px), up.place(py)) for px, py in sorted(one.points)] for one in series]
    last_first = [*zip(series, places, _markers(glyphs, len(series)), strict=True)][::-1]  # the first is on top
    for one, points, _ in last_first:
        if one.joined:
            for start, end in pairwise(points):
                canvas.line(start, end, one.style)
    for level in levels:
        canvas.level(up.place(level.value), level.style)
    for one, points, marker in last_first:
        if one.marked:
            for px, py in points:
                canvas.sign(px, py, marker, one.style)
    return canvas


def _markers(glyphs: Glyphs, count: int) -> str:
    return (glyphs.markers * (count // len(glyphs.markers) + 1))[:count]


def _legend(series: Sequence[Series], levels: Sequence[Level], glyphs: Glyphs, write: Write) -> Content:
    parts: list[tuple[str, str]] = []
    line = "⣀⡠" if glyphs.braille else ".."
    for one, marker in zip(series, _markers(glyphs, len(series)), strict=True):
        if one.name:
            parts += [(f"{marker if one.marked else line} ", one.style), (f"{one.name}   ", "$muted")]
    for level in levels:
        words = f"{level.name} {write(level.value)}   "
        parts += [(f"{glyphs.level_line * 2} ", level.style), (words, "$muted")]
    return Content.assemble(*parts).rstrip()


def _foot(x: Axis, across: Scale, margin: int, columns: int, glyphs: Glyphs, write: Write) -> list[Content]:
    """The line under the plot, and its ticks' figures before the axis's name; those that would touch are left out."""
    line = [glyphs.horizontal] * columns
    width = margin + 1 + columns
    name = x.name[: width // 2]
    figures = list(f"{name:>{width}}")
    free, end = 0, width - len(name) - 1
    for tick in across.ticks(max(2, columns // 8)):
        column = round(across.place(tick) * (columns - 1))
        label = write(tick)
        start = max(margin + 1 + column - len(label) // 2, 0)
        if start < free or start + len(label) > end or not 0 <= column < columns:
            continue
        line[column] = glyphs.down
        figures[start : start + len(label)] = label
        free = start + len(label) + 1
    return [
        Content.styled(f"{'':>{margin}}{glyphs.corner}{''.join(line)}", "$faint"),
        Content.styled("".join(figures).rstrip(), "$muted"),
    ]


# ---------------------------------------------------------------- roofline


@dataclass(frozen=True)
class Roof:
    """What arithmetic can reach at most."""

    name: str
    tflops: float


def roofline(
    memory: tuple[str, float],
    roofs: Sequence[Roof],
    points: Sequence[Series],
    x: Axis,
    y: Axis,
    width: int,
    height: int,
    *,
    glyphs: Glyphs = UNICODE,
    write: Write = compact,
) -> list[Content]:
    """Attainable TFLOP/s over arithmetic intensity (FLOP/byte), both logarithmic.

    ``memory`` is the name of the memory's roof and its GB/s: under intensity I it allows I · GB/s / 1000 TFLOP/s
    (Williams, Waterman, Patterson, "Roofline", 2009); each of ``roofs`` caps that. ``points`` hold (intensity,
    TFLOP/s).
    """
    name, gbps = memory
    reached = [point for one in points for point in one.points]
    ridges = [roof.tflops * 1e3 / gbps for roof in roofs]
    low = min([0.1, *(intensity / 2 for intensity, _ in reached)])
    high = max([10.0, *(4 * ridge for ridge in ridges), *(intensity * 2 for intensity, _ in reached)])
    slope = max(ridges, default=high)
    top = max([slope * gbps / 1e3, *(speed for _, speed in reached)])
    least = min([low * gbps / 1e3, *(speed / 2 for _, speed in reached if speed > 0)])
    up = Scale(least, top * (top / least) ** (NAME_ROWS / max(height - FRAME_ROWS, 1)), log=True)
    lines = [Series("", ((low, low * gbps / 1e3), (slope, slope * gbps / 1e3)), "$secondary", marked=False)]
    lines += [
        Series("", ((ridge, roof.tflops), (high, roof.tflops)), "$secondary", marked=False)
        for roof, ridge in zip(roofs, ridges, strict=True)
    ]
    middle = math.sqrt(low * slope)
    notes = [Note(middle * 1.3, middle * gbps / 1e3, name, rows=-1)]
    notes += [Note(high, roof.tflops, roof.name, ends=True) for roof in roofs]
    # points first: their markers are the first ones, whatever the number of roofs
    return curves(
        [*points, *lines],
        Axis(x.name, scale=Scale(low, high, log=True)),
        Axis(y.name, scale=up),
        width,
        height,
        notes=notes,
        glyphs=glyphs,
        write=write,
    )
