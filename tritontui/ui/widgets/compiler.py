"""Compiler: what the real compiler made of the kernel, from its IRs to machine code, with or without a GPU."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import BindingType
from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.engine.messages import CompilerReport, Listing, ListingRequest
from tritontui.i18n import N_
from tritontui.ui.bindings import bindings_of
from tritontui.ui.code.machine_code import code_line
from tritontui.ui.messages import GoToLine, SourceLine
from tritontui.ui.runs.controller import View
from tritontui.ui.views.compiler_report import report_blocks
from tritontui.ui.views.words import first_error, prose
from tritontui.ui.widgets.drawn_rows import DrawnRows
from tritontui.ui.widgets.findings import Line
from tritontui.ui.widgets.text_view import Block, lay_out

OVERVIEW = "overview"
KINDS = {
    "ttir": "TTIR",
    "ttgir": "TTGIR",
    "llir": "LLVM IR",
    "ptx": "PTX",
    "amdgcn": "AMDGCN",
    "sass": "SASS",
}
"""Listings from the kernel's own terms to the machine's."""
SIDEWAYS = 16
NUMBER = 6
"""Columns for the signs and the source line before a line of a listing."""


class CompilerView(DrawnRows):
    """An overview and the listings, one at a time. Left and right turn; up and down move.

    A listing is linked with the editor both ways: the editor points at the source of the line that the cursor is on,
    and moving the editor's cursor moves this one to the first instruction of its line.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("compiler")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.kind = OVERVIEW
        self.report: CompilerReport | None = None
        self.cursor = 0
        """Line of the listing, or target of the overview."""
        self._view = View()
        self._about: tuple[int | None, str, int] = (None, "", 0)
        """Run, kernel and which of its binaries."""
        self._listings: dict[str, Listing | None] = {}
        """Of that binary, by kind; None: it can't be had."""
        self._line: int | None = None
        """The line of the source that was last looked at here or in the editor."""
        self._top = 0
        self._left = 0
        self._below: list[Content] = []
        """What stands under the tabs: it stays while a listing is on its way."""
        self._asking: asyncio.Task[None] | None = None
        self._numbers = count(1)

    # ------------------------------------------------------------ what is shown

    def show(self, view: View) -> None:
        """Show this run; while a newer one isn't compiled yet, the old one stays."""
        self._view = view
        report = view.report
        if report is not None and report.compiler is None and view.running and self.report is not None:
            return
        self.report = report.compiler if report is not None else None
        run = report.run if report is not None else None
        about = (run, "", 0) if self.report is None else (run, self.report.kernel, self.report.build)
        if about != self._about:
            self._about = about
            self._listings.clear()
        if self.kind not in self.kinds:
            self._turn_to(OVERVIEW)
        self._update()

    @property
    def kinds(self) -> list[str]:
        """What can be turned to."""
        known = self.report.listings if self.report is not None else {}
        return [OVERVIEW, *(kind for kind in KINDS if kind in known)]

    @property
    def listing(self) -> Listing | None:
        """The listing in view, once it is there."""
        return self._listings.get(self.kind)

    @property
    def source_line(self) -> int | None:
        """The line of the kernel behind the cursor; None when the text is another by now."""
        if self._view.stale or self.report is None:
            return None
        listing = self.listing
        if listing is not None:
            return listing.sources[self.cursor] or None if self.cursor < len(listing.sources) else None
        targets = self._targets
        return targets[self.cursor].line if self.kind == OVERVIEW and self.cursor < len(targets) else None

    def follow(self, line: int) -> None:
        """The editor's cursor is on that line: go to its first instruction."""
        if line == self._line:
            return
        self._line = line
        if self._view.stale:
            return
        self._go_to_line()
        self.redraw()

    def _go_to_line(self) -> None:
        """The first instruction of ``_line``; where it has none, the cursor stays."""
        listing = self.listing
        if listing is not None and self._line in listing.sources:
            self.cursor = listing.sources.index(self._line)
            self._keep_in_view()

    # ------------------------------------------------------------ listings

    def _update(self) -> None:
        if self._wanted() is not None and self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        self.redraw()
        self.post_message(SourceLine())

    def _wanted(self) -> ListingRequest | None:
        """The listing in view, if it isn't there yet."""
        run, kernel, build = self._about
        if self.kind == OVERVIEW or self.kind in self._listings or run is None:
            return None
        return ListingRequest(run=run, request=0, kernel=kernel, build=build, kind=self.kind)

    async def _ask(self) -> None:
        """Fetch the listing in view, until it is the one that is wanted."""
        try:
            while (wanted := self._wanted()) is not None:
                answer = await self.triton.engine.listing(replace(wanted, request=next(self._numbers)))
                if not self.triton.listens:
                    return
                if (wanted.run, wanted.kernel, wanted.build) == self._about:
                    self._listings[wanted.kind] = answer
        finally:
            self._asking = None
        self._go_to_line()
        self.redraw()
        self.post_message(SourceLine())

    async def settled(self) -> None:
        """Wait until the listing that was asked for is there."""
        while self._asking is not None:
            await asyncio.wait([self._asking])

    # ------------------------------------------------------------ drawing

    def make_rows(self, width: int, height: int) -> Sequence[Content]:
        if self.report is None:
            return self._refused(width) or [Content.styled(self._nothing(), "$muted")]
        room = height - 1
        if self.kind == OVERVIEW:
            rows = self._overview(width)
            self._top = max(0, min(self._top, len(rows) - room))
            self._below = rows[self._top : self._top + room]
            return [self._tabs(width), *self._below]
        listing = self.listing
        if listing is not None:
            last = min(self._top + room, len(listing.lines))
            self._below = [self._code(listing, index) for index in range(self._top, last)]
        elif self.kind in self._listings:
            self._below = [Content.styled(self.tr("Not to be had on this machine."), "$muted")]
        return [self._tabs(width), *self._below]

    def _refused(self, width: int) -> list[Content]:
        """Why the kernel was compiled to the end, and yet there is nothing to show: the target can't hold it."""
        report = self._view.report
        error = first_error(self._view.findings)
        if report is None or error is None or report.stages.get("compile") != "done":
            return []
        words = explain(error, self.tr.language)
        blocks = [Block(prose(words.title, "bold")), Block(prose(words.message))]
        return [row.text for row in lay_out(blocks, width)]

    def _nothing(self) -> str:
        if self._view.running:
            return self.tr("The compiler's turn comes after the cases.")
        if self._view.verdict == "fail":
            return self.tr("A kernel is compiled to machine code once it is right.")
        return self.tr("Nothing was compiled yet.")

    def _tabs(self, width: int) -> Content:
        parts: list[tuple[str, str]] = []
        for kind in self.kinds:
            name = KINDS.get(kind) or self.tr(N_("Overview"))
            shown = kind == self.kind
            parts.append((f"[{name}]" if shown else f" {name} ", "bold $primary" if shown else "$muted"))
        tabs = Content.assemble(*parts)
        listing = self.listing
        place = f"{self.cursor + 1}/{len(listing.lines)}" if listing is not None else "…" * (self._asking is not None)
        return Content.assemble(tabs, (place.rjust(max(1, width - tabs.cell_length)), "$muted"))

    def _code(self, listing: Listing, index: int) -> Content:
        """``▸  12 code``: the cursor, the source line, and the code; lines of the cursor's source line are lit."""
        source = listing.sources[index]
        lit = source and source == (listing.sources[self.cursor] or self._line)
        here = index == self.cursor
        sign, number = ("▸" if here else "▌" if lit else " "), f"{source or '':>{NUMBER - 2}} "
        text = Content.from_rich_text(code_line(listing.kind, listing.lines[index], self.triton.palette))
        style = "bold $accent" if lit else "$muted"
        start = [(sign, "bold $selected"), (number, style)] if here else [(sign + number, style)]
        return Content.assemble(*start, text[self._left :])

    # ------------------------------------------------------------ the overview

    @property
    def _blocks(self) -> list[Block]:
        return list(report_blocks(self.report, self.tr)) if self.report is not None else []

    @property
    def _targets(self) -> list[Line]:
        return [block.target for block in self._blocks if isinstance(block.target, Line)]

    def _overview(self, width: int) -> list[Content]:
        blocks = self._blocks
        targets = [index for index, block in enumerate(blocks) if block.target is not None]
        chosen = targets[self.cursor] if self.cursor < len(targets) else None
        rows = []
        for row in lay_out(blocks, width - 2):
            here = row.block == chosen
            rows.append(Content.assemble(("▸ " if here else "  ", "bold $selected"), row.text))
        return rows

    # ------------------------------------------------------------ keys

    def action_turn(self, step: int) -> None:
        """The listing beside."""
        kinds = self.kinds
        place = min(max(kinds.index(self.kind) + step, 0), len(kinds) - 1)
        if kinds[place] != self.kind:
            self._turn_to(kinds[place])
            self._update()

    def _turn_to(self, kind: str) -> None:
        self.kind, self.cursor, self._top, self._left = kind, 0, 0, 0
        self._go_to_line()

    def action_move(self, step: int) -> None:
        """A line, or an access of the overview, up or down."""
        listing = self.listing
        size = len(listing.lines) if listing is not None else len(self._targets)
        self._to(min(max(self.cursor + step, 0), max(size - 1, 0)))
        if self.kind == OVERVIEW:
            self._top = max(0, self._top + step)
            self.redraw()

    def action_page(self, direction: int) -> None:
        """A windowful."""
        self.action_move(direction * max(1, self.size.height - 2))

    def action_edge(self, last: int) -> None:
        """To the first line, or the last."""
        listing = self.listing
        self.action_move((1 if last else -1) * (len(listing.lines) if listing is not None else self.size.height))

    def action_same_line(self, step: int) -> None:
        """The next line of the listing that comes from the same source line, behind others; or the one before."""
        listing = self.listing
        if listing is None:
            return
        line = listing.sources[self.cursor]
        path = range(self.cursor + step, len(listing.lines) if step > 0 else -1, step)
        self._to(next((index for index in path if line and listing.sources[index] == line), self.cursor))

    def action_sideways(self, step: int) -> None:
        """Long lines: further to the right, or back."""
        listing = self.listing
        if listing is not None:
            longest = max(len(line) for line in listing.lines)
            self._left = min(max(self._left + step * SIDEWAYS, 0), max(0, longest - SIDEWAYS))
            self.redraw()

    def _to(self, cursor: int) -> None:
        if cursor == self.cursor:
            return
        self.cursor = cursor
        if self.listing is not None:
            self._line = self.source_line or self._line
            self._keep_in_view()
        self.redraw()
        self.post_message(SourceLine())

    def _keep_in_view(self) -> None:
        """Half a window at once: a held key repaints the whole window seldom."""
        room = max(1, self.size.height - 1)
        if not self._top <= self.cursor < self._top + room:
            self._top = max(0, self.cursor - room // 2)

    def action_choose(self) -> None:
        """The line of the kernel."""
        if self.source_line is not None:
            self.post_message(GoToLine(self.source_line))
