"""How frames are written: only what differs from the last one, and no colour under NO_COLOR."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Size
from textual.strip import Strip

from tritontui.i18n import harmless
from tritontui.ui.terminal.frame import Frame
from tritontui.ui.textual_compat.caches import keep_less
from tritontui.ui.textual_compat.driver import steady
from tritontui.ui.textual_compat.keys import HeldKeys

if TYPE_CHECKING:
    from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
else:
    try:
        from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
    except ImportError:  # another Textual: frames are written as it writes them
        CompositorUpdate = None


class DiffDisplay(HeldKeys):
    """An application whose frames go through a diff: only cells that differ from the last frame are written.

    ``frame_diff`` turns it on; ``forget_frame`` makes the next frame be written whole. Under NO_COLOR, colour is
    taken off altogether (Textual would show greys) and attributes such as reverse are left.
    """

    frame_diff: bool = True
    modes_before: list[Any] | None = None
    """Those of the terminal that are put back at the end, as ``termios`` has them; None: those Textual finds."""
    _frame: Frame | None = None
    _is_ready = False
    _first_size: Size | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        keep_less()
        if self.no_color:
            _take_colour_off(self)

    def get_driver_class(self) -> type[Driver]:
        return steady(super().get_driver_class())

    def on_mount(self) -> None:
        if not self.frame_diff:
            _take_controls_off(self)
        self.app_resume_signal.subscribe(self, lambda _: self.redraw())
        # A focused Input keeps its cursor in the old theme's colours until it is drawn again.
        self.theme_changed_signal.subscribe(self, lambda _: self.call_after_refresh(self.redraw))

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Resize) and not self._is_ready:
            if event.size == self._first_size:
                return  # the driver says again what the first frame is drawn for
            self._first_size = event.size
        await super().on_event(event)

    def on_ready(self) -> None:
        self._is_ready = True

    def on_resize(self, _: events.Resize) -> None:
        if self._is_ready:
            self.redraw()

    def forget_frame(self) -> None:
        """The terminal may show something else by now: compare nothing with the last frame."""
        self._frame = None

    def redraw(self) -> None:
        """Write the whole screen again (after a resize, a resume, or garbage from elsewhere)."""
        self.forget_frame()
        if self.screen_stack:
            self.screen.refresh()

    def _display(self, screen: Any, renderable: Any) -> None:
        if CompositorUpdate is not None and self.frame_diff and isinstance(renderable, CompositorUpdate):
            if self._writes_now():
                renderable = self._diffed(renderable)
        elif renderable is not None:
            self.forget_frame()
        super()._display(screen, renderable)

    def _writes_now(self) -> bool:
        """Will Textual really write a frame that it is given now? One that is never written must not be believed."""
        return bool(
            not getattr(self, "_batch_count", 0)
            and getattr(self, "_running", True)
            and not getattr(self, "_closed", False)
            and not self.is_headless
        )

    def _diffed(self, update: CompositorUpdate) -> CompositorUpdate | None:
        """An update that writes the difference; None if there is none and the cursor stays where it is."""
        try:
            written = self._diff(update, self.console)
        except (AttributeError, TypeError, ValueError, KeyError):
            self.frame_diff = False  # an update of another shape than this Textual's: leave frames alone from now on
            _take_controls_off(self)
            return update
        if not written and getattr(self, "_previous_cursor_position", None) == self.cursor_position:
            return None
        return _Written(written)

    def _diff(self, update: CompositorUpdate, console: Console) -> str:
        if isinstance(update, LayoutUpdate):
            region = update.region
            frame = self._frame_of(console, region.right, region.bottom)
            for y, strips in enumerate(update.strips, region.y):
                frame.place(y, region.x, [segment for strip in strips for segment in strip])
        elif isinstance(update, ChopsUpdate):
            frame = self._frame_of(console, self.size.width, self.size.height)
            for y, first, last in update.spans:
                # Only inside the spans are chops fresh.
                for (x, strip), end in zip(update.chops[y].items(), update.chop_ends[y], strict=True):
                    if strip is not None and x < last and end > first:
                        frame.place(y, x, strip, max(first, x), min(last, end))
        else:
            self.forget_frame()
            return update.render_segments(console)
        return frame.flush()

    def _frame_of(self, console: Console, width: int, height: int) -> Frame:
        """The frame so far; a new one, of which nothing is known, when the terminal has another size."""
        frame = self._frame
        if frame is None or (frame.width, frame.height) != (width, height):
            frame = self._frame = Frame(width, height, pens(console))
        return frame


if TYPE_CHECKING or CompositorUpdate is not None:

    class _Written(CompositorUpdate):
        """An update whose sequences are known already."""

        def __init__(self, sequences: str) -> None:
            self._sequences = sequences

        def render_segments(self, console: Console) -> str:  # noqa: ARG002
            return self._sequences


_COLOUR_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


def pens(console: Console) -> Callable[[Style | None], str]:
    """What turns a style into the sequence that selects it on ``console``. Links are left out: they are shown only."""
    system = _COLOUR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)

    @lru_cache(maxsize=4096)
    def pen(style: Style | None) -> str:
        if style is None:
            return ""
        unlinked = style.update_link(None) if style.link else style
        return Strip.render_style(unlinked, "\0", system).partition("\0")[0]

    return pen


class Uncoloured(LineFilter):
    """Takes every colour off and leaves bold, underline and reverse."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same texts, without colour."""
        return [
            Segment(text, None if style is None else style.without_color, control) for text, style, control in segments
        ]


class Harmless(LineFilter):
    """Takes out what may steer a terminal, as ``Frame`` does, where frames are written by Textual itself."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same styles."""
        return [Segment(text if control else harmless(text), style, control) for text, style, control in segments]


def _take_controls_off(app: App[Any]) -> None:
    filters = getattr(app, "_filters", None)
    if isinstance(filters, list):
        filters.append(Harmless())


def _take_colour_off(app: App[Any]) -> None:
    """Put ``Uncoloured`` in the place of Textual's own filter for NO_COLOR, which makes greys."""
    filters = getattr(app, "_filters", None)
    if isinstance(filters, list):
        filters[:] = [Uncoloured() if isinstance(each, Monochrome | NoColor) else each for each in filters]
