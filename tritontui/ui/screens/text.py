"""The learner's text: what the editor holds, what is on the disk, and every way from one to the other."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess

from textual.app import SuspendNotSupported

from tritontui.course.storage import StorageError
from tritontui.keys.file import Keys
from tritontui.ui.controller import Controller
from tritontui.ui.saver import Saved
from tritontui.ui.screens.lines import LinesScreen
from tritontui.ui.study import Study


class TextScreen(LinesScreen):
    """Saves what is typed, and takes in what other editors write."""

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(study, controller, keys)
        self._stamp: tuple[int, int] | None = None
        """Of the file as it was last read or written."""

    def read_text(self) -> str:
        """What the file of the exercise holds, and the stamp it has from now on; failures are told."""
        exercise = self.study.exercise
        if exercise is None:
            return ""
        try:
            self._stamp = self.study.work.stamp(exercise.id)
            return self.study.text(exercise)
        except StorageError as error:
            self.write_failed(error)
            return ""

    def on_code_area_edited(self) -> None:
        exercise = self.study.exercise
        if exercise is not None:
            self.study.saver.edited(exercise.id, self.editor.text)
            self.controller.edited(self.editor.text)
            self._show_editor_title()

    def keep_text(self) -> None:
        """Save what stands in the editor, on this thread: a key may be drawn before word of it comes here."""
        exercise = self.study.exercise
        if self.furnished and exercise is not None and self.editor.text != self.controller.text:
            self.study.saver.edited(exercise.id, self.editor.text)
        self.study.saver.flush()

    # ------------------------------------------------------------ saving

    def action_save(self) -> None:
        """Save now."""
        self.run_worker(asyncio.to_thread(self.study.saver.flush), exit_on_error=False)

    def before_run(self) -> None:
        """A run begins: what it judges is on the disk."""
        if self.study.saver.pending:
            self.action_save()

    def saved(self, saved: Saved) -> None:
        """A save has ended."""
        exercise = self.study.exercise
        if exercise is not None and saved.exercise == exercise.id and saved.error is None:
            self._stamp = saved.stamp
        self._trouble = self.tr(saved.error.message, **saved.error.values) if saved.error else ""
        self._show_editor_title()
        self._show_status()

    def write_failed(self, error: StorageError) -> None:
        """Something else could not be read or written."""
        self._trouble = self.tr(error.message, **error.values)
        self._show_status()

    # ------------------------------------------------------------ other editors

    async def action_external_editor(self) -> None:
        """The file in $VISUAL or $EDITOR, the workspace waiting behind it."""
        exercise = self.study.exercise
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if exercise is None or not command:
            words = self.tr("This lesson has no exercise.") if exercise is None else self.tr("$EDITOR is not set.")
            self.notify(words)
            return
        await self.controller.pause()
        self.study.saver.edited(exercise.id, self.editor.text)
        await asyncio.to_thread(self.study.saver.flush)  # or it would write over what the other editor saves
        path = self.study.work.path(exercise.id)
        try:
            with self.app.suspend():
                subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, SuspendNotSupported) as error:
            self.notify(self.tr("{command} could not be started: {error}", command=command, error=error))
        self.triton.redraw()
        await self.look_at_disk()
        self.controller.resume()

    async def look_at_disk(self) -> None:
        """Another editor may have changed the file: take its text in; undo brings back what was here."""
        exercise = self.study.exercise
        if exercise is None or self.study.saver.pending or not self.furnished:
            return
        stamp = await asyncio.to_thread(self.study.work.stamp, exercise.id)
        if (
            not self.triton.listens
            or stamp is None
            or stamp == self._stamp
            or self.study.saver.pending
            or exercise != self.study.exercise
        ):
            return
        text = self.read_text()
        if text != self.editor.text:
            self.editor.replace_text(text)
            self.notify(
                self.tr("{file} was changed by another program: this is its text now.", file=f"{exercise.id}.py")
            )

    # ------------------------------------------------------------ the starter

    async def action_reset(self) -> None:
        """The starter again, after a question; undo brings the learner's text back."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.sheets import question_blocks

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
            return

        def replace(yes: object | None) -> None:
            if yes is True:
                self.study.keep_version(exercise)
                self.editor.replace_text(exercise.starter.read_text(encoding="utf-8"))
                self.show_pane("editor")

        question = self.tr(
            "Put the starter in the place of your text? Undo ({key}) brings your text back.", key=self.key_of("undo")
        )
        blocks = list(question_blocks(question, self.tr("Put the starter back"), self.tr("Keep my text")))
        await self.app.push_screen(Sheet(self.tr("Start over"), blocks), replace)
