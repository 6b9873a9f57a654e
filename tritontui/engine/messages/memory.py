"""The access map: a viewport of memory, and one lane of one program."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tritontui.diagnosis.finding import LaneRange
from tritontui.engine.messages.traces import SECTOR_BYTES


class Plane(Struct, kw_only=True, frozen=True):
    """A window on memory seen as a matrix: element (i, j) has the offset ``base + i·row_stride + j·column_stride``.

    Its cells are ``width`` a row, each ``row_zoom`` × ``column_zoom`` elements, from (``first_row``,
    ``first_column``) on, which may lie outside the matrix.
    """

    base: int
    row_stride: int
    column_stride: int
    """0 where an axis was expanded; otherwise the one stride steps over everything that the other spans."""
    rows: int
    columns: int
    first_row: int
    first_column: int
    row_zoom: int
    column_zoom: int
    width: int
    wraps: bool = False
    """The kernel counts on past the end of a row; else its lanes past the end are placed beyond it."""
    slice_stride: int = 0
    """The least stride from one slice of the tensor to another; 0 where there is but one."""
    closed: bool = False
    """What lies past the edges are other slices, and nothing of the launch is shown there but lanes placed there."""


Overlay = Literal["", "writes", "sectors"]


class TileRequest(Struct, tag=True, kw_only=True):
    """What a viewport of the access map shows: ``cells`` cells, of ``plane`` or else of linear memory.

    In linear memory they are ``zoom`` elements each, from element ``first`` on.
    """

    run: int
    request: int
    launch: int
    site: int
    program: int
    """Linear id of the selected program."""
    first: int
    cells: int
    zoom: int
    plane: Plane | None = None
    lane: int = 0
    execution: int | None = None
    """Which of the site's iterations, counted from 0; None: all of them together."""
    overlay: Overlay = ""


class Cell(Struct, array_like=True):
    """One cell of the map: some elements of memory at one site."""

    program: int
    """Linear id of the lowest program with an active lane here; -1: none."""
    programs: int
    """How many programs touch it with an active lane; in a plane 2 stands for two or more."""
    selected: int
    """Active lanes of the selected program here."""
    masked: int
    """Masked-off lanes of the selected program that would fall here."""
    out: int
    """Active lanes here, when the cell lies outside the tensor."""
    again: int = 0
    """Active lanes of the selected program here in its other iterations, when one of them was asked for."""


class SectorTraffic(Struct, kw_only=True):
    """What the selected program's access moves: 32-byte sectors, each counted once an execution."""

    sectors: int
    ideal: int
    """The fewest that could hold as many elements."""
    used_bytes: int

    @property
    def moved_bytes(self) -> int:
        return SECTOR_BYTES * self.sectors


class Tile(Struct, tag=True, kw_only=True):
    run: int
    request: int
    first: int
    zoom: int
    cells: list[Cell]
    elements: int
    """Elements of the tensor; cells past it are outside."""
    lowest: int
    highest: int
    """Lowest and highest element offset that any lane addressed, masked or not."""
    plane: Plane | None = None
    place: tuple[int, int] | None = None
    """Row and column of the selected lane in the plane, counted past its end where it doesn't wrap."""
    executions: int = 1
    """Iterations in which any program ran the site."""
    iteration: list[int] = []
    """Loop counters of the one asked for, outermost first."""
    overlay: list[tuple[int, int]] = []
    """By cell. ``writes``: how often its elements were written, least and most. ``sectors``: elements that the
    selected program uses, and elements that come along in the same sectors."""
    traffic: SectorTraffic | None = None


class InspectRequest(Struct, tag=True, kw_only=True):
    """One lane of one program at one site."""

    run: int
    request: int
    launch: int
    site: int
    program: int
    lane: int
    execution: int | None = None
    """As in ``TileRequest``; None: the first."""
    writes: bool = False
    """Whether the writes to the element are to be counted, which takes a while where there are many."""


class Inspection(Struct, tag=True, kw_only=True):
    """``offset`` of the lane in elements of the tensor, with the steps that made it in the learner's own names."""

    run: int
    request: int
    program: list[int]
    lane: int
    lane_index: list[int]
    offset: int
    active: bool
    inside: bool
    formula: str
    """Such as ``3·256 + 232 = 1000``."""
    names: dict[str, str]
    """The learner's names behind the numbers, such as ``{"pid": "3", "BLOCK": "256"}``."""
    masked_ranges: list[LaneRange]
    out_ranges: list[LaneRange]
    index: list[int | None] = []
    """The element's index in the tensor; None along an expanded axis; empty where the offset is no element."""
    corner: list[int | None] = []
    """The same of the block's first lane."""
    steps: list[str] = []
    """One for each block that the learner named, such as ``rm = 3·16 + 5 = 53``, then the offset made of them."""
    masked_lanes: int = 0
    programs: int = 0
    """How many programs touch this element at this site."""
    writes: int | None = None
    """How often the launch writes this element; None: not asked for, or too large a tensor to count."""
    writers: int = 0
    """By how many programs."""
