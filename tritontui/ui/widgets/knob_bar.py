"""The knobs of an exploration in one row, turned by the arrows; the kernel is traced at every turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tritontui.course.model import Knob, KnobValue
from tritontui.ui.bindings import bindings_of
from tritontui.ui.speaking import Speaking

GAP = 3


class KnobBar(Speaking, Widget, can_focus=True):
    """Up and down choose the knob, left and right turn it. The last one is the program that the map shows."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("knobs")

    DEFAULT_CSS = """
    KnobBar { height: 1; padding: 0 1 0 0; background: $panel; display: none; }
    KnobBar.-knobs { display: block; }
    """

    class Turned(Message):
        """A knob has another value."""

        def __init__(self, name: str, value: KnobValue) -> None:
            super().__init__()
            self.name = name
            self.value = value

    class ProgramTurned(Message):
        """The map is to show the program so many further on."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knobs: tuple[Knob, ...] = ()
        self.values: dict[str, KnobValue] = {}
        self.chosen = 0
        """Index of the knob that left and right turn; past the last one is the program."""
        self.program: tuple[int, int] | None = None
        """The program on the map, and how many there are."""

    # ------------------------------------------------------------ what is shown

    def show(self, knobs: tuple[Knob, ...], values: Mapping[str, KnobValue]) -> None:
        """The knobs of the exercise on the desk; without any, the bar takes no row."""
        if knobs != self.knobs:
            self.chosen, self.program = 0, None
        self.knobs, self.values = knobs, dict(values)
        self.set_class(bool(knobs), "-knobs")
        self.refresh()

    def show_program(self, program: int, programs: int) -> None:
        """The map shows this one of so many programs."""
        shown = (program, programs) if programs else None
        if shown != self.program:
            self.program = shown
            self.refresh()

    @property
    def plain(self) -> str:
        """What is drawn, as text."""
        return self.render().plain

    def retranslate(self) -> None:
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render(self) -> Content:
        """Every value of every knob where there is room, else of the chosen one, else each knob's own value.

        The key that leads here comes before the other values, and in the narrowest bar without its words.
        """
        bar = Content.styled("▌" if self.has_focus else " ", "$primary")
        width = self.size.width - bar.cell_length
        key = self.key_of("knobs")
        hints = [""] if self.has_focus else [self.tr("{key} turns", key=key), key]
        for hint in hints:
            for unfolded in (range(len(self.knobs)), (self.chosen,), ()):
                shown = self._row(unfolded)
                room = width - shown.cell_length - cell_len(hint)
                if room >= bool(hint):
                    return Content.assemble(bar, shown, " " * room, Content.styled(hint, "$muted"))
        return Content.assemble(bar, shown.truncate(max(1, width), ellipsis=True))

    def _row(self, unfolded: range | tuple[int, ...]) -> Content:
        parts = [self._knob(index, knob, index in unfolded) for index, knob in enumerate(self.knobs)]
        if self.program is not None:
            program, programs = self.program
            words = self.tr("program"), self.tr("of {programs}", programs=programs)
            parts.append(self._label(len(self.knobs), words[0]) + f" ‹{program}› " + Content.styled(words[1], "$muted"))
        return Content(" " * GAP).join(parts)

    def _label(self, index: int, name: str) -> Content:
        chosen = self.has_focus and index == self.chosen
        return Content.styled(f" {name} ", "bold reverse $primary" if chosen else "bold $secondary")

    def _knob(self, index: int, knob: Knob, unfolded: bool) -> Content:
        value = self.values.get(knob.name, knob.start)
        pieces = [self._label(index, knob.name)]
        for other in knob.values if unfolded else (value,):
            here = other == value
            pieces.append(Content.styled(f"‹{other}›", "bold") if here else Content.styled(f" {other} ", "$muted"))
        return Content("").join(pieces)

    # ------------------------------------------------------------ keys

    def action_choose(self, step: int) -> None:
        """The knob beside."""
        self.chosen = min(max(self.chosen + step, 0), len(self.knobs) - (self.program is None))
        self.refresh()

    def action_turn(self, step: int) -> None:
        """The value beside, or the program beside."""
        if self.chosen >= len(self.knobs):
            self.post_message(self.ProgramTurned(step))
            return
        knob = self.knobs[self.chosen]
        self._set(knob, knob.values.index(self.values[knob.name]) + step)

    def action_edge(self, direction: int) -> None:
        """The first or the last value."""
        if self.chosen < len(self.knobs):
            self._set(self.knobs[self.chosen], 0 if direction < 0 else len(self.knobs[self.chosen].values) - 1)
        elif self.program is not None:
            self.post_message(self.ProgramTurned(direction * self.program[1]))

    def _set(self, knob: Knob, index: int) -> None:
        value = knob.values[min(max(index, 0), len(knob.values) - 1)]
        if value != self.values[knob.name]:
            self.values[knob.name] = value
            self.refresh()
            self.post_message(self.Turned(knob.name, value))
