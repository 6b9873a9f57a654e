"""What the course and the trace viewer share as applications: language, colours, keys, the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.content import Content
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from tritontui.engine.status import EngineStatus
from tritontui.i18n import LANGUAGES, Language, Translator, plain, translator
from tritontui.ui.start.beginning import Settled, wanted_language, wanted_theme
from tritontui.ui.start.environment import Terminal
from tritontui.ui.terminal.leaving import Leaving
from tritontui.ui.textual_compat import DiffDisplay
from tritontui.ui.textual_compat.leaving import Leavable
from tritontui.ui.textual_compat.themes import begin_with
from tritontui.ui.theme import ANSI, THEMES

if TYPE_CHECKING:
    from tritontui.engine.engine import Engine
    from tritontui.ui.code.highlight import Palette

STATUS_S = 1.0


class Shell(Leavable, DiffDisplay):
    """Owns the language, the colours and the engine; subclasses say what stands on the screen."""

    TITLE = "tritontui"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    """Whole, for subclasses elsewhere; here, not at a screen, for whose sake all would be parsed a second time."""
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, settled: Settled, asked: Language | None, device: str, terminal: Terminal) -> None:
        """``asked``: the language that the command line asked for, ``device`` the processor."""
        super().__init__()
        self.paths = settled.paths
        self.progress = settled.progress
        self.keys = settled.keys
        self.terminal = terminal
        self.frame_diff = terminal.frame_diff
        self._language_asked = asked
        self.language: Language = settled.language
        self._device = device
        self._engine: Engine | None = None
        for theme in THEMES:
            self.register_theme(theme)
        begin_with(self, settled.theme)
        self._status_timer: Timer | None = None
        self._said_until: dict[str, float] = {}
        """When what is said for a moment goes, by its words."""

    # ------------------------------------------------------------ the end

    def say_at_the_end(self, message: str, return_code: int) -> None:
        """Leave, and print ``message`` on the terminal as it was before."""
        self.exit(return_code=return_code, message=Text(plain(message, lines=True)))

    def leave_on_signals(self, save: Callable[[], None]) -> None:
        """Let SIGHUP and SIGTERM end the application, after ``save``. The event loop must run."""
        loop = asyncio.get_running_loop()
        leave = partial(self.exit, return_code=1)
        wake_and_leave = partial(loop.call_soon_threadsafe, leave)
        Leaving(wake_and_leave, save, self.modes_before).install()

    # ------------------------------------------------------------ for subclasses

    @property
    def main_screen(self) -> Screen[Any] | None:
        """The screen under all others; None before there is one."""
        raise NotImplementedError

    def keep_setting(self, name: str, value: str) -> None:
        """Write a setting down for the next time."""
        self.progress.set_setting(name, value)

    def engine_settles(self) -> None:
        """Hook: the engine has another status; called at once, the screens are told once a second at most."""

    # ------------------------------------------------------------ what widgets ask for

    @property
    def engine(self) -> Engine:
        """The engine, made when it is first asked for: after the first frame."""
        if self._engine is None:
            from tritontui.engine.engine import Engine

            self._engine = Engine(self._device, on_status=lambda _status: self._engine_changed())
        return self._engine

    @property
    def engine_status(self) -> EngineStatus:
        """What the engine is doing; before there is one, it is starting."""
        return self._engine.status if self._engine is not None else EngineStatus("CPU")

    @property
    def listens(self) -> bool:
        """Whether there is a screen to tell things to: not before it is drawn, nor while it is taken down."""
        return self.main_screen is not None and self.main_screen.is_mounted and self.is_running

    @property
    def translator(self) -> Translator:
        """Into the language of the moment."""
        return translator(self.language)

    def code(self, source: str) -> Content:
        """Python source in the colours of the moment."""
        from tritontui.ui.code.highlight import code_text

        return Content.from_rich_text(code_text(source, self.palette))

    @property
    def palette(self) -> Palette:
        """The colours that code is shown in."""
        if self.terminal.colours == "none":
            return "none"
        if self.theme == ANSI.name:
            return "ansi"
        return "dark" if self.current_theme.dark else "light"

    # ------------------------------------------------------------ the engine's status

    def _engine_changed(self) -> None:
        """Words about the engine change once a second at most: a run goes through five phases in a blink."""
        self.engine_settles()
        if self.listens and self._status_timer is None:
            self._tell_engine()
            self._status_timer = self.set_timer(STATUS_S, self._engine_settled)

    def _engine_settled(self) -> None:
        self._status_timer = None
        if self.listens:
            self._tell_engine()

    def _tell_engine(self) -> None:
        """To the main screen, and to what stands over it."""
        for screen in self._told_screens():
            if (told := getattr(screen, "engine_changed", None)) is not None:
                told()

    def _told_screens(self) -> list[Screen[Any]]:
        main = self.main_screen
        return [screen for screen in self.screen_stack if screen is main or screen is self.screen]

    # ------------------------------------------------------------ settings

    def action_language(self) -> None:
        """The other language, in place."""
        self.apply_setting("language", next(language for language in LANGUAGES if language != self.language))

    def action_next_theme(self) -> None:
        """Dark, light, the terminal's own."""
        names = [theme.name for theme in THEMES]
        self.apply_setting("theme", names[(names.index(self.theme) + 1) % len(names)])

    def apply_setting(self, name: str, value: str) -> None:
        """Set it, now and for the next time."""
        self.keep_setting(name, value)
        if name == "language":
            self._language_asked = None
            self.language = wanted_language(None, value)
        elif name == "theme":
            self.theme = wanted_theme(self.terminal, value)
        else:
            return
        for screen in self._told_screens():
            if (retranslate := getattr(screen, "retranslate", None)) is not None:
                retranslate()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - names and paths are the learner's
    ) -> None:
        """Say something for a moment; what stands there already isn't said again, however long a key is held.

        Nothing in it is read as markup.
        """
        now, lasts = time.monotonic(), timeout or self.NOTIFICATION_TIMEOUT
        self._said_until = {words: until for words, until in self._said_until.items() if until > now}
        if message not in self._said_until:
            self._said_until[message] = now + lasts
            super().notify(message, title=title, severity=severity, timeout=lasts, markup=False)

    # ------------------------------------------------------------ the terminal

    def action_redraw(self) -> None:
        """Write every cell again."""
        self.redraw()
