"""Where in the learner's file the running kernel stands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType

Place = tuple[int, int]
"""Line and column, both from 1; column 0 where Python does not tell (before 3.11)."""


class Locator:
    """Finds the innermost frame of rewritten code that belongs to the learner's file.

    ``file``: whose lines count; None: the file of the first function that is added, the launched kernel.
    """

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self._known: dict[int, Places] = {}
        """By identity: a code object's hash is computed from all it holds, each time."""

    def add(self, places: Places) -> None:
        """Make the code of a rewritten function, and of the lambdas in it, known."""
        if self.file is None:
            self.file = places.file
        self._known.update(dict.fromkeys(places.codes, places))

    def here(self) -> Place:
        """The place that the kernel executes now; ``(0, 0)`` outside one."""
        frame: FrameType | None = sys._getframe(1)
        outer: Place = (0, 0)
        while frame is not None:
            places = self._known.get(id(frame.f_code))
            if places is not None:
                outer = places.at(frame.f_code, frame.f_lasti, frame.f_lineno)
                if places.file == self.file:
                    return outer
            frame = frame.f_back
        return outer

    def of_traceback(self, traceback: TracebackType | None) -> Place | None:
        """The innermost place in the learner's kernel code that an exception came through."""
        found: Place | None = None
        anywhere: Place | None = None
        while traceback is not None:
            code = traceback.tb_frame.f_code
            places = self._known.get(id(code))
            if places is not None:
                anywhere = places.at(code, traceback.tb_lasti, traceback.tb_lineno)
                found = anywhere if places.file == self.file else found
            traceback = traceback.tb_next
        return found or anywhere

    def trimmed(self, traceback: TracebackType | None) -> TracebackType | None:
        """The same traceback with the frames of kernel code alone: between them stand the interpreter's own."""
        kept = []
        while traceback is not None:
            if id(traceback.tb_frame.f_code) in self._known:
                kept.append(traceback)
            traceback = traceback.tb_next
        made: TracebackType | None = None
        for one in reversed(kept):
            made = TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
        return made


class Places:
    """Lines and columns of one rewritten function; lives as long as its code is cached."""

    def __init__(self, code: CodeType, indent: int) -> None:
        self.file = code.co_filename
        self.indent = indent
        self.codes = {id(one): one for one in _nested(code)}
        self._columns: dict[int, list[tuple[int | None, int | None]]] = {}

    def at(self, code: CodeType, instruction: int, line: int) -> Place:
        """The place of an instruction that stands on ``line``."""
        columns = self._columns.get(id(code))
        if columns is None:
            positions = code.co_positions() if hasattr(code, "co_positions") else ()
            columns = self._columns[id(code)] = [(start, column) for start, _, column, _ in positions]
        index = instruction // 2
        if not 0 <= index < len(columns):
            return (line, 0)
        start, column = columns[index]
        return (start or line, 0 if column is None else column + self.indent + 1)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)
