"""Heat maps in characters: a table of figures over two parameters, as pure functions from figures to styled rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from tritontui.ui.drawing.canvas import UNICODE, Glyphs
from tritontui.ui.drawing.plots import Write, compact

Figure = float | str | None
"""A figure; a word in the place of one (why there is none); None: not measured yet."""
Place = tuple[int, int]
"""Row and column."""

SHADES = 5
BEST = "★"
INVALID = "✗"


@dataclass(frozen=True)
class Grid:
    """Figures over two parameters: ``figures[r][c]`` belongs to ``rows[r]`` and ``columns[c]``."""

    row_name: str
    column_name: str
    rows: Sequence[float | str]
    columns: Sequence[float | str]
    figures: Sequence[Sequence[Figure]]
    least: bool = False
    """The least figure is the best one: times."""
    crowned: bool = True
    """The best one is marked as such."""

    def best(self) -> Place | None:
        """Row and column of the best figure."""
        known = {
            (r, c): figure
            for r, row in enumerate(self.figures)
            for c, figure in enumerate(row)
            if isinstance(figure, (int, float)) and math.isfinite(figure)
        }
        return (min if self.least else max)(known, key=lambda place: known[place]) if known else None

    def share(self, place: Place, best: Place | None) -> float | None:
        """How good the figure there is: 1 for the best, 0 for the worst there can be; None where there is none."""
        figure = self.figures[place[0]][place[1]]
        if best is None or not isinstance(figure, (int, float)):
            return None
        top = self.figures[best[0]][best[1]]
        assert isinstance(top, (int, float))
        low, high = (top, figure) if self.least else (figure, top)
        return low / high if high > 0 else None


def heat_map(
    grid: Grid,
    width: int,
    *,
    selected: Place | None = None,
    own: Place | None = None,
    shaded: bool = True,
    glyphs: Glyphs = UNICODE,
    write: Write = compact,
) -> list[Content]:
    """A table whose cells carry their figure, a level sign and, if ``shaded``, a background: the better, the stronger.

    The best cell has a star, a combination that can't run a cross, the learner's ``own`` brackets, the selected one a
    pointer. Columns that don't fit are left out, with an ellipsis, so that the selected one is in view.
    """
    best = grid.best()
    heads = [_exact(row) for row in grid.rows]
    margin = max([len(grid.row_name), *map(len, heads)])
    names = [_exact(column) for column in grid.columns]
    written = [[_said(figure, glyphs, write) for figure in row] for row in grid.figures]
    cell = max([1, *map(len, names), *(len(text) for row in written for text in row)]) + 5
    count = max(1, min(len(names), (width - margin - 2) // cell))
    first = max(0, selected[1] - count + 1) if selected is not None else 0
    shown = range(first, min(first + count, len(names)))
    before, after = "…" if first else " ", "…" if shown.stop < len(names) else ""
    rows = [
        Content.styled(f"{'':>{margin}} {grid.column_name:^{count * cell}}".rstrip(), "$muted"),
        Content.styled(
            f"{grid.row_name:>{margin}}{before}" + "".join(f"{names[c]:>{cell - 3}}   " for c in shown) + after,
            "bold $muted",
        ),
    ]
    for r, head in enumerate(heads):
        parts: list[tuple[str, str]] = [(f"{head:>{margin}} ", "bold $muted")]
        for c in shown:
            figure, share = grid.figures[r][c], grid.share((r, c), best)
            crowned = grid.crowned and (r, c) == best
            style = _shade(share, shaded, isinstance(figure, str))
            if (r, c) == selected:
                style = f"reverse {style}"
            opened, closed = ("[", "]") if (r, c) == own else (" ", " ")
            opened = ("▸" if glyphs.braille else ">") if (r, c) == selected else opened
            sign = _sign(share, figure, crowned, glyphs)
            colour = "$error" if isinstance(figure, str) else "$selected" if crowned else "$primary"
            back = style.partition(" on ")[2]
            parts += [
                (f"{opened}{written[r][c]:>{cell - 4}} ", style),
                (f"{sign}{closed}", style if (r, c) == selected else f"{colour} on {back}" if back else colour),
            ]
        rows.append(Content.assemble(*parts))
    return rows


def _exact(parameter: float | str) -> str:
    return f"{parameter:.15g}" if isinstance(parameter, (int, float)) else parameter


def _said(figure: Figure, glyphs: Glyphs, write: Write) -> str:
    if figure is None:
        return glyphs.empty
    return figure if isinstance(figure, str) else write(figure)


def _sign(share: float | None, figure: Figure, crowned: bool, glyphs: Glyphs) -> str:
    if crowned:
        return BEST if glyphs.braille else "*"
    if share is None:
        return (INVALID if glyphs.braille else "x") if isinstance(figure, str) else " "
    steps = len(glyphs.levels) - 1
    return glyphs.levels[min(max(1, round(share * steps)), steps)]


def _shade(share: float | None, shaded: bool, invalid: bool) -> str:
    if share is None:
        return "$error" if invalid else "$faint"
    level = min(SHADES - 1, int(share * SHADES))
    weight = "bold " if level == SHADES - 1 else ""
    return f"{weight}$foreground on $primary {8 + 13 * level}%" if shaded else weight.strip()
