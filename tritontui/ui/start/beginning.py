"""What is settled before anything is drawn: folders, language, colours, keys, and where the learner begins.

Nothing here imports Textual.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from tritontui.course.loader import load_lesson
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.course.work import Work
from tritontui.i18n import LANGUAGES, Language, choose_language
from tritontui.keys.file import Keys, read_keys
from tritontui.ui.app import Options
from tritontui.ui.colours import ANSI_THEME, PALETTES, system_theme
from tritontui.ui.learner.desk import Desk
from tritontui.ui.start.environment import Terminal


class Settled(NamedTuple):
    """What counts for every screen until it is set otherwise."""

    paths: Paths
    progress: Progress
    keys: Keys
    language: Language
    theme: str

    @classmethod
    def at(cls, asked: Language | None, terminal: Terminal, paths: Paths) -> Settled:
        """As the command line asked (None: nothing), else as set in the application, else as the system says.

        Raises StorageError where the folders can't be made.
        """
        paths.create()
        progress = Progress(paths.progress)
        language = wanted_language(asked, progress.setting("language"))
        theme = wanted_theme(terminal, progress.setting("theme"))
        return cls(paths, progress, read_keys(paths.keys), language, theme)

    @property
    def live(self) -> bool:
        """Whether every edit is judged."""
        return self.progress.setting("live") != "off"


class Beginning(NamedTuple):
    """A learner who has just come in."""

    settled: Settled
    desk: Desk
    work: Work

    @classmethod
    def of(cls, options: Options, terminal: Terminal) -> Beginning:
        """Where they are sent, or where they left; only that lesson is read.

        Raises CourseError or StorageError when there is nothing to open or nowhere to save, and KeyError for a lesson
        that doesn't exist.
        """
        settled = Settled.at(options.language, terminal, Paths.find().of_course(options.lessons))
        position = settled.progress.position()
        course = load_lesson(options.lesson, position.lesson if position else None, options.lessons)
        return cls(settled, Desk.at(course, position, options.lesson), Work(settled.paths.work))


def wanted_language(asked: Language | None, chosen: str | None) -> Language:
    """That of the command line, else the one chosen in the application, else the system's."""
    return choose_language(asked or (chosen if chosen in LANGUAGES else None), os.environ)


def wanted_theme(terminal: Terminal, chosen: str | None) -> str:
    """The terminal's own colours where there are few; else what was chosen, else what suits the background."""
    if terminal.ansi:
        return ANSI_THEME
    return chosen if chosen is not None and chosen in PALETTES else system_theme(os.environ)
