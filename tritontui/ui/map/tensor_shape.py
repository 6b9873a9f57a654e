"""A tensor drawn as its own shape: which matrix is shown, how far beyond its edges, and what a window on it holds.

The last two axes are rows and columns, the axes before them are slices. Plain data; the widget only draws it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from tritontui.engine.messages import Affine, Plane
from tritontui.ui.map.memory import Access

MOST_BEYOND = 64
"""Rows or columns past an edge that are shown at most."""
GAP_SHOWN = 8
"""Columns of what lies between two rows of a slice, shown so that the slice is seen to be one."""
WIDEST_CELL = 3
"""Characters of one element, where there is room."""


@dataclass(frozen=True)
class Matrix:
    """Rows and columns of one slice: element (i, j) has the offset ``base + i·row_stride + j·column_stride``."""

    base: int
    rows: int
    columns: int
    row_stride: int
    column_stride: int
    wraps: bool
    """The kernel counts on past the end of a row: its index is flat."""
    before: int = 0
    """Rows shown before the first one, for what lies before the tensor."""
    more_rows: int = 0
    more_columns: int = 0
    """Rows and columns shown past the last one."""
    slice_stride: int = 0
    """The least stride from slice to slice; 0 where there is one alone."""
    closed: bool = False
    """Other slices follow."""

    @property
    def shown_rows(self) -> int:
        return self.before + self.rows + self.more_rows

    @property
    def shown_columns(self) -> int:
        return self.columns + self.more_columns


def has_shape(access: Access) -> bool:
    """Whether the tensor can be drawn as its own shape: two axes or more, and no two indices share an element."""
    tensor = access.tensor
    if tensor is None or len(tensor.shape) < 2 or 0 in tensor.shape:
        return False
    moving = [(stride, size) for stride, size in zip(tensor.stride, tensor.shape, strict=True) if size > 1 and stride]
    span = 1
    for stride, size in sorted(moving):
        if stride < span:
            return False
        span += (size - 1) * stride
    return True


def slices(access: Access) -> int:
    """How many matrices the tensor is made of."""
    return prod(access.tensor.shape[:-2]) if access.tensor is not None else 1


def slice_index(access: Access, number: int) -> list[int]:
    """The index of a slice along the axes before the last two."""
    assert access.tensor is not None
    index: list[int] = []
    for size in reversed(access.tensor.shape[:-2]):
        number, step = divmod(number, size)
        index.insert(0, step)
    return index


def slice_of(access: Access, index: list[int | None]) -> int | None:
    """The slice that holds an element; None when that isn't known."""
    if access.tensor is None or len(index) != len(access.tensor.shape):
        return None
    number = 0
    for size, step in zip(access.tensor.shape[:-2], index[:-2], strict=True):
        number = number * size + (step or 0)
    return number


def matrix(access: Access, number: int = 0, lowest: int = 0, highest: int = 0) -> Matrix:
    """The matrix of slice ``number``; ``lowest`` and ``highest`` are the offsets that any lane addressed."""
    tensor = access.tensor
    assert tensor is not None
    base = sum(i * stride for i, stride in zip(slice_index(access, number), tensor.stride[:-2], strict=True))
    rows, columns = tensor.shape[-2:]
    row_stride, column_stride = _strides(rows, columns, *tensor.stride[-2:])
    between = [
        stride for stride, size in zip(tensor.stride[:-2], tensor.shape[:-2], strict=True) if size > 1 and stride
    ]
    last = number == slices(access) - 1
    plain = Matrix(
        base,
        rows,
        columns,
        row_stride,
        column_stride,
        wraps=True,
        slice_stride=min(between, default=0),
        closed=bool(between) and not last,
    )
    reach = _reach(plain, access.site.affine)
    if reach is not None:
        plain = replace(plain, wraps=False)
    return _with_edges(plain, access, number, reach, lowest, highest)


def _strides(rows: int, columns: int, row_stride: int, column_stride: int) -> tuple[int, int]:
    """Strides that an axis of one element leaves open, so chosen that what lies past the matrix has a place."""
    if rows == 1:
        return 0, column_stride if columns > 1 else 1
    if columns == 1:
        return row_stride, 0
    return row_stride, column_stride


@dataclass(frozen=True)
class _Reach:
    """Lowest and highest row and column of any lane, counted past the edges."""

    low: tuple[int, int]
    high: tuple[int, int]


def _reach(shape: Matrix, affine: Affine | None) -> _Reach | None:
    """How far the lanes go along each axis; None when the kernel's index is flat, or not affine."""
    if affine is None:
        return None
    turned = shape.column_stride > shape.row_stride
    strides = (shape.column_stride, shape.row_stride) if turned else (shape.row_stride, shape.column_stride)
    extents = (shape.columns, shape.rows) if turned else (shape.rows, shape.columns)
    major, minor = strides
    rest = affine.base
    first = rest // major if major else 0
    rest -= first * major
    low, high = [first, rest // minor if minor else 0], [first, rest // minor if minor else 0]
    lanes = 1
    for term in affine.terms:
        if shape.slice_stride and abs(term.stride) >= shape.slice_stride:
            continue
        if major and term.stride % major == 0:
            axis, step = 0, term.stride // major
        elif minor and term.stride % minor == 0 and abs(term.stride) < major:
            axis, step = 1, term.stride // minor
            lanes += abs(step) * (term.extent - 1) if term.name.startswith("lane") else 0
        else:
            return None
        low[axis] += min(step, 0) * (term.extent - 1)
        high[axis] += max(step, 0) * (term.extent - 1)
    if low[1] < 0 or high[1] >= extents[1] - 1 + lanes:
        return None
    if extents[0] > 1 and low[0] == high[0] and high[1] >= extents[1] and not shape.slice_stride:
        return None  # nothing steps from row to row, so that lanes beyond one are meant for the next
    ends = [(low[0], high[0]), (low[1], high[1])]
    (row_low, row_high), (column_low, column_high) = reversed(ends) if turned else ends
    return _Reach((row_low, column_low), (row_high, column_high))


def _with_edges(shape: Matrix, access: Access, number: int, reach: _Reach | None, lowest: int, highest: int) -> Matrix:
    """``shape`` with the rows and columns beyond it that have something to show."""
    assert access.tensor is not None
    alone = len(access.tensor.shape) == 2
    is_last = number == slices(access) - 1
    before = more_rows = more_columns = 0
    if reach is not None:
        more_rows, more_columns = reach.high[0] + 1 - shape.rows, reach.high[1] + 1 - shape.columns
    past = highest - shape.base - (shape.rows - 1) * shape.row_stride - (shape.columns - 1) * shape.column_stride
    if is_last and past > 0:
        if shape.row_stride >= shape.column_stride and shape.row_stride:
            more_rows = max(more_rows, (highest - shape.base) // shape.row_stride + 1 - shape.rows)
        elif shape.column_stride:
            more_columns = max(more_columns, (highest - shape.base) // shape.column_stride + 1 - shape.columns)
    if alone and lowest < 0 and shape.row_stride >= shape.column_stride and shape.row_stride:
        before = -(lowest // shape.row_stride)
    if alone and shape.column_stride and shape.row_stride > shape.column_stride * shape.columns:
        gap = -(-shape.row_stride // shape.column_stride) - shape.columns
        more_columns = max(more_columns, min(gap, GAP_SHOWN))
    limit = MOST_BEYOND
    return replace(
        shape,
        before=min(before, limit),
        more_rows=min(max(more_rows, 0), limit),
        more_columns=min(max(more_columns, 0), limit),
    )


# ---------------------------------------------------------------- the window


@dataclass(frozen=True)
class ShapeWindow:
    """The cells in view: ``height`` × ``width`` of them, from (``first_row``, ``first_column``) on."""

    shape: Matrix
    first_row: int
    first_column: int
    row_zoom: int
    column_zoom: int
    height: int
    width: int
    cell_width: int
    """Characters of one cell."""

    @property
    def cells(self) -> int:
        return self.height * self.width

    @property
    def plane(self) -> Plane:
        """What is asked of the engine."""
        shape = self.shape
        return Plane(
            base=shape.base,
            row_stride=shape.row_stride,
            column_stride=shape.column_stride,
            rows=shape.rows,
            columns=shape.columns,
            first_row=self.first_row,
            first_column=self.first_column,
            row_zoom=self.row_zoom,
            column_zoom=self.column_zoom,
            width=self.width,
            wraps=shape.wraps,
            slice_stride=shape.slice_stride,
            closed=shape.closed,
        )

    @property
    def edge(self) -> int | None:
        """The last cell of a row that holds an element, where cells past it are in view, too."""
        last = (self.shape.columns - 1 - self.first_column) // self.column_zoom
        return last if 0 <= last < self.width - 1 else None

    def cell_of(self, place: tuple[int, int]) -> int | None:
        """The cell that holds a place (row, column); None when it isn't in view."""
        row, column = (place[0] - self.first_row) // self.row_zoom, (place[1] - self.first_column) // self.column_zoom
        return row * self.width + column if 0 <= row < self.height and 0 <= column < self.width else None

    def holds(self, cell: int) -> int:
        """How many elements of memory a cell stands for."""
        down, across = divmod(cell, self.width)
        row, column = self.first_row + down * self.row_zoom, self.first_column + across * self.column_zoom
        rows = max(min(row + self.row_zoom, self.shape.rows) - max(row, 0), 0)
        columns = max(min(column + self.column_zoom, self.shape.columns) - max(column, 0), 0)
        rows, columns = (
            (rows if self.shape.row_stride else min(rows, 1)),
            (columns if self.shape.column_stride else min(columns, 1)),
        )
        return rows * columns

    def panned(self, down: int, across: int) -> ShapeWindow:
        """This window, moved by so many cells, as far as there is anything."""
        top, left = -self.shape.before, 0
        last_row = max(top, self.shape.rows + self.shape.more_rows - self.height * self.row_zoom)
        last_column = max(left, self.shape.shown_columns - self.width * self.column_zoom)
        row = min(max(self.first_row + down * self.row_zoom, top), _up(last_row, self.row_zoom))
        column = min(max(self.first_column + across * self.column_zoom, left), _up(last_column, self.column_zoom))
        return replace(self, first_row=_down(row, self.row_zoom), first_column=_down(column, self.column_zoom))

    def moved_to_show(self, place: tuple[int, int]) -> ShapeWindow:
        """This window, panned until ``place`` is in view, in the middle of the axis that was moved."""
        row, column = (place[0] - self.first_row) // self.row_zoom, (place[1] - self.first_column) // self.column_zoom
        down = row - self.height // 2 if not 0 <= row < self.height else 0
        across = column - self.width // 2 if not 0 <= column < self.width else 0
        return self.panned(down, across) if down or across else self


def row_margin(shape: Matrix) -> int:
    """Characters before the first cell of a row."""
    return len(str(shape.rows + shape.more_rows)) + 1


def shape_window(shape: Matrix, width: int, height: int, nearer: int) -> ShapeWindow:
    """The window at the upper left corner, in ``width`` characters and ``height`` rows.

    ``nearer`` halves the elements of a cell so many times from where all is in view.
    """
    width -= shape.more_columns > 0  # the line at the edge
    row_zoom = max(1, _fitting(shape.shown_rows, height) >> nearer)
    column_zoom = max(1, _fitting(shape.shown_columns, width) >> nearer)
    cells = -(-shape.shown_columns // column_zoom)
    cell_width = max(1, min(WIDEST_CELL, width // max(cells, 1)))
    return ShapeWindow(
        shape,
        _down(-shape.before, row_zoom),
        0,
        row_zoom,
        column_zoom,
        min(height, -(-(shape.shown_rows + row_zoom - 1) // row_zoom)),
        min(width // cell_width, cells),
        cell_width,
    )


def farthest(shape: Matrix, width: int, height: int) -> int:
    """How often the view can be halved before every cell is one element."""
    zoom = max(_fitting(shape.shown_rows, height), _fitting(shape.shown_columns, width))
    return zoom.bit_length() - 1


def ticks(first: int, zoom: int, count: int, cell_width: int, label: int) -> Iterator[tuple[int, int]]:
    """(cell, index) of the marks on a ruler: round steps apart, room for ``label`` characters between them."""
    step = zoom
    while step // zoom * cell_width < label + 2:
        step *= 2
    for cell in range(count):
        index = first + cell * zoom
        if index % step == 0:
            yield cell, index


def _fitting(extent: int, cells: int) -> int:
    """The smallest power of two at which ``extent`` elements are no more than ``cells`` cells."""
    zoom = 1
    while -(-extent // zoom) > max(cells, 1):
        zoom *= 2
    return zoom


def _down(value: int, step: int) -> int:
    return value // step * step


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
