"""The way into the interface: settles the environment, and only then imports Textual."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import NamedTuple

from tritontui.i18n import Language
from tritontui.ui.start.environment import prepare


class Options(NamedTuple):
    """What the command line asks for."""

    language: Language | None = None
    """None: as set in the application, else as the locale says."""
    device: str = "auto"
    """``auto``, ``cpu`` or ``cuda:N``."""
    lesson: int | None = None
    """Number of the lesson to open; None: where the learner left."""
    lessons: Path | None = None
    """Where other lessons are than those of this installation."""


class Script(NamedTuple):
    """What the viewer is to trace."""

    path: Path
    arguments: tuple[str, ...] = ()
    launch: int | None = None
    """The one to open at; None: the first with an error."""
    entry: str = ""
    """``module:function``, to be called in the place of running the file."""


def trace(script: Script, language: Language | None, device: str) -> bool | None:
    """Run the viewer until it is left; whether all was well in the last run, None where that isn't known.

    Raises StorageError where the folders for settings and caches can't be made.
    """
    terminal = prepare(os.environ)
    from tritontui.ui.trace_app import TraceApp

    app = TraceApp(script, language, device, terminal)
    app.run(mouse=terminal.mouse)
    return app.outcome


def run(options: Options) -> int:
    """Run the application until the learner leaves; the exit status.

    Raises CourseError or StorageError when there is nothing to open or nowhere to save, and KeyError for a
    lesson that doesn't exist.
    """
    gc.disable()  # hardly anything that a start makes is garbage; the workspace turns it on once furnished
    terminal = prepare(os.environ)
    from tritontui.ui.start.beginning import Beginning
    from tritontui.ui.start.first_frame import FirstFrame, sequences
    from tritontui.ui.terminal.threshold import Threshold

    beginning = Beginning.of(options, terminal)
    frame = FirstFrame(beginning)
    theme = beginning.settled.theme
    with Threshold() as threshold:
        threshold.show(lambda width, height: sequences(frame.rows(width, height), width, theme, terminal))
        from tritontui.ui.application import TritonApp  # after prepare(): Textual reads the environment when imported

        app = TritonApp(options, terminal, beginning, threshold.modes)
        app.run(mouse=terminal.mouse)
    return app.return_code or 0
