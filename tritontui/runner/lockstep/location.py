"""Where in the learner's file the running kernel stands."""

from __future__ import annotations

import sys
from types import CodeType, FrameType, TracebackType

Place = tuple[int, int]
"""Line and column, both from 1; column 0 where Python does not tell (before 3.11)."""


class Locator:
    """Finds the innermost frame of rewritten code that belongs to the learner's file.

    ``file``: whose lines count; None: the file of the first function that is added, the launched kernel.
    """

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self._known: dict[CodeType, tuple[str, int]] = {}
        self._places: dict[tuple[CodeType, int], Place] = {}

    def add(self, code: CodeType, indent: int) -> None:
        """Make the code of a rewritten function, and of the lambdas in it, known."""
        if self.file is None:
            self.file = code.co_filename
        self._known[code] = (code.co_filename, indent)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.add(constant, indent)

    def here(self) -> Place:
        """The place that the kernel executes now; ``(0, 0)`` outside one."""
        frame: FrameType | None = sys._getframe(1)
        outer: Place = (0, 0)
        while frame is not None:
            code = frame.f_code
            known = self._known.get(code)
            if known is not None:
                outer = self._place(code, frame.f_lasti, frame.f_lineno, known[1])
                if known[0] == self.file:
                    return outer
            frame = frame.f_back
        return outer

    def of_traceback(self, traceback: TracebackType | None) -> Place | None:
        """The innermost place in the learner's kernel code that an exception came through."""
        found: Place | None = None
        anywhere: Place | None = None
        while traceback is not None:
            code = traceback.tb_frame.f_code
            known = self._known.get(code)
            if known is not None:
                anywhere = self._place(code, traceback.tb_lasti, traceback.tb_lineno, known[1])
                found = anywhere if known[0] == self.file else found
            traceback = traceback.tb_next
        return found or anywhere

    def _place(self, code: CodeType, instruction: int, line: int, indent: int) -> Place:
        key = (code, instruction)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _position(code, instruction, line, indent)
        return place


def _position(code: CodeType, instruction: int, line: int, indent: int) -> Place:
    positions = getattr(code, "co_positions", None)
    if positions is None or instruction < 0:
        return (line, 0)
    for index, (start, _, column, _) in enumerate(positions()):
        if index == instruction // 2:
            return (start or line, 0 if column is None else column + indent + 1)
    return (line, 0)
