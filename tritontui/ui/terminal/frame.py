"""What the terminal shows, cell by cell, and the shortest honest way to make it show something else.

A cell is a text of one column (or the first column of a wide character, the second being empty) and a *pen*, the
escape sequence that sets its colours and attributes. ``None`` is a cell of which nothing is known.

Most text is *sturdy*: every terminal agrees that each character takes one column, so single cells may be rewritten in
place. Where a row holds anything else (wide, combining, emoji), terminals disagree and a cell's neighbours may move:
such a row is always written whole, with the cursor put in place again after every doubtful character.

Control characters and overrides of the writing direction take no column and are never written: whatever a widget
shows, it can't steer the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tritontui.i18n import harmless

Cell = tuple[str, str]
Pen = Callable[[Style | None], str]

RESET = "\x1b[0m"
_LONGEST_BRIDGE = 4
"""Equal cells between two changes are written again up to this number: a cursor move is not shorter."""

_STURDY = frozenset(
    chr(code)
    for first, last in (
        (0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0x2FF), (0x370, 0x377), (0x384, 0x482), (0x48A, 0x52F),
        (0x2010, 0x2027), (0x2030, 0x205E), (0x2070, 0x209C), (0x20A0, 0x20B5), (0x2100, 0x2319), (0x2500, 0x25FC),
        (0x2660, 0x266F), (0x2713, 0x271D), (0x2776, 0x2794), (0x2798, 0x27AF), (0x2800, 0x28FF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Characters on whose width, one column, all terminals agree: letters, punctuation, signs, boxes, dingbats."""


class Frame:
    """The cells of a terminal of ``width`` × ``height``: ``place`` what should be shown, then ``flush``.

    ``pen`` turns a Rich style into the sequence that selects it ("" for the terminal's default).
    """

    def __init__(self, width: int, height: int, pen: Pen) -> None:
        self.width = width
        self.height = height
        self._pen = pen
        self._shown: list[list[Cell | None]] = [[None] * width for _ in range(height)]
        self._doubtful = [False] * height
        self._wanted: dict[int, list[Cell | None]] = {}

    def place(self, y: int, x: int, segments: Iterable[Segment], first: int = 0, last: int | None = None) -> None:
        """Want ``segments`` on row ``y`` from column ``x`` on, of which only columns ``first`` ≤ c < ``last`` count."""
        if not 0 <= y < self.height:
            return
        last = self.width if last is None else min(last, self.width)
        row = self._wanted.get(y)
        if row is None:
            row = self._wanted[y] = self._shown[y].copy()
        cells: list[Cell] = []
        for text, style, control in segments:
            if control:
                continue
            pen = self._pen(style)
            if _STURDY.issuperset(text):
                cells.extend([(character, pen) for character in text])
            else:
                _spread(harmless(text), pen, cells)
        first = max(first, x)
        last = min(last, x + len(cells))
        if first < last:
            row[first:last] = cells[first - x : last - x]

    def flush(self) -> str:
        """The sequences that make the terminal show what has been placed; afterwards it counts as shown."""
        out = _Writer()
        for y in sorted(self._wanted):
            wanted = self._wanted[y]
            shown = self._shown[y]
            if wanted == shown:
                continue
            doubtful = any(cell is not None and not _is_sturdy(cell[0]) for cell in wanted)
            if doubtful or self._doubtful[y]:
                _write_whole(out, y, wanted)
            else:
                _write_changes(out, y, shown, wanted)
            self._shown[y] = wanted
            self._doubtful[y] = doubtful
        self._wanted = {}
        return out.finish()


def _spread(text: str, pen: str, cells: list[Cell]) -> None:
    """Append ``text`` to ``cells`` column by column: a wide character takes two, a combining one joins the last.

    Widths are measured as Rich measures the whole text, so that joined emoji take the columns Textual gave them.
    """
    begin = base = len(cells)
    for end, character in enumerate(text, 1):
        grown = cell_len(text[:end]) - (len(cells) - begin)
        if grown > 0 and cell_len(character):
            base = len(cells)
            cells.append((character, pen))
            grown -= 1
        elif base < len(cells):
            cells[base] = (cells[base][0] + character, pen)
        cells.extend([("", pen)] * grown)


class _Writer:
    """Collects sequences, remembering where the cursor stands and which pen is down."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pen: str | None = None  # nobody knows which pen the last frame's writer left
        self._place = (-1, -1)

    def move(self, x: int, y: int) -> None:
        if (x, y) == self._place:
            return
        self._parts.append(f"\x1b[{x + 1}G" if y == self._place[1] else f"\x1b[{y + 1};{x + 1}H")
        self._place = (x, y)

    def put(self, text: str, pen: str) -> None:
        """Write sturdy ``text``."""
        if pen != self._pen:
            self._parts.append(f"\x1b[0;{pen[2:]}" if pen else RESET)
            self._pen = pen
        self._parts.append(text)
        self._place = (self._place[0] + len(text), self._place[1])

    def put_doubtful(self, text: str, pen: str, columns: int) -> None:
        """Write what a terminal may give another width: nothing old shines through, and the next move is absolute."""
        x, y = self._place
        self.put(" " * columns, pen)
        if cell_len(text) <= columns:
            self.move(x, y)
            self._parts.append(text)
        self._place = (-1, -1)

    def finish(self) -> str:
        if self._pen:
            self._parts.append(RESET)
        return "".join(self._parts)


def _write_changes(out: _Writer, y: int, shown: list[Cell | None], wanted: list[Cell | None]) -> None:
    """Write the cells that differ, bridging short gaps of equal ones in the same pen."""
    previous = -1
    for x, (old, cell) in enumerate(zip(shown, wanted, strict=True)):
        if old == cell or cell is None:
            continue
        bridge = wanted[previous + 1 : x]
        if previous >= 0 and 0 < len(bridge) <= _LONGEST_BRIDGE:
            _write_bridge(out, bridge, wanted[previous])
        out.move(x, y)
        out.put(*cell)
        previous = x


def _write_bridge(out: _Writer, bridge: list[Cell | None], before: Cell | None) -> None:
    """Write the equal cells between two changes again, unless that takes another pen."""
    known = [cell for cell in bridge if cell is not None and before is not None and cell[1] == before[1]]
    if len(known) == len(bridge):
        for text, pen in known:
            out.put(text, pen)


def _write_whole(out: _Writer, y: int, wanted: list[Cell | None]) -> None:
    """Write every known cell of a row."""
    for x, cell in enumerate(wanted):
        if cell is None:
            continue
        text, pen = cell
        if _is_sturdy(text):
            out.move(x, y)
            out.put(text, pen)
        elif text:
            columns = 1
            while x + columns < len(wanted) and wanted[x + columns] == ("", pen):
                columns += 1
            out.move(x, y)
            out.put_doubtful(text, pen, columns)


def _is_sturdy(text: str) -> bool:
    return text in _STURDY
