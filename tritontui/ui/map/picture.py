"""The rows of the map as styled pieces: cells with their rulers, in linear memory or as the tensor's shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tritontui.engine.messages import Overlay, Tile
from tritontui.ui.map.memory import Access, Window, coordinates, linear_margin
from tritontui.ui.map.signs import Sign, lane_sign, overlay_sign, sign
from tritontui.ui.map.tensor_shape import ShapeWindow, row_margin, ticks

Piece = tuple[str, str]
"""Text and its style."""
Row = list[Piece]
EDGE_LINE = "│"


@dataclass(frozen=True)
class Picture:
    """What is drawn: the cells of ``tile`` as ``window`` lays them out."""

    access: Access
    tile: Tile
    window: Window | ShapeWindow
    overlay: Overlay
    marked: int | None
    """The cell of the selected lane."""

    def rows(self) -> list[Row]:
        """The picture, rulers included."""
        window = self.window
        if isinstance(window, ShapeWindow):
            return [self._column_ruler(window), *self._shape_rows(window)]
        return list(self._linear_rows(window))

    # ------------------------------------------------------------ cells

    def _signs(self, holds: Sequence[int]) -> list[Sign]:
        """A sign a cell; ``holds``: how many elements each has."""
        cells, values = self.tile.cells, self.tile.overlay
        found = []
        for number, cell in enumerate(cells):
            if self.overlay:
                one = overlay_sign(self.overlay, cell, values[number] if values else (0, 0), holds[number])
            else:
                one = sign(cell, holds[number], coordinates(self.access, cell.program) if cell.programs == 1 else [])
            found.append(lane_sign(one) if number == self.marked else one)
        return found

    @staticmethod
    def _pieces(signs: Sequence[Sign], width: int) -> Row:
        return [(one.drawn(width) * len(list(group)), one.style) for one, group in groupby(signs)]

    # ------------------------------------------------------------ linear memory

    def _linear_rows(self, window: Window) -> Iterator[Row]:
        tile, columns = self.tile, window.columns
        low, high = min(tile.lowest, 0), max(tile.elements, tile.highest + 1)
        signs = self._signs([window.holds(cell, tile.elements) for cell in range(len(tile.cells))])
        margin = linear_margin(tile.elements)
        for start in range(0, len(signs), columns):
            first = window.first + start * window.zoom
            if first >= high or first + window.row_elements <= low:
                break
            yield [(f"{first:>{margin - 1}} ", "$muted"), *self._pieces(signs[start : start + columns], 1)]

    # ------------------------------------------------------------ the tensor's shape

    def _column_ruler(self, window: ShapeWindow) -> Row:
        """Indices of columns over their cells; those past the last column are marked as such."""
        margin = row_margin(window.shape)
        label = len(str(window.first_column + window.width * window.column_zoom))
        text = [" "] * (window.width * window.cell_width + 1)
        for cell, index in ticks(window.first_column, window.column_zoom, window.width, window.cell_width, label):
            at = cell * window.cell_width + (window.edge is not None and cell > window.edge)
            if index < window.shape.columns:
                text[at : at + len(str(index))] = str(index)
        ruler = "".join(text[: window.width * window.cell_width + 1]).rstrip()
        return [(" " * margin + ruler, "$muted")]

    def _shape_rows(self, window: ShapeWindow) -> Iterator[Row]:
        signs = self._signs([window.holds(cell) for cell in range(len(self.tile.cells))])
        margin = row_margin(window.shape)
        labels = dict(ticks(window.first_row, window.row_zoom, window.height, 3, 1))
        for down in range(len(signs) // window.width):
            row = signs[down * window.width : (down + 1) * window.width]
            index = window.first_row + down * window.row_zoom
            inside = 0 <= index < window.shape.rows
            words = str(labels[down]) if down in labels and inside else ""
            pieces: Row = [(f"{words:>{margin - 1}} ", "$muted")]
            if window.edge is None:
                pieces += self._pieces(row, window.cell_width)
            else:
                pieces += self._pieces(row[: window.edge + 1], window.cell_width)
                pieces.append((EDGE_LINE if inside else " ", "$muted"))
                pieces += self._pieces(row[window.edge + 1 :], window.cell_width)
            yield pieces
