"""The course map: every step, what is done, reached and measured; typing filters it and searches the lessons."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from tritontui.i18n import N_
from tritontui.keys.commands import BY_ID, Command
from tritontui.ui.bindings import bindings_for, closing_binding
from tritontui.ui.learner.desk import Place
from tritontui.ui.lesson.course_rows import Overview, detail_blocks, hit_blocks, map_blocks, summary
from tritontui.ui.lesson.searching import Hit, LessonTexts
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.widgets.field import Field
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.text_view import Block, TextView

BESIDE_WIDTH = 110
"""From so many columns the details stand beside the list, else under it."""
ROWS_ABOVE = 6
"""Over the step where the learner is."""
KEYS = (
    ("↑↓", N_("step")),
    ("PgUp PgDn", N_("lesson")),
    ("↵", N_("go there")),
    ("Tab", N_("details")),
    ("{playground}", N_("playground")),
    ("Esc {cycle-panes}", N_("back")),
)


class CourseMap(OfTheCourse, ClosesOnce, Screen[Place | Hit | Command | None]):
    """Ends with the place, the hit or the playground to go to, or with None."""

    CSS_PATH = "course_map.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "lesson(-1)", show=False, priority=True),
        Binding("pagedown", "lesson(1)", show=False, priority=True),
        Binding("tab", "details", show=False, priority=True),
    ]

    def __init__(self, overview: Overview, at: Place, query: str = "") -> None:
        super().__init__()
        self._overview = overview
        self._at = at
        self._query = query
        self._texts: LessonTexts | None = None

    def compose(self) -> ComposeResult:
        yield OneLine(id="map-title")
        yield Field(
            self._query, placeholder=self.tr("Type to filter the steps and to search the lessons"), id="map-query"
        )
        with Container(id="map-body"):
            yield TextView(id="map-list")
            yield TextView(id="map-detail")
        yield KeyLine(id="map-keys")

    def on_mount(self) -> None:
        keys = self.triton.keys
        closing = closing_binding(keys, typing=True, also=("course",))
        give_bindings(self, [closing, *bindings_for(keys, {"playground": "playground"})])
        for view in self.query(TextView):
            view.can_focus = False
        self.set_focus(self.query_one(Input))
        title = Content.styled(f" {self.tr('Course')}", "bold $primary")
        words = Content.styled(summary(self._overview, self.tr) + " ", "$muted")
        self.query_one("#map-title", OneLine).show(title, words)
        filled_in = self.triton.keys.filled_in
        self.query_one(KeyLine).show(tuple((filled_in(key), self.tr(label)) for key, label in KEYS))
        self._show(self._at)
        self.run_worker(self._read_texts(), exclusive=True)

    async def _read_texts(self) -> None:
        self._texts = await asyncio.to_thread(self.triton.workspace.lesson_texts)
        if self.query_one(Input).value:
            self._show(self.rows.target)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= BESIDE_WIDTH, "-beside")

    # ------------------------------------------------------------ content

    @property
    def rows(self) -> TextView:
        """Lessons and steps, then what the search has found."""
        return self.query_one("#map-list", TextView)

    @on(Input.Changed)
    def _filtered(self) -> None:
        self._show(None)

    def _show(self, at: object | None) -> None:
        """The list as the field says, the cursor on ``at`` if it is still there."""
        self.rows.cursor = None
        self.rows.show_blocks(self._blocks(), keep_scroll=at is not None)
        wanted = [index for index in self.rows.targets if self.rows.blocks[index].target == at]
        if wanted:
            self.rows.cursor = wanted[0]
            self.call_after_refresh(self.rows.scroll_to_block, max(0, wanted[0] - ROWS_ABOVE))
        self._show_detail()

    def _blocks(self) -> list[Block]:
        query = self.query_one(Input).value
        blocks = list(map_blocks(self._overview, query, self.language, self.tr))
        hits = self._texts.find(query, self.language) if self._texts is not None else []
        if hits:
            blocks += hit_blocks(hits, self._overview.course, self.language, self.tr)
        return blocks

    def _show_detail(self) -> None:
        target = self.rows.target
        place = target.passage.place if isinstance(target, Hit) else target
        blocks = detail_blocks(self._overview, place, self.language, self.tr) if isinstance(place, Place) else ()
        self.query_one("#map-detail", TextView).show_blocks(blocks, keep_scroll=False)

    # ------------------------------------------------------------ keys

    def action_move(self, step: int) -> None:
        """Up, down."""
        self.rows.action_move(step)
        self._show_detail()

    def action_details(self) -> None:
        """More room for what is known of the step, or for the list again."""
        self.toggle_class("-details")

    def action_lesson(self, direction: int) -> None:
        """To the first step of the lesson after, of this one, or of the one before; its title comes to the top."""
        targets = self.rows.targets
        if self.rows.cursor not in targets:
            return
        firsts = [index for index in targets if index - 1 not in targets]
        ahead = [index for index in firsts if (index - self.rows.cursor) * direction > 0]
        if ahead:
            first = min(ahead) if direction > 0 else max(ahead)
            self.rows.move_cursor(first)
            self.rows.scroll_to_block(first - 1)
            self._show_detail()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.rows.action_choose()

    @on(TextView.Chosen)
    def _chosen(self, event: TextView.Chosen) -> None:
        event.stop()
        if isinstance(event.target, Place | Hit):
            self.dismiss(event.target)

    def action_playground(self) -> None:
        """To a kernel of one's own."""
        self.dismiss(BY_ID["playground"])

    def action_leave(self) -> None:
        """Back, to where the learner was."""
        self.dismiss(None)
