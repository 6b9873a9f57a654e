"""The state of the map: what is selected, how it is drawn, and which cells are in view. No widget, no waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Inspection, LaunchSummary, Overlay, Tile
from tritontui.engine.report import Report
from tritontui.ui.map.memory import (
    Access,
    Selection,
    Window,
    accesses,
    carried_over,
    clamped,
    columns_in,
    find,
    fitting_zoom,
    linear_margin,
    linear_program,
    window,
)
from tritontui.ui.map.tensor_shape import (
    Matrix,
    ShapeWindow,
    farthest,
    has_shape,
    matrix,
    row_margin,
    shape_window,
    slice_of,
    slices,
)
from tritontui.ui.map.words import OVERLAYS

AnyWindow = Window | ShapeWindow
PAGE = 16
"""Programs of a long step in a grid of one axis."""


@dataclass(frozen=True)
class Wanted:
    """What should be drawn: one run, one selection, the cells in view."""

    run: int
    at: Selection
    window: AnyWindow
    overlay: Overlay
    slice: int


class MapState:
    """Changed by the learner's moves and by each run; ``wanted`` says what to ask the engine for."""

    def __init__(self) -> None:
        self.run: int | None = None
        self.every: list[Access] = []
        self.selection = Selection()
        self.shaped = True
        """Tensors of several axes are drawn as their own shape, not as linear memory."""
        self.overlay: Overlay = ""
        self.nearer = 0
        """How often the view was halved from where all is in view."""
        self.columns, self.rows = 0, 0
        """Characters and rows for the picture, rulers included."""
        self.executions = 1
        """Iterations of the selected site."""
        self._following = True
        """The selection moves to the first error of each run, until the learner moves it."""
        self._followed: tuple[int | None, Finding] | None = None
        self._slice = 0
        self._slice_held = False
        """The slice was chosen; else it is the one that the lane is in."""
        self._reveals = True
        """The lane was moved: the window goes where it is."""
        self._origin: tuple[int, int] | None = None
        """First row and column of a panned window; in linear memory the first element and 0. None: the beginning."""
        self._ranges: dict[tuple[int, int], tuple[int, int]] = {}

    # ------------------------------------------------------------ runs and findings

    def load(self, run: int | None, launches: Sequence[LaunchSummary]) -> None:
        """The launches of a run take the place of those before; the selection stays where it was, if it can."""
        before = self.access
        if run != self.run:
            self._ranges.clear()
        self.run, self.every = run, accesses(launches)
        self.selection = carried_over(before, self.selection, self.every)
        self._reveals = True

    def follow(self, findings: Sequence[Finding], report: Report) -> None:
        """To the first finding that has a place on the map, once for each run and finding."""
        if not self._following:
            return
        for finding in findings:
            for access in self.every if finding.case is None else ():
                number = linear_program(access, finding.program)
                if number is None or not _is_about(finding, report.launch_of(finding), access):
                    continue
                if self._followed != (report.run, finding):
                    self._followed = (report.run, finding)
                    lane = finding.lanes[0][0] if finding.lanes else 0
                    self._to(clamped(access, replace(self.selection, program=number, lane=lane, execution=None)))
                return

    def select(self, program: int | list[int], lane: int | None, line: int | None) -> None:
        """One lane: of the site on ``line``, else of the first store."""
        wanted = next((one for one in self.every if line is not None and one.site.line == line), None)
        wanted = wanted or next((one for one in self.every if one.site.op != "load"), None) or self.access
        number = linear_program(wanted, program) if wanted is not None else None
        if wanted is not None and number is not None:
            self._following = True
            self._to(clamped(wanted, replace(self.selection, program=number, lane=lane or 0)))

    # ------------------------------------------------------------ what is in view

    @property
    def access(self) -> Access | None:
        """The selected site."""
        index = find(self.every, self.selection)
        return self.every[index] if index is not None else None

    @property
    def is_shape(self) -> bool:
        """Whether the selected tensor is drawn as its own shape."""
        access = self.access
        return access is not None and self.shaped and has_shape(access)

    @property
    def wanted(self) -> Wanted | None:
        """What is to be drawn; None when there is nothing, or no room."""
        shown = self.window
        if shown is None or self.run is None:
            return None
        return Wanted(self.run, self.selection, shown, self.overlay, self._slice_number)

    @property
    def window(self) -> AnyWindow | None:
        """The cells in view."""
        access = self.access
        if access is None or not access.elements:
            return None
        if self.is_shape:
            return self._shape_window(matrix(access, self._slice_number, *self._range))
        columns = columns_in(self.columns - linear_margin(access.elements))
        if self.rows < 1 or columns > self.columns:
            return None
        shown = window(*self._reach, columns, self.rows, self.nearer)
        return replace(shown, first=self._origin[0]) if self._origin is not None else shown

    def _shape_window(self, shape: Matrix) -> ShapeWindow | None:
        width, rows = self.columns - row_margin(shape), self.rows - 1
        if rows < 1 or width < 2:
            return None
        shown = shape_window(shape, width, rows, self.nearer)
        if self._origin is not None:
            shown = replace(shown, first_row=self._origin[0], first_column=self._origin[1]).panned(0, 0)
        return shown

    @property
    def _slice_number(self) -> int:
        access = self.access
        return min(self._slice, slices(access) - 1) if access is not None else 0

    @property
    def _range(self) -> tuple[int, int]:
        """Lowest and highest offset that any lane addresses at this site, as far as that is known."""
        return self._ranges.get((self.selection.launch, self.selection.site), (0, 0))

    @property
    def _reach(self) -> tuple[int, int]:
        """First element to be drawn in linear memory, and one past the last."""
        low, high = self._range
        return min(low, 0), max(self.access.elements if self.access is not None else 0, high + 1)

    # ------------------------------------------------------------ answers

    def learn(self, asked: Wanted, tile: Tile, found: Inspection | None) -> None:
        """Take in what an answer says of the site, and let the window go where the lane is, if it has moved."""
        self._ranges[asked.at.launch, asked.at.site] = (tile.lowest, tile.highest)
        if asked.at != self.selection:
            return
        self.executions = tile.executions
        access, shown = self.access, self.window
        if not self._reveals or access is None:
            return
        if found is not None and self.is_shape and not self._slice_held:
            number = slice_of(access, found.index if found.active and found.index else found.corner)
            if number is not None and number != self._slice:
                self._slice = number
                return  # the place of the lane is another one there
        if shown is None or shown != asked.window:
            return  # it wasn't known yet how far the view goes
        self._reveals = False
        moved: AnyWindow = shown
        if isinstance(shown, ShapeWindow) and tile.place is not None:
            moved = shown.moved_to_show(tile.place)
        elif isinstance(shown, Window) and found is not None and self.nearer:
            moved = shown.moved_to_show(found.offset)
        if moved != shown:
            self._origin = _origin(moved)

    # ------------------------------------------------------------ moves

    def release(self) -> None:
        """Let the selection follow the findings again."""
        self._following = True

    def _to(self, selection: Selection) -> None:
        if (selection.launch, selection.site) != (self.selection.launch, self.selection.site):
            self._origin = None
        self.selection = selection
        self._reveals, self._slice_held = True, False

    def move(self, **changes: int) -> None:
        """Another program or lane of this site."""
        access = self.access
        if access is not None:
            self._following = False
            self._to(clamped(access, replace(self.selection, **changes)))

    def step_row(self, step: int) -> None:
        """Another program along the axis before the last; in a grid of one axis so many further."""
        access = self.access
        if access is not None:
            grid = access.launch.grid
            self.move(program=self.selection.program + step * (grid[-1] if len(grid) > 1 else PAGE))

    def step_site(self, step: int) -> None:
        """Another load or store, in the order of the source."""
        index = find(self.every, self.selection)
        if index is not None:
            self._go(self.every[(index + step) % len(self.every)])

    def step_launch(self, step: int) -> bool:
        """The first site of another launch; False when there is no other."""
        access = self.access
        launches = sorted({one.launch.launch for one in self.every})
        if access is None or len(launches) < 2:
            return False
        wanted = launches[(launches.index(access.launch.launch) + step) % len(launches)]
        self._go(next(one for one in self.every if one.launch.launch == wanted))
        return True

    def _go(self, access: Access) -> None:
        self._following = False
        self._to(clamped(access, self.selection))

    def step_iteration(self, step: int) -> None:
        """One iteration after another, then all of them together."""
        if self.access is None or self.executions < 2:
            return
        choices = [None, *range(self.executions)]
        at = choices.index(self.selection.execution) if self.selection.execution in choices else 0
        self._following = False
        self._to(replace(self.selection, execution=choices[(at + step) % len(choices)]))

    def step_slice(self, step: int) -> None:
        """Another slice of a tensor of three axes or more."""
        access = self.access
        if access is not None and self.is_shape:
            self._slice = (self._slice_number + step) % slices(access)
            self._slice_held = True

    def switch_shape(self) -> None:
        """The tensor's own shape, or linear memory."""
        access = self.access
        if access is not None and has_shape(access):
            self.shaped = not self.shaped
            self._look_again()

    def step_overlay(self) -> None:
        """Who touches an element, how often it is written, what moves in sectors."""
        names = list(OVERLAYS)
        self.overlay = names[(names.index(self.overlay) + 1) % len(names)]

    def zoom(self, step: int) -> None:
        """Twice as near (1), twice as far (-1), or all in view again (0)."""
        self.nearer = min(max(self.nearer + step, 0), self._nearest()) if step else 0
        self._look_again()

    def _nearest(self) -> int:
        shown = self.window
        if shown is None:
            return 0
        if isinstance(shown, ShapeWindow):
            return farthest(shown.shape, self.columns - row_margin(shown.shape), self.rows - 1)
        return fitting_zoom(*self._reach, shown.columns, shown.rows).bit_length() - 1

    def _look_again(self) -> None:
        self._origin = None
        self._reveals = True

    def pan(self, down: float, across: float) -> None:
        """So many windowfuls down and across, where not all is in view."""
        shown = self.window
        moved: AnyWindow | None = shown
        if isinstance(shown, ShapeWindow):
            moved = shown.panned(round(down * shown.height), round(across * shown.width))
        elif isinstance(shown, Window):
            moved = shown.panned(round(down * shown.rows), *self._reach)
        if moved is not None and moved != shown:
            self._following = False
            self._origin = _origin(moved)


def _origin(shown: AnyWindow) -> tuple[int, int]:
    return (shown.first, 0) if isinstance(shown, Window) else (shown.first_row, shown.first_column)


def _is_about(finding: Finding, launch: int | None, access: Access) -> bool:
    """Whether a finding is about that site of that launch."""
    if finding.line != access.site.line or finding.tensor not in (None, access.site.tensor):
        return False
    return launch is None or launch == access.launch.launch
