"""The access map: which program touches which element of a tensor, drawn from the trace of the learner's kernel."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tritontui.engine.messages import Inspection, Tile
from tritontui.ui.bindings import bindings_of
from tritontui.ui.map.memory import Access, Selection, find
from tritontui.ui.map.picture import Picture, Row
from tritontui.ui.map.requests import lane_request, tile_request
from tritontui.ui.map.state import MapState, Wanted
from tritontui.ui.map.tensor_shape import ShapeWindow, has_shape
from tritontui.ui.map.words import chooser, inspector, legend, options
from tritontui.ui.messages import GoToLine, OtherLaunch
from tritontui.ui.runs.controller import View
from tritontui.ui.speaking import Speaking

HEAD_ROWS, LEGEND_ROWS = 2, 1


class AccessMap(Speaking, Widget, can_focus=True):
    """Draws a ``MapState``: each move changes it, the engine is asked, and the answer is drawn when it is there."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("map")

    DEFAULT_CSS = """
    AccessMap { padding: 0 1; }
    """

    class Selected(Message):
        """Another program, site or lane may be shown now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.state = MapState()
        self.tile: Tile | None = None
        self.inspection: Inspection | None = None
        self._drawn: Wanted | None = None
        """What ``tile`` and ``inspection`` are the answer to."""
        self._fetching: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._strips: list[Strip] = []

    # ------------------------------------------------------------ what is shown

    def show(self, view: View) -> None:
        """The traces of a run; while a newer text is judged the old ones stay, and the tab line says so."""
        report = view.report
        launches = report.launches if report is not None else []
        if report is not None and not launches and not report.finished and not view.stale:
            return  # keep the old map until the new trace is there: no flicker while typing
        self.state.load(report.run if report is not None else None, launches)
        if report is not None and not view.stale:
            self.state.follow(view.findings, report)
        self._update()

    def select(self, program: int | list[int], lane: int | None, line: int | None) -> None:
        """Show one lane: of the site on ``line``, else of the first store."""
        self.state.select(program, lane, line)
        self._update()

    @property
    def access(self) -> Access | None:
        """The selected site."""
        return self.state.access

    @property
    def selection(self) -> Selection:
        """The selected lane."""
        return self.state.selection

    @property
    def rows(self) -> list[str]:
        """What is drawn, as text."""
        return [strip.text.rstrip() for strip in self._strips]

    def retranslate(self) -> None:
        self._draw()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._draw()

    def on_resize(self) -> None:
        self._update()

    # ------------------------------------------------------------ asking for what the window shows

    def _update(self) -> None:
        """Ask for what isn't known; it is drawn when it is there, so that what is on the screen belongs together."""
        self.post_message(self.Selected())
        if not self.is_mounted:
            return
        if self._wanted() is None:
            self._drawn = None
            self._draw()
        elif self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())

    def _wanted(self) -> Wanted | None:
        self.state.columns = self.size.width
        self.state.rows = self.size.height - HEAD_ROWS - LEGEND_ROWS - self._inspector_rows(self.access)
        return self.state.wanted

    async def _fetch(self) -> None:
        """Ask until the answer fits what is wanted: a held key costs one round trip at a time."""
        try:
            while (wanted := self._wanted()) is not None:
                tile, inspection = await self._ask(wanted)
                if not self.triton.listens or (tile is None and wanted == self._drawn):
                    return  # traces that are gone take nothing away from what is drawn of them
                self.tile, self.inspection, self._drawn = tile, inspection, wanted
                if self.tile is not None:
                    self.state.learn(wanted, self.tile, self.inspection)
                again = self._wanted()
                if self.tile is None or again == wanted:
                    self._draw()
                    return
                if again is not None and again.at != wanted.at:
                    self._draw()
        finally:
            self._fetching = None

    async def _ask(self, wanted: Wanted) -> tuple[Tile | None, Inspection | None]:
        tile, lane = tile_request(wanted, next(self._numbers)), lane_request(wanted, next(self._numbers))
        return await asyncio.gather(self.triton.engine.tile(tile), self.triton.engine.inspect(lane))

    async def settled(self) -> None:
        """Wait until what is shown is what was asked for last."""
        while self._fetching is not None:
            await asyncio.wait([self._fetching])

    # ------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y < len(self._strips):
            return self._strips[y].adjust_cell_length(width, self.visual_style.rich_style)
        return Strip.blank(width, self.visual_style.rich_style)

    def _draw(self) -> None:
        """Make the rows again and repaint those that differ."""
        if not self.is_mounted or not self.size:
            return
        new = self._make_strips()
        for y in range(max(len(new), len(self._strips))):
            if y >= len(new) or y >= len(self._strips) or new[y] != self._strips[y]:
                self.refresh(Region(0, y, self.size.width, 1))
        self._strips = new

    def _make_strips(self) -> list[Strip]:
        """Head, picture, legend, inspector; all of one answer."""
        every, drawn = self.state.every, self._drawn
        if drawn is not None and find(every, drawn.at) is None:
            drawn = None
        at = drawn.at if drawn is not None else self.selection
        index = find(every, at)
        if index is None:
            return [self._words(Content.styled(self.tr("The map appears when a kernel was launched."), "$muted"))]
        access = every[index]
        shown, tile = (drawn.window, self.tile) if drawn is not None else (None, None)
        overlay = drawn.overlay if drawn is not None else self.state.overlay
        number = drawn.slice if drawn is not None else 0
        head = [
            chooser(every, access, at, self.tr, self.size.width),
            options(access, shown, tile, at, overlay, has_shape(access), number, self.tr, self.size.width),
        ]
        rows = [self._words(content) for content in head]
        if drawn is not None and tile is not None:
            rows += self._picture(Picture(access, tile, drawn.window, overlay, self._marked(drawn)))
        elif drawn is not None:
            words = self.tr("This trace is gone: {key} runs the kernel again.", key=self.key_of("run"))
            rows.append(self._words(Content.styled(words, "$muted")))
        found = self.inspection if drawn is not None else None
        foot = [legend(access, overlay, tile, shown, at, self.tr, self.size.width)]
        foot += inspector(access, at, found, self._inspector_rows(access), self.tr)
        blank = Strip.blank(self.size.width, self.visual_style.rich_style)
        free = self.size.height - len(rows) - len(foot)
        rows = rows[: max(self.size.height - len(foot), 0)] + [blank] * max(free, 0)
        return rows + [self._words(content) for content in foot]

    def _inspector_rows(self, access: Access | None) -> int:
        return 3 if access is not None and len(access.site.lane_shape) > 1 else 2

    def _words(self, content: Content) -> Strip:
        return Strip(content.truncate(max(1, self.size.width), ellipsis=True).render_segments(self.visual_style))

    def _picture(self, picture: Picture) -> list[Strip]:
        styles: dict[str, RichStyle] = {}

        def styled(name: str) -> RichStyle:
            if name not in styles:
                styles[name] = (self.visual_style + Style.parse(name)).rich_style
            return styles[name]

        def strip(row: Row) -> Strip:
            return Strip([Segment(text, styled(name)) for text, name in row])

        return [strip(row) for row in picture.rows()]

    def _marked(self, drawn: Wanted) -> int | None:
        """The cell of the selected lane."""
        if isinstance(drawn.window, ShapeWindow):
            place = self.tile.place if self.tile is not None else None
            return drawn.window.cell_of(place) if place is not None else None
        return drawn.window.cell_of(self.inspection.offset) if self.inspection is not None else None

    # ------------------------------------------------------------ keys

    def action_program(self, step: int) -> None:
        """Another program, along the last axis of the grid."""
        self.state.move(program=self.selection.program + step)
        self._update()

    def action_program_row(self, step: int) -> None:
        """Another program along the axis before the last, or sixteen further."""
        self.state.step_row(step)
        self._update()

    def action_lane(self, step: int) -> None:
        """Another lane."""
        self.state.move(lane=self.selection.lane + step)
        self._update()

    def action_lane_edge(self, last: int) -> None:
        """The first or the last lane."""
        self.state.move(lane=self.access.lanes - 1 if last and self.access is not None else 0)
        self._update()

    def action_site(self, step: int) -> None:
        """Another load or store, in the order of the source."""
        self.state.step_site(step)
        self._update()

    def action_launch(self, step: int) -> None:
        """Another launch, of those shown or of others."""
        if self.state.step_launch(step):
            self._update()
        else:
            self.post_message(OtherLaunch(step))

    def action_iteration(self, step: int) -> None:
        """One iteration after another, then all of them together."""
        self.state.step_iteration(step)
        self._update()

    def action_shape(self) -> None:
        """The tensor's own shape, or linear memory."""
        self.state.switch_shape()
        self._update()

    def action_slice(self, step: int) -> None:
        """Another slice of a tensor of three axes or more."""
        self.state.step_slice(step)
        self._update()

    def action_overlay(self) -> None:
        """Who touches an element, how often it is written, what moves in sectors."""
        self.state.step_overlay()
        self._update()

    def action_zoom(self, step: int) -> None:
        """Twice as near, twice as far, or all in view again."""
        self.state.zoom(step)
        self._update()

    def action_pan(self, down: float, across: float) -> None:
        """A windowful, or half of one, where not all is in view."""
        self.state.pan(down, across)
        self._update()

    def action_go_to_line(self) -> None:
        """The source line of this site."""
        if self.access is not None:
            self.post_message(GoToLine(self.access.site.line, self.access.site.column))
