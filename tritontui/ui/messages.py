"""What the widgets tell the workspace."""

from __future__ import annotations

from textual.message import Message


class GoToLine(Message):
    """The learner wants to see a line of the kernel; ``file``: of another file than the one it is written in."""

    def __init__(self, line: int, column: int | None = None, file: str | None = None) -> None:
        super().__init__()
        self.line = line
        self.column = column
        self.file = file


class SourceLine(Message):
    """The visible result stands at another line of the kernel (its ``source_line``)."""


class Measure(Message):
    """The learner wants the kernel judged and measured."""


class ShowOnMap(Message):
    """The learner wants to see one lane of one program on the map."""

    def __init__(self, program: int | list[int], lane: int | None, line: int | None) -> None:
        super().__init__()
        self.program = program
        self.lane = lane
        self.line = line


class OtherLaunch(Message):
    """The learner wants another launch than the one that is shown: so many further on."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.step = step
