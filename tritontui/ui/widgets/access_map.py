"""The access map: which program touches which element of a tensor, drawn from the trace of the learner's kernel."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count, groupby
from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Inspection, InspectRequest, Tile, TileRequest
from tritontui.i18n import N_
from tritontui.ui.controller import View
from tritontui.ui.memory_map import (
    EDGE,
    EVEN,
    MASKED,
    ODD,
    OUT,
    SELECTED,
    SHARED,
    UNTOUCHED,
    Access,
    Selection,
    Window,
    accesses,
    carried_over,
    clamped,
    columns_in,
    find,
    glyph,
    window,
)
from tritontui.ui.messages import GoToLine
from tritontui.ui.speaking import Speaking
from tritontui.ui.theme import PROGRAM_COLOURS
from tritontui.ui.words import lanes_words

OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}
INSPECTOR_ROWS = 2


class AccessMap(Speaking, Widget, can_focus=True):
    """Arrows choose program and site, comma and point the lane, plus and minus the zoom."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "program(-1)", show=False),
        Binding("right", "program(1)", show=False),
        Binding("shift+left", "program(-16)", show=False),
        Binding("shift+right", "program(16)", show=False),
        Binding("up", "site(-1)", show=False),
        Binding("down", "site(1)", show=False),
        Binding("plus,equals_sign", "zoom(-1)", show=False),
        Binding("minus,underscore", "zoom(1)", show=False),
        Binding("0", "zoom(0)", show=False),
        Binding("comma", "lane(-1)", show=False),
        Binding("full_stop", "lane(1)", show=False),
        Binding("home", "lane_edge(0)", show=False),
        Binding("end", "lane_edge(1)", show=False),
        Binding("pageup", "scroll_rows(-1)", show=False),
        Binding("pagedown", "scroll_rows(1)", show=False),
        Binding("enter", "go_to_line", show=False),
    ]

    DEFAULT_CSS = """
    AccessMap { padding: 0 1; }
    """

    class Selected(Message):
        """Another program, site or lane may be shown now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.selection = Selection()
        self.zoom: int | None = None
        self.tile: Tile | None = None
        self.inspection: Inspection | None = None
        self.run: int | None = None
        self._every: list[Access] = []
        self._following = True
        """Each new run moves the selection to its first finding, until the learner moves it."""
        self._first: int | None = None
        """First element of a scrolled window; None: wherever the range begins."""
        self._ranges: dict[tuple[int, int], tuple[int, int]] = {}
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
        before = self.access
        new_run = report is not None and report.run != self.run
        self.run = report.run if report is not None else None
        self._every = accesses(launches)
        if new_run:
            self._ranges.clear()
        self.selection = carried_over(before, self.selection, self._every)
        if new_run and self._following:
            self._follow(view.findings)
        self._update(draw=not new_run)

    def select(self, program: int, lane: int | None, line: int | None) -> None:
        """Show one lane: of the site on ``line``, else of the first store."""
        wanted = next((a for a in self._every if line is not None and a.site.line == line), None)
        wanted = wanted or next((a for a in self._every if a.site.op != "load"), None) or self.access
        if wanted is not None:
            self._following = True
            self._to(clamped(wanted, replace(self.selection, program=program, lane=lane or 0)))

    def _follow(self, findings: list[Finding]) -> None:
        for finding in findings:
            if isinstance(finding.program, int) and finding.line is not None:
                for access in self._every:
                    if access.site.line == finding.line and finding.tensor in (None, access.site.tensor):
                        lane = finding.lanes[0][0] if finding.lanes else 0
                        self.selection = clamped(access, Selection(program=finding.program, lane=lane))
                        return

    @property
    def access(self) -> Access | None:
        """The selected site."""
        index = find(self._every, self.selection)
        return self._every[index] if index is not None else None

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

    @property
    def _label_width(self) -> int:
        access = self.access
        return len(f"{access.elements if access else 0}") + 2

    def _window(self) -> Window | None:
        access = self.access
        rows = self.size.height - 1 - INSPECTOR_ROWS
        if access is None or rows < 1 or not access.elements:
            return None
        low, high = self._ranges.get((access.launch.launch, access.site.site), (0, 0))
        columns = columns_in(self.size.width - self._label_width)
        shown = window(min(low, 0), max(access.elements, high + 1), columns, rows, self.zoom)
        return replace(shown, first=self._first) if self._first is not None else shown

    def _update(self, *, draw: bool = True) -> None:
        """Draw what is known, and ask for what isn't. A new run is drawn when its cells are there, never mixed."""
        self.post_message(self.Selected())
        asks = self.is_mounted and self._window() is not None and self.run is not None
        if draw or not asks:
            self._draw()
        if asks and self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        """Ask until the answer fits what is wanted: a held key costs one round trip at a time."""
        try:
            while (wanted := self._wanted()) is not None:
                self.tile, self.inspection = await self._ask(*wanted)
                if not self.triton.listens:
                    return
                if self.tile is not None:
                    place = (wanted[1].launch, wanted[1].site)
                    self._ranges[place] = (self.tile.lowest, self.tile.highest)
                self._keep_lane_in_view()
                self._draw()
                if self.tile is None or self._wanted() == wanted:
                    return
        finally:
            self._fetching = None

    def _wanted(self) -> tuple[int, Selection, Window] | None:
        """What should be drawn: the run, the selection and the cells in view."""
        shown = self._window()
        return (self.run, self.selection, shown) if shown is not None and self.run is not None else None

    async def _ask(self, run: int, at: Selection, shown: Window) -> tuple[Tile | None, Inspection | None]:
        place: dict[str, Any] = {"run": run, "launch": at.launch, "site": at.site, "program": at.program}
        tile = TileRequest(**place, request=next(self._numbers), first=shown.first, cells=shown.cells, zoom=shown.zoom)
        lane = InspectRequest(**place, request=next(self._numbers), lane=at.lane)
        return await asyncio.gather(self.triton.engine.tile(tile), self.triton.engine.inspect(lane))

    async def settled(self) -> None:
        """Wait until what is shown is what was asked for last."""
        while self._fetching is not None:
            await asyncio.wait([self._fetching])

    def _keep_lane_in_view(self) -> None:
        shown, inspection = self._window(), self.inspection
        if shown is not None and inspection is not None and self.zoom is not None:
            self._first = shown.moved_to_show(inspection.offset).first

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
        base = self.visual_style
        shown, access, tile = self._window(), self.access, self.tile
        if access is None:
            return [Strip(self._empty_words().render_segments(base))]
        rows = [Strip(self._header(access, shown).render_segments(base))]
        if (
            shown is not None
            and tile is not None
            and (tile.run, tile.first, tile.zoom) == (self.run, shown.first, shown.zoom)
        ):
            rows += self._rows(shown, tile, base)
        blank = Strip.blank(self.size.width, base.rich_style)
        rows += [blank] * (self.size.height - INSPECTOR_ROWS - len(rows))
        if len(rows) > 2 and rows[-1] is blank and rows[-2] is blank:
            rows[-1] = Strip(self._legend().render_segments(base))
        return rows + [Strip(row.render_segments(base)) for row in self._inspector(access)]

    def _rows(self, shown: Window, tile: Tile, base: Style) -> list[Strip]:
        marked = shown.cell_of(self.inspection.offset) if self.inspection is not None else None
        styles = self._styles(base)
        label = Style.parse("$muted")
        rows = []
        low, high = min(tile.lowest, 0), max(tile.elements, tile.highest + 1)
        for start in range(0, min(shown.cells, len(tile.cells)), shown.columns):
            first = shown.first + start * shown.zoom
            if first >= high or first + shown.row_elements <= low:
                break
            cells = tile.cells[start : start + shown.columns]
            signs = [
                (
                    glyph(cell, first + i * shown.zoom, tile),
                    cell.program % PROGRAM_COLOURS if cell.program >= 0 else 0,
                    start + i == marked,
                )
                for i, cell in enumerate(cells)
            ]
            segments = [Segment(f"{first:>{self._label_width - 1}} ", (base + label).rich_style)]
            for (sign, colour, is_marked), group in groupby(signs):
                style = styles[sign if sign in styles else f"pid-{colour}"]
                style = style + Style(reverse=True) if is_marked else style
                segments.append(Segment(sign * len(list(group)), style.rich_style))
            rows.append(Strip(segments))
        return rows

    def _styles(self, base: Style) -> dict[str, Style]:
        named = {
            SELECTED: "bold $selected",
            EDGE: "bold $selected",
            MASKED: "$accent",
            OUT: "bold $error",
            UNTOUCHED: "$faint",
            SHARED: "$secondary",
            " ": "$faint",
        }
        named |= {f"pid-{n}": f"$pid-{n}" for n in range(PROGRAM_COLOURS)}
        return {sign: base + Style.parse(style) for sign, style in named.items()}

    def _empty_words(self) -> Content:
        return Content.styled(self.tr("The map appears when a kernel was launched."), "$muted")

    def _header(self, access: Access, shown: Window | None) -> Content:
        site = access.site
        index = find(self._every, self.selection) or 0
        parts: list[tuple[str, str]] = [
            (site.tensor, "bold"),
            (f" · {self.tr(OPS[site.op])} · " + self.tr("line {line}", line=site.line), "$muted"),
            (f"  {index + 1}/{len(self._every)}", "$faint"),
        ]
        program = self.tr("program {program} of {programs}", program=self.selection.program, programs=access.programs)
        parts.append((f"   {program}", "bold $primary"))
        if shown is not None and shown.zoom > 1:
            parts.append(("   " + self.tr("1 cell = {zoom} elements", zoom=shown.zoom), "$muted"))
        return Content.assemble(*parts).truncate(max(1, self.size.width), ellipsis=True)

    def _legend(self) -> Content:
        pad = " " * self._label_width
        return Content.assemble(
            pad,
            (SELECTED, "bold $selected"),
            (f" {self.tr('this program')}   ", "$muted"),
            (EVEN + ODD, "$pid-0"),
            (f" {self.tr('others')}   ", "$muted"),
            (MASKED, "$accent"),
            (f" {self.tr('masked off')}   ", "$muted"),
            (OUT, "bold $error"),
            (f" {self.tr('outside')}", "$muted"),
        ).truncate(max(1, self.size.width), ellipsis=True)

    def _inspector(self, access: Access) -> list[Content]:
        found = self.inspection
        if not access.elements:
            return [Content.styled(self.tr("No lane was active here."), "$muted"), Content("")]
        if found is None or found.lane != self.selection.lane:
            return [Content(""), Content("")]
        lane = self.tr("program {program} lane {lane}", program=self.selection.program, lane=found.lane)
        first = [(f"{lane}: ", "$muted"), (found.formula, "bold")]
        if not found.active:
            first.append((f"  {MASKED} " + self.tr("masked off"), "$accent"))
        elif not found.inside:
            last = access.elements - 1
            words = self.tr("outside {tensor} (0…{last})", tensor=access.site.tensor, last=last)
            first.append((f"  {OUT} {words}", "bold $error"))
        else:
            first.append(("  ✓", "$success"))
        second = [" · ".join(f"{name} = {value}" for name, value in found.names.items())]
        if found.masked_ranges:
            second.append(self.tr("masked off: lanes {lanes}", lanes=lanes_words(found.masked_ranges)))
        if found.out_ranges:
            second.append(self.tr("outside: lanes {lanes}", lanes=lanes_words(found.out_ranges)))
        rows = [Content.assemble(*first), Content.styled("   ".join(part for part in second if part), "$muted")]
        return [row.truncate(max(1, self.size.width), ellipsis=True) for row in rows]

    # ------------------------------------------------------------ keys

    def _to(self, selection: Selection) -> None:
        if selection != self.selection:
            self.selection = selection
            self._update()

    def _move(self, **changes: int) -> None:
        access = self.access
        if access is not None:
            self._following = False
            self._to(clamped(access, replace(self.selection, **changes)))

    def action_program(self, step: int) -> None:
        """Another program."""
        self._move(program=self.selection.program + step)

    def action_lane(self, step: int) -> None:
        """Another lane."""
        self._move(lane=self.selection.lane + step)

    def action_lane_edge(self, last: int) -> None:
        """The first or the last lane."""
        access = self.access
        if access is not None:
            self._move(lane=access.lanes - 1 if last else 0)

    def action_site(self, step: int) -> None:
        """Another load or store, in the order of the source."""
        index = find(self._every, self.selection)
        if index is not None:
            self._following = False
            self._first = None
            self._to(clamped(self._every[(index + step) % len(self._every)], self.selection))

    def action_zoom(self, step: int) -> None:
        """Twice as near, twice as far, or all in view again."""
        shown = self._window()
        if shown is None:
            return
        self._first = None
        if step == 0:
            self.zoom = None
        else:
            self.zoom = max(1, shown.zoom // 2 if step < 0 else shown.zoom * 2)
        self._keep_lane_in_view()
        self._update()

    def action_scroll_rows(self, direction: int) -> None:
        """A windowful up or down, where not all is in view."""
        shown, access = self._window(), self.access
        if shown is not None and access is not None and self.zoom is not None:
            step = direction * max(1, shown.rows - 1) * shown.row_elements
            self._first = min(max(shown.first + step, 0), access.elements // shown.row_elements * shown.row_elements)
            self._update()

    def action_go_to_line(self) -> None:
        """The source line of this site."""
        if self.access is not None:
            self.post_message(GoToLine(self.access.site.line, self.access.site.column))
