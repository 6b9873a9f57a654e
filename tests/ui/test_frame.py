"""The frame diff, replayed in a terminal emulator: what it leaves on the screen is what was asked for."""

from __future__ import annotations

import random

import pyte
from rich.segment import Segment
from rich.style import Style

from tritontui.ui.terminal.frame import Frame

WIDTH, HEIGHT = 24, 5
STYLES = [None, Style(bold=True), Style(reverse=True), Style(color="color(9)", bgcolor="color(4)"), Style(italic=True)]
TEXTS = ["a", "b c", "    ", "x = 1", "│", "✗ no", "日本", "e\u0301t", "👩\u200d🔬!", "❤\ufe0f", "·×…"]


def pen(style: Style | None) -> str:
    return style.render("\0").partition("\0")[0] if style else ""


class Screen:
    """A terminal, and what has been written to it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.stream = pyte.Stream(self.screen)

    def feed(self, data: str) -> None:
        self.stream.feed(data)

    @property
    def cells(self) -> list[list[tuple[object, ...]]]:
        blank = self.screen.default_char
        return [[tuple(self.screen.buffer[y].get(x, blank)) for x in range(WIDTH)] for y in range(HEIGHT)]


def row_of(rng: random.Random, width: int) -> list[Segment]:
    """Segments of exactly ``width`` columns."""
    segments: list[Segment] = []
    left = width
    while left:
        segment = Segment(rng.choice(TEXTS), rng.choice(STYLES))
        if segment.cell_length > left:
            segment = Segment(" " * left, rng.choice(STYLES))
        segments.append(segment)
        left -= segment.cell_length
    return segments


def test_after_any_changes_the_screen_is_that_of_a_full_write() -> None:
    for seed in range(150):
        rng = random.Random(seed)
        screen, frame = Screen(), Frame(WIDTH, HEIGHT, pen)
        rows = {y: row_of(rng, WIDTH) for y in range(HEIGHT)}
        for _ in range(12):
            for y in rng.sample(range(HEIGHT), rng.randrange(HEIGHT + 1)):
                rows[y] = row_of(rng, WIDTH)
                frame.place(y, 0, rows[y])
            screen.feed(frame.flush())
            whole, fresh = Screen(), Frame(WIDTH, HEIGHT, pen)
            for y, row in rows.items():
                fresh.place(y, 0, row)
                frame.place(y, 0, row)
            screen.feed(frame.flush())
            whole.feed(fresh.flush())
            assert screen.cells == whole.cells, seed


def test_an_equal_frame_writes_nothing() -> None:
    frame = Frame(WIDTH, HEIGHT, pen)
    row = [Segment("x = 日本", Style(bold=True)), Segment(" " * 15)]
    frame.place(1, 0, row)
    assert frame.flush()
    frame.place(1, 0, row)
    assert frame.flush() == ""


def test_one_changed_cell_costs_a_few_bytes() -> None:
    frame = Frame(120, 40, pen)
    frame.place(3, 0, [Segment("x" * 120)])
    frame.flush()
    frame.place(3, 0, [Segment("x" * 60 + "y" + "x" * 59)])
    assert frame.flush() == "\x1b[4;61H\x1b[0my"


def test_near_changes_are_bridged_and_far_ones_are_not() -> None:
    frame = Frame(40, 1, pen)
    frame.place(0, 0, [Segment("." * 40)])
    frame.flush()
    frame.place(0, 0, [Segment("a..b" + "." * 30 + "c.....")])
    assert frame.flush() == "\x1b[1;1H\x1b[0ma..b\x1b[35Gc"


def test_only_the_named_columns_count() -> None:
    screen, frame = Screen(), Frame(WIDTH, HEIGHT, pen)
    frame.place(0, 0, [Segment("-" * WIDTH)])
    frame.place(0, 4, [Segment("stale fresh stale")], 10, 15)
    screen.feed(frame.flush())
    assert screen.screen.display[0] == "----------fresh---------"


def test_rows_outside_the_terminal_are_ignored() -> None:
    frame = Frame(WIDTH, HEIGHT, pen)
    frame.place(HEIGHT, 0, [Segment("x")])
    frame.place(0, WIDTH - 1, [Segment("xyz")])
    assert frame.flush() == f"\x1b[1;{WIDTH}H\x1b[0mx"


def test_a_terminal_that_gives_emoji_one_column_is_put_right_again() -> None:
    """Whatever the width, what follows on the row is written at its own column."""
    frame = Frame(WIDTH, HEIGHT, pen)
    frame.place(0, 0, [Segment("a👩\u200d🔬|")])
    written = frame.flush()
    assert written.endswith("\x1b[1;4H|")


def test_control_characters_never_reach_the_terminal() -> None:
    frame = Frame(WIDTH, HEIGHT, pen)
    frame.place(0, 0, [Segment("a\x1b[2Jb\nc\x9b"), Segment("d")])
    assert frame.flush() == "\x1b[1;1H\x1b[0ma[2Jbcd"
