"""The playground: a script of the learner's own in the editor, traced as it is typed; nothing is right or wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.content import Content

from tritontui.course.playground import PLAYGROUND, starter
from tritontui.course.storage import StorageError
from tritontui.diagnosis.finding import Finding
from tritontui.i18n import N_
from tritontui.ui.app import Script
from tritontui.ui.bindings import bindings_for
from tritontui.ui.learner.saver import Saved
from tritontui.ui.runs.controller import PAUSE_S, View, quick_syntax
from tritontui.ui.screens.trace import TraceScreen
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.screens import ClosesOnce
from tritontui.ui.views.key_hints import Hints


class Playground(OfTheCourse, ClosesOnce, TraceScreen):
    """Ends when the learner goes back to the lesson. What is typed is saved as the kernels of the exercises are."""

    own_commands: ClassVar[tuple[str, ...]] = ("playground", "course", "save", "reset")
    own_hints: ClassVar[Hints] = (("{playground}", N_("lesson")),)

    def __init__(self) -> None:
        super().__init__(Script(self.triton.study.work.path(PLAYGROUND)))
        give_bindings(self, bindings_for(self.triton.keys, {"playground": "leave", "course": "leave", "save": "save"}))
        self.pane = "editor"
        self._saver = self.triton.study.saver
        self._syntax: Finding | None = None
        self._trouble = ""
        """Why the text could not be saved, until it could."""
        self._due: asyncio.TimerHandle | None = None
        self._told = ""
        """The text that the editor was last known to hold."""

    def load_source(self) -> None:
        work = self.triton.study.work
        self._file = self.script
        try:
            self._saver.flush()
            text = work.read(PLAYGROUND)
            if text is None:
                text = starter(self.tr)
                work.save(PLAYGROUND, text)
        except StorageError as error:
            text, self.editor.read_only = "", True
            self._trouble = self.tr(error.message, **error.values)
        self._told = text
        self.editor.load(text)
        self._syntax = quick_syntax(text)

    async def on_unmount(self) -> None:
        self._cancel_due()

    # ------------------------------------------------------------ the text

    def on_code_area_edited(self) -> None:
        text = self.editor.text
        if text == self._told:
            return
        self._told, self._syntax = text, quick_syntax(text)
        self._saver.edited(PLAYGROUND, text)
        self.tracer.outdate()
        self._cancel_due()
        if self._syntax is None and self.triton.controller.live:
            self._due = asyncio.get_running_loop().call_later(PAUSE_S, self.action_run)

    def _cancel_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def action_run(self) -> None:
        """Save, and run what is saved."""
        self._cancel_due()
        self.run_worker(self._save_and_run(), exclusive=True, exit_on_error=False)

    async def _save_and_run(self) -> None:
        await asyncio.to_thread(self._saver.flush)
        self.tracer.run()

    def action_save(self) -> None:
        self.run_worker(asyncio.to_thread(self._saver.flush), exit_on_error=False)

    def keep_text(self) -> None:
        """Save what stands in the editor, on this thread."""
        if self.editor.text != self._told:
            self._told = self.editor.text
            self._saver.edited(PLAYGROUND, self._told)
        self._saver.flush()

    def saved(self, saved: Saved) -> None:
        """A save has ended."""
        if saved.exercise != PLAYGROUND:
            return
        self._trouble = "" if saved.error is None else self.tr(saved.error.message, **saved.error.values)
        if saved.replaced:
            words = self.tr(
                "Another program had changed {file} while you typed: its text is kept in {place}.",
                file=self.script.name,
                place=f"versions/{PLAYGROUND}",
            )
            self.notify(words)
        self.panes_changed()

    def files_changed(self, files: Sequence[Path]) -> None:
        """Another editor's text is taken in; undo brings back what was here. Our own saves change nothing."""
        if self._saver.pending:
            return
        try:
            text = self.triton.study.work.read(PLAYGROUND) if self.script in files else None
        except StorageError as error:
            self._trouble = self.tr(error.message, **error.values)
            return
        if text is not None and text != self.editor.text:
            self.editor.replace_text(text)
            words = self.tr("{file} was changed by another program: this is its text now.", file=self.script.name)
            self.notify(words)
        elif any(file != self.script for file in files):
            self.action_run()

    def action_external_editor(self) -> None:
        self.keep_text()
        super().action_external_editor()

    def action_reset(self) -> None:
        """The starter again; undo brings the learner's text back."""
        self.editor.replace_text(starter(self.tr))
        self.notify(self.tr("This is the starter. Undo ({key}) brings your text back.", key=self.key_of("undo")))

    # ------------------------------------------------------------ what is shown

    @property
    def view(self) -> View:
        view = super().view
        return view._replace(syntax=self._syntax) if self._syntax is not None else view

    def show_source(self) -> None:
        """The text stays where the learner is in it."""
        if not self.tracer.stale:
            self.show_marks()

    def go_to(self, file: Path, line: int, column: int | None) -> None:
        if file == self.script:
            super().go_to(file, line, column)

    @property
    def place_words(self) -> str:
        return self.tr("Playground")

    def source_words(self) -> Content:
        if self._trouble:
            return Content.styled(self._trouble, "$error")
        return Content.styled("…" if self._saver.pending else self.tr("saved"), "$muted")

    async def perform_own(self, command: str) -> None:
        match command:
            case "reset":
                self.action_reset()
            case "save":
                self.action_save()
            case _:
                await self.action_leave()

    # ------------------------------------------------------------ leaving

    async def action_leave(self) -> None:
        """Back to the lesson."""
        self.keep_text()
        await self.tracer.close()
        self.dismiss(None)
