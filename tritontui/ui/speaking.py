"""Widgets that say something in the learner's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tritontui.i18n import Language, Translator

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from tritontui.ui.application import TritonApp
    from tritontui.ui.shell import Shell


class Speaking:
    """Mixed into widgets and screens: the application's translator at hand, and a call when the language changes.

    No DOMNode itself: Textual follows the first DOM base alone for styles and bindings.
    """

    @property
    def triton(self) -> Shell:
        """The application, by its own type."""
        return cast("Shell", cast("DOMNode", self).app)

    @property
    def tr(self) -> Translator:
        """The translator of the moment."""
        return self.triton.translator

    def key_of(self, command: str) -> str:
        """The key of a command as people write it: ``^R``; without one, what to type in the palette."""
        keys = self.triton.keys
        return keys.shown(command) or f"{keys.shown('palette')} {command}"

    @property
    def language(self) -> Language:
        """The language of the moment."""
        return self.triton.language

    def retranslate(self) -> None:
        """The language has changed: say everything again."""


class OfTheCourse(Speaking):
    """Mixed into what is there in the application of the course alone."""

    @property
    def triton(self) -> TritonApp:
        return cast("TritonApp", super().triton)
