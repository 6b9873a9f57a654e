"""What the access map shows of which access, and linear memory's window: plain data, which the widget only draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritontui.engine.messages import LaunchSummary, SiteSummary, TensorSummary


@dataclass(frozen=True)
class Selection:
    """One lane of one program at one site."""

    launch: int = 0
    site: int = 0
    program: int = 0
    lane: int = 0
    execution: int | None = None
    """One iteration of the site, counted from 0; None: all of them together."""


@dataclass(frozen=True)
class Access:
    """A site with what it belongs to."""

    launch: LaunchSummary
    site: SiteSummary

    @property
    def tensor(self) -> TensorSummary | None:
        return next((tensor for tensor in self.launch.tensors if tensor.name == self.site.tensor), None)

    @property
    def elements(self) -> int:
        """Elements of the tensor; 0 when no tensor was ever touched."""
        return self.tensor.elements if self.tensor is not None else 0

    @property
    def programs(self) -> int:
        """Programs in the grid."""
        total = 1
        for axis in self.launch.grid:
            total *= axis
        return total

    @property
    def lanes(self) -> int:
        """Lanes of the block that the site loads or stores."""
        total = 1
        for axis in self.site.lane_shape:
            total *= axis
        return total


def accesses(launches: Sequence[LaunchSummary]) -> list[Access]:
    """Every site of every launch, in the order of the source."""
    return [Access(launch, site) for launch in launches for site in sorted(launch.sites, key=_place)]


def _place(site: SiteSummary) -> tuple[int, int]:
    return site.line, site.column


def find(every: Sequence[Access], selection: Selection) -> int | None:
    """The index of the selected access."""
    for index, access in enumerate(every):
        if (access.launch.launch, access.site.site) == (selection.launch, selection.site):
            return index
    return None


def carried_over(before: Access | None, selection: Selection, every: Sequence[Access]) -> Selection:
    """The selection after a new run: the same tensor and operation, on the line nearest to the old one."""
    if not every:
        return Selection()

    def distance(access: Access) -> tuple[bool, bool, int]:
        if before is None:
            return (False, False, 0)
        site = access.site
        return (site.tensor != before.site.tensor, site.op != before.site.op, abs(site.line - before.site.line))

    return clamped(min(every, key=distance), selection)


def clamped(access: Access, selection: Selection) -> Selection:
    """The selection at ``access``, program and lane within what there is."""
    execution = selection.execution
    return Selection(
        launch=access.launch.launch,
        site=access.site.site,
        program=min(max(selection.program, 0), max(access.programs - 1, 0)),
        lane=min(max(selection.lane, 0), max(access.lanes - 1, 0)),
        execution=min(execution, access.site.executions - 1) if execution is not None else None,
    )


def linear_program(access: Access, program: int | list[int] | None) -> int | None:
    """A program as findings name it, by its linear id: (pid0·grid[1] + pid1)·grid[2] + pid2."""
    if not isinstance(program, list):
        return program
    if len(program) != len(access.launch.grid):
        return None
    number = 0
    for size, coordinate in zip(access.launch.grid, program, strict=True):
        number = number * size + coordinate
    return number


def coordinates(access: Access, program: int) -> list[int]:
    """The grid coordinates of a linear id."""
    found: list[int] = []
    for size in reversed(access.launch.grid):
        program, coordinate = divmod(program, max(size, 1))
        found.insert(0, coordinate)
    return found


# ---------------------------------------------------------------- the window


@dataclass(frozen=True)
class Window:
    """The cells in view: ``rows`` rows of ``columns`` cells, each ``zoom`` elements, from element ``first`` on."""

    first: int
    zoom: int
    columns: int
    rows: int

    @property
    def row_elements(self) -> int:
        return self.columns * self.zoom

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def end(self) -> int:
        """One past the last element in view."""
        return self.first + self.cells * self.zoom

    def cell_of(self, offset: int) -> int | None:
        """The cell that holds an element; None when it isn't in view."""
        cell = (offset - self.first) // self.zoom
        return cell if 0 <= cell < self.cells else None

    def holds(self, cell: int, elements: int) -> int:
        """How many of a tensor's ``elements`` a cell stands for."""
        first = self.first + cell * self.zoom
        return max(min(first + self.zoom, elements) - max(first, 0), 0)

    def panned(self, rows: int, lowest: int, end: int) -> Window:
        """This window, moved by so many rows within elements ``lowest`` … ``end`` - 1."""
        top = lowest // self.row_elements
        last = max(top, -(-end // self.row_elements) - self.rows)
        row = self.first // self.row_elements + rows
        return replace(self, first=min(max(row, top), last) * self.row_elements)

    def moved_to_show(self, offset: int) -> Window:
        """This window, scrolled by whole rows until ``offset`` is in view."""
        if self.cell_of(offset) is not None:
            return self
        row = offset // self.row_elements
        return replace(self, first=(row - self.rows // 2) * self.row_elements)


def linear_margin(elements: int) -> int:
    """Characters before the first cell of a row."""
    return len(str(elements)) + 2


def columns_in(width: int) -> int:
    """Cells in a row: the largest power of two that fits, so that blocks begin where rows do."""
    return 1 << (max(width, 8).bit_length() - 1)


def fitting_zoom(lowest: int, end: int, columns: int, rows: int) -> int:
    """The smallest power of two at which elements ``lowest``…``end`` - 1 are all in view."""
    zoom = 1
    while -(-end // (columns * zoom)) - lowest // (columns * zoom) > rows:
        zoom *= 2
    return zoom


def window(lowest: int, end: int, columns: int, rows: int, nearer: int = 0) -> Window:
    """The window at the top of the range; ``nearer`` halves a cell so many times from where all is in view.

    Rows begin at multiples of their length, so that what lies before element 0 needs a row of its own.
    """
    lowest = lowest if rows > 1 else max(lowest, 0)
    zoom = max(1, fitting_zoom(lowest, end, columns, rows) >> nearer)
    row = columns * zoom
    return Window(lowest // row * row, zoom, columns, rows)
