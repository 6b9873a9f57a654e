"""A widget whose rows are made as text and repainted where they differ: what steps and listings are drawn with."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tritontui.ui.speaking import Speaking


class DrawnRows(Speaking, Widget, can_focus=True):
    """Subclasses give the rows; ``redraw`` repaints those that have changed."""

    DEFAULT_CSS = """
    DrawnRows { padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._strips: list[Strip] = []

    def make_rows(self, width: int, height: int) -> Sequence[Content]:
        """The rows from the top, at most ``height`` of them, each cut at ``width`` cells by whoever draws them."""
        raise NotImplementedError

    @property
    def plain(self) -> str:
        """What is drawn, as text."""
        return "\n".join(strip.text.rstrip() for strip in self._strips)

    def redraw(self) -> None:
        """Make the rows again and repaint those that differ."""
        if not self.is_mounted or not self.size:
            return
        width, height = self.size
        base = self.visual_style
        new = [
            Strip(row.truncate(width, ellipsis=True).render_segments(base)).adjust_cell_length(width, base.rich_style)
            for row in self.make_rows(width, height)[:height]
        ]
        old, self._strips = self._strips, new
        for y in range(max(len(new), len(old))):
            if y >= len(new) or y >= len(old) or new[y] != old[y]:
                self.refresh(Region(0, y, width, 1))

    def render_line(self, y: int) -> Strip:
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.size.width, self.visual_style.rich_style)

    def on_resize(self) -> None:
        self.redraw()

    def retranslate(self) -> None:
        self.redraw()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self.redraw()
