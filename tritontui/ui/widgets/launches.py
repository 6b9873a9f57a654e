"""Every launch of a script, two rows each, and before them the script as a whole; one of them is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from tritontui.engine.messages import LaunchSummary
from tritontui.engine.script_trace import ScriptTrace
from tritontui.ui.bindings import bindings_of
from tritontui.ui.views.trace_words import argument_words, count_words, grid_words, resource_words, time_words
from tritontui.ui.widgets.drawn_rows import DrawnRows

ENTRY_ROWS = 2
GRID_MAX = 14


class LaunchList(DrawnRows):
    """Up and down choose; what is chosen is shown at once in the panes beside."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("launches")

    DEFAULT_CSS = """
    LaunchList { height: 1fr; }
    """

    class Chosen(Message):
        """Another launch is chosen; None: the script as a whole."""

        def __init__(self, launch: int | None) -> None:
            super().__init__()
            self.launch = launch

    class Opened(Message):
        """The learner wants to read about the chosen launch."""

    class StopAsked(Message):
        """The learner wants the script to end."""

    def __init__(self, title: str, *, id: str | None = None) -> None:
        """``title``: what the script is called on its own two rows."""
        super().__init__(id=id)
        self._title = title
        self._trace: ScriptTrace | None = None
        self._state: tuple[str, str] = ("", "")
        self.chosen: int | None = None
        """Number of a launch; None: the script as a whole."""
        self._top = 0

    # ------------------------------------------------------------ what is shown

    def show(self, trace: ScriptTrace | None, chosen: int | None, state: tuple[str, str]) -> None:
        """These launches; ``state``: how far the script is, in words, and a style for them."""
        self._trace, self.chosen, self._state = trace, chosen, state
        self.redraw()

    @property
    def _launches(self) -> Sequence[LaunchSummary]:
        return self._trace.launches if self._trace is not None else ()

    @property
    def _index(self) -> int:
        """Of the chosen entry; 0: the script."""
        return next((i for i, launch in enumerate(self._launches, 1) if launch.launch == self.chosen), 0)

    # ------------------------------------------------------------ drawing

    def make_rows(self, width: int, height: int) -> Sequence[Content]:
        counted = self._trace.only_counted if self._trace is not None else 0
        shown = max(1, (height - bool(counted)) // ENTRY_ROWS)
        count = len(self._launches) + 1
        self._top = max(0, min(self._top, count - shown, self._index))
        self._top = max(self._top, self._index - shown + 1)
        rows: list[Content] = []
        for index in range(self._top, min(self._top + shown, count)):
            entry = self._script(width) if index == 0 else self._launch(self._launches[index - 1], width)
            rows += [self._framed(row, sign, index, width) for row, sign in zip(entry, "▸ ", strict=True)]
        if counted and self._top + shown >= count:
            words = self.tr.plural(
                "and {n} more like these, only counted", "and {n} more like these, only counted", counted
            )
            rows.append(Content.styled(f" {words}", "italic $muted"))
        return rows

    def _framed(self, row: Content, sign: str, index: int, width: int) -> Content:
        """Behind the sign of the chosen entry, and over its colour where it has the focus."""
        here = index == self._index
        framed = Content.assemble((sign if here else " ", "bold $selected"), row)
        framed = framed.pad_right(max(0, width - framed.cell_length))
        return framed.stylize_before("on $panel") if here and self.has_focus else framed

    def _script(self, width: int) -> tuple[Content, Content]:
        found = self._trace.about(None) if self._trace is not None else []
        words, style = self._state
        return (
            _ends(Content.styled(self._title, "bold"), Content.styled(*count_words(found)), width - 1),
            Content.assemble("  ", (words, style)).truncate(width - 1, ellipsis=True),
        )

    def _launch(self, launch: LaunchSummary, width: int) -> tuple[Content, Content]:
        assert self._trace is not None
        number_width = len(str(self._launches[-1].launch))
        grid = grid_words(launch.grid)
        grid_width = min(max(len(grid_words(one.grid)) for one in self._launches), GRID_MAX)
        spent = time_words(launch.kernel_ms, self.tr)
        name = Content.assemble((f"{launch.launch:>{number_width}} ", "$muted"), (launch.kernel, "bold"))
        right = Content.assemble(
            (f"{grid:>{grid_width}}", "$foreground"),
            " ",
            _right(Content.styled(*count_words(self._trace.about(launch.launch))), 4),
            (f"{spent:>8}", "$muted"),
        )
        arguments = Content.styled(" · ".join(argument_words(launch)), "$muted")
        below = Content.assemble(" " * (number_width + 1), arguments)
        taken = Content.styled(resource_words(self._trace.compiled(launch.launch), self.tr), "$muted")
        return _ends(name, right, width - 1), _ends(below, taken, width - 1)

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()

    # ------------------------------------------------------------ keys

    def action_move(self, step: int) -> None:
        """The entry beside."""
        self._choose(self._index + step)

    def action_page(self, direction: int) -> None:
        """A windowful."""
        self._choose(self._index + direction * max(1, self.size.height // ENTRY_ROWS - 1))

    def action_edge(self, last: int) -> None:
        """The script, or the last launch."""
        self._choose(len(self._launches) if last else 0)

    def action_next_faulty(self) -> None:
        """The next launch, round the end, with an error or a warning."""
        trace = self._trace
        if trace is None:
            return
        count = len(self._launches)
        for index in ((self._index - 1 + step) % count + 1 for step in range(1, count + 1)):
            number = self._launches[index - 1].launch
            if any(finding.severity != "note" for finding in trace.about(number)):
                self._choose(index)
                return

    def action_choose(self) -> None:
        """To the findings."""
        self.post_message(self.Opened())

    def action_stop(self) -> None:
        """No further."""
        self.post_message(self.StopAsked())

    def _choose(self, index: int) -> None:
        index = min(max(index, 0), len(self._launches))
        chosen = self._launches[index - 1].launch if index else None
        if chosen != self.chosen:
            self.chosen = chosen
            self.redraw()
            self.post_message(self.Chosen(chosen))

    def on_click(self, event: events.Click) -> None:
        if 0 <= event.y < len(self._strips):
            self._choose(self._top + event.y // ENTRY_ROWS)


def _ends(left: Content, right: Content, width: int) -> Content:
    """``left`` cut so that ``right`` stands at the right end."""
    room = max(1, width - right.cell_length - 1)
    cut = left.truncate(room, ellipsis=True)
    return Content.assemble(cut, " " * (room - cut.cell_length + 1), right)


def _right(text: Content, width: int) -> Content:
    return text.pad_left(max(0, width - text.cell_length))
