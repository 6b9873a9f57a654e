"""Steps: one program of the learner's kernel line by line, forwards and back, every name as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count, zip_longest
from math import prod
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import BindingType
from textual.content import Content

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import LaunchSummary, Seek, Steps, StepsRequest
from tritontui.ui.bindings import bindings_of
from tritontui.ui.messages import GoToLine, SourceLine
from tritontui.ui.runs.controller import View
from tritontui.ui.views.step_rows import PATH_WIDTH, Room, StepRows
from tritontui.ui.views.words import lanes_words
from tritontui.ui.widgets.access_map import AccessMap
from tritontui.ui.widgets.drawn_rows import DrawnRows


class StepsView(DrawnRows):
    """Left and right step; up and down choose the name whose lanes are shown, comma and point the lane.

    The launch and the program are those that the map has selected, and choosing one here chooses it there.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("steps")

    def __init__(self, map: AccessMap, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.map = map
        self.answer: Steps | None = None
        self.run: int | None = None
        self.step = 0
        self.chosen: str | None = None
        """The name whose lanes are shown; None: whatever each step changes."""
        self.lane = 0
        self._seek: tuple[Seek, bool] | None = None
        self._launches: Sequence[LaunchSummary] = ()
        self._known: StepsRequest | None = None
        """What ``answer`` answers."""
        self._gone = False
        """The run's steps can't be had any more."""
        self._first = 0
        self._top = 0
        """The first name in view."""
        self._fetching: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._stale = False
        self._elsewhere: Finding | None = None
        """A value that isn't finite, born in another case than the one stepped through."""

    # ------------------------------------------------------------ what is shown

    def show(self, view: View) -> None:
        """The steps of a run; while a newer text is judged the old ones stay, and the tab line says so."""
        self.map.show(view)  # it holds what is selected, and may not have been visible yet
        report = view.report
        self._stale = view.stale
        self._elsewhere = next((one for one in view.findings if one.id == "nan-born" and one.case), None)
        if report is not None and self._elsewhere is not None:
            case = report.case_in(self.tr.language, self._elsewhere.case or "")
            self._elsewhere = replace(self._elsewhere, case=case)
        if report is not None and not report.launches and not report.finished and not view.stale:
            return
        run = report.run if report is not None else None
        if run != self.run:
            self.run, self._gone = run, False
        self._launches = report.launches if report is not None else ()
        if not self._launches:
            self.answer = None
        self._update()

    @property
    def source_line(self) -> int | None:
        """The line of the learner's file where the program stands; None when the file is another by now."""
        here = self.answer.here if self.answer is not None else None
        return here.line or None if here is not None and not self._stale else None

    @property
    def _launch(self) -> LaunchSummary | None:
        """The launch that the map has selected, else the first."""
        wanted = self.map.selection.launch
        return next((one for one in self._launches if one.launch == wanted), next(iter(self._launches), None))

    @property
    def _programs(self) -> int:
        return prod(self._launch.grid) if self._launch is not None else 0

    def on_resize(self) -> None:
        self._update()

    def on_show(self) -> None:
        """The tab was turned to: the map may have chosen another program."""
        self._update()

    # ------------------------------------------------------------ asking for what the window shows

    def _wanted(self) -> StepsRequest | None:
        launch = self._launch
        if launch is None or self.run is None or not self.is_mounted or not self.size or self._gone:
            return None
        room = Room.of(*self.size)
        seek, back = self._seek or (None, False)
        return StepsRequest(
            run=self.run,
            request=0,
            launch=launch.launch,
            program=min(self.map.selection.program, max(self._programs - 1, 0)),
            step=self.step,
            seek=seek,
            back=back,
            name=self.chosen,
            lane=self.lane,
            rows=room.lanes,
            columns=room.columns,
            first=self._first,
            count=room.path,
        )

    def _update(self) -> None:
        """Draw what is known, and ask for what isn't."""
        wanted = self._wanted()
        if wanted is None or wanted == self._known:
            self.redraw()
        elif self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        """Ask until the answer fits what is wanted: a held key costs one round trip at a time."""
        try:
            while (wanted := self._wanted()) is not None and wanted != self._known:
                answer = await self.triton.engine.steps(replace(wanted, request=next(self._numbers)))
                if not self.triton.listens:
                    return
                self._take(wanted, answer)
        finally:
            self._fetching = None

    def _take(self, wanted: StepsRequest, answer: Steps | None) -> None:
        moved = self._wanted() != wanted
        self.answer = answer
        self._gone = answer is None and not moved
        if answer is not None and not moved:
            self.step, self._seek, self._first = answer.step, None, answer.first
            if answer.lanes is not None and self.chosen is not None:
                self.lane = answer.lanes.lane
            self._known = self._wanted()
        self.redraw()
        self.post_message(SourceLine())

    async def settled(self) -> None:
        """Wait until what is shown is what was asked for last."""
        while self._fetching is not None:
            await asyncio.wait([self._fetching])

    # ------------------------------------------------------------ drawing

    def make_rows(self, width: int, height: int) -> Sequence[Content]:
        answer = self.answer
        launch = self._launch
        if answer is None or launch is None:
            return [Content.styled(self._nothing(), "$muted")]
        if answer.here is None:
            return self._not_kept(answer)
        room = Room.of(width, height)
        rows = StepRows(answer, launch, self.tr, self.triton.code, self._elsewhere)
        lanes = rows.lanes()
        selected = answer.lanes.name if answer.lanes is not None else self.chosen
        self._top = rows.top_of_names(selected, room.names, self._top)
        below: list[Content] = [Content(""), *rows.names(selected, self._top, room.names, room.width)]
        below += [Content("")] * (height - 3 - len(below) - len(lanes)) + lanes
        if room.path:
            below = [_beside(left, right) for left, right in zip_longest(rows.path(), below, fillvalue=Content(""))]
        return [*rows.head(), *below]

    def _nothing(self) -> str:
        if self._gone:
            return self.tr("These steps are gone: {key} runs the kernel again.", key=self.key_of("run"))
        return self.tr("The steps appear when a kernel was launched.")

    def _not_kept(self, answer: Steps) -> list[Content]:
        words = self.tr("The steps of program {program} were not kept.", program=answer.program)
        kept = self.tr("There was room for programs {programs}.", programs=lanes_words(answer.kept))
        return [Content(words), Content.styled(kept, "$muted")]

    # ------------------------------------------------------------ keys

    def action_step(self, distance: int) -> None:
        """A line on, or back."""
        self._to(self.step + distance)

    def action_edge(self, last: int) -> None:
        """The first step, or the last."""
        self._to(self.answer.total - 1 if last and self.answer is not None else 0)

    def _to(self, step: int) -> None:
        total = self.answer.total if self.answer is not None else 1
        self.step, self._seek = min(max(step, 0), max(total - 1, 0)), None
        self._update()

    def action_seek(self, what: Seek, back: bool) -> None:
        """A step of some kind."""
        if self.answer is not None:
            self._seek = (what, back)
            self._update()

    def action_name(self, distance: int) -> None:
        """Another name: it stays chosen."""
        answer = self.answer
        if answer is None or not answer.names:
            return
        names = [state.name for state in answer.names]
        shown = self.chosen if self.chosen in names else answer.lanes.name if answer.lanes is not None else names[0]
        self.chosen = names[min(max(names.index(shown) + distance, 0), len(names) - 1)]
        self._update()

    def action_follow(self) -> None:
        """Whatever each step changes is chosen."""
        self.chosen = None
        self._update()

    def action_lane(self, distance: int) -> None:
        """The lane beside."""
        lanes = self.answer.lanes if self.answer is not None else None
        if lanes is not None:
            self.lane = min(max(lanes.lane + distance, 0), lanes.total - 1)
            self._update()

    def action_lane_page(self, direction: int) -> None:
        """As many lanes on as are in view."""
        lanes = self.answer.lanes if self.answer is not None else None
        if lanes is not None:
            self.action_lane(direction * sum(len(row.cells) for row in lanes.rows))

    def action_program(self, distance: int) -> None:
        """Another program, here and on the map."""
        self.map.action_program(distance)
        self._update()

    def action_go_to_line(self) -> None:
        """The line of code."""
        if self.source_line is not None:
            self.post_message(GoToLine(self.source_line))


def _beside(left: Content, right: Content) -> Content:
    """Path and names in one row."""
    room = PATH_WIDTH - 2
    cut = left.truncate(room, ellipsis=True)
    return Content.assemble(cut.pad_right(room - cut.cell_length), ("│ ", "$line"), right)
